#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/tuning_study: its calls of tune, tables, and one tiny run."""

import contextlib
import io
import os
import re
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from option_search.space import PAPER  # noqa: E402

tuning_study = load_script('tuning_study')


class StudyTest(FolderTest):
    def study(self, *arguments):
        options = [f'--results={self.folder}/results', f'--db-dir={self.folder}/stores']
        return tuning_study.TuningStudy(tuning_study.read_arguments([*options, *arguments]))

    def test_each_of_the_papers_parameters_has_a_grid_and_a_search(self):
        studies = self.study('--workloads=fillrandom').studies
        for is_grid in (True, False):
            single = [
                s.parameters
                for s in studies
                if (s.trials is tuning_study.GRID) == is_grid and len(s.parameters) == 1
            ]
            self.assertEqual(single, [(parameter,) for parameter in PAPER])
        joint = {s.parameters for s in studies} - {(parameter,) for parameter in PAPER}
        self.assertEqual(joint, {tuple(PAPER[:2]), tuple(PAPER)})
        self.assertTrue(set(tuning_study.PAPER_FOUND) <= {s.parameters for s in studies})
        self.assertEqual(len({s.name for s in self.study().studies}), len(self.study().studies))

    def test_a_search_that_was_begun_is_resumed(self):
        study = self.study()
        one = study.studies[1]
        folder = os.path.join(study.folder, one.name)
        self.assertIn(f'--results={folder}', study.command(one))
        os.makedirs(folder)
        with open(os.path.join(folder, tuning_study.JOURNAL), 'w'):
            pass
        self.assertIn(f'--resume={folder}', study.command(one))

    def test_a_search_of_all_begins_with_what_was_found_for_each(self):
        study = self.study('--workloads=fillrandom', '--sampler=random')
        found = {
            'memtable_bytes': {'memtable_bytes': '9M'},
            'table_bytes_max': {'table_bytes_max': '1M'},
            'l0_slowdown': {'l0_slowdown': '90', 'l0_stop': '512'},
            'l0_stop': {'l0_stop': '80', 'l0_slowdown': '80'},
        }
        for name, options in found.items():
            study.found[f'fillrandom-{name}'] = {'policy': 'leveldb', **options}
            study.found[f'fillrandom-{name}-grid'] = {'policy': 'leveldb'}

        def starts(name):
            one = next(s for s in study.studies if s.name == name)
            return [a.split('=', 1)[1] for a in study.command(one) if a.startswith('--start')]

        self.assertEqual(
            starts('fillrandom-four'),
            [
                'memtable_bytes=9M;table_bytes_max=2M;l0_slowdown=8;l0_stop=12',
                'memtable_bytes=4M;table_bytes_max=1M;l0_slowdown=8;l0_stop=12',
                'memtable_bytes=4M;table_bytes_max=2M;l0_slowdown=90;l0_stop=512',
                'memtable_bytes=4M;table_bytes_max=2M;l0_slowdown=80;l0_stop=80',
                'memtable_bytes=9M;table_bytes_max=1M;l0_slowdown=80;l0_stop=80',
            ],
        )
        self.assertEqual(starts('fillrandom-two') + starts('fillrandom-l0_stop-grid'), [])

    def test_ratios_are_of_the_same_round(self):
        study = self.study('--workloads=unsynced', '--rounds=3')
        for one in study.studies:
            study.found[one.name] = {'policy': 'leveldb', **{p: '8' for p in one.parameters}}
        for number, default in enumerate([10.0, 20.0, 40.0]):
            run = {'workload': 'unsynced', 'number': number}
            study.take({**run, 'name': tuning_study.DEFAULT, 'mb_per_s': default})
            for one in study.studies:
                study.take({**run, 'name': one.name, 'mb_per_s': default * (1 + number)})
        self.assertEqual(study.ratio(study.studies[0]), (2, 1, 3))
        self.assertEqual(study.plan(), [])
        table = '\n'.join(study.lines_of('unsynced'))
        self.assertIn('| `memtable_bytes` | `memtable_bytes=8` | 2.00 (1.00 to 3.00) |', table)
        self.assertIn('| `memtable_bytes=8` | 2.00 | 1.00 |', table)
        self.assertIn('Default: 20.0 MB/s.', table)

    @unittest.skipIf(DB_BENCH is None, 'no db_bench')
    @mock.patch.object(tuning_study, 'SINGLE_TRIALS', 2)
    @mock.patch.object(tuning_study, 'JOINT_TRIALS', 2)
    def test_a_run_and_its_resumption(self):
        def call(*arguments):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                self.assertEqual(tuning_study.main(list(arguments)), 0, printed.getvalue())
            return printed.getvalue()

        results = os.path.join(self.folder, 'results')
        first = call(
            f'--db-bench={DB_BENCH}',
            f'--db-dir={self.folder}/stores',
            f'--results={results}',
            '--workloads=unsynced',
            '--seconds=0.05',
            '--sampler=random',
            '--rounds=1',
        )
        rows = [line for line in first.splitlines() if line.startswith('| `memtable_bytes`')]
        self.assertEqual(len(rows), 2)
        again = call(f'--resume={results}')
        self.assertRegex(again, r'\n0 run\(s\) of what was found')
        self.assertEqual(re.findall(r'^\| `.*', again, re.M), rows)


if __name__ == '__main__':
    unittest.main()
