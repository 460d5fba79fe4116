# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What is wanted of a run: figures, the value that is made of them, and limits on them.

A value is a ratio to the default configuration: 1 is as good as that, 2 twice as good. Pure
arithmetic on dictionaries, figure name -> number.
"""

import dataclasses
import math
import operator
import re
import statistics

from drivers.command_line import SUFFIXES, unknown
from drivers.common import Failure

FAILED_COST = math.log(2)  # of a trial without a figure, unless a worse one was seen


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    better: str  # higher or lower
    unit: str = ''
    scale: float = 1  # of the unit in what is measured


# What db_bench tells. Times are in microseconds, sizes in bytes.
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
    """The figures of one result of db_bench --json; those that it does not have are left out."""
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
        # What the store could take for ever: what it left to do is done in the same time.
        share = result['active_seconds'] / (result['active_seconds'] + drain)
        figures['sustained'] = result['mb_per_s'] * share
    return {name: float(value) for name, value in figures.items() if value is not None}


def check_figure(flag, name, known):
    if name not in known:
        raise Failure(f"{flag}: {unknown('figure ', name, known)}")


@dataclasses.dataclass(frozen=True)
class Constraint:
    """A limit on one figure, absolute or in times that of the default configuration."""

    text: str
    figure: str
    compare: str
    limit: float
    relative: bool

    def excess(self, figures, ratios):
        """How far beyond the limit, as the logarithm of a ratio; 0 when it is kept."""
        measured = (ratios if self.relative else figures).get(self.figure)
        if measured is None:
            raise Failure(f"--constraint: '{self.text}': a run did not tell {self.figure}")
        if COMPARED[self.compare](measured, self.limit):
            return 0.0
        small = min(measured, self.limit)
        # A limit of 0 has no ratio; what is beyond it counts as twice too much.
        return math.log(max(measured, self.limit) / small) if small > 0 else math.log(2)


def read_constraint(text, known):
    """FIGURE<=LIMIT or >=; a LIMIT is a number, with K, M, G, us, ms, s, or x (times default)."""
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
    """Weighs figures, each as the ratio to the default: the logarithms are summed by weight.

    Logarithms, so that half of one figure is as bad as twice of it is good.
    """

    def __init__(self, weights, constraints, known):
        self.weights = weights  # figure name -> weight over 0
        self.constraints = constraints
        self.known = known

    def gains(self, figures, default):
        """figure -> ratio to the default, 2 being twice as much; where there is one."""
        return {
            name: value / default[name] for name, value in figures.items() if default.get(name)
        }

    def value(self, gains):
        """1: as good as the default; None when a figure that is weighed has no ratio."""
        logarithm = 0.0
        for name, weight in self.weights.items():
            if gains.get(name, 0) <= 0:
                return None
            sign = 1 if self.known[name].better == 'higher' else -1
            logarithm += sign * weight * math.log(gains[name])
        return math.exp(logarithm / sum(self.weights.values()))

    def excesses(self, figures, gains):
        """constraint text -> how far beyond it, of those that are not kept."""
        found = {c.text: c.excess(figures, gains) for c in self.constraints}
        return {text: excess for text, excess in found.items() if excess > 0}

    def cost(self, value, excesses):
        """What a sampler makes small. Whatever breaks a constraint is worse than the default, and
        the worse the further, so that a search sees the way back."""
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
    """figure -> median, of figures that all have."""
    names = [name for name in dictionaries[0] if all(name in other for other in dictionaries)]
    return {name: statistics.median(other[name] for other in dictionaries) for name in names}


def mean_of(before, after):
    return {name: (before[name] + after[name]) / 2 for name in before if name in after}
