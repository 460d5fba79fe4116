#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs a db_bench as scripts do, and reads its output as they do.

usage: db_bench_test.py DB_BENCH
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
STOCK = os.path.basename(PROGRAM) == 'db_bench_leveldb'

# What parsers of LevelDB's db_bench look for.
LINE = re.compile(r'^(\w+) *: +(\d+\.\d{3}) micros/op;(?: +(\d+\.\d) MB/s)?(?: \((.*)\))?$')

WRITES = 'fillseq fillsync fillrandom fillbatch overwrite deleteseq deleterandom fill100K'.split()
READS = (
    'readrandom readseq readreverse readmissing readhot readrandomsmall seekrandom '
    'seekordered readwhilewriting compact open crc32c'
).split()


class DbBenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.json = os.path.join(self.folder, 'out.jsonl')

    def start(self, *flags):
        return subprocess.run(
            [PROGRAM, f'--db={self.folder}/db', *flags], capture_output=True, text=True, timeout=60
        )

    def run_ok(self, *flags):
        done = self.start(*flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, *flags):
        matches = filter(None, map(LINE.match, self.run_ok(*flags).splitlines()))
        return {match[1]: match for match in matches}

    def results(self):
        with open(self.json) as file:
            return [json.loads(line) for line in file]

    def test_every_benchmark_prints_its_line(self):
        names = ['fillrandom'] + READS + WRITES
        lines = self.lines('--num=2000', '--benchmarks=' + ','.join(names))
        self.assertEqual(set(lines), set(names))
        self.assertRegex(lines['readrandom'][4], r'\d+ of 2000 found')
        self.assertEqual(lines['fillsync'][4], '2 ops')
        self.assertIsNotNone(lines['fillseq'][3])
        self.assertIsNone(lines['readrandom'][3])

    @unittest.skipUnless(STOCK, 'compression does not depend on the store')
    def test_compression(self):
        names = 'snappycomp,snappyuncomp,zstdcomp,zstduncomp'
        lines = self.lines('--block_size=65536', f'--benchmarks={names}')
        self.assertEqual(set(lines), set(names.split(',')))
        for name in ('snappycomp', 'zstdcomp'):
            self.assertRegex(lines[name][4], r'output: [345]\d\.\d%')

    def test_what_was_written_is_found(self):
        found = self.lines('--num=3000', '--benchmarks=fillseq,readrandom')['readrandom'][4]
        self.assertEqual(found, '3000 of 3000 found')
        # Drawn with replacement, 1 - 1/e of the keys exist.
        found = self.lines('--num=3000', '--benchmarks=fillrandom,readrandom')['readrandom'][4]
        self.assertAlmostEqual(int(found.split()[0]) / 3000, 0.632, delta=0.05)

    def test_existing_store_is_kept_and_fills_are_skipped(self):
        self.run_ok('--num=500', '--benchmarks=fillseq')
        text = self.run_ok('--num=500', '--benchmarks=fillseq,readrandom', '--use_existing_db=1')
        self.assertIn('fillseq      : skipped (--use_existing_db is true)', text)
        self.assertIn('(500 of 500 found)', text)

    def test_histogram_and_properties(self):
        text = self.run_ok(
            '--num=500', '--benchmarks=fillseq,stats', '--histogram=1', '--threads=2'
        )
        self.assertIn('Microseconds per op:\nCount: 1000 ', text)
        self.assertIn('Compactions\nLevel  Files Size(MB)', text)

    def test_bursts(self):
        self.run_ok(
            '--benchmarks=burstsintime',
            '--duration=0.5',
            '--burst_seconds=0.1',
            '--idle_seconds=0.1',
            '--batch_size=10',
            '--threads=2',
            '--num=10000',
            f'--json={self.json}',
            '--report_interval_seconds=0.1',
        )
        *intervals, result = self.results()
        self.assertIn(len(result['bursts']), (2, 3))
        self.assertAlmostEqual(result['active_seconds'], 0.1 * len(result['bursts']), delta=0.25)
        self.assertEqual(result['ops'], sum(burst['ops'] for burst in result['bursts']))
        self.assertEqual(result['ops'], 10 * result['count'])
        self.assertEqual(result['bytes'], 116 * result['ops'])
        self.assertGreater(result['p99_us'], 0)
        # Below 1 is possible: few keys, overwritten, and logs deleted before they were written.
        self.assertGreaterEqual(result['write_amplification'], 0)
        self.assertGreaterEqual(result['drain_seconds'], 0)
        self.assertTrue(all(interval['kind'] == 'interval' for interval in intervals))
        self.assertGreater(len(intervals), 2)

    def test_bursts_by_count(self):
        self.run_ok(
            '--benchmarks=burstsincount',
            '--burst_ops=3000',
            '--duration=0.01',
            '--idle_seconds=1',
            '--threads=3',
            f'--json={self.json}',
        )
        (result,) = self.results()
        self.assertEqual([burst['ops'] for burst in result['bursts']], [3000])

    def test_open_loop_keeps_its_rate(self):
        self.run_ok(
            '--benchmarks=openloop',
            '--rate=2000',
            '--duration=1',
            '--put_percent=25',
            '--threads=2',
            '--num=1000',
            f'--json={self.json}',
            '--store=null',
        )
        (result,) = self.results()
        self.assertAlmostEqual(result['ops'], 2000, delta=200)
        self.assertAlmostEqual(result['write_latency']['count'] / result['ops'], 0.25, delta=0.05)
        self.assertEqual(result['unserved'], 0)

    def test_the_same_seed_gives_the_same_keys(self):
        for seed in (1, 1, 2):
            self.run_ok(
                '--num=2000',
                '--benchmarks=fillrandom,readrandom',
                f'--seed={seed}',
                f'--json={self.json}',
            )
        found = [r['message'] for r in self.results() if r['benchmark'] == 'readrandom']
        self.assertEqual(found[0], found[1])
        self.assertNotEqual(found[0], found[2])

    def test_wrong_flags_are_named(self):
        for flag, said in (
            ('--foo=1', "flag 'foo'"),
            ('--num=abc', "'abc'"),
            ('--num=0', '--num'),
            ('--benchmarks=fillsec', "'fillsec'"),
            ('--store=tape', '--store'),
            ('--burst_seconds=x', '--burst_seconds'),
            ('fillseq', "'fillseq'"),
            ('--options=nonsense', 'nonsense'),
            ('--json=/no/such/file', '--json'),
        ):
            done = self.start('--benchmarks=fillseq', '--num=10', flag)
            self.assertEqual(done.returncode, 1, flag)
            self.assertIn(said, done.stderr)

    @unittest.skipUnless(STOCK, 'Lull has policies')
    def test_stock_has_no_policies(self):
        self.assertIn('no scheduling options', self.start('--policy=lull').stderr)


if __name__ == '__main__':
    unittest.main()
