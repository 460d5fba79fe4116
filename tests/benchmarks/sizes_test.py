#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/sizes: plan, space, tables; and a tiny run that is killed and resumed."""

import collections
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import control_group, running  # noqa: E402
from drivers import size_tables as tables  # noqa: E402
from drivers.common import Failure  # noqa: E402
from drivers.results_folder import NAME  # noqa: E402

sizes = load_script('sizes')
GB = 10**9


def load_result(read_p99_us=1000.0, device_us=(100.0,), served=1.0):
    """Returns the fields of a db_bench result that the tables use."""
    return {
        'write_latency': {'count': 50, 'p99_us': 20.0, 'p999_us': 40.0},
        'read_latency': {'count': 50, 'p99_us': read_p99_us, 'p999_us': 2 * read_p99_us},
        'load': {'requests_per_s': served * 200, 'offered_per_s': 200},
        'wall_seconds': 10,
        'stolen_cpu_seconds': 0,
        'drain_seconds': 3.0,
        'device_us': list(device_us),
    }


def interval(at_seconds, reads, levels=(1, 0, 5)):
    return {
        'at_seconds': at_seconds,
        'ops_per_s': 100,
        'device_reads_per_s': reads,
        'device_read_mb_per_s': 1,
        'cpus': 0.5,
        'level_bytes': list(levels),
        'debt_bytes': at_seconds * GB,
    }


class SizesTest(FolderTest):
    def sizes(self, *arguments):
        given = [f'--results={self.folder}/results', f'--db-dir={self.folder}/db', *arguments]
        one = sizes.Sizes(sizes.read_options(given))
        os.makedirs(one.store, exist_ok=True)
        return one

    def fill(self, one, store, entries):
        os.makedirs(one.folder_of(store), exist_ok=True)
        one.set_entries_in(store, entries)

    def measured(self, one, *keys):
        for key in keys:
            one.measured.rows[key] = 'row'

    def test_sizes_are_decimal_and_ascending(self):
        self.assertEqual(sizes.entries_list('10M,200K,7'), [7, 200_000, 10_000_000])
        for wrong in ('', '0', '1G', '1M,', 'x'):
            with self.assertRaises(sizes.argparse.ArgumentTypeError):
                sizes.entries_list(wrong)
        for entries, text in ((10**7, '10M'), (200_000, '200K'), (7, '7')):
            self.assertEqual(tables.entries_text(entries), text)

    def test_a_growing_store_gets_only_what_it_lacks(self):
        one = self.sizes('--stores=lull', '--entries=1M,12M')
        self.assertEqual(
            [(r.size, r.part, r.first, r.entries) for r in one.plan() if r.part == 'fill'],
            [
                (1_000_000, 'fill', 0, 1_000_000),
                (12_000_000, 'fill', 1_000_000, 5_000_000),
                (12_000_000, 'fill', 6_000_000, 5_000_000),
                (12_000_000, 'fill', 11_000_000, 1_000_000),
            ],
        )
        self.assertEqual([r.part for r in one.plan()][:4], ['fill', 'debt', 'idle', 'null'])

    def test_stores_take_turns_only_if_all_fit(self):
        one = self.sizes('--stores=lull,leveldb', '--entries=1,2')
        self.assertEqual(one.order()[1:3], [('lull', 2), ('leveldb', 1)])
        one.together = True
        self.assertEqual(one.order()[1:3], [('leveldb', 1), ('lull', 2)])

    def test_missing_space_is_reported_before_anything_runs(self):
        one = self.sizes('--stores=lull,leveldb', '--entries=100M')
        for free, together in ((56 * GB, False), (111 * GB, False), (112 * GB, True)):
            with mock.patch.object(sizes.shutil, 'disk_usage', lambda _: mock.Mock(free=free)):
                one.check_disk()
            self.assertEqual(one.together, together)
        with mock.patch.object(sizes.shutil, 'disk_usage', lambda _: mock.Mock(free=50 * GB)):
            with self.assertRaisesRegex(Failure, '6.0 GB are missing'):
                one.check_disk()

    def test_existing_stores_count_as_free_space(self):
        one = self.sizes('--stores=lull', '--entries=1K')
        self.fill(one, 'lull', 500)
        one.options.resume = one.folder
        with open(os.path.join(one.folder_of('lull'), 'table'), 'wb') as file:
            file.write(bytes(560_000))
        with mock.patch.object(sizes.shutil, 'disk_usage', lambda _: mock.Mock(free=0)):
            one.check_disk()

    def test_a_new_call_removes_the_stores_of_an_earlier_one(self):
        one = self.sizes('--stores=lull', '--entries=1K')
        self.fill(one, 'lull', 500)
        one.check_disk()
        self.assertEqual(one.entries_in('lull'), 0)
        self.assertFalse(os.path.exists(one.folder_of('lull')))

    def test_an_interrupted_fill_continues_at_its_mark(self):
        one = self.sizes('--stores=lull', '--entries=1M,12M')
        self.fill(one, 'lull', 6_000_000)
        self.measured(one, *(('lull', 1_000_000, part) for part in sizes.LOADS))
        self.assertEqual(
            [(r.part, r.first) for r in one.plan()],
            [('fill', 6_000_000), ('fill', 11_000_000), ('debt', 0), ('idle', 0), ('null', 0)],
        )

    def test_a_lost_store_is_filled_again_and_its_debt_is_measured_again(self):
        one = self.sizes('--stores=lull', '--entries=1M')
        self.measured(one, ('lull', 1_000_000, 'debt'), ('lull', 1_000_000, 'null'))
        self.fill(one, 'lull', 1_000_000)
        self.assertEqual([r.part for r in one.plan()], ['idle'])
        one.remove('lull')
        self.assertEqual([r.part for r in one.plan()], ['fill', 'debt', 'idle'])

    def test_only_stores_with_runs_left_stay(self):
        one = self.sizes('--stores=lull,leveldb', '--entries=1M')
        for store in ('lull', 'leveldb'):
            self.fill(one, store, 1_000_000)
        self.measured(one, *(('lull', 1_000_000, part) for part in sizes.LOADS))
        there = []
        with mock.patch.object(
            one, 'measure', lambda run, _: there.append(sorted(os.listdir(one.store)))
        ):
            one.work(None)
        self.assertEqual(there, [['leveldb', 'leveldb.entries']] * 3)
        self.assertEqual(os.listdir(one.store), [])

    def test_a_load_begins_with_pages_that_count_in_the_limit(self):
        one = self.sizes('--stores=lull', '--entries=1K')
        one.limit = 'limit'
        one.measured.rows = collections.defaultdict(
            lambda: tables.row_of(load_result(), [interval(1, 0)])
        )
        done = []

        def execute(command, cap, progress):
            done.append((command[-1], cap))

        with (
            mock.patch.object(sizes, 'drop_cached', done.append),
            mock.patch.object(running, 'execute', execute),
            mock.patch.object(one, 'run', lambda run, flags, progress: done.append(run.part)),
        ):
            for part in sizes.LOADS:
                one.load(sizes.Run('lull', 1000, part), mock.Mock())
        store = one.folder_of('lull')
        before = [store, (store, 'limit')]
        self.assertEqual(done, [*before, 'debt', *before, 'idle', 'null'])

    def test_a_load_is_kept_without_its_drain(self):
        one = self.sizes('--stores=lull', '--entries=1K', '--memory=2G')
        run = sizes.Run('lull', 1000, 'debt')
        os.makedirs(one.folder_of('lull'))
        for limit in (mock.Mock(), None):
            one.limit = limit
            intervals = [
                interval(1, 100) | {'kind': 'interval', 'phase': 'run'},
                interval(2, 900) | {'kind': 'interval', 'phase': 'drain'},
            ]
            objects = [*intervals, load_result()]
            with mock.patch.object(one, 'execute', lambda command, progress, cap: ([], objects)):
                one.run(run, [], None)
            self.assertEqual(one.measured.rows['lull', 1000, 'debt'].reads, 1)
        self.assertEqual(one.limits, {2 << 30, None})
        with open(one.output) as file:
            phases = [json.loads(line).get('phase') for line in file]
        self.assertEqual(phases, ['run', None] * 2)

    def test_a_limit_that_was_not_applied_is_reported(self):
        one = self.sizes('--memory=2G')
        one.limits = {2 << 30}
        self.assertIn('limited to 2G', one.memory_text())
        one.limits = {None}
        self.assertIn('NOT applied:', one.memory_text())
        one.limits = {None, 2 << 30}
        self.assertIn('NOT applied to some runs:', one.memory_text())


class MemoryLimitTest(FolderTest):
    def limit(self, version):
        mounts = {version: [(self.folder, ['rw', 'memory'])]}
        with mock.patch.object(control_group, 'mounts', lambda kind: mounts.get(kind, [])):
            return control_group.MemoryLimit(1 << 30)

    def test_each_version_has_its_file(self):
        for version, name in (('cgroup', 'memory.limit_in_bytes'), ('cgroup2', 'memory.max')):
            group = self.limit(version).group
            with open(os.path.join(group, name)) as file:
                self.assertEqual(file.read(), str(1 << 30))
            shutil.rmtree(group)
        with open(os.path.join(self.folder, 'cgroup.subtree_control')) as file:
            self.assertEqual(file.read(), '+memory')
        with self.assertRaises(OSError):
            self.limit('none')

    def test_groups_of_killed_calls_are_removed(self):
        for process in (1, 10**9):
            os.mkdir(os.path.join(self.folder, f'lull-memory-{process}'))
        self.limit('cgroup')
        left = {name for name in os.listdir(self.folder) if name.startswith('lull-')}
        self.assertEqual(left, {'lull-memory-1', f'lull-memory-{os.getpid()}'})


class TablesTest(unittest.TestCase):
    def test_reads_of_the_device_explain_a_part_of_the_p99(self):
        self.assertEqual(tables.device_p99_ms(0, 3, [100.0]), 0)
        self.assertEqual(tables.device_p99_ms(3, 3, [100.0]), 0.3)  # one in each level
        self.assertEqual(tables.device_p99_ms(5, 3, [100.0]), 0.5)  # index blocks, too
        self.assertEqual(tables.device_p99_ms(0.02, 2, [100.0]), 0.1)  # 2 of 100 gets read once
        self.assertEqual(tables.device_p99_ms(0.005, 2, [100.0]), 0)
        self.assertIsNone(tables.device_p99_ms(1, 2, []))

    def test_figures_are_per_request(self):
        row = tables.row_of(load_result(), [interval(1, 100), interval(3, 400)])
        self.assertEqual(row.reads, (100 + 2 * 400) / 300)
        self.assertEqual(row.cpu_us, 5000)
        self.assertEqual(row.device_p99_ms, 0.6)  # 6 a get: half of the requests are gets
        self.assertEqual(row.debt_gb, 1, 'at the beginning')

    def test_a_p99_that_grows_only_with_the_device_reads_is_flat(self):
        measured = tables.Measured()
        for entries, p99_us, reads in ((1, 1000.0, 0), (2, 1200.0, 100), (3, 2400.0, 100)):
            row = tables.row_of(load_result(p99_us), [interval(1, reads)])
            measured.rows['lull', entries, 'idle'] = row
            if entries < 3:
                measured.rows['lull', entries, 'null'] = row
        lines = tables.flat_table(measured, 'idle', {'lull': 'Lull'})
        self.assertEqual(
            lines[2:],
            [
                '| Lull | 2 | 1.20 | 1.00 | 1.00 | 1.20 |',
                '| Lull | 3 | 2.40 | **2.00** | 1.00 | - |',
            ],
        )

    def test_an_overloaded_store_is_marked(self):
        measured = tables.Measured()
        for entries, served in ((1, 0.94), (2, 0.96)):
            row = tables.row_of(load_result(served=served), [interval(1, 0)])
            measured.rows['lull', entries, 'idle'] = row
        text = '\n'.join(tables.load_table(measured, 'idle', {'lull': 'Lull'}))
        self.assertIn('| **94** |', text)
        self.assertIn('| 96 |', text)

    def test_stores_come_in_the_order_of_the_call(self):
        measured = tables.Measured()
        for store in ('a', 'b'):
            for entries in (10, 2):
                measured.rows[store, entries, 'idle'] = 'row'
        keys = measured.keys('idle', ['b', 'a'])
        self.assertEqual(keys, [(2, 'b'), (2, 'a'), (10, 'b'), (10, 'a')])

    def test_a_page_has_both_loads_and_the_fill(self):
        measured = tables.Measured()
        for part in sizes.LOADS:
            measured.rows['lull', 1000, part] = tables.row_of(load_result(), [interval(1, 0)])
        for _ in range(2):
            fill = {'ops': 500, 'wall_seconds': 0.5, 'stall_seconds': 0.25}
            measured.add_fill('lull', 1000, fill)
        text = tables.page(measured, {'lull': 'Lull'}, ['notes'])
        self.assertEqual(text.count('| 1K | Lull |'), 3)
        self.assertEqual(text.count('| 1K | no store, after Lull |'), 1)
        self.assertIn('| 1K | Lull | 1.00 | 0.500 | 3.00 |', text)


@unittest.skipUnless(DB_BENCH, 'no db_bench was given')
class RunTest(FolderTest):
    # Runs the script with small steps in a process of its own.
    KILLED = (
        'import sys; sys.path.insert(0, {tests!r}); from scripts import load_script; '
        'sizes = load_script("sizes"); sizes.FILL_STEP = 2000; '
        'sizes.running.BUILD = {build!r}; sys.exit(sizes.main(sys.argv[1:]))'
    )

    def setUp(self):
        super().setUp()
        self.results = os.path.join(self.folder, 'results')
        build = os.path.dirname(DB_BENCH)
        for patch in (
            mock.patch.object(running, 'BUILD', build),
            mock.patch.object(sizes, 'FILL_STEP', 2000),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        here = os.path.dirname(os.path.abspath(__file__))
        self.command = [sys.executable, '-c', self.KILLED.format(tests=here, build=build)]

    def resume(self, ends_with):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = sizes.main([f'--resume={self.results}'])
        self.assertEqual(code, ends_with, out.getvalue())
        return out.getvalue()

    def kept(self):
        with open(os.path.join(self.results, NAME)) as file:
            items = [json.loads(line) for line in file]
        return [(i['entries'], i['part']) for i in items if i['kind'] == 'result']

    def killed_while_filling(self):
        arguments = ['--stores=lull', '--entries=1K,8K', '--seconds=0.4', '--rate=200']
        arguments += [f'--results={self.results}', f'--db-dir={self.folder}/db']
        command = [*self.command, *arguments, '--no-build', '--no-report']
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                if 'to 3K' in line:
                    break
            child.send_signal(signal.SIGKILL)

    def test_a_killed_run_can_be_resumed(self):
        self.killed_while_filling()
        before = self.kept()
        self.assertEqual(before[:4], [(1000, part) for part in sizes.PARTS])
        self.assertIn((8000, 'fill'), before)

        # The fill completes; then the call ends early again.
        failing = mock.patch.object(sizes.Sizes, 'load', side_effect=Failure('no load'))
        with failing:
            self.assertIn('--resume=', self.resume(1))
        self.assertNotIn((8000, 'debt'), self.kept())
        store = os.path.join(self.folder, 'db', 'lull-benchmark-stores', 'sizes', 'lull')
        read = [DB_BENCH, f'--db={store}', '--use_existing_db=true', '--hash_keys=true']
        read += ['--benchmarks=readrandom', '--num=8000']
        found = subprocess.run(read, capture_output=True, text=True, check=True).stdout
        self.assertIn('(8000 of 8000 found)', found)

        text = self.resume(0)
        self.assertEqual(self.kept()[-3:], [(8000, part) for part in sizes.LOADS])
        self.assertEqual(text.count('| 8K | Lull |'), 3)
        self.assertRegex(text, r'Memory limited to 4G|NOT applied')
        self.assertFalse(os.path.exists(os.path.dirname(store)))
        self.assertRegex(self.resume(0), r'(?m)^0 run\(s\)')


if __name__ == '__main__':
    unittest.main()
