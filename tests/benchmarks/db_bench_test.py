#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs a db_bench as scripts do, and parses its output as they do.

usage: db_bench_test.py DB_BENCH
"""

import collections
import csv
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

from scripts import FolderTest  # noqa: E402  (also finds the modules of benchmarks/)
from drivers.disk import mount_of  # noqa: E402

PROGRAM = sys.argv.pop(1)
STOCK = os.path.basename(PROGRAM) == 'db_bench_leveldb'
ROCKSDB = os.path.basename(PROGRAM) == 'db_bench_rocksdb'

on_lull_only = unittest.skipIf(STOCK or ROCKSDB, 'does not depend on the store')

# Patterns that parsers of LevelDB's db_bench use.
LINE = re.compile(r'^(\w+) *: +(\d+\.\d{3}) micros/op;(?: +(\d+\.\d) MB/s)?(?: \((.*)\))?$')

WRITES = (
    'append fillseq fillsync fillrandom fillbatch overwrite deleteseq deleterandom fill100K'
).split()
READS = (
    'readrandom multireadrandom readseq readreverse readmissing readhot readrandomsmall seekrandom '
    'scanrandom scanbounded seekordered readwhilewriting compact open crc32c'
).split()


def stolen_cpu_seconds():
    with open('/proc/stat') as file:
        return int(file.readline().split()[8]) / os.sysconf('SC_CLK_TCK')


class DbBenchTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.json = os.path.join(self.folder, 'out.jsonl')

    def start(self, *flags):
        return subprocess.run(
            [PROGRAM, f'--db={self.folder}/db', *flags], capture_output=True, text=True, timeout=240
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

    def test_calls_that_leveldb_lacks(self):
        names = 'ingest,readrandom,follow,trywrite'
        if STOCK:
            for name in ('ingest', 'follow', 'trywrite'):
                done = self.start('--num=2000', f'--benchmarks=fillseq,{name}')
                self.assertEqual(done.returncode, 1)
                self.assertIn('LevelDB', done.stderr)
            return
        lines = self.lines('--num=2000', f'--benchmarks={names}')
        self.assertEqual(set(lines), set(names.split(',')))
        self.assertEqual(lines['readrandom'][4], '2000 of 2000 found')
        self.assertRegex(lines['ingest'][4], r'ingestion: [\d.]+ s')
        self.assertRegex(lines['follow'][4], r'refresh: median \d+ us, longest \d+ us')
        self.assertRegex(lines['trywrite'][4], r'refused \d+ times; longest call [\d.]+ ms')

    @unittest.skipUnless(STOCK, 'compression does not depend on the store')
    def test_compression(self):
        names = 'snappycomp,snappyuncomp,zstdcomp,zstduncomp'
        lines = self.lines('--block_size=65536', '--compression_ratio=0.1', f'--benchmarks={names}')
        self.assertEqual(set(lines), set(names.split(',')))
        for name in ('snappycomp', 'zstdcomp'):
            self.assertRegex(lines[name][4], r'output: (1\d|[789])\.\d%')

    def test_what_was_written_is_found(self):
        found = self.lines('--num=3000', '--benchmarks=fillseq,readrandom')['readrandom'][4]
        self.assertEqual(found, '3000 of 3000 found')
        # Keys are drawn with replacement, so 1 - 1/e of them exist.
        found = self.lines('--num=3000', '--benchmarks=fillrandom,readrandom')['readrandom'][4]
        self.assertAlmostEqual(int(found.split()[0]) / 3000, 0.632, delta=0.05)

    def test_append_adds_entries_to_an_existing_store(self):
        self.run_ok('--num=1000', '--benchmarks=append', '--hash_keys=1')
        kept = ('--use_existing_db=1', '--hash_keys=1')
        self.run_ok('--num=2000', '--first=1000', '--benchmarks=append', *kept)
        text = self.run_ok('--num=3000', '--benchmarks=readrandom,readseq', *kept)
        self.assertIn('(3000 of 3000 found)', text)
        # Without hashing, the keys are different.
        text = self.run_ok('--num=3000', '--benchmarks=readrandom', '--use_existing_db=1')
        self.assertIn('(0 of 3000 found)', text)

    def test_a_window_of_entries_moves_over_the_keys(self):
        text = self.run_ok('--num=20000', '--benchmarks=queue,churn', '--idle_seconds=0.1')
        figures = re.findall(r'(queue|churn) .*MB: ([\d.]+) live, disk at most ([\d.]+), at rest '
                             r'([\d.]+), all deleted ([\d.]+); first entry: ([\d.]+) ms', text)
        self.assertEqual([row[0] for row in figures], ['queue', 'churn'])
        for row in figures:
            live, at_most, at_rest = (float(figure) for figure in row[1:4])
            self.assertEqual(live, 0.2)
            self.assertGreaterEqual(at_most, at_rest)
            self.assertGreater(at_rest, live)

    def test_chainstate_checks_the_coins_of_each_day(self):
        text = self.run_ok('--num=20000', '--benchmarks=chainstate', '--days=2', '--scale=100',
                           '--idle_seconds=0', '--bloom_bits=10', '--compression=0')
        self.assertEqual(re.findall(r'^  day (\d): \d+ ops/s, Get p99 ', text, re.MULTILINE),
                         ['1', '2'])
        figures = re.search(r'\(2 days: .* MB: ([\d.]+) live, disk at rest ([\d.]+), at most '
                            r'([\d.]+); changes ([\d.]+), .*; when idle: disk ([\d.]+) MB\)', text)
        live, at_rest, at_most, changes, idle = (float(figure) for figure in figures.groups())
        self.assertAlmostEqual(live, 20_000 * 64.5 / 1e6, delta=0.2)
        self.assertGreaterEqual(at_most, at_rest)
        # 0.58 of the set a day. A fifth is created and spent between two flushes.
        self.assertAlmostEqual(changes, 2 * 0.58 * 0.8 * 20_000 * (64.5 + 34) / 1e6, delta=0.2)
        self.assertGreater(idle, live)

    def test_chainstate_has_one_client(self):
        text = self.run_ok('--num=100', '--benchmarks=chainstate', '--threads=2')
        self.assertIn('chainstate   : skipped (--threads is above 1)', text)

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
        heading = '** Compaction Stats' if ROCKSDB else 'Compactions\nLevel  Files Size(MB)'
        self.assertIn(heading, text)

    def test_results_tell_where_they_come_from(self):
        self.run_ok('--benchmarks=fillseq', '--num=10', f'--json={self.json}')
        (result,) = self.results()
        for name in ('version', 'commit', 'compiler'):
            self.assertTrue(result[name])
        self.assertEqual(result['kernel'], os.uname().release)
        disk, kind, flags = mount_of(self.folder)  # as scripts tell it
        self.assertEqual(result['file_system'], f'{kind} {flags}')
        self.assertEqual(result['disk'].split(', ')[0], disk)

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
        self.assertIn(len(result['bursts']), (1, 2, 3))
        lengths = [burst['seconds'] for burst in result['bursts']]
        self.assertAlmostEqual(result['active_seconds'], sum(lengths), places=6)
        self.assertGreater(min(lengths), 0)
        self.assertEqual(result['ops'], sum(burst['ops'] for burst in result['bursts']))
        self.assertEqual(result['ops'], 10 * result['count'])
        self.assertEqual(result['bytes'], 116 * result['ops'])
        self.assertGreater(result['p99_us'], 0)
        # Can be below 1: few keys, overwritten, and logs deleted before they were written.
        self.assertGreaterEqual(result['write_amplification'], 0)
        self.assertGreaterEqual(result['drain_seconds'], 0)
        self.assertTrue(all(interval['kind'] == 'interval' for interval in intervals))
        self.assertGreater(len(intervals), 2)

    def test_intervals_are_shorter_inside_bursts(self):
        text = self.run_ok(
            '--benchmarks=burstsintime',
            '--duration=2',
            '--burst_seconds=0.5',
            '--idle_seconds=1',
            '--num=10000',
            f'--json={self.json}',
            '--report_interval_seconds=1',
        )
        *intervals, _ = self.results()
        printed = [line for line in text.splitlines() if ' device ' in line]
        counts = collections.Counter(interval['phase'] for interval in intervals)
        self.assertGreater(counts['burst'], len(printed))
        self.assertGreater(counts['burst'], counts['lull'])

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

    @on_lull_only
    def test_open_loop_keeps_its_rate(self):
        stolen_before = stolen_cpu_seconds()
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
        # The time stolen during the load is part of the time stolen during the program.
        stolen = stolen_cpu_seconds() - stolen_before
        self.assertGreaterEqual(result['stolen_cpu_seconds'], 0)
        self.assertLessEqual(result['stolen_cpu_seconds'], stolen + 0.001)

    @on_lull_only
    def test_every_workload_runs(self):
        names = [f'b{i}' for i in range(12)]
        self.run_ok(
            '--benchmarks=' + ','.join(names),
            '--duration=0.05',
            '--burst_seconds=0.02',
            '--idle_seconds=0.01',
            '--x=2000',
            '--num=500',
            '--store=null',
            f'--json={self.json}',
        )
        results = self.results()
        cases = [r['benchmark'] for r in results]
        self.assertEqual(list(dict.fromkeys(c.split('/')[0] for c in cases)), names)
        self.assertEqual(len(cases), len(set(cases)))
        counts = {name: sum(c.split('/')[0] == name for c in cases) for name in names}
        self.assertEqual(
            counts, dict(b0=4, b1=1, b2=8, b3=2, b4=3, b5=1, b6=12, b7=1, b8=1, b9=4, b10=1, b11=1)
        )
        for result in results:
            if result['benchmark'].startswith('b4'):
                share = float(result['load']['shape'].rstrip('x'))
                self.assertAlmostEqual(result['load']['offered_per_s'], 2000 * share)

    @on_lull_only
    def test_rates_are_shares_of_what_was_measured_first(self):
        self.run_ok(
            '--workload=B0',
            '--duration=0.3',
            '--num=1000',
            '--store=null',
            '--threads=1',
            f'--json={self.json}',
        )
        closed, half, *_ = self.results()
        rate = closed['load']['requests_per_s']
        self.assertAlmostEqual(half['load']['x'] / rate, 1, places=6)
        self.assertAlmostEqual(half['load']['offered_per_s'] / rate, 0.5, places=6)
        self.run_ok(
            '--workload=b8',
            '--duration=0.2',
            '--calibrate_seconds=0.2',
            '--num=1000',
            '--store=null',
            f'--json={self.json}',
        )
        measured, mixed = self.results()[-2:]
        self.assertEqual(measured['benchmark'], 'b8,sustainable')
        self.assertIn('write_latency', mixed)
        self.assertIn('read_latency', mixed)
        offered = 0.5 * measured['load']['requests_per_s'] + 10000
        self.assertAlmostEqual(mixed['load']['offered_per_s'] / offered, 1, places=6)

    def test_all_operations_on_a_preloaded_store(self):
        self.run_ok(
            '--benchmarks=load',
            '--mix=put=1,get=1,scan=1,delete=1,rmw=1,insert=1',
            '--shape=0.1@max,0.1@5k',
            '--scans=uniform:1:5',
            '--values=uniform:1:200',
            '--keys=zipfian',
            '--num=2000',
            '--duration=0.4',
            '--threads=2',
            f'--json={self.json}',
        )
        (result,) = self.results()
        counts = [result[f'{kind}_latency']['count'] for kind in ('write', 'read', 'scan', 'rmw')]
        self.assertEqual(sum(counts), result['load']['requests'])
        self.assertTrue(all(counts))
        self.assertEqual(len(result['load']['segments']), 4)
        self.assertGreater(result['load']['generator_ns_per_request'], 0)

    @unittest.skipUnless(ROCKSDB, 'takes longer on the others, and proves no more')
    def test_the_limit_flushes_nothing(self):
        self.run_ok(
            '--benchmarks=load',
            '--store=limit',
            '--num=2000',
            '--duration=0.2',
            f'--json={self.json}',
        )
        (result,) = self.results()
        self.assertTrue(result['limit_held'])

    def test_a_model_of_a_device_takes_its_time(self):
        self.run_ok(
            '--benchmarks=load',
            '--preload=false',
            '--sync=true',
            '--duration=0.5',
            '--device=hdd',
            f'--json={self.json}',
        )
        (result,) = self.results()
        # A flush of 8 ms and a seek of 4 ms.
        self.assertLess(result['load']['device_syncs_per_s'], 84)
        self.assertGreater(result['load']['device_syncs_per_s'], 10)
        self.assertGreater(result['write_latency']['p50_us'], 11900)
        self.assertGreater(result['device_write_bytes'], 0)
        self.assertIn("did you mean 'sata'", self.start('--device=sat').stderr)

    def test_results_in_a_folder(self):
        folder = os.path.join(self.folder, 'results')
        for _ in range(2):
            self.run_ok(
                '--benchmarks=load',
                '--mix=put=1,get=1',
                '--shape=0.1@500,0.1@5000',
                '--duration=0.5',
                '--preload=false',
                '--report_interval_seconds=0.1',
                '--num=1000',
                f'--results={folder}',
            )
        with open(os.path.join(folder, 'results.jsonl')) as file:
            items = [json.loads(line) for line in file]
        results = [item for item in items if item['kind'] == 'result']
        self.assertEqual(len(results), 2)
        with open(os.path.join(folder, 'intervals.csv')) as file:
            rows = list(csv.DictReader(file))
        intervals = [item for item in items if item['kind'] == 'interval']
        self.assertEqual(len(rows), len(intervals))
        self.assertGreaterEqual(len(rows), 4)
        for row, item in zip(rows, intervals):
            self.assertEqual(float(row['p99_us']), item['p99_us'])
            self.assertEqual(row['store'], item['store'])
            self.assertGreater(float(row['rss_bytes']), 0)
            self.assertIn('l0_tables', item)
        stem = 'load-' + results[0]['store']
        for kind in ('write', 'read'):
            for suffix in ('', '-2'):
                with open(os.path.join(folder, f'{stem}-{kind}{suffix}.hgrm')) as file:
                    table = file.read()
                self.assertRegex(table, r'\n +[\d.]+ 1\.0{12} +\d+\n#\[Mean')
        curve = results[0]['write_latency']['curve']
        self.assertEqual(curve[-1], [100, results[0]['write_latency']['max_us']])

    def test_an_interrupted_benchmark_tells_what_it_has(self):
        child = subprocess.Popen(
            [
                PROGRAM,
                f'--db={self.folder}/db',
                '--benchmarks=burstsintime,fillseq',
                '--burst_seconds=0.2',
                '--idle_seconds=50',
                '--report_interval_seconds=0.1',
                f'--json={self.json}',
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.addCleanup(child.stdout.close)
        for line in child.stdout:
            if ' lull ' in line:
                break
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
        self.assertEqual(child.wait(timeout=30), 130)
        self.assertIn('interrupted', rest)
        self.assertNotIn('fillseq', rest)
        result = self.results()[-1]
        self.assertTrue(result['interrupted'])
        self.assertEqual(len(result['bursts']), 1)
        self.assertGreater(result['ops'], 0)
        self.assertNotIn('drain_seconds', result)

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

    @on_lull_only
    def test_the_same_seed_gives_the_same_load(self):
        for seed in (1, 1, 2):
            self.run_ok(
                '--workload=b1',
                '--x=1000',
                '--num=500',
                '--duration=0.3',
                f'--seed={seed}',
                f'--json={self.json}',
                '--store=null',
            )
        hashes = [result['load']['operations_hash'] for result in self.results()]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    @on_lull_only
    def test_wrong_flags_are_named(self):
        for flag, said in (
            ('--num_=1', "did you mean 'num'?"),
            ('--no-histogram', "'no-histogram'"),
            ('--num=abc', "'abc'"),
            ('--num=0', '--num'),
            ('--benchmarks=fillsec', "did you mean 'fillseq'?"),
            ('--workload=b77', "'b77'"),
            ('--benchmarks=load --mix=putt', "did you mean 'put'?"),
            ('--benchmarks=load --shape=5@x', '--shape'),
            ('--benchmarks=load --keys=zipf', "did you mean 'zipfian'?"),
            ('--benchmarks=load --values=a', '--values'),
            ('--benchmarks=load --arrivals=/no/such', '--arrivals'),
            ('--store=tape', '--store'),
            ('--burst_seconds=x', '--burst_seconds'),
            ('fillseq', "'fillseq'"),
            ('--options=nonsense', 'nonsense'),
            ('--rocksdb_profile=x', '--rocksdb_profile'),
            ('--keys=zipfian', '--keys has no effect on fillseq'),
            ('--benchmarks=b3 --keys=zipfian', '--keys has no effect on b3'),
            ('--benchmarks=openloop,stats --mix=get', 'or on the other benchmarks: it is for load'),
            ('--rate=5 --benchmarks=b1', '--rate has no effect on b1: it is for openloop'),
            ('--scale=0.1 --benchmarks=load', '--scale'),
            ('--first=5', '--first has no effect on fillseq: it is for append'),
            ('--benchmarks=append --first=9999999999999995', '10^16'),
            ('--json=/no/such/file', '--json'),
        ):
            done = self.start('--benchmarks=fillseq', '--num=10', *flag.split())
            self.assertEqual(done.returncode, 1, flag)
            self.assertIn(said, done.stderr)

    @unittest.skipUnless(ROCKSDB, 'of RocksDB')
    def test_profiles(self):
        for profile in ('defaults', 'matched', 'tuned', 'autotuned'):
            lines = self.lines(
                '--num=2000', '--benchmarks=fillseq,readrandom', f'--rocksdb_profile={profile}'
            )
            self.assertEqual(lines['readrandom'][4], '2000 of 2000 found')
        self.assertIn('--rocksdb_profile', self.start('--rocksdb_profile=fast').stderr)

    @unittest.skipUnless(ROCKSDB, 'of RocksDB')
    def test_options_of_rocksdb(self):
        self.run_ok('--num=10', '--benchmarks=fillseq', '--options=max_background_jobs=7')
        with open(f'{self.folder}/db/LOG') as log:
            self.assertRegex(log.read(), r'Options\.max_background_jobs: 7\n')

    @unittest.skipUnless(STOCK or ROCKSDB, 'Lull has policies')
    def test_peers_have_no_policies(self):
        says = 'no scheduling options' if STOCK else 'does not accept (policy=lull)'
        self.assertIn(says, self.start('--policy=lull').stderr)

    def test_a_store_outlives_a_wrong_option(self):
        self.run_ok('--benchmarks=fillseq', '--num=10')
        before = sorted(os.listdir(f'{self.folder}/db'))
        self.assertEqual(self.start('--policy=slik').returncode, 1)
        self.assertEqual(sorted(os.listdir(f'{self.folder}/db')), before)


if __name__ == '__main__':
    unittest.main()
