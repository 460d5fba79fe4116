#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/online: parts, windows, table, and one tiny run when db_bench is given."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import load_script  # noqa: E402  (also finds the modules of benchmarks/)
from comparison.workloads import Failure  # noqa: E402

online = load_script('online')


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


@unittest.skipIf(DB_BENCH is None, 'no db_bench')
class RunTest(unittest.TestCase):
    @mock.patch.object(online, 'FIXED', online.FIXED[:1])
    def test_all_configurations_are_told_of(self):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            code = online.main(
                [
                    f'--db-bench={DB_BENCH}',
                    f'--db-dir={folder}/stores',
                    f'--results={folder}/results',
                    '--scale=0.01',
                ]
            )
            with open(os.path.join(folder, 'results', 'online.md')) as file:
                table = file.read()
        self.assertEqual(code, 0)
        for name in (online.DEFAULT, online.TUNED, *online.FIXED):
            self.assertIn(f'| `{name}` |', table)
        self.assertIn('at its worst', table)


if __name__ == '__main__':
    unittest.main()
