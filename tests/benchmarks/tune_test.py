#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of benchmarks/tune: objectives, searches with a fake program, journal, table.

Nothing is installed or measured: points come from the random sampler or the grid.
"""

import contextlib
import io
import json
import math
import os
import re
import shlex
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True

from scripts import FolderTest, load_script  # noqa: E402  (also finds the modules of benchmarks/)
from drivers.common import Failure  # noqa: E402
from drivers import environment  # noqa: E402
from option_search import journal, outcome, programs, samplers, space  # noqa: E402
from option_search.journal import Journal, best_of  # noqa: E402
from option_search.objective import FIGURES, figures_of_db_bench, read_objective  # noqa: E402
from option_search.search import Search  # noqa: E402

tune = load_script('tune')

PYTHON = sys.executable


class ObjectiveTest(unittest.TestCase):
    def test_weights_sum_the_logarithms_of_ratios(self):
        objective = read_objective('throughput=1,p99=1', [], FIGURES)
        gains = objective.gains({'throughput': 40, 'p99': 5}, {'throughput': 10, 'p99': 10})
        self.assertAlmostEqual(objective.value(gains), math.sqrt(4 * 2))
        heavy = read_objective('throughput=3,p99=1', [], FIGURES)
        self.assertAlmostEqual(heavy.value({'throughput': 2, 'p99': 8}), 1)
        self.assertEqual(read_objective('throughput', [], FIGURES).value({'throughput': 1}), 1)

    def test_without_a_ratio_there_is_no_value(self):
        objective = read_objective('p99', [], FIGURES)
        self.assertIsNone(objective.value(objective.gains({'p99': 1}, {'p99': 0})))
        self.assertIsNone(objective.value(objective.gains({'p99': 0}, {'p99': 1})))

    def test_what_breaks_a_constraint_costs_more_than_the_default(self):
        objective = read_objective('throughput', ['memory<=100M', 'p99 <= 2x'], FIGURES)
        figures = {'memory': 200 << 20, 'p99': 30.0}
        over = objective.excesses(figures, {'p99': 3})
        self.assertAlmostEqual(over['memory<=100M'], math.log(2))
        self.assertAlmostEqual(over['p99 <= 2x'], math.log(1.5))
        self.assertGreater(objective.cost(50, over), objective.cost(1, {}))
        self.assertEqual(objective.excesses({'memory': 100 << 20, 'p99': 1}, {'p99': 2}), {})

    def test_limits_have_units(self):
        constraints = read_objective(
            'p99', ['p99<=2ms', 'p99.9<=1s', 'stalled<=1.5s', 'throughput>=20'], FIGURES
        ).constraints
        self.assertEqual([c.limit for c in constraints], [2000, 1e6, 1.5, 20])
        self.assertGreater(constraints[3].excess({'throughput': 10}, {}), 0)

    def test_wrong_names_come_with_the_nearest_right_one(self):
        for objective, constraint, said in (
            ('troughput', [], "did you mean 'throughput'"),
            ('p99=0', [], 'not a number over 0'),
            ('p99=a', [], "'a', is not a number"),
            (',', [], 'name at least one'),
            ('p99', ['memry<=1M'], "did you mean 'memory'"),
            ('p99', ['memory=1M'], 'is not FIGURE<=LIMIT'),
            ('p99', ['memory<=1ms'], "memory has no unit 'ms'"),
        ):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                read_objective(objective, constraint, FIGURES)

    def test_figures_of_db_bench(self):
        figures = figures_of_db_bench(
            {'mb_per_s': 30.0, 'p99_us': 7, 'active_seconds': 10, 'drain_seconds': 5}
        )
        self.assertEqual(
            figures, {'throughput': 30, 'p99': 7, 'drain': 5, 'sustained': 20}
        )


class MadeUp:
    """A fake store that is fastest with a memtable of 16M; its speed drifts by half, up and
    down."""

    figures = FIGURES

    def __init__(self, fails=lambda options: ''):
        self.fails = fails
        self.runs = []

    def run(self, options, point, show):
        self.runs.append(dict(options))
        reason = self.fails(options)
        if reason:
            raise programs.RunFailed(reason)
        size = space.read_number(options.get('memtable_bytes', '4M'))
        speed = 2 - abs(math.log2(size / (16 << 20))) / 4
        drift = 1 + 0.5 * math.sin(len(self.runs) / 20)
        return {'throughput': 10 * speed * drift, 'memory': float(size), 'p99': 9.0}


class Options:
    trials, repeats, confirm = 12, 1, 2


class SearchTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.space = space.make_space([], ['memtable_bytes'], '')

    def search(self, program, constraints=(), resumed=False, sampler=None, **options):
        kept = Journal(self.folder)
        asked = {'asked': {'seed': 7, 'space': self.space.declared()}}
        kept.resume(asked) if resumed else kept.begin(asked)
        chosen = Options()
        vars(chosen).update(options)
        made = Search(
            self.space,
            read_objective('throughput', constraints, FIGURES),
            program,
            sampler or samplers.RandomSampler(self.space, 7),
            kept,
            chosen,
            mock.Mock(),
        )
        made.replay()
        return made

    def test_trials_stand_between_runs_of_the_default(self):
        program = MadeUp()
        search = self.search(program, trials=3, confirm=0)
        search.run_all()
        trials = search.journal.trials()
        self.assertEqual([bool(options) for options in program.runs], [False, True] * 3 + [False])
        for trial in trials:
            true = 2 - abs(math.log2(trial['point']['memtable_bytes'] / (16 << 20))) / 4
            # The default is worth 1.5; the drift cancels out in the ratio, except for its
            # curvature.
            self.assertAlmostEqual(trial['value'], true / 1.5, delta=0.01)

    def test_the_best_is_measured_again(self):
        search = self.search(MadeUp())
        search.run_all()
        best = best_of(search.journal.trials())
        again = search.journal.confirmations()
        self.assertGreater(best['value'], 1.1)
        self.assertEqual(len(again), 3)
        self.assertEqual(len(again[best['number']]['values']), 2)

    def test_what_does_best_when_measured_again_is_chosen(self):
        trials = [
            {
                'kind': 'trial',
                'number': number,
                'status': 'ok',
                'value': value,
                'point': {'memtable_bytes': size << 10},
            }
            for number, value, size in (
                (1, 1.1, 1024),
                (2, 1.6, 33088),
                (3, 0.9, 2048),
                (4, 1.3, 16384),
                (5, 1.2, 8192),
                (6, 1.5, 33119),
                (7, 1.4, 28000),
            )
        ]
        found = journal.candidates(trials, self.space.apart)
        self.assertEqual([t['number'] for t in found], [2, 4, 5], 'not trials similar to the best')
        again = {2: {'status': 'ok', 'value': 1.0}, 4: {'status': 'ok', 'value': 1.2}}
        self.assertEqual(journal.chosen_of(trials, again)['number'], 4)
        again[4] = {'status': 'beyond', 'value': 1.2}
        self.assertEqual(journal.chosen_of(trials, again)['number'], 2)
        self.assertEqual(journal.chosen_of(trials, {})['number'], 2)

    def test_what_may_be_chance_is_said_to_be(self):
        search = self.search(MadeUp(), trials=4, confirm=0)
        search.run_all()
        best = best_of(search.journal.trials())
        again = {'kind': 'confirmation', 'number': best['number'], 'status': 'ok'}
        search.journal.append({**again, 'value': 1.1, 'values': [0.98, 1.2]})
        self.assertIn(outcome.CHANCE, '\n'.join(self.told(search)))
        search.journal.append({**again, 'value': 1.1, 'values': [1.05, 1.2]})
        self.assertNotIn(outcome.CHANCE, '\n'.join(self.told(search)))
        search.journal.append({**again, 'value': 0.99, 'values': [0.9, 1.2]})
        self.assertIn('Nothing better than the default', '\n'.join(self.told(search)))

    def told(self, search):
        return outcome.best_lines(self.space, search.objective, search.journal)

    def test_repeats_are_summed_up_by_medians(self):
        search = self.search(MadeUp(), trials=1, repeats=3, confirm=0)
        search.run_all()
        (trial,) = search.journal.trials()
        self.assertEqual(len(trial['runs']), 3)
        self.assertEqual(trial['value'], sorted(trial['values'])[1])

    def test_a_trial_that_fails_is_told_and_the_search_goes_on(self):
        def fails(options):
            size = space.read_number(options.get('memtable_bytes', '4M'))
            return 'ended with 1: too large' if size > 16 << 20 else ''

        search = self.search(MadeUp(fails))
        search.run_all()
        trials = search.journal.trials()
        failed = [trial for trial in trials if trial['status'] == 'failed']
        self.assertEqual(len(trials), 12)
        self.assertTrue(0 < len(failed) < 12)
        self.assertEqual(failed[0]['reason'], 'ended with 1: too large')
        self.assertGreaterEqual(failed[0]['cost'], math.log(2))
        text = outcome.markdown(self.space, search.objective, search.journal, [])
        self.assertIn('## Without a value', text)
        self.assertIn('too large', text)

    def test_a_default_that_fails_ends_it(self):
        search = self.search(MadeUp(lambda options: '' if options else 'ended with 1: no'))
        with self.assertRaisesRegex(Failure, 'default configuration itself failed: ended with 1'):
            search.run_all()
        self.assertEqual(search.journal.trials(), [])

    def test_what_breaks_a_constraint_is_not_the_best(self):
        search = self.search(MadeUp(), ['memory<=8M'])
        search.run_all()
        best = best_of(search.journal.trials())
        self.assertLessEqual(best['figures']['memory'], 8 << 20)
        beyond = [trial for trial in search.journal.trials() if trial['status'] == 'beyond']
        self.assertGreater(max(trial['value'] for trial in beyond), best['value'])
        text = outcome.markdown(self.space, search.objective, search.journal, [])
        self.assertIn(', not memory<=8M', text)

    def test_a_killed_search_goes_on_as_if_nothing_had_happened(self):
        whole = self.search(MadeUp(), confirm=0)
        whole.run_all()
        points = [trial['point'] for trial in whole.journal.trials()]
        # As after a kill: some trials, and a part of the next.
        with open(whole.journal.path) as file:
            lines = file.readlines()
        with open(whole.journal.path, 'w') as file:
            file.write(''.join(lines[:6]) + lines[6][:30])
        resumed = self.search(MadeUp(), resumed=True, confirm=0)
        self.assertEqual(len(resumed.journal.trials()), 5)
        resumed.run_all()
        self.assertEqual([trial['point'] for trial in resumed.journal.trials()], points)
        with open(resumed.journal.path) as file:
            kinds = [json.loads(line)['kind'] for line in file]
        self.assertEqual(kinds, ['search'] + ['trial'] * 12)

    def test_named_points_come_first_also_after_a_kill(self):
        named = [{'memtable_bytes': size << 20} for size in (3, 5, 7)]

        def search(**options):
            sampler = samplers.RandomSampler(self.space, 7)
            sampler = samplers.StartingSampler(named, sampler)
            return self.search(MadeUp(), sampler=sampler, confirm=0, **options)

        search(trials=2).run_all()
        resumed = search(resumed=True, trials=5)
        resumed.run_all()
        points = [trial['point'] for trial in resumed.journal.trials()]
        other = samplers.RandomSampler(self.space, 7)
        self.assertEqual(points, named + [other.suggest(), other.suggest()])
        longer = search(resumed=True, trials=6)
        longer.run_all()
        self.assertEqual(longer.journal.trials()[-1]['point'], other.suggest())

    def test_a_finished_search_does_nothing_again(self):
        self.search(MadeUp()).run_all()
        program = MadeUp()
        self.search(program, resumed=True).run_all()
        self.assertEqual(program.runs, [])

    def test_a_grid_ends_where_it_ends(self):
        grid = samplers.GridSampler(self.space.parameters[0])
        search = self.search(MadeUp(), sampler=grid, trials=99, confirm=0)
        with contextlib.redirect_stdout(io.StringIO()):
            search.run_all()
        sizes = [trial['options']['memtable_bytes'] for trial in search.journal.trials()]
        self.assertEqual(sizes, ['1M', '2M', '4M', '8M', '16M', '32M', '64M', '128M'])
        self.assertEqual(best_of(search.journal.trials())['options']['memtable_bytes'], '16M')

    def test_table(self):
        search = self.search(MadeUp(), trials=4)
        search.run_all()
        text = outcome.markdown(self.space, search.objective, search.journal, ['a note'])
        best = journal.chosen_of(search.journal.trials(), search.journal.confirmations())
        self.assertIn(f"```text\nmemtable_bytes={best['options']['memtable_bytes']}\n```", text)
        self.assertIn('Measured again, 2 time(s)', text)
        rows = [line for line in text.splitlines() if line.startswith('|')]
        self.assertEqual(
            rows[0],
            '| trial | `memtable_bytes` | value | throughput, MB/s | p99, ms | memory, MB |',
        )
        self.assertEqual(len({row.count('|') for row in rows}), 1)
        self.assertTrue(rows[2].startswith('| default | - | 1.00 | '))
        self.assertTrue(rows[3].startswith(f"| {best_of(search.journal.trials())['number']} | "))

    def test_nothing_better_is_said_plainly(self):
        search = self.search(MadeUp(), ['memory<=1M'])
        search.run_all()
        text = outcome.markdown(self.space, search.objective, search.journal, [])
        self.assertIn('No trial had a value and met the constraints', text)


class EnvironmentTest(unittest.TestCase):
    def test_what_is_there_needs_no_environment(self):
        self.assertTrue(environment.has(PYTHON, ['json', 'csv']))
        self.assertFalse(environment.has(PYTHON, ['json', 'no_such_module']))
        self.assertFalse(environment.has('/nowhere/python3', ['json']))
        environment.go_on_in('none', {'json': 'json'}, __file__)

    def test_one_that_cannot_be_made_says_why(self):
        with self.assertRaisesRegex(environment.NotMade, 'venv --clear /dev/null/x failed'):
            environment.make('/dev/null/x', '/dev/null/x/python3', ['nothing'])


class JournalTest(FolderTest):
    def test_another_search_is_refused(self):
        Journal(self.folder).begin({'asked': {'seed': 1}})
        with self.assertRaisesRegex(Failure, 'started with seed 1, not 2'):
            Journal(self.folder).resume({'asked': {'seed': 2}})
        with self.assertRaisesRegex(Failure, 'started with start null, not 3'):
            Journal(self.folder).resume({'asked': {'seed': 1, 'start': 3}})
        with self.assertRaisesRegex(Failure, 'started with seed 1, not null'):
            Journal(self.folder).resume({'asked': {}})
        with self.assertRaisesRegex(Failure, 'continue it with --resume'):
            Journal(self.folder).begin({'asked': {'seed': 1}})
        with open(os.path.join(self.folder, 'trials.jsonl'), 'a') as file:
            file.write('{"kind"\n{}\n')
        with self.assertRaisesRegex(Failure, 'jsonl:2 is not JSON'):
            Journal(self.folder).resume({'asked': {'seed': 1}})
        with self.assertRaisesRegex(Failure, 'cannot read .*No such file'):
            Journal(os.path.join(self.folder, 'none')).resume({'asked': {}})


def run_python(code, seconds_max=20, **environment):
    lines = []
    return programs.run_command([PYTHON, '-c', code], environment, seconds_max, lines.append)


class ProgramsTest(unittest.TestCase):
    def test_how_a_run_may_end(self):
        self.assertEqual(run_python('print("a"); print("b")')[0], ['a', 'b'])
        for code, said in (
            ('import sys; print("no", file=sys.stderr); sys.exit(3)', 'ended with 3: no'),
            ('import os; os.kill(os.getpid(), 9)', 'killed by SIGKILL'),
        ):
            with self.assertRaisesRegex(programs.RunFailed, said):
                run_python(code)
        with self.assertRaisesRegex(programs.RunFailed, 'cannot run /nowhere: No such file'):
            programs.run_command(['/nowhere'], {}, 1, print)

    def test_a_run_that_takes_too_long_is_ended_with_all_it_has_started(self):
        code = (
            'import signal, subprocess, sys; '
            'subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]); '
            'signal.pause()'
        )
        with self.assertRaisesRegex(programs.RunFailed, 'longer than 0.3 s'):
            run_python(code, 0.3)

    def test_a_command_of_ones_own(self):
        readers = [
            programs.Reader(r'throughput=([\d.]+) ops/s'),
            programs.Reader('queue:lower=json:load.queue'),
        ]
        code = (
            'import os, sys; print(sys.argv[1:], os.environ["LULL_OPTIONS"]); print("9 ops/s"); '
            'print("12.5 ops/s"); print(\'{"load": {"queue": \' + sys.argv[2] + "}}")'
        )
        quoted = shlex.join([PYTHON, '-c', code]) + ' x{options} {threads:4}'
        own = programs.OwnCommand(quoted, readers, 20)
        self.assertEqual(
            own.run({'l0_stop': '9'}, {'threads': 2, 'l0_stop': 9}, print_nothing),
            {'throughput': 12.5, 'queue': 2},
        )
        self.assertEqual(own.run({}, {}, print_nothing)['queue'], 4)
        self.assertEqual(own.command({'a': '1', 'b': '2'}, {})[-2:], ['xa=1;b=2', '4'])
        self.assertEqual(own.figures['queue'].better, 'lower')
        self.assertEqual(programs.names_in(quoted), ['threads'])
        own = programs.OwnCommand('echo {options}', readers, 20)
        with self.assertRaisesRegex(programs.RunFailed, 'throughput, queue not found'):
            own.run({}, {}, print_nothing)

    def test_figures_of_a_command_say_where_they_are(self):
        for text, said in (
            ('queue=([0-9]+)', 'Use queue:higher='),
            ('p99=[0-9]+', 'must have one group'),
            ('p99=([0-9]+', 'invalid pattern'),
            ('p99:more=([0-9]+)', "'more' must be higher or lower"),
            ('p99', 'is not NAME:higher=REGEX'),
        ):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                programs.Reader(text)

    def test_workloads_of_db_bench(self):
        flags_of = programs.DbBench.flags_of
        self.assertIn('--duration=2.5', flags_of('fillrandom', 2.5))
        self.assertEqual(
            flags_of('--benchmarks=b5 --duration={seconds}', 3), ['--benchmarks=b5', '--duration=3']
        )
        self.assertIn('--benchmarks=burstsintime', flags_of('unsynced', 30))
        for name in programs.WORKLOADS:
            flags_of(name, 1)
        with self.assertRaisesRegex(Failure, "did you mean 'fillrandom'"):
            flags_of('fillrandm', 1)

    def test_a_run_of_db_bench_that_the_host_disturbed_is_made_again(self):
        for stolen, counts in (('0 9 9 9', 1), ('9 0 9 9', 2), ('9 8 9 0', 2), ('9 8 7 0', 3)):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'db_bench')
                with open(path, 'w') as file:
                    file.write(DISTURBED.format(stolen=stolen))
                os.chmod(path, 0o700)
                program = programs.DbBench(path, 'fillrandom', 1, folder + '/store', 1, 20)
                figures = program.run({}, {}, print_nothing)
            self.assertEqual(figures['throughput'], counts)


def print_nothing(_):
    """Ignores the output that a run shows meanwhile."""


# A fake db_bench: run n reports n MB/s, and the n-th of these values as stolen CPU seconds.
DISTURBED = r'''#!/bin/sh
for flag; do
  case $flag in --json=*) json=${{flag#--json=}} ;; esac
done
runs=${{0%/*}}/runs
echo >> "$runs"
number=$(wc -l < "$runs")
stolen=$(echo {stolen} | cut -d ' ' -f "$number")
echo '{{"kind": "result", "mb_per_s": '"$number"', "wall_seconds": 1,' \
  '"stolen_cpu_seconds": '"$stolen"'}}' > "$json"
'''


# A fake program to tune: fast, and refuses what Lull would refuse.
LOAD = r'''
case $1 in
  *l0_stop=*) stop=${1#*l0_stop=} stop=${stop%%;*} ;;
  *) stop=256 ;;
esac
if [ "$stop" -lt 6 ]; then
  echo "Invalid argument: \"l0_stop=$stop\" is less than l0_trigger, which is 6" >&2
  exit 1
fi
echo "$((1000 + stop)) ops/s"
'''


class CommandTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.load = os.path.join(self.folder, 'load.sh')
        with open(self.load, 'w') as file:
            file.write(LOAD)

    def tune(self, *arguments):
        """Returns the exit code and the output."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = tune.main(['--no-report', *arguments])
        return code, said.getvalue()

    def arguments(self, *more):
        return [
            f'--command=sh {self.load} "{{options}}"',
            '--figure=throughput=([0-9.]+) ops/s',
            '--sampler=random',
            '--parameter=l0_stop',
            *more,
        ]

    def test_a_search_from_beginning_to_end(self):
        results = os.path.join(self.folder, 'results')
        same = ['--seed=11', '--start=l0_stop=77']
        code, said = self.tune(
            *self.arguments(f'--results={results}', '--trials=6', '--confirm=1', *same)
        )
        self.assertEqual(code, 0, said)
        with open(os.path.join(results, 'tune.md')) as file:
            text = file.read()
        self.assertIn(text, said)
        best = re.search(r'```text\nl0_stop=(\d+);l0_slowdown=\1\n```', text)
        self.assertGreater(int(best[1]), 256)
        self.assertIn('trial 1: l0_stop=77: ', said)
        again = self.arguments(f'--resume={results}', '--trials=8', '--confirm=0', *same)
        code, said = self.tune(*again)
        self.assertEqual(code, 0, said)
        self.assertIn('2 trial(s) of 8', said)
        code, said = self.tune(*self.arguments(f'--resume={results}', '--trials=8', '--seed=12'))
        self.assertEqual(code, 1)
        self.assertIn('started with seed 11, not 12', said)

    def test_a_grid_tells_what_was_refused(self):
        code, said = self.tune(
            *self.arguments(f'--results={self.folder}/r', '--grid', '--space=l0_stop=4..32')
        )
        self.assertEqual(code, 0, said)
        self.assertIn('- trial 1 (l0_stop=4): ended with 1: Invalid argument', said)
        self.assertIn('Nothing better than the default was found', said)

    def test_arguments_that_make_no_sense(self):
        for arguments, said in (
            (['--grid'], 'name it with --parameter'),
            (['--grid', '--parameter=l0_stop', '--start=l0_stop=9'], 'it has no --start'),
            (['--start=l0_stop=9'], 'memtable_bytes has no value'),
            (['--command=x'], '--command needs --figure'),
            (['--figure=p99=(.)'], '--figure is only for --command'),
            (['--explore=1'], 'is not RANDOM:LEARNED'),
            (['--workload=b3x'], "there is no 'b3x'"),
            (['--parameter=memtable'], "did you mean 'memtable_bytes'"),
        ):
            code, text = self.tune(*arguments)
            self.assertEqual(code, 1)
            self.assertRegex(text, said)
        self.assertAlmostEqual(tune.explore_share('1:10'), 1 / 11)


if __name__ == '__main__':
    unittest.main()
