# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""When a figure of a paper is reproduced.

A verdict needs a figure that the paper states, at least RUNS_MIN interleaved runs at scale 1 whose
CPU the host left alone, and for a latency a store that served the load. It then comes from the
interval of the runs, minimum to maximum: reproduced if all of it is within the goal, not reproduced
if all of it is outside, else undecided. Ratios are within one run. A simulated figure needs a
validation instead of runs, on the same kind of device; its interval is the figure with the error of
that validation.
"""

import collections
import math

from drivers.figures import median
from drivers.stolen_cpu import disturbance

RUNS_MIN = 3
SERVED_MIN = 0.99
LATENCIES = ('p99', 'p999', 'write_p99', 'read_p99')

REPRODUCED, NOT, UNDECIDED = 'reproduced', 'not reproduced', 'undecided'
MET, MISSED = 'met', 'missed'  # of our own goals
FEW, SCALED, OVERLOADED = 'too few runs', 'scaled down', 'overloaded'
UNSTATED, UNVALIDATED = 'not in the paper', 'not validated'
MISSING, NO_BASE = 'not measured', 'nothing to compare'

# ---- Goals -----------------------------------------------------------------

Goal = collections.namedtuple('Goal', 'low high')
NEAR = 1.2  # a number of a paper means: up to this factor less or more
CLEARLY = 0.05  # what a paper calls higher or lower without a number differs by more than this
HIGHER, LOWER = Goal(1 + CLEARLY, math.inf), Goal(-math.inf, 1 - CLEARLY)


def about(number):
    return Goal(number / NEAR, number * NEAR)


def order(number):
    """The paper says "orders of magnitude": the nearest one counts."""
    return Goal(number / math.sqrt(10), number * math.sqrt(10))


def at_least(number):
    """Only if the paper says so, or means it by "all" and "none"."""
    return Goal(number, math.inf)


def at_most(number):
    return Goal(-math.inf, number)


# ---- Claims ----------------------------------------------------------------

# source: the section or figure in which the paper states `says`; OWN: our own goal; '': the paper
# does not state it for this load. Ours is `figure` of `who`, divided by that of `base` if there is
# one. More than one row: the paper says "up to", so in each run the row that `best` (max or min)
# chooses counts. cause: what differs here, for the table of headlines; '': no headline.
# seconds_count: as in Row.
Claim = collections.namedtuple(
    'Claim',
    'text source says rows figure who base goal best cause seconds_count',
    defaults=[max, '', True],
)
OWN = 'our goal'

# low, high: ends of the interval of the runs that count. error: of a simulated figure, else None.
Judgement = collections.namedtuple('Judgement', 'claim runs low middle high verdict')


def parties(claim):
    return [claim.who] + ([claim.base] if claim.base else [])


def runs_of(claim, row, measured):
    """{run: figures of each party} of the runs that all parties have."""
    found = [measured.runs.get((row, who), {}) for who in parties(claim)]
    return {n: [runs[n] for runs in found] for n in set.intersection(*map(set, found))}


def disturbed(used, seconds_count=True):
    shares = ((f.get('stolen') or 0, seconds_count and f.get('stolen_window') or 0) for f in used)
    return any(disturbance(*of_run) > 1 for of_run in shares)


def value_of(ours, base=1):
    """None if there is nothing to divide by."""
    return ours / base if base >= 0.0005 else None


def values_of(claim, measured):
    """{run: our figure}, and the figures from which these come. A run during which the host took
    CPU time counts only if there is no other."""
    by_run, used = collections.defaultdict(list), []
    for row in claim.rows:
        found = runs_of(claim, row, measured)
        calm = {n: run for n, run in found.items() if not disturbed(run, claim.seconds_count)}
        for number, figures in (calm or found).items():
            values = [of_party.get(claim.figure) for of_party in figures]
            if None not in values:
                used += figures
                value = value_of(*values)
                by_run[number] += [] if value is None else [value]
    rows = len(claim.rows)
    return {n: claim.best(values) for n, values in by_run.items() if len(values) == rows}, used


def widened(value, errors):
    """The interval of a simulated figure whose parts have these relative errors, under 1."""
    factor = math.prod(1 / (1 - error) for error in errors)
    return value / factor, value * factor


def overloaded(runs):
    """Whether a store left requests unserved in any of these runs, so that latencies measure its
    queue."""
    shares = [figures.get('served_share') for figures in runs]
    return any(share is not None and share < SERVED_MIN for share in shares)


def reason_against(claim, runs, used, errors):
    """Why there is no verdict; None if there can be one."""
    if not claim.source:
        return UNSTATED
    if any(figures.get('simulated') for figures in used):
        return UNVALIDATED if None in errors else None
    if claim.figure in LATENCIES and overloaded(used):
        return OVERLOADED
    few = runs < RUNS_MIN or disturbed(used, claim.seconds_count)
    scaled = any(figures.get('scale') != 1 for figures in used)
    return ', '.join([FEW] * few + [SCALED] * scaled) or None


def compared(low, high, goal, own):
    if goal.low <= low and high <= goal.high:
        return MET if own else REPRODUCED
    if high < goal.low or low > goal.high:
        return MISSED if own else NOT
    return UNDECIDED


def judge(claim, measured, validated=None):
    """`validated`: {(policy, figure): the largest error of the simulator against a real run}."""
    values, used = values_of(claim, measured)
    if not values:
        return Judgement(claim, 0, None, None, None, NO_BASE if used else MISSING)
    low, middle, high = min(values.values()), median(values.values()), max(values.values())
    errors = [(validated or {}).get((who, claim.figure)) for who in parties(claim)]
    verdict = reason_against(claim, len(values), used, errors)
    if not verdict:
        if any(figures.get('simulated') for figures in used):
            low, high = widened(middle, errors)
        verdict = compared(low, high, claim.goal, claim.source == OWN)
    return Judgement(claim, len(values), low, middle, high, verdict)


def counts_text(judgements):
    """How many of the figures that the paper states have which verdict."""
    stated = [j for j in judgements if j.claim.source not in ('', OWN) and j.verdict != MISSING]
    counts = collections.Counter(judgement.verdict for judgement in stated)
    said = [f'{counts.pop(verdict, 0)} {verdict}' for verdict in (REPRODUCED, NOT, UNDECIDED)]
    if not stated:
        return 'None of these figures is in the paper.'
    without = [f'{count} {reason}' for reason, count in sorted(counts.items())]
    if without:
        said.append(f'{sum(counts.values())} without a verdict ({"; ".join(without)})')
    figures = 'figure' if len(stated) == 1 else 'figures'
    return f'Of {len(stated)} {figures} of the paper: {", ".join(said)}.'
