#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/policies: plan, figures, tables, and one tiny run when db_bench is given."""

import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import pages  # noqa: E402
from drivers.command_line import STORES_FOLDER  # noqa: E402
from drivers import row_tables as tables  # noqa: E402
from drivers.results_folder import read_results  # noqa: E402
from drivers.policy_rows import make_rows  # noqa: E402

policies = load_script('policies')


def comparison(folder, *arguments):
    return policies.Comparison(policies.read_options([f'--results={folder}', *arguments]))


def figures(throughput, p99, stalled=0.0):
    return {'throughput': throughput, 'p99': p99, 'p999': p99 * 2, 'stalled': stalled}


class PlanTest(FolderTest):
    def test_all_rows_of_all_policies_end_within_forty_minutes(self):
        whole = comparison(self.folder)
        self.assertEqual(len(whole.plan()), 6 * 7 + 1)
        self.assertEqual(whole.loops(), ['production', 'half-writes'])
        self.assertLess(sum(whole.expected_seconds()), 40 * 60)
        short = comparison(self.folder, '--scale=0.1')
        self.assertLess(sum(short.expected_seconds()), 0.3 * sum(whole.expected_seconds()))

    def test_policies_take_turns_in_beginning(self):
        plan = comparison(
            self.folder, '--policies=leveldb,lull', '--rows=unsynced,gaps', '--runs=2'
        ).plan()
        self.assertEqual(
            [(run.row.name, run.contender, run.number) for run in plan],
            [
                ('unsynced', 'leveldb', 0),
                ('unsynced', 'lull', 0),
                ('gaps', 'lull', 0),
                ('gaps', 'leveldb', 0),
                ('unsynced', 'lull', 1),
                ('unsynced', 'leveldb', 1),
                ('gaps', 'leveldb', 1),
                ('gaps', 'lull', 1),
            ],
        )


class TablesTest(unittest.TestCase):
    def test_the_rate_of_peaks_leaves_valleys_out(self):
        intervals = [
            {'at_seconds': 1, 'phase': 'peak', 'ops_per_s': 100},
            {'at_seconds': 2, 'phase': 'valley', 'ops_per_s': 1},
            {'at_seconds': 4, 'phase': 'peak', 'ops_per_s': 400},
        ]
        self.assertEqual(tables.peak_rate(intervals), 300)
        self.assertIsNone(tables.peak_rate(intervals[1:2]))

    def test_medians_ratios_and_the_best(self):
        measured = tables.Measured()
        for run, rate in enumerate((10, 30, 20)):
            measured.add('unsynced', 'lull', run, figures(rate, 0.5))
        measured.add('unsynced', 'leveldb', 0, figures(10, 8, 1.5))
        figures_shown = tables.figures_of_row(make_rows(1)['unsynced'])
        policies = ['leveldb', 'lull', 'silk']
        head, _, *body = tables.row_table(
            'unsynced', figures_shown, policies, measured, 'leveldb'
        )
        self.assertIn('MB/s in bursts', head)
        self.assertEqual(
            body,
            [
                '| `leveldb` | 10.0 |  | 8.00 |  | 16.0 |  | 1.50 |  |',
                '| `lull` | **20.0 (10.0 to 30.0)** | 2.00 × | **0.500** | 0.062 × '
                '| **1.00** | 0.062 × | **0** | 0.00 × |',
            ],
        )

    def test_the_limit_is_no_competitor(self):
        measured = tables.Measured()
        measured.add('b1-20k', 'lull', 0, figures(11.4, 0.4))
        measured.add('b1-20k', 'leveldb', 0, figures(11.4, 0.8))
        measured.add('b1-20k', 'limit', 0, figures(11.4, 0.1))
        row = make_rows(1)['b1-20k']
        lines = tables.markdown([row], ['leveldb', 'lull'], measured, []).splitlines()
        self.assertIn('| no background work | 11.4 | 1.00 × | 0.100 |', lines[-1])
        self.assertIn('**0.400**', lines[-2])

    def test_a_figure_without_a_better_side_has_no_ratio(self):
        measured = tables.Measured()
        measured.add('row', 'a', 0, {'debt': 1.0})
        measured.add('row', 'b', 0, {'debt': 2.0})
        figure = tables.Figure('debt', 'debt, GB', None)
        lines = tables.row_table('row', [figure], ['a', 'b'], measured, 'a', {'b': 'B'})
        self.assertEqual(lines[2:], ['| `a` | 1.00 |', '| B | 2.00 |'])

    def test_the_block_of_a_page(self):
        marks = begin, end = policies.MARKS
        page = f'before\n{begin}\nold\n{end}\nafter\n'
        self.assertEqual(
            pages.replace_between(page, *marks, 'new\n'),
            f'before\n{begin}\nnew\n{end}\nafter\n',
        )
        self.assertIsNone(pages.replace_between('no marks', *marks, 'new'))
        with open(policies.DOCS) as file:
            self.assertIsNotNone(pages.replace_between(file.read(), *marks, ''))


@unittest.skipIf(DB_BENCH is None, 'no db_bench')
class RunTest(FolderTest):
    def test_two_policies_in_one_row(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = policies.main(
                [
                    '--policies=leveldb,lull',
                    '--rows=b1-2x',
                    '--scale=0.03',
                    f'--db-bench={DB_BENCH}',
                    f'--db-dir={self.folder}/db',
                    f'--results={self.folder}/results',
                ]
            )
        self.assertEqual(code, 0)
        with open(f'{self.folder}/results/policies.md') as file:
            text = file.read()
        self.assertFalse(os.listdir(f'{self.folder}/db/{STORES_FOLDER}'))
        self.assertIn(text, printed.getvalue())
        self.assertRegex(text, r'sustains in a closed loop: [\d,]+/s \(production\)')
        rows = [line for line in text.splitlines() if line.startswith('| `')]
        self.assertEqual(len(rows), 2)
        self.assertRegex(rows[0], r'^\| `leveldb` \| \**\d')
        self.assertRegex(rows[1], r'^\| `lull` \| \**\d')


class ResumeTest(FolderTest):
    """Resumes a call that measured `gaps` with both policies and was interrupted in `b2`."""

    def setUp(self):
        super().setUp()

        def result(workload, policy, p99_us, rate=1000):
            return {
                'kind': 'result',
                'workload': workload,
                'scheduling': f'policy={policy};l0_stop=20',
                'store_kind': 'db',
                'run': 0,
                'load': {'requests_per_s': rate},
                'p99_us': p99_us,
                'p999_us': p99_us,
                'stall_seconds': 0.0,
            }

        began = ['--rows=gaps,b2', '--policies=leveldb,lull', '--scale=0.5']
        self.write_results(
            {'kind': 'machine', 'arguments': began},
            result('production,sustainable', 'leveldb', 0, 70_000),
            result('half-writes,sustainable', 'leveldb', 0, 90_000),
            result('gaps', 'leveldb', 9_000),
            result('gaps', 'leveldb', 4_000),
            result('gaps', 'lull', 2_000),
            {'kind': 'interval', 'at_seconds': 1, 'ops_per_s': 30_000, 'phase': 'peak'},
            result('b2', 'lull', 1_000),
        )

    def resumed(self, *arguments):
        options = policies.read_options([f'--resume={self.folder}', *arguments])
        resumed = policies.Comparison(options)
        resumed.take_over(read_results(self.folder)[1:])
        return resumed

    def test_what_is_known_is_not_measured_again(self):
        resumed = self.resumed()
        self.assertEqual(resumed.options.scale, 0.5)
        self.assertEqual([(r.row.name, r.contender) for r in resumed.plan()], [('b2', 'leveldb')])
        self.assertEqual(resumed.loops(), [])
        self.assertEqual(resumed.x, {'production': 70_000, 'half-writes': 90_000})
        self.assertEqual(resumed.measured.get('gaps', 'leveldb', 'p99'), 4, 'the later one')
        self.assertEqual(resumed.measured.get('b2', 'lull', 'throughput'), 30)

    def test_rows_that_are_wanted_again_are_measured_with_a_new_x(self):
        resumed = self.resumed('--again=gaps')
        self.assertEqual(
            [(r.row.name, r.contender) for r in resumed.plan()],
            [('gaps', 'leveldb'), ('gaps', 'lull'), ('b2', 'leveldb')],
        )
        self.assertEqual(resumed.loops(), ['production'])
        self.assertIsNone(resumed.measured.get('gaps', 'lull', 'p99'))
        self.assertIn('`gaps`', '\n'.join(resumed.notes(True)))

    def test_what_cannot_be_resumed_is_named(self):
        for objects in ([], [{'kind': 'result'}]):
            self.write_results(*objects)
            with self.assertRaisesRegex(policies.Failure, 'results.jsonl'):
                self.resumed()
        with self.assertRaisesRegex(policies.Failure, '--resume'):
            policies.read_options(['--again=gaps'])
        with self.assertRaisesRegex(policies.Failure, '--options'):
            policies.read_options(['--options=l0_trigger=3; policy=silk'])


if __name__ == '__main__':
    unittest.main()
