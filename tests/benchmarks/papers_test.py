#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/papers: plan, rules of verdicts, tables, pages, and one tiny run when
db_bench is given."""

import contextlib
import io
import math
import os
import subprocess
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
DB_BENCH = sys.argv.pop(1) if len(sys.argv) > 1 else None

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers import paper_pages, pages, verdicts  # noqa: E402
from drivers import paper_tables as tables  # noqa: E402
from drivers.common import read_json_lines  # noqa: E402
from drivers.papers import PAPERS, silk  # noqa: E402
from drivers.papers.parts import LEVELS, OF_STORE, SIMULATED, STALLS, TIME_SERIES  # noqa: E402
from drivers.papers.parts import simulated_figures  # noqa: E402
from drivers.results_folder import SUSTAINABLE, read_results  # noqa: E402
from drivers.row_tables import MORE, Measured, figures_of_row, served_share  # noqa: E402
from drivers.stolen_cpu import TRIES  # noqa: E402
from drivers.stores import STORES  # noqa: E402
from drivers.verdicts import Claim, about, at_least, at_most, judge, order  # noqa: E402

papers = load_script('papers')
BESIDES = {'served_share'}  # a figure that is no column


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
        'first_slow_seconds': 0,
        'blocked_seconds': causes,
        'slowed_seconds': causes,
        'written_bytes': {'flush': 36e9, 'l0': 2e12, 'deep': 3e12},
        'debt_bytes_max': 5e9,
        'layout': {'chains': {'chains': 2, 'width_bytes_sum': 30e6, 'width_bytes_max': 20e6}},
    }
    return result | changed


class PapersTest(unittest.TestCase):
    def test_claims_scenarios_and_contenders_refer_to_what_exists(self):
        for paper in PAPERS.values():
            rows = {row.name: row for row in paper.rows(1)}
            scenarios = {scenario.name: scenario for scenario in paper.scenarios}
            self.assertEqual(set(paper.contenders), set(rows))
            for name, contenders in paper.contenders.items():
                self.assertLessEqual({contender.store for contender in contenders}, set(STORES))
                of = rows[name].sustained
                self.assertIn(of, ['', *(contender.name for contender in contenders)])
            for scenario in scenarios.values():
                self.assertLessEqual(set(scenario.figures), set(SIMULATED))
            for claim in paper.claims:
                for name in claim.rows:
                    if name in scenarios:
                        self.assertIn(claim.figure, SIMULATED, claim)
                        continue
                    names = {contender.name for contender in paper.contenders[name]}
                    self.assertLessEqual({claim.who, claim.base} - {None}, names)
                    known = {figure.name for figure in figures_of_row(rows[name])} | set(MORE)
                    self.assertIn(claim.figure, known | BESIDES, claim)

    def test_pictures_are_of_charts_that_a_report_draws(self):
        for paper in PAPERS.values():
            self.assertLessEqual(set(paper.pictures), set(paper.contenders))
            for row, pictures in paper.pictures.items():
                titles = [papers.plain_title(who) for who in paper.contenders[row]]
                drawn = {TIME_SERIES, OF_STORE, STALLS, *(LEVELS + title for title in titles)}
                self.assertLessEqual({picture.chart for picture in pictures}, drawn)

    def test_a_claim_has_a_goal_only_if_it_has_a_source(self):
        for claim in [claim for paper in PAPERS.values() for claim in paper.claims]:
            self.assertEqual(bool(claim.source), bool(claim.says), claim)
            self.assertEqual(bool(claim.source), claim.goal is not None, claim)
            one_sided = claim.goal and not all(map(math.isfinite, claim.goal))
            self.assertFalse(one_sided and 'up to' in claim.says, claim)

    def test_the_pages_show_what_is_recorded(self):
        """Fails if a page, a claim or a record was changed without `benchmarks/papers --render`."""
        records = read_json_lines(paper_pages.RECORDS)
        for name, paper in PAPERS.items():
            texts = paper_pages.texts_of(paper, records)
            for half, text in texts.items():
                page = 'README' if half == paper_pages.HEADLINES else name
                with open(os.path.join(paper_pages.DOCS, f'{page}.md'), encoding='utf-8') as file:
                    now = file.read()
                marks = [mark.format(half) for mark in paper_pages.MARKS]
                self.assertEqual(pages.replace_between(now, *marks, text), now, (page, half))


class PlanTest(FolderTest):
    def test_contenders_take_turns_in_beginning(self):
        plan = call(self.folder, 'adoc', '--rows=b5-sata,b5-hdd', '--runs=2').plan()
        names = [contender.name for contender in PAPERS['adoc'].contenders['b5-hdd']]
        begins = [run.contender for run in plan[:: len(names)]]
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

    def test_pages_have_three_runs(self):
        self.assertEqual(call(self.folder, 'adoc', '--docs').options.runs, 3)
        self.assertEqual(call(self.folder, 'adoc').options.runs, 1)

    def test_an_unknown_paper_is_named(self):
        for arguments in ([], ['silky'], ['silky', '--missing']):
            with self.assertRaisesRegex(papers.Failure, 'data-driven, silk, adoc, vlsm'):
                papers.read_options(arguments)

    def test_a_run_becomes_a_record(self):
        made = call(self.folder, 'vlsm', '--rows=load-a')
        self.assertEqual([row.name for row in made.loops()], ['load-a'])
        x = {'workload': 'load-a' + SUSTAINABLE, 'contender': 'rocksdb'}
        made.take(x | {'ops': 1000, 'active_seconds': 8, 'drain_seconds': 2}, [])
        self.assertEqual((made.loops(), made.x, made.records), ([], {'load-a': 100}, []))
        result = {'workload': 'load-a', 'contender': 'vsst', 'run': 0}
        result |= {'load': {'requests_per_s': 50_000}, 'p99_us': 3000, 'p999_us': 9000}
        result |= {'stall_seconds': 0.5, 'date': '2026-11-28T10:00:00Z', 'commit': 'abc'}
        made.take(result, [])
        record = made.records[0]
        found = record['throughput'], record['date'], record['commit'], record['engine']
        self.assertEqual(found, (50, '2026-11-28', 'abc', made.facts['engine']))
        self.assertIn('2026-11-28; version abc; 1 run.', tables.facts_text([record]))
        both = tables.facts_text([record, record | {'commit': 'def'}])
        self.assertIn('; versions abc, def, whose differences no run measures; ', both)
        both = tables.facts_text([record, record | {'commit': 'def', 'engine': 'other'}])
        self.assertIn('; versions abc, def; ', both)

    def test_what_is_missing(self):
        record = {'paper': 'adoc', 'scale': 1, 'engine': 'e'}
        names = [contender.name for contender in PAPERS['adoc'].contenders['b5']]

        def round_of(number, row='b5', names=names, **changed):
            of_row = record | {'row': row, 'run': number} | changed
            return [of_row | {'contender': name} for name in names]

        records = [
            *round_of(0),
            *round_of(1, names=names[1:]),
            *round_of(2, engine='other'),
            *round_of(0, 'b5-sata', stolen=0.03),
            *round_of(1, 'b5-sata', stolen=0.02, stolen_window=0.11),
            *round_of(0, 'b5-hdd', scale=0.5),
            *round_of(0, 'adoc-pm', names=['adoc']),
        ]
        text = papers.missing_text(records, 'e', [PAPERS['adoc']])
        for line in ('b5 | 2 | 124', 'b5-sata | 2 | 82', 'b5-hdd | 3 | 124', 'adoc-hdd | 1 | 6'):
            self.assertIn(f'| adoc | {line} |', text)
        self.assertNotIn('| adoc-pm |', text)
        self.assertIn('| b5 | 3 |', papers.missing_text(records, '', [PAPERS['adoc']]))

    def test_recorded_rounds_are_not_measured_again(self):
        path = f'{self.folder}/results.jsonl'
        figures = {'throughput': 1.0, 'p99': 2.0}
        names = [contender.name for contender in PAPERS['vlsm'].contenders['load-a']]
        with mock.patch.multiple(papers, RECORDS=path), mock.patch.object(
            paper_pages, 'RECORDS', path
        ), mock.patch.object(papers.running, 'engine_of_source', lambda: 'e'):
            self.write_results()
            begun = call(self.folder, 'vlsm', '--docs', '--rows=load-a,vlsm-pairs')
            self.assertEqual(len(begun.plan()), 3 * len(names) + 1)
            for number, kept in ((0, names), (1, names[1:])):
                for name in kept:
                    begun.note('load-a', name, number, {}, figures)
            begun.record_rounds()
            self.assertEqual({one['run'] for one in read_json_lines(path)}, {0})
            later = call(self.folder, 'vlsm', '--docs', '--rows=load-a,vlsm-pairs')
            self.assertEqual({run.number for run in later.plan() if run.row}, {1, 2})
            self.assertEqual([row.name for row in later.loops()], ['load-a'])
            later.note('vlsm-pairs', 'rocksdb', 0, {}, figures)
            later.record_rounds()
            last = call(self.folder, 'vlsm', '--docs', '--rows=vlsm-pairs')
            self.assertEqual(last.plan(), [])
            alone = call(self.folder, 'vlsm', '--rows=load-a')
            self.assertEqual(len(alone.plan()), len(names))

    def test_a_resumed_call_goes_on_within_a_round(self):
        begun = call(self.folder, 'vlsm', '--rows=run-a', '--scale=0.5')
        first, second, *rest = [run.contender for run in begun.plan()]
        x = {'workload': 'run-a' + SUSTAINABLE, 'contender': first, 'run': 0}
        result = {'workload': 'run-a', 'run': 0, 'load': {'requests_per_s': 50_000}}
        result |= {'p99_us': 3000, 'p999_us': 9000, 'stall_seconds': 0.5, 'wall_seconds': 300}
        interval = {'kind': 'interval', 'at_seconds': 1, 'ops_per_s': 50_000, 'phase': 'steady'}
        self.write_results(
            {'arguments': begun.options.arguments},
            x | {'ops': 1000, 'active_seconds': 8, 'drain_seconds': 2},
            interval | {'stolen_cpus': 0},
            result | {'contender': first, 'stolen_cpu_seconds': 0},
            interval | {'stolen_cpus': os.cpu_count() / 2},
            result | {'contender': second, 'stolen_cpu_seconds': 1},
            simulation('lull'),
        )
        resumed = papers.Papers(papers.read_options([f'--resume={self.folder}']))
        resumed.take_over(read_results(self.folder)[1:])
        self.assertEqual((resumed.options.scale, resumed.x), (0.5, {'run-a': 100}))
        self.assertEqual([one['contender'] for one in resumed.records], [first])
        self.assertEqual([run.contender for run in resumed.plan()], [second, *rest])
        self.assertEqual(resumed.loops(), [])

    def test_a_second_does_not_disturb_ten_minutes_at_full_speed(self):
        interval = {'kind': 'interval', 'at_seconds': 1, 'ops_per_s': 9, 'phase': 'steady'}
        result = {'load': {'requests_per_s': 9}, 'p99_us': 1, 'p999_us': 1, 'stall_seconds': 0}
        for paper, row, tries in (('adoc', 'b5-hdd', 1), ('silk', 'peaks-10', TRIES)):
            self.write_results()
            made = call(self.folder, paper, f'--rows={row}', '--runs=1')
            run = made.plan()[0]
            objects = [interval | {'stolen_cpus': os.cpu_count() / 2}, dict(result)]
            with mock.patch.multiple(
                made, execute=mock.Mock(return_value=([], objects)), program_of=mock.Mock()
            ):
                made.measure(run.row, made.contenders[row, run.contender], 0, mock.Mock(), row)
                self.assertEqual(made.execute.call_count, tries, row)
            resumed = call(self.folder, paper, f'--rows={row}', '--runs=1')
            resumed.take_over(objects)
            self.assertEqual(len(resumed.known), int(tries == 1), row)

    def test_a_resumed_call_keeps_its_arguments(self):
        begun = call(self.folder, 'vlsm', '--rows=run-a', '--runs=1')
        self.write_results({'arguments': begun.options.arguments})
        resume = f'--resume={self.folder}'
        same = papers.read_options([resume, 'vlsm', '--rows=run-a', '--runs=1', '--no-install'])
        self.assertTrue(same.no_install)
        for other, said in (
            ('--runs=3', '--runs differs'),
            ('--rows=load-a', '--rows differs'),
            ('--docs', '--docs differs'),
            ('--results=elsewhere', '--results differs'),
            ('silk', "'silk' differs"),
        ):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit):
                papers.read_options([resume, other])
            self.assertIn(f'{said} from the call that --resume goes on with', errors.getvalue())

    def test_what_no_run_measures_does_not_change_the_engine(self):
        files = {'db/wal/log_reader.cc': 'a', 'db/wal/log_writer.cc': 'b', 'util/coding.h': 'c'}

        def engine(other=(), uncommitted=''):
            lines = [f'100644 blob {hash}\t{path}' for path, hash in (files | dict(other)).items()]
            said = {'status': uncommitted, 'ls-tree': '\n'.join(lines)}
            with mock.patch.object(papers.running, 'said_by_git', lambda *words: said[words[0]]):
                return papers.running.engine_of_source()

        self.assertEqual(engine({'db/wal/log_reader.cc': 'd'}), engine())
        self.assertNotEqual(engine({'db/wal/log_writer.cc': 'd'}), engine())
        self.assertNotEqual(engine({'db/read/get.cc': 'd'}), engine())
        self.assertEqual(engine(uncommitted=' M db/wal/log_reader.cc'), '')

    def test_a_round_replaces_itself_and_those_of_another_library(self):
        path = f'{self.folder}/results.jsonl'
        old = {'paper': 'adoc', 'row': 'b5', 'contender': 'adoc', 'run': 0, 'p99': 1.0}
        old |= {'scale': 1, 'engine': 'e'}
        others = [old | {'run': 1, 'engine': 'd'}, old | {'run': 1, 'scale': 0.1}]
        self.write_results(old, old | {'run': 2}, old | {'row': 'b5-hdd', 'engine': 'd'}, *others)
        with mock.patch.object(paper_pages, 'RECORDS', path):
            paper_pages.record([old | {'p99': 1.23456, 'p999': None}])
        kept = [(one['row'], one['run'], one['p99']) for one in read_json_lines(path)]
        self.assertEqual(kept, [('b5', 0, 1.235), ('b5', 2, 1.0), ('b5-hdd', 0, 1.0)])


class PicturesTest(FolderTest):
    def test_the_page_shows_the_pictures_that_were_drawn(self):
        drawn, kept = f'{self.folder}/drawn', f'{self.folder}/png'
        os.makedirs(drawn)
        of_rows = {'b5': 'b5-time-series.png', 'b5-hdd': 'b5-hdd-time-series.png'}
        for name in of_rows.values():
            with open(f'{drawn}/{name}', 'w'):
                pass
        paper = PAPERS['adoc']
        with mock.patch.object(paper_pages, 'PICTURES', kept):
            self.assertFalse(any(paper_pages.pictures_of(paper).values()))
            paper_pages.keep_pictures(paper, drawn)
            self.assertEqual(os.listdir(kept), [of_rows['b5']])
            shown = paper_pages.pictures_of(paper)
        figures = {'throughput': 2.0, 'stalled': 1.0, 'p99': 3.0}
        fact = {'paper': 'adoc', 'row': 'b5', 'contender': 'adoc', 'run': 0, 'scale': 1}
        fact |= {'machine': '2 cores', 'date': '2026-11-28'} | figures
        text = tables.measured_text(paper, [fact], tables.measured_of([fact], paper), shown)
        lines = [line for line in text.splitlines() if line.startswith('!')]
        picture = '![`b5`: throughput and p99 (figures 12 and 16)](png/b5-time-series.png)'
        self.assertEqual(lines, [picture])


def measured_runs(**runs):
    """Figures at scale 1 of contenders: values of p99, or of what `figures` changes."""
    measured = Measured()
    for who, values in runs.items():
        for number, value in enumerate(values):
            figures = {'p99': value, 'rate': value, 'scale': 1, 'served_share': 1, 'stolen': 0}
            measured.add('row', who, number, figures)
    return measured


def claim_of(goal, base='theirs', figure='p99', source='§1', rows=('row',), best=max):
    return Claim('text', source, 'says', rows, figure, 'ours', base, goal, best)


class VerdictsTest(unittest.TestCase):
    def verdict(self, goal, *values, **claim):
        theirs = [1.0] * len(values)
        return judge(claim_of(goal, **claim), measured_runs(ours=values, theirs=theirs)).verdict

    def test_the_whole_interval_decides(self):
        for goal, values, verdict in (
            (about(2), (1.7, 2.0, 2.39), 'reproduced'),
            (about(2), (1.6, 2.0, 2.3), 'undecided'),
            (about(2), (5.0, 5.1, 5.2), 'not reproduced'),  # better is not the same
            (about(2), (1.0, 3.0, 2.0), 'undecided'),
            (order(0.01), (0.004, 0.02, 0.03), 'reproduced'),
            (order(0.01), (0.0001, 0.0002, 0.0003), 'not reproduced'),
            (at_least(2), (2.0, 50.0, 3.0), 'reproduced'),
            (at_most(0), (0.0, 0.0, 0.0), 'reproduced'),
            (verdicts.HIGHER, (1.01, 1.02, 1.04), 'not reproduced'),
            (verdicts.LOWER, (0.9, 0.5, 0.96), 'undecided'),
            (verdicts.Goal(0.93, 1.07), (2.0, 2.1, 2.0), 'not reproduced'),
        ):
            self.assertEqual(self.verdict(goal, *values), verdict, (goal, values))

    def test_our_own_goals_have_words_of_their_own(self):
        self.assertEqual(self.verdict(at_least(2), 3, 3, 3, source=verdicts.OWN), 'met')
        self.assertEqual(self.verdict(at_least(2), 1, 1, 1, source=verdicts.OWN), 'missed')

    def test_ratios_are_within_one_run(self):
        measured = measured_runs(ours=(2.0, 4.0, 8.0), theirs=(1.0, 2.0, 4.0))
        judgement = judge(claim_of(about(2)), measured)
        self.assertEqual((judgement.low, judgement.high), (2, 2))
        self.assertEqual(tables.here_text(judgement), '2.00 ×; 3 runs')

    def test_what_has_no_verdict(self):
        good = dict(p99=2.0, rate=2.0, scale=1, served_share=1, stolen=0)
        for changed, figure, verdict in (
            ({}, 'p99', 'reproduced'),
            ({'scale': 0.3}, 'p99', 'scaled down'),
            ({'stolen': 0.03}, 'p99', 'too few runs'),
            ({'stolen_window': 0.11}, 'p99', 'too few runs'),
            ({'stolen_window': 0.09}, 'p99', 'reproduced'),
            ({'stolen_window': 0.11}, 'rate', 'too few runs'),
            ({'served_share': 0.98}, 'p99', 'overloaded'),
            ({'served_share': 0.0}, 'p99', 'overloaded'),
            ({'served_share': 0.98}, 'rate', 'reproduced'),
            ({'served_share': None}, 'p99', 'reproduced'),
            ({'p99': None}, 'p99', 'too few runs'),
        ):
            measured = measured_runs(theirs=(1.0, 1.0, 1.0))
            for number in range(3):
                measured.add('row', 'ours', number, good | (changed if number == 1 else {}))
            self.assertEqual(judge(claim_of(about(2), figure=figure), measured).verdict, verdict)
        self.assertEqual(self.verdict(about(2), 2, 2), 'too few runs')
        self.assertEqual(self.verdict(None, 2, 2, 2, source=''), 'not in the paper')
        nothing = measured_runs(ours=(1.0,), theirs=(0.0,))
        self.assertEqual(judge(claim_of(about(2)), nothing).verdict, 'nothing to compare')
        self.assertEqual(judge(claim_of(about(2)), Measured()).verdict, 'not measured')

    def test_a_second_does_not_decide_the_throughput_of_ten_minutes(self):
        claims = {(claim.rows, claim.figure): claim for claim in PAPERS['adoc'].claims}
        for figure, stolen, verdict in (
            ('throughput', {'stolen': 0.02, 'stolen_window': 0.11}, 'reproduced'),
            ('throughput', {'stolen': 0.03}, 'too few runs'),
            ('stalled', {'stolen': 0.02, 'stolen_window': 0.11}, 'too few runs'),
        ):
            claim = claims[('b5-hdd',), figure]
            measured, ratio = Measured(), claim.goal.low
            for number in range(3):
                for who, value in ((claim.who, ratio), (claim.base, 1)):
                    of_run = {figure: value, 'scale': 1} | (stolen if number == 1 else {})
                    measured.add('b5-hdd', who, number, of_run)
            self.assertEqual(judge(claim, measured).verdict, verdict, (figure, stolen))

    def test_up_to_is_about_the_best_row_of_each_run(self):
        measured = measured_runs(ours=(2.0, 2.0, 2.0))
        for number in range(3):
            measured.add('other', 'ours', number, {'p99': 4.0, 'scale': 1})
        for best, goal, verdict in ((max, 4, 'reproduced'), (min, 4, 'not reproduced')):
            claim = claim_of(about(goal), base=None, rows=('row', 'other'), best=best)
            self.assertEqual(judge(claim, measured).verdict, verdict)

    def test_a_simulated_figure_needs_a_validation(self):
        page = (
            '| run | MiB/s | debt |\n'
            '| `bursts-1k`, leveldb | 71.4/57.9 (-19 %) | 128/96 (-25 %) | 9/9 |\n'
            '| `openloop`, leveldb | 4.52/4.52 (0 %) | 23/25 (+8 %) | 4/4 |\n'
            '| `openloop`, idle-quiet | 4.5/4.5 (0 %) | 20/25 (+25 %) | 4/4 |\n'
        )
        errors = paper_pages.validated_errors(page)
        self.assertEqual(errors['leveldb', 'mb_per_s'], 0.19)
        self.assertEqual((errors['leveldb', 'debt'], errors['idle-quiet', 'debt']), (0.25, 0.25))
        measured = Measured()
        claim = claim_of(verdicts.Goal(80, 130), base=None, figure='mb_per_s')
        for who, value, verdict in (
            ('leveldb', 100.0, 'reproduced'),
            ('leveldb', 90.0, 'undecided'),
            ('leveldb', 20.0, 'not reproduced'),
            ('silk', 100.0, 'not validated'),
        ):
            measured.add('row', who, 0, {'mb_per_s': value, 'simulated': True})
            judgement = judge(claim._replace(who=who), measured, errors)
            self.assertEqual(judgement.verdict, verdict)

    def test_the_page_of_the_simulator_has_a_validation(self):
        with open(os.path.join(paper_pages.RESEARCH, 'simulator.md'), encoding='utf-8') as file:
            errors = paper_pages.validated_errors(file.read())
        policies = {policy for policy, _ in errors}
        self.assertEqual(policies, {'leveldb', 'lull', 'idle-threshold', 'idle-quiet'})
        self.assertTrue(all(error < 1 for error in errors.values()))

    def test_the_share_served_counts_what_came_late(self):
        load = {'closed_loop': False, 'requests': 900, 'duration': 10}
        result = {'load': load, 'unserved': 100, 'active_seconds': 10}
        self.assertEqual(served_share(result), 0.9)
        self.assertEqual(served_share(result | {'unserved': 0, 'active_seconds': 20}), 0.5)
        self.assertEqual(served_share(result | {'unserved': 0, 'active_seconds': 9}), 1)
        self.assertIsNone(served_share({'load': load | {'closed_loop': True}}))
        self.assertIsNone(served_share({}))


class TablesTest(unittest.TestCase):
    def test_claims_are_counted_and_our_goals_are_apart(self):
        measured = measured_runs(ours=(4.0, 4.0, 4.0), theirs=(1.0, 1.0, 1.0))
        claims = [
            claim_of(about(4))._replace(text='first', says='4 ×'),
            claim_of(about(9))._replace(text='second', says='9 ×'),
            claim_of(None, source='')._replace(text='third', says=''),
            claim_of(at_least(3), source=verdicts.OWN)._replace(text='fourth', says='3 ×'),
            claim_of(about(1), rows=('elsewhere',))._replace(text='fifth'),
        ]
        text = tables.claims_text([judge(claim, measured) for claim in claims])
        self.assertEqual(
            text[0], 'Of 2 figures of the paper: 1 reproduced, 1 not reproduced, 0 undecided.'
        )
        own = text.index('| our own goal | goal | here | verdict |')
        self.assertIn('| first | 4 × (§1) | 4.00 ×; 3 runs | reproduced |', text[:own])
        self.assertIn('| third | - | 4.00 ×; 3 runs | not in the paper |', text[:own])
        self.assertIn('| fourth | 3 × | 4.00 ×; 3 runs | met |', text[own:])
        self.assertFalse(any('fifth' in line for line in text))

    def test_an_overloaded_store_is_marked(self):
        measured = measured_runs(ours=(4.0,), theirs=(1.0,))
        measured.runs['row', 'ours'][0]['served_share'] = 0.5
        figure = figures_of_row(PAPERS['silk'].rows(1)[0])[1]
        lines, title = tables.wide_table([('row', [figure])], ('ours', 'theirs'), measured, {})
        self.assertEqual(title, 'p99, ms')
        self.assertIn('| `ours` | 4.00 (overloaded) |', lines)

    def test_figures_of_the_simulator(self):
        figures = simulated_figures(simulation('adoc'))
        self.assertEqual(figures['throughput'], 2)
        self.assertEqual(figures['mb_per_s'], 10)
        self.assertEqual(figures['stalled'], 7)
        self.assertEqual(figures['slow_from'], 3600)
        self.assertAlmostEqual(figures['amplification'], 5036 / 36)
        self.assertEqual((figures['chain'], figures['chain_max']), (15, 20))

    def test_no_simulated_figure_on_a_hard_disk_is_validated(self):
        records = [
            {'paper': 'data-driven', 'row': f'data-driven-{device}', 'contender': policy, 'run': 0}
            | {'simulated': True, 'mb_per_s': value}
            for device in ('ssd', 'hdd')
            for policy, value in (('leveldb', 10.0), ('idle-threshold', 22.4))
        ]
        paper = PAPERS['data-driven']
        validated = {(policy, 'mb_per_s'): 0.01 for policy in ('leveldb', 'idle-threshold')}
        measured = tables.measured_of(records, paper)
        lines = tables.simulated_text(paper, records, measured, validated).splitlines()
        by_title = {line.split(':')[0]: line for line in lines if 'idle-threshold` to' in line}
        self.assertIn('| reproduced |', by_title['| an SSD'])
        self.assertIn('| not validated |', by_title['| a hard disk'])

    def test_a_scenario_has_a_line_per_policy(self):
        records = [
            {'paper': 'adoc', 'row': 'adoc-pm', 'contender': policy, 'run': 0, 'simulated': True}
            | simulated_figures(simulation(policy, served=served))
            for policy, served in (('silk-o', 3_600_000), ('adoc', 7_200_000))
        ]
        paper = PAPERS['adoc']
        measured = tables.measured_of(records, paper)
        text = tables.simulated_text(paper, records, measured, {})
        claim = '| `adoc-pm`: throughput, `adoc` to `silk-o` | 1.67 × (§6.2, figure 12) | 2.00 ×'
        self.assertIn(f'{claim} | not validated |', text)
        self.assertIn('| `adoc` | **2.00** | 7.00 |', text)
        self.assertNotIn('adoc-hdd', text)
        self.assertIn('Not measured yet', tables.measured_text(paper, records, measured, {}))


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
                    f'--db-bench={DB_BENCH}',
                    f'--db-dir={self.folder}/db',
                    f'--results={self.folder}/results',
                ]
            )
        self.assertEqual(code, 0, printed.getvalue())
        with open(f'{self.folder}/results/measured.md') as file:
            measured = file.read()
        self.assertIn('| Lull, synced singly |', measured)
        self.assertIn('| too few runs, scaled down |', measured)
        self.assertIn('2 runs at scale 0.01', measured)
        simulated = f'{self.folder}/results/simulated.md'
        if os.path.exists(os.path.join(os.path.dirname(DB_BENCH), 'simulate')):
            with open(simulated) as file:
                self.assertIn('| `idle-quiet` |', file.read())
        else:
            self.assertFalse(os.path.exists(simulated))

    def test_the_trace_is_that_of_the_simulator(self):
        exported = f'{self.folder}/trace'
        simulate = os.path.join(os.path.dirname(DB_BENCH), 'simulate')
        flags = [f'--seconds={silk.TRACE_SECONDS}', f'--trace={exported}']
        subprocess.run([simulate, 'silk-24h', *flags], check=True, timeout=60)
        with open(exported) as file, open(silk.TRACE) as kept:
            self.assertEqual(file.read(), kept.read())
        for wrong in (['silk-24h', 'silk-parts'], ['silk'], ['adoc-hdd']):
            self.refused([*wrong, *flags], 'simulate: ')

    def refused(self, arguments, message):
        simulate = os.path.join(os.path.dirname(DB_BENCH), 'simulate')
        done = subprocess.run([simulate, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, arguments)
        self.assertIn(message, done.stderr)

    def test_the_simulator_ignores_no_flag_of_another_mode(self):
        written = f'{self.folder}/written'
        modes = ['--list', f'--calibrate={written}', '--validate', f'--trace={written}']
        for mode in modes:
            for other in modes:
                if mode != other:
                    self.refused([mode, other], 'give only one of them')
            for flag in (f'--csv={written}', f'--json={written}', '--options=policy=lull'):
                self.refused([mode, flag], flag.split('=')[0] + ' has no effect')
        for flag in ('--policies=lull', f'--profile={written}'):
            for mode in (modes[0], modes[1], modes[3]):
                self.refused([mode, flag], flag.split('=')[0] + ' has no effect')
        for flag in ('--seconds=5', '--seed=2'):
            self.refused([modes[1], flag], flag.split('=')[0] + ' has no effect')
        for mode in (modes[0], modes[3], 'silk-24h'):
            self.refused([mode, f'--folder={written}'], '--folder has no effect')
        for mode in modes[:2]:
            self.refused([mode, 'silk-24h'], 'takes no scenario')
        self.assertFalse(os.path.exists(written))


if __name__ == '__main__':
    unittest.main()
