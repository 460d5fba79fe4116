# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The search: trials, each between two runs of the default configuration.

Drift during a search (the disk, other programs) also affects the default. A trial therefore counts
as the ratio to the mean of the default's runs before and after it.
"""

import statistics
import time

from drivers.common import Failure
from drivers.running import RunFailed
from option_search.journal import best_of, candidates
from option_search.objective import FAILED_COST, mean_of, median_of


class Search:
    """Runs trials until the journal has `trials`, or the sampler has no more points."""

    def __init__(self, space, objective, program, sampler, journal, options, progress):
        self.space = space
        self.objective = objective
        self.program = program
        self.sampler = sampler
        self.journal = journal
        self.options = options  # uses .trials .repeats .confirm
        self.progress = progress
        self.before = None  # figures of the last run of the default
        self.worst_cost = FAILED_COST

    def replay(self):
        """Brings the sampler to the end of the journal."""
        told = [(trial['point'], trial['cost']) for trial in self.journal.trials()]
        self.worst_cost = max([self.worst_cost] + [cost for _, cost in told])
        self.sampler.replay(told)

    # ---- Runs ----

    def run_default(self):
        try:
            figures = self.program.run(self.space.base, {}, self.progress.show)
        except RunFailed as failure:
            raise Failure(f'the default configuration itself failed: {failure}') from None
        for name in self.objective.weights:
            if not figures.get(name):
                told = 'is 0' if name in figures else 'is missing'
                raise Failure(f'{name} of the default configuration {told}: cannot compute ratios')
        self.before = figures
        return figures

    def pairs(self, point, count):
        """`count` times (figures, the default's, ratios). Each run of the default serves two."""
        options = self.space.options(point)
        found = []
        for _ in range(count):
            before = self.before or self.run_default()
            figures = self.program.run(options, point, self.progress.show)
            default = mean_of(before, self.run_default())
            found.append((figures, default, self.objective.gains(figures, default)))
        return found

    def measured(self, point, count):
        """The journal's data of a point, with its cost."""
        try:
            pairs = self.pairs(point, count)
        except RunFailed as failure:
            return {'status': 'failed', 'reason': str(failure), 'cost': self.worst_cost}
        runs = [{'figures': figures, 'default': default} for figures, default, _ in pairs]
        figures = median_of([figures for figures, _, _ in pairs])
        gains = median_of([gains for _, _, gains in pairs])
        values = [self.objective.value(gains) for _, _, gains in pairs]
        kept = {'figures': figures, 'ratios': gains, 'runs': runs}
        if None in values:
            reason = f'a run did not report {self.objective.text()}, or reported 0'
            return {'status': 'failed', 'reason': reason, 'cost': self.worst_cost, **kept}
        value = statistics.median(values)
        excesses = self.objective.excesses(figures, gains)
        kept.update(value=value, values=values, cost=self.objective.cost(value, excesses))
        if excesses:
            return {'status': 'beyond', 'reason': 'not ' + ', '.join(excesses), **kept}
        return {'status': 'ok', **kept}

    def run_trial(self, number, point):
        self.progress.start(f'trial {number}: {self.space.text(point)}')
        begin = time.monotonic()
        outcome = self.measured(point, self.options.repeats)
        trial = {
            'kind': 'trial',
            'number': number,
            'point': point,
            'options': self.space.options(point),
            'seconds': time.monotonic() - begin,
            **outcome,
        }
        self.journal.append(trial)
        self.worst_cost = max(self.worst_cost, trial['cost'])
        self.sampler.register(point, trial['cost'])
        best = best_of(self.journal.trials())
        told = said_of(trial)
        self.progress.finish(told + (f"; best {best['value']:.2f}" if best else ''))

    def run_all(self):
        """Runs the remaining trials, then the confirmations."""
        while len(self.journal.trials()) < self.options.trials:
            point = self.sampler.suggest()
            if point is None:
                print('No points are left in this space.')
                break
            self.run_trial(len(self.journal.trials()) + 1, point)
        self.confirm()

    def confirm(self):
        """Measures the best trials again: the best of many is partly the luckiest."""
        if not self.options.confirm:
            return
        for trial in candidates(self.journal.trials(), self.space.apart):
            if trial['number'] in self.journal.confirmations():
                continue
            self.progress.start(f"trial {trial['number']} again")
            outcome = self.measured(trial['point'], self.options.confirm)
            self.journal.append({'kind': 'confirmation', 'number': trial['number'], **outcome})
            self.progress.finish(said_of(outcome))


def said_of(outcome):
    """A short text about a trial."""
    if outcome['status'] == 'failed':
        return f"failed: {outcome['reason']}"
    text = f"{outcome['value']:.2f} x default"
    return text if outcome['status'] == 'ok' else f"{text}, but {outcome['reason']}"
