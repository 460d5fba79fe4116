#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/online: parts, windows, table, and one tiny run when db_bench is given."""

import contextlib
import io
import json
import os
import re
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import stolen_cpu  # noqa: E402
from drivers.common import Failure  # noqa: E402

online = load_script('online')
ONE_FIXED = f'--fixed={online.FIXED[0]}'


class FiguresTest(unittest.TestCase):
    def test_bursts_and_what_follows_them_are_told_apart(self):
        def interval(at, phase, rate):
            return {'at_seconds': at, 'phase': phase, 'mb_per_s': rate}

        last = online.BURSTS * (online.BURST_SECONDS + online.LULL_SECONDS) / 2  # at half the scale
        told = [
            interval(1.0, 'burst', 10.0),
            interval(3.0, 'idle', 0.0),
            interval(last - 2, 'burst', 11.0),
            interval(last, 'idle', 0.0),
            interval(last + 0.5, 'burst', 12.0),
            interval(last + 30, 'burst', 13.0),
            interval(last + 40, 'drain', 0.0),
        ]
        self.assertEqual(online.series(told, 0.5), [[10.0, 11.0], [12.0, 13.0]])
        with self.assertRaises(Failure):
            online.series(told[:4], 0.5)

    def test_the_end_of_a_part_counts(self):
        self.assertEqual(online.end_of([1.0] * 6 + [2.0, 2.0, 4.0, 4.0]), 3.0)

    def test_the_worst_window_is_one_behind_the_first(self):
        default = [10.0] * 40
        tuned = [1.0] * 10 + [10.0] * 10 + [8.0] * 10 + [11.0] * 10
        self.assertAlmostEqual(online.worst_window(tuned, default, 10), 0.8)
        self.assertEqual(online.worst_window([1.0] * 12, [2.0] * 12, 10), 1.0)
        stalled = [10.0] * 10 + [0.0] * 10 + [10.0] * 10
        self.assertAlmostEqual(online.worst_window([9.0] * 30, stalled, 10), 0.9)


class TableTest(FolderTest):
    def test_a_machine_that_becomes_slower_makes_no_difference(self):
        tool = online.Online(
            online.read_options([f'--results={self.folder}', '--db-bench=none', ONE_FIXED])
        )
        self.assertEqual(
            [name for _, name in tool.plan()],
            [online.DEFAULT, online.TUNED, online.DEFAULT, online.FIXED[0], online.DEFAULT],
        )
        for place, rate in enumerate((10.0, 9.0, 8.0, 14.0, 6.0)):
            tool.parts[place] = [[rate] * 30, [rate] * 30]
        self.assertEqual(tool.plan(), [])
        self.assertEqual(tool.row(online.DEFAULT), '| `default` | 8.0 | 1.00 | 8.0 | 1.00 |')
        self.assertEqual(tool.row(online.TUNED), f'| `{online.TUNED}` | 9.0 | 1.00 | 9.0 | 1.00 |')
        self.assertEqual(tool.ratios(online.FIXED[0], 0), [2.0])
        self.assertEqual(tool.of_best(1), 0.5)
        self.assertEqual(tool.worst(online.TUNED, 0), 1.0)
        self.assertEqual(tool.ratios(online.DEFAULT, 0, apart=2), [1.0])
        self.assertIn('1.00 to 1.00 in the bursts', tool.chance_text())


@unittest.skipIf(DB_BENCH is None, 'no db_bench')
class RunTest(FolderTest):
    def call(self, *arguments):
        """The lines that tell of runs."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(online.main(list(arguments)), 0)
        return [line for line in printed.getvalue().splitlines() if re.match(r' +\d/\d  ', line)]

    @mock.patch.object(stolen_cpu, 'stolen_share', lambda result: 0)
    def test_all_configurations_are_told_of_and_a_call_is_resumed(self):
        stores, results = (os.path.join(self.folder, name) for name in ('stores', 'results'))
        where = [f'--db-bench={DB_BENCH}', f'--db-dir={stores}', f'--results={results}']
        self.assertEqual(len(self.call(*where, '--scale=0.01', ONE_FIXED)), 5)
        with open(os.path.join(results, 'online.md')) as file:
            table = file.read()
        for name in (online.DEFAULT, online.TUNED, online.FIXED[0]):
            self.assertIn(f'| `{name}` |', table)
        self.assertIn('In its worst 10 s', table)
        self.assertIn('by chance alone', table)

        # Without its last run, that one is made again, and no other.
        path = os.path.join(results, 'results.jsonl')
        with open(path) as file:
            lines = file.readlines()
        with open(path, 'w') as file:
            file.writelines(lines[:-1])
        again = self.call(f'--resume={results}')
        self.assertEqual(len(again), 1)
        self.assertIn(online.DEFAULT, again[0])

    @mock.patch.object(online, 'FIXED', ())
    def test_a_run_that_the_host_disturbed_is_made_again(self):
        shares = iter([0.5, 0, 0.9, 0.3, 0.6])
        where = [f'--db-bench={DB_BENCH}', f'--db-dir={self.folder}/stores']

        def stolen_share(result):
            if 'share' not in result:
                result['share'] = next(shares, 0)
            return result['share']

        with mock.patch.object(stolen_cpu, 'stolen_share', stolen_share):
            told = self.call(*where, f'--results={self.folder}/results', '--scale=0.01')
        once_more = [line.endswith('repeating it') for line in told]
        self.assertEqual(once_more, [True, False, True, True, False, False])
        with open(f'{self.folder}/results/results.jsonl') as file:
            results = [item for item in map(json.loads, file) if item['kind'] == 'result']
        self.assertEqual([r['share'] for r in results if r['counts']], [0, 0.3, 0])
        self.assertEqual(len(results), 6)


if __name__ == '__main__':
    unittest.main()
