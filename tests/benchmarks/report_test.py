#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests benchmarks/report: reading and grouping results, colours, bands; what drawings contain."""

import json
import math
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True

from scripts import FolderTest  # noqa: E402  (also finds the modules of benchmarks/)
from charts import theme  # noqa: E402
from charts.bands import band_of, band_row, means_of_a_second  # noqa: E402
from charts.results import Results  # noqa: E402
from drivers.common import ROOT, Failure  # noqa: E402
from drivers.environment import has  # noqa: E402


def result(**fields):
    item = {
        'kind': 'result',
        'benchmark': 'b1',
        'store': 'lull',
        'store_kind': 'db',
        'p99_us': 10.0,
        'mb_per_s': 5.0,
        'value_size': 100,
        'sync': False,
        'curve': [[50, 1], [100, 2]],
    }
    item.update(fields)
    return item


def load(rate, **fields):
    segments = [{'begin_seconds': 0, 'seconds': 10, 'rate': rate, 'closed_loop': False}]
    return {'offered_per_s': rate, 'segments': segments, 'closed_loop': False, **fields}


class ReportTest(FolderTest):
    def read(self, *items, tail=''):
        self.write_results(*items, tail=tail)
        return Results(self.folder)

    def test_stores_are_named_by_what_sets_them_apart(self):
        results = self.read(
            result(store='rocksdb', rocksdb_profile='defaults'),
            result(store='rocksdb', rocksdb_profile='tuned'),
            result(store='leveldb'),
            result(scheduling='policy=leveldb'),
            result(),
        )
        self.assertEqual(
            results.stores(),
            ['Lull', 'Lull policy=leveldb', 'LevelDB', 'RocksDB', 'RocksDB tuned'],
        )

    def test_intervals_belong_to_the_result_behind_them(self):
        first, second = {'kind': 'interval', 'at_seconds': 1}, {'kind': 'interval', 'at_seconds': 2}
        results = self.read(first, result(), second, result(benchmark='b5'))
        self.assertEqual(results.of('b1')['Lull'][0].intervals, [first])
        self.assertEqual(results.of('b5')['Lull'][0].intervals, [second])

    def test_runs_are_summed_up_by_medians(self):
        results = self.read(*[result(p99_us=p99) for p99 in (30.0, 10.0, 20.0)])
        self.assertEqual(results.median('b1', 'Lull', ('p99_us',)), 20)
        self.assertEqual(results.typical('b1')['Lull'].result['p99_us'], 20)
        self.assertIsNone(results.median('b1', 'Lull', ('write_latency', 'p99_us')))

    def test_limits_stand_beside_their_runs(self):
        results = self.read(
            result(workload='unsynced-100'),
            result(workload='unsynced-1k', value_size=1024),
            result(workload='limit', store_kind='limit', mb_per_s=50.0),
            result(workload='limit', store_kind='null', mb_per_s=500.0),
            result(workload='synced', sync=True),
        )
        self.assertEqual(results.workloads(), ['unsynced-100', 'unsynced-1k', 'synced'])
        limit = {
            name: results.limit_of(results.typical(name)['Lull']) for name in results.workloads()
        }
        self.assertEqual(limit['unsynced-100']['mb_per_s'], 50)
        self.assertIsNone(limit['unsynced-1k'])
        self.assertIsNone(limit['synced'])

    def test_constant_loads_make_a_curve(self):
        results = self.read(
            result(benchmark='b0/80%', load=load(800), p99_us=9.0),
            result(benchmark='b0/50%', load=load(500), p99_us=3.0, run=0),
            result(benchmark='b0/50%', load=load(500), p99_us=4.0, run=1),
            result(benchmark='b6/A', load=load(500)),
            result(benchmark='b1', load=load(500)),
        )
        points = [(500, [3.0, 4.0]), (800, [9.0])]
        self.assertEqual(results.load_families(), {'b0': {'Lull': points}})

    def test_peaks(self):
        segments = [
            {'begin_seconds': 0, 'seconds': 5, 'rate': 100, 'closed_loop': False},
            {'begin_seconds': 5, 'seconds': 5, 'rate': 10, 'closed_loop': False},
        ]
        run = self.read(result(load=load(1, segments=segments))).runs[0]
        self.assertEqual(run.spans_of_peaks(), [(0, 5)])
        segments[1]['rate'] = None
        segments[1]['closed_loop'] = True
        run = self.read(result(load=load(1, segments=segments))).runs[0]
        self.assertEqual(run.spans_of_peaks(), [(5, 10)])
        bursts = [{'begin_seconds': 3, 'seconds': 2, 'ops': 1}]
        self.assertEqual(self.read(result(bursts=bursts)).runs[0].spans_of_peaks(), [(3, 5)])

    def test_what_was_made_again_counts_once(self):
        results = self.read(
            result(run=0, counts=False),
            result(run=0, mb_per_s=1),
            result(run=1, mb_per_s=2),
            result(run=0, mb_per_s=3),
        )
        self.assertEqual([run.result['mb_per_s'] for run in results.runs], [2, 3])

    def test_a_torn_last_line_is_left_out_and_others_are_refused(self):
        self.assertEqual(len(self.read(result(), tail='{"kind": "res').runs), 1)
        with self.assertRaisesRegex(Failure, 'jsonl:1 is not JSON'):
            self.read(tail='{"kind"\n' + json.dumps(result()) + '\n')
        with self.assertRaisesRegex(Failure, 'no results'):
            self.read(result(benchmark='b1,sustainable'))
        with self.assertRaisesRegex(Failure, 'no results'):
            self.read({'kind': 'machine'})

    def test_a_store_has_its_colour_whoever_stands_beside_it(self):
        alone = theme.color_indices(['RocksDB'])
        among = theme.color_indices(['Lull', 'Lull policy=x', 'LevelDB', 'RocksDB'])
        self.assertEqual(alone['RocksDB'], among['RocksDB'])
        self.assertEqual(len(set(among.values())), 4)

    def test_stand_ins_become_variables(self):
        svg = f'<g id="a"><path clip-path="url(#a)" style="stroke: {theme.TOKENS["ink"]}"/></g>'
        self.assertEqual(
            theme.separate_ids(theme.to_css(svg), 'c1'),
            '<g id="c1-a"><path clip-path="url(#c1-a)" style="stroke: var(--ink)"/></g>',
        )
        self.assertEqual(len(set(theme.TOKENS.values())), len(theme.NAMES))

    def test_each_store_has_dashes_of_its_own(self):
        self.assertEqual(len(set(theme.DASHES)), len(theme.STORES))

    def test_a_band_is_the_range_of_the_runs(self):
        longest = [(1.02, 5), (2.03, 6), (3.01, None), (4.0, 8), (5.0, 7)]
        middle = [(1.0, 1), (2.0, 9), (3.0, None), (4.0, 4)]
        rows = band_of([middle, longest, [(0.99, 2), (1.98, 3)]])
        self.assertEqual(rows[:2], [(1.0, 1, 2, 5), (2.0, 3, 6, 9)])
        self.assertTrue(math.isnan(rows[2][2]))  # no request was served
        self.assertEqual(rows[3:], [(4.0, 4, 6, 8)])
        self.assertEqual(band_row(500, [7.0]), (500, 7.0, 7.0, 7.0))

    def test_a_rate_that_is_counted_late_is_a_mean_of_a_second(self):
        curve = [(at / 8, 64 if at == 5 else 0) for at in range(1, 17)]
        means = dict(means_of_a_second(curve))
        self.assertEqual([means[at] for at in (0.25, 0.75, 1.5)], [64 / 6, 64 / 8, 0])
        seconds = [(1.0, 5), (2.0, None), (3.0, 7)]
        self.assertEqual(means_of_a_second(seconds), seconds)
        self.assertEqual(means_of_a_second([(1.0, 5), (1.25, 10)]), [(1.0, 6), (1.25, 6)])


@unittest.skipUnless(has('/usr/bin/python3', ['matplotlib']), 'no matplotlib')
class DrawingTest(FolderTest):
    def write(self):
        items = []
        for number in range(2):
            for store in ('lull', 'leveldb'):
                facts = {'store': store, 'run': number}
                items += [
                    {'kind': 'interval', 'at_seconds': at / 10, 'p99_us': at + 9 * number + 1}
                    | facts
                    for at in range(1, 9)
                ]
                items.append(result(date='2026-01-31', batch_size=1) | facts)
        self.write_results(*items)

    def report(self, form):
        """The names of the files that it draws."""
        self.write()
        command = [f'{ROOT}/benchmarks/report', self.folder, f'--format={form}']
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(os.listdir(f'{self.folder}/{form}'))

    def test_lines_differ_without_colour_and_several_runs_make_a_band(self):
        self.assertIn('b1-time-series.svg', self.report('svg'))
        drawing = xml.etree.ElementTree.parse(f'{self.folder}/svg/b1-time-series.svg')
        styles = [item.get('style', '') for item in drawing.iter()]
        for store, dashed in (('Lull', False), ('LevelDB', True)):
            color = theme.STORES[theme.FIXED[store]][0]
            lines = [style for style in styles if f'stroke: {color}' in style]
            self.assertEqual({'dasharray' in line for line in lines}, {dashed})
            self.assertIn(f'fill: {color}; fill-opacity: 0.2', styles)
        self.assertNotIn('#fe', ' '.join(styles))  # a placeholder of the page

    def test_the_same_results_give_the_same_files(self):
        names = self.report('pdf')
        path = f'{self.folder}/pdf/{names[0]}'
        with open(path, 'rb') as file:
            first = file.read()
        self.assertEqual(first[:4], b'%PDF')
        self.report('pdf')
        with open(path, 'rb') as file:
            self.assertEqual(file.read(), first)


if __name__ == '__main__':
    unittest.main()
