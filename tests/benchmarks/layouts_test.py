#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/layouts: its arithmetic, and one tiny run when db_bench is given."""

import contextlib
import io
import sys
import unittest

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import load_script  # noqa: E402  (also finds the modules of benchmarks/)

layouts = load_script('layouts')


class LayoutsTest(unittest.TestCase):
    def test_row(self):
        case = layouts.Case('name', 'layout=vsst', rate=12345.0)
        result = {
            'write_latency': {'p99_us': 1500.0, 'p999_us': 20000.0},
            'stall_seconds': 0.25,
            'write_amplification': 7.04,
        }
        figures = {
            'chains': {
                'chains': 4,
                'width_bytes_sum': 40 << 20,
                'width_bytes_max': 30 << 20,
                'length_sum': 6,
                'length_max': 2,
            },
            'l1_tables': {
                'good': {'bytes': 300, 'overlap_bytes': 600},
                'poor': {'bytes': 100, 'overlap_bytes': 1000},
            },
            'l1_picks': {'good': 3, 'least_bad': 1},
        }
        case.runs = [(0.8, result, figures), (0.95, result, figures)]
        self.assertEqual(
            layouts.row_of(case),
            ['name', '12.3', '1.50 / 20.0', '1.50 / 20.0', '0.2', '10.0 / 30.0', '1.50 / 2', '7.0']
            + ['75 %', '2.0 / 10.0', '25 %'],
        )
        figures['l1_picks'] = {'good': 0, 'least_bad': 0}
        self.assertEqual(layouts.row_of(case)[-1], '-')
        self.assertEqual(len(layouts.table_text([case]).splitlines()), 3)

    def test_every_case_is_a_layout(self):
        cases = layouts.make_cases([1 << 19, 1 << 23], [8, 32])
        self.assertEqual(len(cases), 7)
        self.assertEqual(cases[-1].name, 'vsst, S_M 8M, Φ 32')
        self.assertTrue(all(case.options.startswith('layout=') for case in cases))

    @unittest.skipIf(DB_BENCH is None, 'no db_bench')
    def test_run(self):
        sys.argv = ['layouts', '--quick', '--num=3000', '--seconds=0.2', '--phi', '8']
        sys.argv += ['--table-kib', '64', f'--db-bench={DB_BENCH}']
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(layouts.main(), 0)
        rows = [line for line in printed.getvalue().splitlines() if line.startswith('|')]
        self.assertEqual(len(rows), 2 + 4)
        self.assertEqual(len({row.count('|') for row in rows}), 1)


if __name__ == '__main__':
    unittest.main()
