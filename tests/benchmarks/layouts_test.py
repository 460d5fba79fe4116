#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/layouts: chains, tables, remaining work; and tiny runs of db_bench."""

import contextlib
import io
import json
import os
import re
import sys
import unittest
import unittest.mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import layout_tables as tables  # noqa: E402
from drivers.command_line import STORES_FOLDER  # noqa: E402
from drivers.layout_rows import DATA, make_rows  # noqa: E402
from drivers import running, stolen_cpu  # noqa: E402
from drivers.progress import Progress  # noqa: E402
from drivers.results_folder import keep  # noqa: E402
from drivers.rocksdb_log import layout_of  # noqa: E402

layouts = load_script('layouts')

FIGURES = {
    'chains': {
        'chains': 4,
        'merges_sum': 12,
        'merges_max': 9,
        'width_bytes_sum': 40 << 20,
        'width_bytes_max': 30 << 20,
        'length_sum': 6,
        'length_max': 2,
    },
    'between_flushes': {
        'chains': 8,
        'width_bytes_sum': 40 << 20,
        'width_bytes_max': 12 << 20,
    },
    'l1_tables': {
        'good': {'count': 3, 'bytes': 300, 'overlap_bytes': 600},
        'poor': {'count': 1, 'bytes': 100, 'overlap_bytes': 1000},
        'over_few': 2,
    },
    'l1_picks': {'good': 3, 'least_bad': 1},
}


def result(p99_us=1500.0):
    """Returns the fields of a db_bench result that the tables use."""
    return {
        'write_latency': {'p99_us': p99_us, 'p999_us': 20000.0},
        'stall_seconds': 0.25,
        'write_amplification': 7.04,
        'wall_seconds': 10,
        'stolen_cpu_seconds': 0.1 * os.cpu_count(),
    }


class ChainsTest(unittest.TestCase):
    @staticmethod
    def log(*events):
        lines = [f'2026/01/31-12:00:00.1 7f EVENT_LOG_v1 {json.dumps(event)}' for event in events]
        return ['2026/01/31-12:00:00.0 7f [db/db_impl.cc:1] Options:', *lines, 'cut EVENT_LOG_v1 {']

    @staticmethod
    def compaction(job, level, size, done=True, output_level=None):
        output_level = level + 1 if output_level is None else output_level
        started = {'event': 'compaction_started', 'job': job, 'input_data_size': size}
        started.update({f'files_L{level}': [1], f'files_L{output_level}': [2]})
        finished = {'event': 'compaction_finished', 'job': job, 'output_level': output_level}
        return [started] + [finished] * done

    def test_a_chain_ends_with_a_compaction_out_of_l0(self):
        flush = {'event': 'flush_finished', 'job': 1}
        layout = layout_of(
            self.log(
                flush,
                *self.compaction(2, 0, 100),
                *self.compaction(3, 1, 50),
                *self.compaction(4, 1, 7),
                *self.compaction(5, 0, 1000, done=False),
                flush,
                {'event': 'compaction_finished', 'job': 5, 'output_level': 1},
                flush,
                *self.compaction(6, 0, 3, output_level=0),
            )
        )
        chains, between = layout['chains'], layout['between_flushes']
        self.assertEqual((chains['chains'], chains['merges_sum'], chains['merges_max']), (2, 4, 3))
        self.assertEqual((chains['width_bytes_sum'], chains['width_bytes_max']), (1157, 1057))
        self.assertEqual((chains['length_sum'], chains['length_max']), (3, 2))
        self.assertEqual((between['chains'], between['width_bytes_max']), (2, 1000))
        self.assertEqual(
            layout['levels'],
            [
                {'from': 0, 'merges': 3, 'input_bytes': 1103},
                {'from': 1, 'merges': 2, 'input_bytes': 57},
            ],
        )

    def test_a_job_is_of_the_upper_level_whatever_the_order_of_its_inputs(self):
        started = {'event': 'compaction_started', 'job': 1, 'input_data_size': 5}
        started.update({'files_L10': [], 'files_L9': []})
        below = {'event': 'compaction_started', 'job': 2, 'input_data_size': 5, 'files_L9': []}
        finished = [{'event': 'compaction_finished', 'job': job} for job in (1, 2)]
        layout = layout_of(self.log(started, below, *finished, {'event': 'flush_finished'}))
        self.assertEqual(layout['between_flushes']['length_max'], 1)


class TableTest(unittest.TestCase):
    def test_row(self):
        measured = tables.Measured()
        measured.x['name'] = 12345.0
        intervals = [{'level_bytes': [1, 0, 0]}, {'level_bytes': [9, 1, 0, 2]}, {}]
        loads = measured.loads['name']
        loads[0.95][0] = tables.load_of(result(), intervals, FIGURES)
        nothing = dict.fromkeys(FIGURES['chains'], 0)
        none = {'chains': nothing, 'between_flushes': nothing}
        measured.overwritten['name'] = none
        loads[0.8][0] = tables.load_of(result(500.0), [], FIGURES)
        self.assertEqual(
            tables.row_of('name', measured),
            ['name', '12.3', '0.50 / 20.0', '1.50 / 20.0', '0.2', '7.0', '2', '-', '-']
            + ['10.0 / 30.0', '3.0 / 9', '1.50 / 2', '75 %', '50 %', '2.0 / 10.0', '25 %'],
        )

    def test_runs_are_medians_and_what_they_counted_is_taken_together(self):
        other = json.loads(json.dumps(FIGURES))
        other['chains'].update(chains=2, width_bytes_sum=50 << 20, width_bytes_max=35 << 20)
        other['l1_tables']['poor'].update(bytes=500)
        found = [(1.0, FIGURES), (9.0, other), (2.0, FIGURES)]
        loads = [tables.load_of(result(1000 * p99), [], figures) for p99, figures in found]
        summary = tables.summary_of(loads)
        self.assertEqual((summary.p99_ms, summary.stalled_s, summary.levels), (2.0, 0.25, None))
        self.assertEqual(
            tables.layout_cells(summary.layout),
            ['13.0 / 35.0', '3.6 / 9', '1.80 / 2', '56 %', '50 %', '2.0 / 4.3', '25 %'],
        )

    def test_a_store_that_tells_of_chains_only_has_no_shares(self):
        self.assertEqual(
            tables.layout_cells({'chains': FIGURES['chains']}),
            ['10.0 / 30.0', '3.0 / 9', '1.50 / 2', '-', '-', '-', '-'],
        )
        none = {'good': 0, 'least_bad': 0}
        self.assertEqual(tables.layout_cells({**FIGURES, 'l1_picks': none})[-1], '-')

    def test_steps_add_up_from_l0_on(self):
        measured = tables.Measured()
        levels = [
            {'from': 0, 'merges': 2, 'upper_bytes': 6 << 20, 'lower_bytes': 2 << 20},
            {'from': 1, 'merges': 0, 'upper_bytes': 0, 'lower_bytes': 0},
            {'from': 2, 'merges': 4, 'upper_bytes': 30 << 20, 'lower_bytes': 10 << 20},
        ]
        measured.overwritten['ours'] = {'levels': levels}
        rocks = [{'from': 0, 'merges': 1, 'input_bytes': 100 << 20}]
        measured.overwritten['theirs'] = {'levels': rocks}
        lines = tables.steps_table(['ours', 'theirs'], measured)
        self.assertIn('| ours | 4.0 (4) | - | 10.0 (14) |', lines)
        self.assertIn('| theirs | 100.0 (100) | - | - |', lines)

    def test_rows_that_are_not_whole_are_left_out(self):
        measured = tables.Measured()
        load = tables.load_of(result(), [], FIGURES)
        measured.x.update({'whole': 1.0, 'half': 1.0})
        measured.overwritten['whole'] = FIGURES
        for name, share in (('whole', 0.8), ('whole', 0.95), ('half', 0.8)):
            measured.loads[name][share][0] = load
        lines = tables.markdown(['whole', 'half', 'none'], measured, ['Note.']).splitlines()
        self.assertEqual(lines[0], 'Note.')
        self.assertEqual(len(lines), 2 + 3)
        self.assertEqual(measured.runs_done(), [1])
        measured.loads['whole'][0.8][2] = load
        self.assertEqual(measured.runs_done(), [1, 2])
        self.assertEqual(len({line.count('|') for line in lines[2:]}), 1)

    def test_every_row_of_lull_names_its_layout(self):
        rows = make_rows([1 << 19, 1 << 23], [8, 32], 1 << 23, papers=False)
        self.assertEqual(len(rows), 8)
        self.assertEqual(list(rows)[-2:], ['vsst, S_M 8M, Φ 32', 'RocksDB'])
        for row in rows.values():
            self.assertEqual(row.store == 'lull', (row.options or '').startswith('layout='))

    def test_the_papers_pairs_follow_its_rules(self):
        rows = make_rows([1 << 19], [8], 1 << 23, papers=True)
        vsst = [row for row in rows.values() if 'layout=vsst' in (row.options or '')]
        self.assertEqual(len(vsst), 5)
        self.assertEqual(len(rows), 3 + 5 + 1)
        for row in vsst:
            size, phi = map(int, re.findall(r'(?:bytes_max|phi)=(\d+)', row.options))
            self.assertEqual(row.memtable_bytes, size)
            self.assertIn('vsst_l0_tables_max=1', row.options)
            self.assertEqual(size * phi, 256 << 20)
        self.assertEqual(rows['leveled'].memtable_bytes, 1 << 23)


class PlanTest(FolderTest):
    def options(self, *more):
        return layouts.read_options(
            [f'--results={self.folder}/results', f'--db-dir={self.folder}/stores', *more]
        )

    def test_all_stores_of_a_set_of_data_are_filled_before_loads(self):
        steps = layouts.Layouts(self.options()).plan()
        rows = 3 + 2 * 4 + 1
        self.assertEqual(len(steps), len(DATA) * rows * (1 + 2 * 3))
        self.assertEqual([share for _, _, share, _ in steps[:rows]], [None] * rows)
        self.assertEqual([run for *_, run in steps[rows : 7 * rows : 2 * rows]], [0, 1, 2])
        self.assertEqual({step[0].name for step in steps[: 7 * rows]}, {'uniform'})

    def test_too_little_room_is_told_beforehand(self):
        few = layouts.Layouts(self.options('--scale=100'))
        os.makedirs(few.options.db_dir)
        with self.assertRaisesRegex(layouts.Failure, '--db-dir=.* GB free'):
            few.check_room()
        for data, row, share, _ in few.plan():
            if share is None:
                os.makedirs(few.filled_mark(data, row))
        few.check_room()

    def test_a_resumed_call_takes_the_number_of_runs_that_is_given(self):
        call = layouts.Layouts(self.options('--runs=1'))
        keep([call.facts], call.output)
        resume = f'--resume={call.folder}'
        self.assertEqual(layouts.read_options([resume]).runs, 1)
        self.assertEqual(layouts.read_options([resume, '--runs=3']).runs, 3)

    def test_a_load_that_the_host_disturbed_does_not_count(self):
        call = layouts.Layouts(self.options('--data=pareto', '--runs=1'))
        data, row = DATA['pareto'], call.rows['leveled']
        before = len(call.plan())
        found = {'share': 0.8, 'run': 0, 'layout_figures': FIGURES, **result()}
        call.take(data, row, {**found, 'counts': False}, [])
        self.assertEqual(len(call.plan()), before)
        call.take(data, row, {**found, 'counts': True}, [])
        self.assertEqual(len(call.plan()), before - 1)
        self.assertAlmostEqual(call.measured['pareto'].stolen_max(), 0.01)

    def test_what_was_disturbed_is_measured_again_and_counts_in_the_end(self):
        call = layouts.Layouts(self.options('--data=pareto', '--runs=2', '--phi=8'))
        loads = []

        def fill(data, row, progress):
            closed = {'share': None, 'ops': 1, 'active_seconds': 1, 'drain_seconds': 0}
            call.take(data, row, {**closed, 'counts': True, 'layout_figures': FIGURES}, [])

        def run_db_bench(command, data, row, progress, share, run, last_try):
            found = {'share': share, 'run': run, 'layout_figures': FIGURES, **result()}
            found.update(counts=last_try or row.name == 'RocksDB', wall_seconds=1)
            loads.append((row.name, share, run))
            call.take(data, row, {**found, 'stolen_cpu_seconds': 1}, [])
            return [{**found, 'stolen_cpu_seconds': 1}]

        call.fill, call.run = fill, run_db_bench
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertTrue(call.run_all())
        self.assertEqual(call.plan(), [])
        self.assertEqual(len(loads), 2 * 2 * (layouts.TRIES * (len(call.rows) - 1) + 1))
        self.assertEqual(len(set(loads)), 2 * 2 * len(call.rows))
        self.assertEqual(printed.getvalue().count('repeating it'), len(loads) - len(set(loads)))

    def test_a_store_is_filled_once_and_x_taken_until_nothing_disturbs(self):
        call = layouts.Layouts(self.options('--data=pareto'))
        data, row = DATA['pareto'], call.rows['leveled']
        done = []
        with open(call.output + '.raw', 'w') as file:
            file.write('{"of": "a run that was ended"}\n')

        def execute(command, cap, progress):
            done.append('overwriting' if '--use_existing_db=true' in command else 'filling')
            # No stolen time in the last try but one.
            stolen = layouts.TRIES - 1 - done.count('overwriting')
            with open(call.output + '.raw', 'a') as file:
                told = {'ops': 10, 'active_seconds': 1, 'drain_seconds': 1, 'wall_seconds': 1}
                file.write(json.dumps({**told, 'stolen_cpu_seconds': stolen}) + '\n')
            return [json.dumps({'layout': 'leveled', **FIGURES})]

        with (
            contextlib.redirect_stdout(io.StringIO()),
            unittest.mock.patch.object(running, 'execute', execute),
        ):
            call.fill(data, row, Progress([1, 1]))
            self.assertEqual(done, ['filling'] + ['overwriting'] * (layouts.TRIES - 1))
            call.fill(data, row, Progress([1, 1]))
        self.assertEqual(done.count('filling'), 1)
        self.assertEqual(call.measured['pareto'].x['leveled'], 5)
        with open(call.output) as kept:
            self.assertEqual({json.loads(line).get('of') for line in kept}, {None})
        call.plan()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            call.tell_all(True)  # there is no load yet
        self.assertEqual(printed.getvalue(), '')

    @unittest.skipIf(DB_BENCH is None, 'no db_bench')
    def test_a_run_and_its_resumption(self):
        def call(*arguments):
            printed = io.StringIO()
            quiet = unittest.mock.patch.object(stolen_cpu, 'disturbance', lambda *shares: 0)
            with quiet, contextlib.redirect_stdout(printed):
                self.assertEqual(layouts.main(list(arguments)), 0, printed.getvalue())
            return printed.getvalue().splitlines()

        stores, results = (os.path.join(self.folder, name) for name in ('stores', 'results'))
        first = call(
            '--data=uniform,pareto',
            '--scale=0.0002',
            '--seconds=0.5',  # on a loaded machine X can be so low that a shorter load has no write
            '--runs=1',
            '--phi=8',
            '--table-kib=64',
            f'--db-bench={DB_BENCH}',
            f'--db-dir={stores}',
            f'--results={results}',
        )
        rows = [line for line in first if line.startswith('|')]
        with_rocksdb = os.path.exists(DB_BENCH + '_rocksdb')
        self.assertEqual(len(rows), 2 * (2 + 4 + with_rocksdb))
        self.assertEqual(len({row.count('|') for row in rows}), 1)
        self.assertEqual(os.listdir(os.path.join(stores, STORES_FOLDER)), [])

        # If its last load is missing, only the last row is measured again.
        path = os.path.join(results, 'results.jsonl')
        with open(path) as file:
            lines = file.readlines()
        with open(path, 'w') as file:
            file.writelines(lines[:-1])
        again = [line for line in call(f'--resume={results}') if re.match(r' +\d/\d  ', line)]
        self.assertEqual(len(again), 3)
        last = rows[-1].split('|')[1].strip()
        self.assertTrue(all(f'pareto, {last}' in line for line in again), again)


if __name__ == '__main__':
    unittest.main()
