# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What a script that measures is made of."""

import datetime
import os
import shutil
import sys

from drivers import running
from drivers.common import Failure
from drivers.disk import check_folder
from drivers.pages import put_between
from drivers.results_folder import NAME, keep, make_results_folder, read_results
from drivers.stolen_cpu import disturbed, disturbed_text, until_undisturbed
from drivers.stores import STORES

STOPPED = 'Stopped before anything was measured.'


class Call:
    """One call of a script: its options, and the folder in which it keeps results and pages.

    measure_all() does everything. A script derives from this class and implements
      plan()              the runs that are left
      expected_seconds()  how long each step of work() may take
      work(progress)      makes the runs
      take_over(objects)  reads the results of the call that is resumed
      tell_all(complete)  shows what was measured; `complete` is false after an early end
    """

    name = ''  # of the script

    def __init__(self, options):
        self.options = options
        self.folder = options.results or make_results_folder()
        if not options.resume:
            os.makedirs(self.folder, exist_ok=True)
        self.output = self.path(NAME)
        self.raw = self.output + '.raw'  # of the run under way
        self.program = options.db_bench or os.path.join(running.BUILD, 'db_bench')
        self.store = os.path.join(options.db_dir, self.name)
        self.facts = running.machine_facts(options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def programs(self):
        """The paths of what is run."""
        return [self.program]

    def check_disk(self):
        check_folder(self.options.db_dir)

    def begin(self):
        omitted = running.prepare(self.options, self.programs(), self.folder)
        if omitted:
            print('\n'.join(f'Without {os.path.basename(p)}: {why}' for p, why in omitted.items()))
            self.omit(omitted)
        self.facts['programs'] = running.digests_of(self.programs())
        self.check_disk()
        if self.options.resume:
            facts, *objects = read_results(self.folder)
            here, self.facts = self.facts, self.facts | facts
            self.take_over(objects)
            if self.has_runs_left():
                self.check_same(here)
        else:
            keep([self.facts], self.output)

    def has_runs_left(self):
        return bool(self.plan())

    def check_same(self, here):
        """Runs are compared with each other, so all come from one machine and one build."""
        for fact in ('cpus', 'cpu', 'kernel', 'programs'):
            if self.facts[fact] != here[fact]:
                shown = 'commit' if fact == 'programs' else fact
                raise Failure(
                    f'--resume={self.folder}: other {fact} than in its runs: {shown} was '
                    f'{self.facts[shown]}, is {here[shown]}: runs of several machines or builds '
                    'cannot be compared; resume it with those, or make a new call'
                )

    def omit(self, programs):
        """Plans without programs that cannot be built."""

    def run_all(self):
        """False when it was ended early."""
        what = f'{len(self.plan())} run(s)'
        return running.run_all(what, self.expected_seconds(), self.work)

    def clean_up(self):
        shutil.rmtree(self.store, ignore_errors=True)

    def measure_all(self):
        """Returns what the process ends with."""
        self.begin()
        try:
            complete = self.run_all()
        finally:
            self.clean_up()
        self.tell_all(complete)
        return 0 if complete else 1

    def command_of(self, program, store, seed, flags):
        """db_bench on a store, with a seed of its own."""
        seed += self.options.seed
        return [program, f'--db={store}', f'--json={self.raw}', f'--seed={seed}', *flags]

    def execute(self, command, progress, cap=None):
        """The lines and the objects of one run of db_bench, as command_of() gives it."""
        return running.execute_and_read(command, self.raw, cap, progress)

    def execute_undisturbed(self, command, progress, cap=None, seconds_count=True):
        """As execute(), for a run that begins with a new store or leaves an old one as it was.
        Repeats it while the host takes CPU time; the least disturbed one counts."""

        def run(last_try):
            made = self.execute(command, progress, cap)
            if not last_try and disturbed(*made[1], seconds_count=seconds_count):
                progress.show(disturbed_text(*made[1]))
            return made

        return until_undisturbed(run, lambda made: made[1], seconds_count)[0]

    def write(self, name, text):
        """A page in the folder; returns its path."""
        path = self.path(name)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def tell(self, name, text, docs=None):
        """Prints a page and keeps it. `docs`, if any: the page of docs/ to put it into, and the two
        marks between which it goes."""
        print('\n' + text)
        print(f'Results: {os.path.relpath(self.write(name, text))}')
        if docs:
            put_between(*docs, text)

    def where_and_when(self):
        return f'{running.machine_text(self.facts)}; {datetime.date.today()}'


class StoresCall(Call):
    """A call that measures the same on all of options.stores."""

    def program_of(self, store):
        return os.path.join(running.BUILD, STORES[store].program)

    def programs(self):
        return list(dict.fromkeys(self.program_of(store) for store in self.options.stores))

    def omit(self, programs):
        stores = self.options.stores
        self.options.stores = [s for s in stores if self.program_of(s) not in programs]
        if not self.options.stores:
            raise Failure('--stores: none of these can be built: see above')

    def folder_of(self, store):
        return os.path.join(self.options.db_dir, store)

    def remove(self, *stores):
        for store in stores:
            shutil.rmtree(self.folder_of(store), ignore_errors=True)

    def clean_up(self):
        self.remove(*self.options.stores)


def joined(*options):
    """Scheduling options, each 'k=v;k=v' or empty, as one."""
    return ';'.join(filter(None, options))


def run_script(name, work, stopped=STOPPED):
    """Returns what work() returns. Prints a failure in one line."""
    try:
        return work()
    except Failure as failure:
        print(f'{name}: {failure}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\n' + stopped, file=sys.stderr)
        return 130
