# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The program of a trial, db_bench or the user's command, and how its figures are read.

A program's run(options, point, show) returns figures, name -> number, or raises RunFailed with a
one-line reason. It calls `show` with short progress texts.
"""

import json
import os
import re
import shlex
import shutil

from drivers.command_line import unknown
from drivers.common import Failure, read_json_lines
from drivers.policy_rows import make_rows
from drivers.running import RunFailed, run_command, run_db_bench
from drivers.stolen_cpu import until_undisturbed
from option_search.objective import FIGURES, Figure, figures_of_db_bench
from option_search.space import options_text

PLACE = re.compile(r'\{(?:options|([A-Za-z]\w*):([^{}\s]+))\}')
WORKLOADS = {
    'fillrandom': 'random keys of a million, values of 100 bytes, as fast as they are taken',
    'unsynced': 'bursts of batches of such writes, a third of the time, not synced',
    'b1-20k': 'puts, gets and scans: peaks of 20,000 requests a second, and valleys',
}
FILL_RANDOM = (
    '--benchmarks=load --mix=put --shape=max --preload=false --num=1000000 --value_size=100 '
    '--duration={seconds}'
)


def words_of(text):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Failure(f"'{text}' cannot be split into words: {error}") from None


class DbBench:
    """A workload of db_bench on a new store. Repeats runs that the host disturbed."""

    figures = FIGURES

    def __init__(self, path, workload, seconds, folder, seed, seconds_max):
        self.path = path
        self.seconds_max = seconds_max
        self.folder = folder
        self.json = folder + '.json'
        self.flags = self.flags_of(workload, seconds) + [f'--seed={seed}']

    @staticmethod
    def flags_of(workload, seconds):
        """The flags of a known workload, or the user's flags, which begin with a dash."""
        if workload.startswith('-'):
            return words_of(workload.replace('{seconds}', f'{seconds:g}'))
        if workload == 'fillrandom':
            return words_of(FILL_RANDOM.format(seconds=f'{seconds:g}'))
        if workload in WORKLOADS:
            return list(make_rows(seconds / 30)[workload].flags)
        raise Failure(f"--workload: {unknown('', workload, [*WORKLOADS, 'flags of db_bench'])}")

    def command(self, options):
        return [
            self.path,
            f'--db={self.folder}',
            f'--json={self.json}',
            '--report_interval_seconds=1',
            f'--options={options_text(options)}',
            *self.flags,
        ]

    def run(self, options, point, show):
        objects, *_ = until_undisturbed(lambda _: self.run_once(options, show))
        return figures_of_db_bench(objects[-1])

    def run_once(self, options, show):
        """What db_bench measured: intervals, and last the result."""
        self.clean()
        try:
            run_db_bench(self.command(options), show, self.seconds_max)
            objects = read_json_lines(self.json) if os.path.exists(self.json) else []
        except Failure as failure:
            raise RunFailed(failure) from None
        finally:
            self.clean()
        if not objects or objects[-1].get('kind') != 'result':
            raise RunFailed('db_bench reported no result')
        return objects

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if os.path.exists(self.json):
            os.remove(self.json)


class Reader:
    """Finds one figure in the output of a command."""

    def __init__(self, text):
        """`text`: NAME[:higher|:lower]=json:PATH, or =REGEX with one group."""
        left, equals, how = text.partition('=')
        name, _, better = (part.strip() for part in left.partition(':'))
        if not equals or not name or not how:
            raise Failure(
                f"--figure: '{text}' is not NAME:higher=REGEX, NAME:lower=REGEX, or the same with "
                'json:PATH'
            )
        known = FIGURES.get(name)
        if not better and known is None:
            raise Failure(f'--figure: is a higher or a lower {name} better? Use {name}:higher=…')
        if better not in ('', 'higher', 'lower'):
            raise Failure(f"--figure: {name}: '{better}' must be higher or lower")
        self.figure = Figure(name, better or known.better)
        self.path = how[len('json:') :].split('.') if how.startswith('json:') else None
        if self.path is None:
            self.pattern = self.compiled(name, how)

    @staticmethod
    def compiled(name, how):
        try:
            pattern = re.compile(how)
        except re.error as error:
            raise Failure(f"--figure: {name}: invalid pattern '{how}': {error}") from None
        if pattern.groups != 1:
            raise Failure(f"--figure: {name}: '{how}' must have one group, around the number")
        return pattern

    def read(self, lines):
        """The last value in the output, or None."""
        for line in reversed(lines):
            found = self.in_json(line) if self.path else self.pattern.search(line)
            if found is not None:
                try:
                    return float(found[1] if self.path is None else found)
                except (TypeError, ValueError):
                    return None
        return None

    def in_json(self, line):
        try:
            value = json.loads(line)
        except ValueError:
            return None
        for name in self.path:
            value = value.get(name) if isinstance(value, dict) else None
        return value


class OwnCommand:
    """The user's command, with {options} in it, or LULL_OPTIONS in its environment.

    `{NAME:VALUE}` is a parameter of the command itself, with VALUE as its default.
    """

    def __init__(self, command, readers, seconds_max):
        self.words = words_of(command)
        self.readers = readers
        self.seconds_max = seconds_max
        self.figures = {reader.figure.name: reader.figure for reader in readers}

    def command(self, options, point):
        def value_of(match):
            if match[0] == '{options}':
                return options_text(options)
            return str(point.get(match[1], match[2]))

        return [PLACE.sub(value_of, word) for word in self.words]

    def run(self, options, point, show):
        environment = {'LULL_OPTIONS': options_text(options)}
        command = self.command(options, point)
        lines, errors = run_command(
            command, environment, self.seconds_max, lambda line: show(line[:40])
        )
        figures = {reader.figure.name: reader.read(errors + lines) for reader in self.readers}
        missing = [name for name, value in figures.items() if value is None]
        if missing:
            raise RunFailed(f"{', '.join(missing)} not found in its output")
        return figures


def names_in(command):
    """The names of the command's own parameters."""
    return [match[1] for match in PLACE.finditer(command) if match[1]]
