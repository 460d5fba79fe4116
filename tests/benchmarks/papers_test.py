#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/papers: plan, verdicts, tables, pages, and one tiny run when db_bench is
given."""

import contextlib
import io
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import pages  # noqa: E402
from drivers import paper_tables as tables  # noqa: E402
from drivers.papers import PAPERS  # noqa: E402
from drivers.papers.parts import SIMULATED, Claim, simulated_figures  # noqa: E402
from drivers.results_folder import read_results  # noqa: E402
from drivers.row_tables import Measured, figures_of_row  # noqa: E402
from drivers.stores import STORES  # noqa: E402

papers = load_script('papers')


def call(folder, *arguments):
    return papers.Papers(papers.read_options([f'--results={folder}', *arguments]))


def simulation(policy, **changed):
    causes = {'memory': 1.0, 'l0': 2.0, 'debt': 0.5}
    result = {
        'kind': 'simulation',
        'scenario': 'adoc-pm',
        'policy': policy,
        'seconds': 3600,
        'served': 7_200_000,
        'arrived': 7_200_000,
        'at_work_seconds': 3600,
        'client_bytes': 36e9,
        'p50_us': 10,
        'p99_us': 2000,
        'slow_share': 0.25,
        'first_slow_seconds': 0,
        'blocked_seconds': causes,
        'slowed_seconds': causes,
        'written_bytes': {'flush': 1e12, 'l0': 2e12, 'deep': 3e12},
        'debt_bytes_max': 5e9,
        'jobs_max': 3,
        'device_share': 0.5,
        'cores': 2.5,
        'memory_bytes': 64e6,
        'compactions': 4.5,
        'compactions_changes': 7,
        'memtable_bytes': 128e6,
        'memtable_changes': 8,
    }
    return result | changed


class PapersTest(unittest.TestCase):
    def test_claims_scenarios_and_contenders_refer_to_what_exists(self):
        for paper in PAPERS.values():
            rows = {row.name: row for row in paper.rows(1)}
            scenarios = {scenario.name: scenario for scenario in paper.scenarios}
            self.assertEqual(set(paper.contenders), set(rows))
            for contender in [c for cs in paper.contenders.values() for c in cs]:
                self.assertIn(contender.store, STORES)
            for scenario in scenarios.values():
                self.assertLessEqual(set(scenario.figures), set(SIMULATED))
            for claim in paper.claims:
                if claim.row in rows:
                    names = {contender.name for contender in paper.contenders[claim.row]}
                    self.assertLessEqual({claim.who, claim.base} - {None}, names)
                    figures = [figure.name for figure in figures_of_row(rows[claim.row])]
                else:
                    figures = scenarios[claim.row].figures
                self.assertIn(claim.figure, figures, claim)
            self.assertLessEqual(set(paper.charted), set(rows))

    def test_every_paper_has_a_page_with_marks_for_both_halves(self):
        for name in PAPERS:
            path = os.path.join(papers.DOCS, f'{name}.md')
            for half in (papers.MEASURED, papers.SIMULATED):
                marks = [mark.format(half) for mark in papers.MARKS]
                with open(path) as file:
                    self.assertIsNotNone(pages.replace_between(file.read(), *marks, ''), path)


class PlanTest(FolderTest):
    def test_contenders_take_turns_in_beginning(self):
        plan = call(self.folder, 'adoc', '--rows=b5,b5-hdd', '--runs=2').plan()
        begins = [run.contender for run in plan[::6]]
        names = [contender.name for contender in PAPERS['adoc'].contenders['b5']]
        self.assertEqual(begins, [names[0], names[1], names[1], names[2]])

    def test_either_half_can_be_chosen(self):
        whole = call(self.folder, 'silk')
        rows = call(self.folder, 'silk', '--only=measured')
        scenarios = call(self.folder, 'silk', '--only=simulated')
        self.assertEqual(len(whole.plan()), len(rows.plan()) + len(scenarios.plan()))
        self.assertTrue(all(run.row for run in rows.plan()))
        self.assertFalse(any(run.row for run in scenarios.plan()))
        self.assertEqual([os.path.basename(p) for p in scenarios.programs()], ['simulate'])
        self.assertEqual(len(whole.expected_seconds()), len(whole.plan()))

    def test_pages_have_medians_of_three(self):
        self.assertEqual(call(self.folder, 'adoc', '--docs').options.runs, 3)
        self.assertEqual(call(self.folder, 'adoc').options.runs, 1)

    def test_an_unknown_paper_is_named(self):
        for arguments in ([], ['silky']):
            with self.assertRaisesRegex(papers.Failure, 'data-driven, silk, adoc'):
                papers.read_options(arguments)

    def test_a_resumed_call_measures_only_what_is_missing(self):
        began = ['adoc', '--rows=b5,adoc-pm', '--only=measured']
        result = {'kind': 'result', 'workload': 'b5', 'contender': 'adoc', 'run': 0}
        result |= {'load': {'requests_per_s': 50_000}, 'p99_us': 3000, 'p999_us': 9000}
        result |= {'stall_seconds': 0.5}
        with open(f'{self.folder}/results.jsonl', 'w') as file:
            for item in ({'kind': 'machine', 'arguments': began}, result, simulation('adoc')):
                file.write(json.dumps(item) + '\n')
        resumed = papers.Papers(papers.read_options([f'--resume={self.folder}']))
        resumed.take_over(read_results(self.folder)[1:])
        self.assertEqual(len(resumed.plan()), 5)
        self.assertNotIn('adoc', [run.contender for run in resumed.plan()])
        self.assertEqual(resumed.measured.get('b5', 'adoc', 'throughput'), 50)
        self.assertEqual(resumed.measured.get('adoc-pm', 'adoc', 'stalled'), 7)


class TablesTest(unittest.TestCase):
    def judged(self, side, goal, value, base=1.0):
        measured = Measured()
        measured.add('row', 'ours', {'p99': value})
        if base is not None:
            measured.add('row', 'theirs', {'p99': base})
        claim = Claim('', '', 'row', 'p99', 'ours', 'theirs', side, goal)
        return tables.judge(claim, measured)

    def test_a_ratio_is_reproduced_in_direction_or_not(self):
        self.assertEqual(self.judged('>', 2.24, 2.24), ('2.24 ×', 'reproduced'))
        self.assertEqual(self.judged('>', 2.24, 1.8), ('1.80 ×', 'in direction'))
        self.assertEqual(self.judged('>', 2.24, 1.04), ('1.04 ×', 'not reproduced'))
        self.assertEqual(self.judged('<', 0.01, 0.009), ('0.009 ×', 'reproduced'))
        self.assertEqual(self.judged('<', 0.01, 0.9), ('0.90 ×', 'in direction'))
        self.assertEqual(self.judged('<', 0.01, 1.2), ('1.20 ×', 'not reproduced'))

    def test_no_verdict_without_both_figures(self):
        self.assertEqual(self.judged('<', 0.1, 1.0, None), ('-', 'not measured'))
        self.assertEqual(self.judged('<', 0.1, 1.0, 0.0), ('-', 'nothing to compare'))

    def test_a_figure_without_a_better_side_must_be_near(self):
        measured = Measured()
        measured.add('row', 'ours', {'at': 800})
        for goal, verdict in ((700, 'reproduced'), (500, 'not reproduced')):
            claim = Claim('', '', 'row', 'at', 'ours', None, '~', goal)
            self.assertEqual(tables.judge(claim, measured), ('800', verdict))

    def test_the_sentence_counts_verdicts(self):
        measured = Measured()
        measured.add('row', 'a', {'p99': 1.0})
        measured.add('row', 'b', {'p99': 4.0})
        claims = [
            Claim('first', '3 ×', 'row', 'p99', 'b', 'a', '>', 3),
            Claim('second', '5 ×', 'row', 'p99', 'b', 'a', '>', 5),
            Claim('third', 'none', 'row', 'p99', 'b', None, '<', 0.0),
            Claim('fourth', '1 ×', 'elsewhere', 'p99', 'b', 'a', '>', 1),
        ]
        text = tables.claims_text(claims, measured)
        self.assertEqual(
            text[0], 'Verdict on 3 figures: 1 reproduced, 1 in direction, 1 not reproduced.'
        )
        self.assertIn('| first | 3 × | 4.00 × | reproduced |', text)
        self.assertFalse(any('fourth' in line for line in text))

    def test_figures_of_the_simulator(self):
        figures = simulated_figures(simulation('adoc'))
        self.assertEqual(figures['throughput'], 2)
        self.assertEqual(figures['mb_per_s'], 10)
        self.assertEqual(figures['stalled'], 7)
        self.assertEqual(figures['stalled_l0'], 4)
        self.assertEqual(figures['compacted'], 5000)
        self.assertEqual(figures['slow_from'], 3600)

    def test_a_scenario_has_a_line_per_policy(self):
        measured = Measured()
        for policy, served in (('silk-o', 3_600_000), ('adoc', 7_200_000)):
            figures = simulated_figures(simulation(policy, served=served))
            measured.add('adoc-pm', policy, figures)
        paper = PAPERS['adoc']
        scenarios = [s for s in paper.scenarios if s.name in ('adoc-pm', 'adoc-hdd')]
        text = tables.simulated_text(paper, scenarios, measured, ['A note.'])
        claim = '| `adoc-pm`: throughput, adoc to silk-o | 1.67 × | 2.00 × | reproduced |'
        self.assertIn(claim, text)
        self.assertRegex(text, r'\| `adoc` \| \*\*2.00\*\* \| 2.00 × \|')
        self.assertNotIn('adoc-hdd', text)


@unittest.skipIf(DB_BENCH is None, 'no db_bench')
class RunTest(FolderTest):
    def test_a_row_and_a_scenario(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = papers.main(
                [
                    'data-driven',
                    '--rows=logging,data-driven-ssd',
                    '--scale=0.01',
                    '--runs=2',
                    '--no-report',
                    f'--db-bench={DB_BENCH}',
                    f'--db-dir={self.folder}/db',
                    f'--results={self.folder}/results',
                ]
            )
        self.assertEqual(code, 0, printed.getvalue())
        with open(f'{self.folder}/results/measured.md') as file:
            measured = file.read()
        self.assertIn('| Lull, synced singly |', measured)
        self.assertRegex(printed.getvalue(), 'medians of 2 interleaved runs')
        simulated = f'{self.folder}/results/simulated.md'
        if os.path.exists(os.path.join(os.path.dirname(DB_BENCH), 'simulate')):
            with open(simulated) as file:
                self.assertIn('| `idle-quiet` |', file.read())
        else:
            self.assertFalse(os.path.exists(simulated))


if __name__ == '__main__':
    unittest.main()
