#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests what benchmarks/compare does besides running programs: arguments, plan, figures, tables."""

import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import compare_tables as tables  # noqa: E402
from drivers.compare_workloads import FIGURES, WORKLOADS  # noqa: E402

compare = load_script('compare')


def refusal(*arguments):
    """What is said about bad arguments."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            compare.read_options(list(arguments))
        except SystemExit as end:
            assert end.code == 2
            return said.getvalue()
    raise AssertionError('accepted')


def burst_run(throughput, p99):
    figures = {figure.key: 1.0 for figure in FIGURES}
    figures.update(mb_per_s=throughput, p99_us=p99, value_size=100)
    return {('db', 100): figures}


class ArgumentsTest(unittest.TestCase):
    def test_wrong_names_come_with_the_nearest_right_one(self):
        self.assertIn("'--workloads'?", refusal('--workload=unsynced-1k'))
        self.assertIn("'unsynced-1k'?", refusal('--workloads=unsynced1k'))
        self.assertIn('--no-build', refusal('--nobuild'))
        self.assertIn('whole number', refusal('--runs=0'))

    def test_full_measures_everything_three_times(self):
        options = compare.read_options(['--full'])
        self.assertEqual((options.runs, options.workloads), (3, list(WORKLOADS)))
        self.assertEqual(compare.read_options(['--full', '--runs=1']).runs, 1)


class PlanTest(FolderTest):
    def call(self, *arguments):
        options = compare.read_options(list(arguments))
        options.results = self.folder
        return compare.Comparison(options)

    def test_the_stores_take_turns_in_beginning(self):
        plan = self.call('--runs=2', '--workloads=unsynced-1k').plan()
        self.assertEqual(
            [(run.store, run.number) for run in plan],
            [('lull', 0), ('leveldb', 0), ('leveldb', 1), ('lull', 1)],
        )

    def test_rocksdb_has_to_be_asked_for(self):
        self.assertEqual(compare.read_options([]).stores, ['lull', 'leveldb'])
        programs = self.call('--stores=lull,rocksdb,rocksdb-tuned').programs()
        self.assertEqual(
            [os.path.basename(path) for path in programs], ['db_bench', 'db_bench_rocksdb']
        )

    def test_the_short_form_leaves_time_to_build(self):
        self.assertLess(sum(self.call().expected_seconds()), 3 * 60)

    def test_commands_differ_only_in_the_store(self):
        call = self.call('--workloads=synced-batches', '--lull-options=policy=lull')
        ours, theirs = [call.command(run, []) for run in call.plan()]
        extra = set(ours) - set(theirs)
        self.assertEqual(len(extra), 3)
        self.assertIn(call.program_of('lull'), extra)
        self.assertIn('--options=policy=lull', extra)
        self.assertIn('--sync=1', theirs)


class FiguresTest(unittest.TestCase):
    def test_lines_of_db_bench(self):
        lines = [
            'fillseq      :       1.234 micros/op;   89.6 MB/s',
            'readrandom   :       2.500 micros/op; (632 of 1000 found)',
            'compact      :  219083.244 micros/op;',
            'readrandom   :       1.500 micros/op; (632 of 1000 found)',
            'crc32c       :      25.608 micros/op; (not exported by this library)',
            'Level  Files Size(MB)',
        ]
        self.assertEqual(
            compare.parse_classic(lines),
            {
                'fillseq': 1.234,
                'readrandom': 2.5,
                'compact': 219083.244,
                'readrandom, compacted': 1.5,
            },
        )

    def test_verdicts_follow_the_direction(self):
        self.assertEqual(tables.ratio_text(20, 10, 'higher'), ('2.00x', 'better'))
        self.assertEqual(tables.ratio_text(20, 10, 'lower'), ('2.00x', 'worse'))
        self.assertEqual(tables.ratio_text(5, 10, 'lower'), ('0.50x', 'better'))
        self.assertEqual(tables.ratio_text(10.2, 10, 'lower'), ('1.02x', 'about equal'))
        self.assertEqual(tables.ratio_text(0, 0, 'lower'), ('same', ''))
        self.assertEqual(tables.ratio_text(3, 0, 'lower'), ('-', 'worse'))
        self.assertEqual(tables.ratio_text(None, 1, 'lower'), ('', ''))

    def test_what_is_shown_as_zero_has_no_ratio(self):
        self.assertEqual(tables.ratio_text(2.2, 0.000001, 'lower', 1), ('-', 'worse'))
        self.assertEqual(tables.ratio_text(0.01, 0.000001, 'lower', 1), ('same', ''))
        self.assertEqual(tables.ratio_text(3.8, 1089.5, 'lower', 1), ('0.0035x', 'better'))

    def table(self, results, *arguments):
        lines = []
        options = compare.read_options(list(arguments))
        tables.print_tables(results, options, [], True, lines.append)
        return '\n'.join(lines)

    def test_table_shows_medians_and_ratios(self):
        results = {
            ('unsynced-100', 'lull'): [burst_run(80, 4), burst_run(90, 2), burst_run(10, 3)],
            ('unsynced-100', 'leveldb'): [burst_run(40, 30), burst_run(40, 30), burst_run(40, 30)],
        }
        text = self.table(results, '--workloads=unsynced-100', '--runs=3')
        self.assertIn('median of 3', text)
        self.assertRegex(text, r'throughput in bursts, MB/s +80\.0 +40\.0 +2\.00x +higher +better')
        self.assertRegex(text, r'write p99, us +3\.0 +30\.0 +0\.10x +lower +better')
        self.assertNotIn('limit', text)

    def test_table_of_three_stores_has_a_ratio_to_each(self):
        results = {
            ('unsynced-100', store): [burst_run(rate, 4)]
            for store, rate in (('lull', 80), ('leveldb', 40), ('rocksdb', 20))
        }
        text = self.table(results, '--workloads=unsynced-100', '--stores=lull,leveldb,rocksdb')
        self.assertRegex(text, r'throughput in bursts, MB/s +80\.0 +40\.0 +20\.0 +2\.00x +4\.00x')

    def test_table_of_an_interrupted_run_shows_what_there_is(self):
        text = self.table({('unsynced-1k', 'lull'): [burst_run(80, 4)]})
        self.assertRegex(text, r'throughput in bursts, MB/s +80\.0 +-')
        self.assertEqual(self.table({}), '')

    def test_limit_gives_a_share(self):
        results = {
            ('unsynced-100', store): [burst_run(rate, 4)]
            for store, rate in (('lull', 40), ('leveldb', 20))
        }
        results.update({('limit', store): [burst_run(50, 2)] for store in ('lull', 'leveldb')})
        text = self.table(results, '--workloads=unsynced-100,limit')
        self.assertRegex(text, r'throughput, % of its own limit +80 +40 +2\.00x')

    def test_an_open_loop_stands_beside_one_without_a_store(self):
        run = {('db', 400): {'put_p99_us': 900}, ('null', 400): {'put_p99_us': 600}}
        results = {('openloop', store): [run] for store in ('lull', 'leveldb')}
        text = self.table(results, '--workloads=openloop')
        self.assertRegex(text, r'\n *put p99, us +900 +900')
        self.assertRegex(text, r'no store: put p99, us +600 +600')


if __name__ == '__main__':
    unittest.main()
