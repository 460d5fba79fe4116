#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/tails: plan, figures, tables, and one tiny run when db_bench is given."""

import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers.results_folder import read_results  # noqa: E402
from drivers.tail_rows import CONTENDERS, LOADS, PEER, TARGETS, figures_of, load_table  # noqa: E402

tails = load_script('tails')

RESULT = {
    'load': {'requests_per_s': 2000},
    'write_latency': {'p99_us': 1000, 'p999_us': 2000, 'count': 7},
    'stall_seconds': 0.5,
    'cpu_seconds': 2,
    'ops': 1_000_000,
    'call_write_bytes': 3 << 20,
    'device_read_bytes': 0,
}


class TailsTest(FolderTest):
    def call(self, *arguments):
        return tails.Tails(tails.read_options([f'--results={self.folder}', *arguments]))

    def test_all_loads_end_within_two_hours(self):
        call = self.call()
        self.assertEqual(len(call.loops()), len(LOADS) * len(CONTENDERS))
        # RocksDB's own X is the peer's.
        self.assertEqual(len(call.plan()), len(LOADS) * (4 * len(CONTENDERS) - 2))
        self.assertLess(sum(call.expected_seconds()), 2 * 3600)

    def test_the_peer_cannot_be_left_out(self):
        with self.assertRaisesRegex(tails.Failure, 'needs rocksdb'):
            self.call('--stores=vsst-lull')

    def test_x_includes_the_time_until_the_store_is_idle(self):
        call = self.call()
        loop = {'ops': 90, 'active_seconds': 2, 'drain_seconds': 1, 'contender': PEER}
        call.take(loop | {'workload': 'b4,sustainable'})
        self.assertEqual(call.x, {('b4', PEER): 30})

    def test_a_load_without_reads_has_no_latency_of_them(self):
        figures = figures_of(RESULT)
        self.assertIsNone(figures['read_p99'])
        rows = load_table([PEER, 'vsst-lull'], {PEER: 5000}, {(PEER, TARGETS[0]): [figures]})
        self.assertEqual(
            rows[2:],
            [
                '| rocksdb | 5.0 | 80 % of RocksDB | 2.0 | 1.00 / 2.00 | - / - | 0 | 0.50 | 2.0 '
                '| 3 | 0 |'
            ],
        )

    @unittest.skipIf(not DB_BENCH or not os.path.exists(DB_BENCH + '_rocksdb'), 'no db_bench')
    def test_a_run_and_its_resumption(self):
        stores, results = (os.path.join(self.folder, name) for name in ('stores', 'results'))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = tails.main(
                [
                    '--scale=0.005',
                    '--loads=b6-a',
                    f'--stores={PEER},vsst-lull',
                    f'--db-bench={DB_BENCH}',
                    f'--db-dir={stores}',
                    f'--results={results}',
                ]
            )
        self.assertEqual(status, 0, printed.getvalue())
        rows = [line for line in printed.getvalue().splitlines() if line.startswith('| ')]
        self.assertEqual(len(rows), 1 + 2 + 4)
        again = tails.Tails(tails.read_options([f'--resume={results}']))
        again.take_over(read_results(results)[1:])
        self.assertEqual((again.loops(), again.plan()), ([], []))


if __name__ == '__main__':
    unittest.main()
