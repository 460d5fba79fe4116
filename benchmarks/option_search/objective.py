# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The goal of a search: figures, their combination into one value, and limits on them.

A value is a ratio to the default configuration: 1 is equal, 2 is twice as good. Pure arithmetic on
dictionaries, figure name -> number.
"""

import dataclasses
import math
import operator
import re
import statistics

from drivers.command_line import SUFFIXES, unknown
from drivers.common import Failure

FAILED_COST = math.log(2)  # of a failed trial, unless a worse one was seen


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    better: str  # higher or lower
    unit: str = ''
    scale: float = 1  # the unit as a multiple of the measured unit


# The figures of db_bench. Times are in microseconds, sizes in bytes.
FIGURES = {
    figure.name: figure
    for figure in (
        Figure('throughput', 'higher', 'MB/s'),
        Figure('sustained', 'higher', 'MB/s'),
        Figure('p50', 'lower', 'ms', 1000),
        Figure('p99', 'lower', 'ms', 1000),
        Figure('p99.9', 'lower', 'ms', 1000),
        Figure('write_amplification', 'lower'),
        Figure('space_amplification', 'lower'),
        Figure('memory', 'lower', 'MB', 1 << 20),
        Figure('stalled', 'lower', 's'),
        Figure('drain', 'lower', 's'),
        Figure('cpu', 'lower', 's'),
    )
}
TIMES_US = {'us': 1, 'ms': 1e3, 's': 1e6}
COMPARED = {'<=': operator.le, '>=': operator.ge}


def figures_of_db_bench(result):
    """The figures of one result of db_bench --json; missing ones are omitted."""
    figures = {
        'throughput': result.get('mb_per_s'),
        'p50': result.get('p50_us'),
        'p99': result.get('p99_us'),
        'p99.9': result.get('p999_us'),
        'write_amplification': result.get('write_amplification'),
        'space_amplification': result.get('space_amplification'),
        'memory': result.get('peak_rss_bytes'),
        'stalled': result.get('stall_seconds'),
        'drain': result.get('drain_seconds'),
        'cpu': result.get('cpu_seconds'),
    }
    drain = result.get('drain_seconds')
    if drain is not None and result.get('active_seconds'):
        # The throughput that the store can sustain forever: counts the drain's time, too.
        share = result['active_seconds'] / (result['active_seconds'] + drain)
        figures['sustained'] = result['mb_per_s'] * share
    return {name: float(value) for name, value in figures.items() if value is not None}


def check_figure(flag, name, known):
    if name not in known:
        raise Failure(f"{flag}: {unknown('figure ', name, known)}")


@dataclasses.dataclass(frozen=True)
class Constraint:
    """A limit on one figure, absolute or as a multiple of the default configuration's."""

    text: str
    figure: str
    compare: str
    limit: float
    relative: bool

    def excess(self, figures, ratios):
        """The excess over the limit, as the logarithm of a ratio; 0 within the limit."""
        measured = (ratios if self.relative else figures).get(self.figure)
        if measured is None:
            raise Failure(f"--constraint: '{self.text}': a run did not report {self.figure}")
        if COMPARED[self.compare](measured, self.limit):
            return 0.0
        small = min(measured, self.limit)
        # A ratio to a limit of 0 does not exist; count any excess as a factor of two.
        return math.log(max(measured, self.limit) / small) if small > 0 else math.log(2)


def read_constraint(text, known):
    """FIGURE<=LIMIT or >=. LIMIT: a number with K, M, G, us, ms, s, or x (times the default)."""
    match = re.fullmatch(r'\s*([\w.]+)\s*(<=|>=)\s*([\d.]+)\s*(\w*)\s*', text)
    if not match:
        raise Failure(f"--constraint: '{text}' is not FIGURE<=LIMIT, such as 'memory<=256M'")
    name, compare, digits, unit = match.groups()
    check_figure('--constraint', name, known)
    try:
        limit = float(digits)
    except ValueError:
        raise Failure(f"--constraint: '{digits}' in '{text}' is not a number") from None
    if unit in SUFFIXES:
        limit *= 1 << SUFFIXES[unit]
    elif unit in TIMES_US and known[name].unit == 'ms':
        limit *= TIMES_US[unit]
    elif unit not in ('', 'x') and unit != known[name].unit:
        raise Failure(f"--constraint: '{text}': {name} has no unit '{unit}'")
    return Constraint(text.strip(), name, compare, limit, unit == 'x')


class Objective:
    """Combines figures, each as a ratio to the default, into a weighted sum of logarithms.

    Logarithms make half of one figure as bad as twice of it is good.
    """

    def __init__(self, weights, constraints, known):
        self.weights = weights  # figure name -> weight above 0
        self.constraints = constraints
        self.known = known

    def gains(self, figures, default):
        """figure -> ratio to the default, for the figures that have one."""
        return {
            name: value / default[name] for name, value in figures.items() if default.get(name)
        }

    def value(self, gains):
        """1: equal to the default. None if a weighted figure has no ratio."""
        logarithm = 0.0
        for name, weight in self.weights.items():
            if gains.get(name, 0) <= 0:
                return None
            sign = 1 if self.known[name].better == 'higher' else -1
            logarithm += sign * weight * math.log(gains[name])
        return math.exp(logarithm / sum(self.weights.values()))

    def excesses(self, figures, gains):
        """constraint text -> excess, for the violated constraints."""
        found = {c.text: c.excess(figures, gains) for c in self.constraints}
        return {text: excess for text, excess in found.items() if excess > 0}

    def cost(self, value, excesses):
        """What a sampler minimises. A violated constraint is always worse than the default, and
        worse with a larger excess, so that a search finds its way back."""
        cost = -math.log(value)
        return max(cost, 0.0) + sum(excesses.values()) if excesses else cost

    def text(self):
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return ','.join(f'{name}={weight:g}' for name, weight in self.weights.items())


def read_objective(text, constraints, known):
    """FIGURE, or FIGURE=WEIGHT,FIGURE=WEIGHT."""
    weights = {}
    for part in filter(None, text.split(',')):
        name, _, weight = (piece.strip() for piece in part.partition('='))
        check_figure('--objective', name, known)
        try:
            weights[name] = float(weight or 1)
        except ValueError:
            weights[name] = 0
        if not 0 < weights[name] < math.inf:
            raise Failure(f"--objective: the weight of {name}, '{weight}', is not a number over 0")
    if not weights:
        raise Failure(f"--objective: name at least one of {', '.join(known)}")
    return Objective(weights, [read_constraint(item, known) for item in constraints], known)


def median_of(dictionaries):
    """figure -> median, for the figures in all dictionaries."""
    names = [name for name in dictionaries[0] if all(name in other for other in dictionaries)]
    return {name: statistics.median(other[name] for other in dictionaries) for name in names}


def mean_of(before, after):
    return {name: (before[name] + after[name]) / 2 for name in before if name in after}
