#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/guest: plan, table, and one tiny run when db_guest is given."""

import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
DB_GUEST = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers.guest_rows import CASES, flags_of, guest_table  # noqa: E402
from drivers.results_folder import read_results  # noqa: E402

guest = load_script('guest')


class GuestTest(FolderTest):
    def call(self, *arguments):
        return guest.Guest(guest.read_options([f'--results={self.folder}', *arguments]))

    def test_a_run_of_everything_takes_some_minutes(self):
        call = self.call()
        self.assertEqual(len(call.plan()), 2 * len(CASES))
        self.assertLess(sum(call.expected_seconds()), 6 * 60)

    def test_the_stores_take_turns(self):
        call = self.call('--runs=2', '--cases=sessions')
        self.assertEqual(
            [run.store for run in call.plan()], ['lull', 'leveldb', 'leveldb', 'lull']
        )

    def test_scale_shortens_but_leaves_what_is_written_to_a_store(self):
        self.assertEqual(
            flags_of(CASES['500/20'], 0.1),
            [
                '--benchmark=stores',
                '--kilobytes=20',
                '--rest_seconds=1.5',
                '--watch_seconds=1',
                '--stores=50',
            ],
        )

    def test_the_table_has_medians_and_intervals(self):
        runs = {
            ('reopen', 'lull'): [{'open_ms': 3}, {'open_ms': 1}, {'open_ms': 2}],
            ('sessions', 'leveldb'): [
                {'open_ms': 0.5, 'close_ms': 0, 'l0_tables': 4, 'scan_ms': 120}
            ],
        }
        self.assertEqual(
            guest_table(['sessions', 'reopen'], ['lull', 'leveldb'], runs)[2:],
            [
                '| 300 sessions of 20 KB | open, ms | - | 0.500 |',
                '|  | close, ms | - | 0 |',
                '|  | tables in L0 at the end | - | 4.00 |',
                '|  | scan of 100 entries, ms | - | 120 |',
                '| after 60 MB, closed | open, ms | 2.00 (1.00 to 3.00) | - |',
            ],
        )

    @unittest.skipIf(not DB_GUEST, 'no db_guest')
    def test_a_run_and_its_resumption(self):
        stores, results = (os.path.join(self.folder, name) for name in ('stores', 'results'))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = guest.main(
                [
                    '--scale=0.01',
                    '--stores=lull',
                    '--no-build',
                    f'--programs={os.path.dirname(DB_GUEST)}',
                    f'--db-dir={stores}',
                    f'--results={results}',
                ]
            )
        self.assertEqual(status, 0, printed.getvalue())
        rows = [line for line in printed.getvalue().splitlines() if line.startswith('| ')]
        self.assertEqual(len(rows), 1 + sum(len(case.figures) for case in CASES.values()))
        again = guest.Guest(guest.read_options([f'--resume={results}']))
        again.take_over(read_results(results)[1:])
        self.assertEqual(again.plan(), [])


if __name__ == '__main__':
    unittest.main()
