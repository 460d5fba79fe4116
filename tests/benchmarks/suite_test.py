#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/suite: plan, X, tables, and one tiny run when db_bench is given."""

import contextlib
import io
import json
import os
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import suite_tables as tables  # noqa: E402
from drivers import running  # noqa: E402
from drivers.results_folder import keep, read_results  # noqa: E402
from drivers.stolen_cpu import disturbed  # noqa: E402
from drivers.suite_workloads import WORKLOADS, case_of_calibration, figures_of  # noqa: E402

suite = load_script('suite')


def result(benchmark, rate=1000.0, write_p99_us=500.0, closed=False):
    """Returns the fields of a db_bench result that the suite uses."""
    none = {'count': 0, 'p99_us': 0, 'p999_us': 0}
    return {
        'kind': 'result',
        'benchmark': benchmark,
        'store': 'lull',
        'compiler': 'gcc 12.2.0',
        'mb_per_s': 12.5,
        'ops': 1000,
        'unserved': 3,
        'stall_seconds': 0.25,
        'write_amplification': 2.5,
        'cpu_seconds': 0.5,
        'peak_rss_bytes': 64 << 20,
        'load': {'requests_per_s': rate, 'closed_loop': closed},
        'write_latency': {'count': 9, 'p99_us': write_p99_us, 'p999_us': 2 * write_p99_us},
        'read_latency': none,
        'scan_latency': none,
    }


class SuiteTest(FolderTest):
    def suite(self, *arguments):
        return suite.Suite(suite.read_options([f'--results={self.folder}', *arguments]))

    def test_all_of_it_ends_within_125_minutes(self):
        whole = self.suite()
        self.assertEqual([w.name for w in whole.workloads], [f'b{i}' for i in range(11)])
        self.assertEqual(len(whole.plan()), 3 * 11 * 3 + 2 * 4)
        self.assertLess(sum(whole.expected_seconds()), 125 * 60)
        short = self.suite('--scale=0.1')
        self.assertLess(sum(short.expected_seconds()), 0.25 * sum(whole.expected_seconds()))

    def test_a_part_does_not_replace_all_that_is_in_docs(self):
        for part in ('--workloads=b1', '--no-report'):
            with self.assertRaisesRegex(suite.Failure, '--docs'):
                self.suite('--docs', part)

    def test_docs_keep_the_results_of_others(self):
        docs = f'{self.folder}/docs'
        os.makedirs(f'{docs}/png')
        for name in ('sizes.jsonl', 'png/old.png'):
            with open(f'{docs}/{name}', 'w') as file:
                file.write('{}')
        with mock.patch.object(suite, 'DOCS', docs):
            self.suite().put_into_docs('The page.')
        self.assertEqual(len(os.listdir(docs)), 4)  # with README.md and figures.jsonl
        self.assertTrue(os.path.exists(f'{docs}/sizes.jsonl'))
        self.assertEqual(os.listdir(f'{docs}/png'), [])

    def test_a_run_that_the_host_disturbed_is_repeated(self):
        """The rule of all scripts: up to three tries, of which the least disturbed one counts."""
        progress = mock.Mock()
        for stolen, tries, counts in (([0.01], 1, 0), ([0.3, 0.01], 2, 1), ([0.2, 0.1, 0.3], 3, 1)):
            made = [
                ([], [{'kind': 'interval'}, {'wall_seconds': 1, 'stolen_cpu_seconds': share}])
                for share in (share * os.cpu_count() for share in stolen)
            ]
            call = self.suite()
            with mock.patch.object(call, 'execute', side_effect=made) as execute:
                self.assertIs(call.execute_undisturbed(['db_bench'], progress), made[counts])
            self.assertEqual(execute.call_count, tries)

    def test_a_stolen_second_disturbs_a_run(self):
        """It can decide the p99, even if the host took little of the whole run."""

        def run(*stolen, seconds=0.1):
            """Of each interval, as a share of all CPUs."""
            shares = enumerate(share * os.cpu_count() for share in stolen)
            return [{'at_seconds': (i + 1) * seconds, 'stolen_cpus': share} for i, share in shares]

        calm = [0] * 15
        for results, disturbs in (
            (run(*calm, 0.4, 0.4, 0.4, *calm), True),
            (run(0.4, 0.4, 0.4, *calm), True),
            (run(*calm, 0.4, 0.4, 0.4), True),
            (run(0.4, 0.4, *calm), False),
            (run(0.4, *calm, 0.4, *calm, 0.4), False),
            (run(*[0.09] * 30), False),
            (run(*[0.3] * 9), False),  # shorter than a second: the whole run counts
            (run(*calm, 0.4, 0.4) + run(0.4, *calm), False),  # two benchmarks
            (run(*calm) + run(0.4, 0.4, 0.4, *calm), True),
            (run(0, 0.12, 0, seconds=0.9993), True),
            (run(0, 0.3, 0, seconds=0.5), True),
            (run(0, 0.15, 0, seconds=0.5), False),
            (run(0, 0.12, 0, seconds=6), True),
            ([{'at_seconds': 60, 'stolen_cpus': None}], False),
        ):
            self.assertEqual(disturbed(*results), disturbs, results)
            self.assertFalse(disturbed(*results, seconds_count=False), results)

    def test_stores_take_turns_in_beginning(self):
        plan = self.suite('--workloads=b4,b9', '--stores=lull,leveldb', '--runs=2').plan()
        self.assertEqual(
            [(run.workload.name, run.store) for run in plan],
            [('b4', 'lull'), ('b4', 'leveldb'), ('b9', 'leveldb'), ('b9', 'lull')]
            + [('b4', 'leveldb'), ('b4', 'lull'), ('b9', 'lull'), ('b9', 'leveldb')],
        )

    def test_a_limit_is_measured_once_beside_ours(self):
        plan = self.suite('--workloads=b1', '--stores=lull,leveldb', '--runs=2').plan()
        limits = [run.store for run in plan if run.store in suite.LIMITS]
        self.assertEqual(limits, ['limit', 'null'])
        self.assertFalse(
            [r for r in self.suite('--stores=leveldb').plan() if r.store in suite.LIMITS]
        )

    def run_with(self, one, results):
        """Patches `one` to get these results instead of calling db_bench; returns the commands,
        too."""
        commands = []

        def execute(command, cap, progress):
            commands.append(command)
            with open(one.output + '.raw', 'w') as file:
                for item in results:
                    file.write(json.dumps(item) + '\n')

        return commands, mock.patch.object(running, 'execute', execute)

    def test_x_is_that_of_the_slowest_store(self):
        one = self.suite('--workloads=b4', '--stores=lull,leveldb', '--runs=1')
        progress = mock.Mock()
        for store, rate in (('lull', 900.0), ('leveldb', 300.0)):
            loop = result('b4/60%,sustainable', rate, closed=True)
            commands, patched = self.run_with(one, [loop])
            with patched:
                one.calibrate(WORKLOADS['b4'], store, progress)
            self.assertIn('--calibrate_only', commands[0])
        self.assertEqual(one.x, {'b4/60%': 300.0})
        commands, patched = self.run_with(one, [result('b4/60%'), result('b4/80%')])
        with patched:
            one.measure(one.plan()[0], progress)
        self.assertIn('--x=b4/60%=300.0', commands[0])
        self.assertEqual(one.measured.cases(), ['b4/60%', 'b4/80%'])
        self.assertEqual(one.builds['lull']['compiler'], 'gcc 12.2.0')

    def test_a_call_that_was_ended_goes_on(self):
        one = self.suite('--workloads=b0,b1,b3', '--stores=lull,leveldb', '--runs=1')
        keep([one.facts], one.output)

        def told(benchmark, rate=1000.0, **facts):
            item = result(benchmark, rate) | {'store_kind': 'db', 'run': 0, 'calibration': False}
            keep([item | facts], one.output)

        told('b0/closed', 500.0, calibration=True)
        told('b0/closed', 300.0, calibration=True, store='leveldb')
        told('b1,sustainable', 700.0, calibration=True)
        told('b1,sustainable', 800.0, calibration=True, store='leveldb')
        told('b0/closed', 900.0)
        told('b3/synced', store_kind='null')
        one.take_over(read_results(self.folder)[1:])
        self.assertEqual(one.x, {'b0/50%': 300.0, 'b1': 700.0})
        self.assertEqual(one.calibrations(), [])
        left = [(run.workload.name, run.store) for run in one.plan()]
        self.assertEqual(left[:3], [('b0', 'leveldb'), ('b1', 'leveldb'), ('b1', 'lull')])
        self.assertEqual(left[-3:], [('b3', 'lull'), ('b3', 'leveldb'), ('b3', 'limit')])
        self.assertEqual(set(one.measured.runs), {('b0/closed', 'lull'), ('b3/synced', 'null')})

    def resume(self, **here):
        """Begins a call that goes on with the one in the folder, on a machine with these facts."""
        call = suite.Suite(suite.read_options([f'--resume={self.folder}']))
        call.facts |= here
        with mock.patch.object(running, 'prepare', return_value={}):
            call.begin()
        return call

    def test_a_call_goes_on_only_with_the_same_machine_and_programs(self):
        build = f'{self.folder}/build'
        os.makedirs(build)
        arguments = ['--workloads=b5', '--stores=lull', '--runs=2', f'--db-dir={self.folder}/db']
        with mock.patch.object(running, 'BUILD', build):

            def built(text):
                with open(f'{build}/db_bench', 'w') as file:
                    file.write(text)

            built('first')
            one = self.suite(*arguments)
            with mock.patch.object(running, 'prepare', return_value={}):
                one.begin()
            kernel = one.facts['kernel']
            self.assertEqual(len(self.resume().plan()), 4)
            with self.assertRaisesRegex(suite.Failure, f'kernel was {kernel}, is other: '):
                self.resume(kernel='other')
            built('second')
            with self.assertRaisesRegex(suite.Failure, 'programs .*: commit was .*, is other: '):
                self.resume(commit='other')
            # Without runs left, only the pages are written again: with the facts of the runs.
            for number in range(2):
                for kind in ('db', 'limit', 'null')[: 1 if number else 3]:
                    ran = {'store_kind': kind, 'run': number, 'calibration': False}
                    keep([result('b5') | ran], one.output)
            self.assertEqual(self.resume(kernel='other').facts['kernel'], kernel)

    def test_the_page_names_options_of_lull(self):
        said = '\n'.join(self.suite('--lull-options=l0_stop=9').notes(True))
        self.assertIn('`l0_stop=9`', said)

    def test_stores_are_told_apart(self):
        for wanted, store, profile, kind in (
            ('lull', 'lull', '', 'db'),
            ('limit', 'lull', '', 'limit'),
            ('rocksdb', 'rocksdb', 'defaults', 'db'),
            ('rocksdb-matched', 'rocksdb', 'matched', 'db'),
        ):
            item = {'store': store, 'rocksdb_profile': profile, 'store_kind': kind}
            self.assertEqual(suite.store_of(item), wanted)

    def test_which_loops_tell_x(self):
        self.assertEqual(case_of_calibration('b6/A,zipfian,sustainable'), 'b6/A,zipfian')
        self.assertEqual(case_of_calibration('b0/closed'), 'b0/50%')
        self.assertIsNone(case_of_calibration('b4/60%'))

    def test_figures_of_loads_and_of_bursts(self):
        figures = figures_of(result('b1'))
        self.assertEqual(figures['write_p99_ms'], 0.5)
        self.assertIsNone(figures['read_p99_ms'], 'nothing was read')
        self.assertEqual(figures['unserved'], 3)
        self.assertNotIn('mb_per_s', figures, 'in open loop it is the rate of the load')
        bursts = result('b3/synced')
        for key in ('load', 'write_latency', 'read_latency', 'scan_latency', 'unserved'):
            del bursts[key]
        bursts.update({'p99_us': 70.0, 'p999_us': 900.0})
        self.assertEqual(figures_of(bursts)['mb_per_s'], 12.5)
        self.assertEqual(figures_of(bursts)['write_p999_ms'], 0.9)


class TablesTest(unittest.TestCase):
    def test_a_headline_is_a_ratio_with_its_range(self):
        measured = tables.Measured()
        for number, (ours, theirs) in enumerate(((10.0, 5.0), (12.0, 4.0), (10.0, 10.0))):
            measured.add('b5', 'lull', number, {'mb_per_s': ours})
            measured.add('b5', 'leveldb', number, {'mb_per_s': theirs})
        measured.add('b5', 'lull', 7, {'mb_per_s': 99.0})  # without a counterpart: no ratio
        text = tables.headlines(
            measured, ['lull', 'leveldb'], {'lull': 'Lull', 'leveldb': 'LevelDB'}
        )
        self.assertIn('| **2.00** (1.00 to 3.00) |', text)
        self.assertIn('Lull / LevelDB', text)
        self.assertNotIn('b9/1', text)

    def test_a_table_has_medians_of_the_stores_that_were_measured(self):
        measured = tables.Measured()
        for number, value in enumerate((1.0, 3.0, 2.0)):
            measured.add('b1', 'lull', number, {'write_p99_ms': value, 'read_p99_ms': None})
        measured.add('b1', 'null', 0, {'write_p99_ms': 0.5, 'read_p99_ms': None})
        titles = {'lull': 'Lull', 'leveldb': 'LevelDB', 'null': 'no store'}
        text = tables.case_table(measured, 'b1', list(titles), titles)
        self.assertEqual(
            text.splitlines(),
            ['|  | Lull | no store |', '|---|---|---|', '| write p99, ms | 2.00 | 0.50 |'],
        )


@unittest.skipUnless(DB_BENCH, 'no db_bench was given')
class RunTest(FolderTest):
    def call(self, *arguments):
        out = io.StringIO()
        built = mock.patch.object(running, 'BUILD', os.path.dirname(DB_BENCH))
        with contextlib.redirect_stdout(out), built:
            self.assertEqual(suite.main([*arguments, '--no-build']), 0, out.getvalue())
        return out.getvalue()

    def test_a_tiny_run_leaves_its_tables(self):
        self.call(
            f'--results={self.folder}/results',
            f'--db-dir={self.folder}/db',
            '--workloads=b4,b9',
            '--stores=lull',
            '--runs=1',
            '--scale=0.05',
            '--no-report',
        )
        with open(f'{self.folder}/results/README.md') as file:
            text = file.read()
        self.assertRegex(self.call(f'--resume={self.folder}/results'), r'(?m)^0 run\(s\)')
        with open(f'{self.folder}/results/README.md') as file:
            self.assertEqual(file.read(), text)
        for wanted in ('## B4', '### `b4/95%`', '### `b9/8`', 'write p99, ms'):
            self.assertIn(wanted, text)


if __name__ == '__main__':
    unittest.main()
