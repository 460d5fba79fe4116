# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The search space: parameters with their ranges, and the option string of a point.

A point is a dictionary, parameter name -> whole number. Nothing is measured here.
"""

import dataclasses
import math
import re

from drivers.command_line import SUFFIXES, read_number, size_text, unknown
from drivers.common import Failure

SCALES = ('log', 'linear')
LINEAR_GRID_STEPS = 8
APART = 0.05  # of a range: points closer than this count as the same

# Default ranges of scheduling options (docs/options.md).
RANGES = {
    'memtable_bytes': '1M..128M:log',
    'table_bytes_max': '32K..64M:log',
    'l0_slowdown': '4..512:log',
    'l0_stop': '4..512:log',
    'l0_trigger': '1..16:linear',
    'growth_factor': '2..20:linear',
    'compaction_threads': '1..4:linear',
    'memory_budget_bytes': '16M..512M:log',
    'debt_bytes_max': '64M..16G:log',
    'pause_us_max': '1000000..600000000:log',
    'lull_after_us': '1000..1000000:log',
    'lull_smoothing_us': '10000..1000000:log',
    'lull_half_life_us': '1000000..600000000:log',
    'lull_hard_percent': '1..100:linear',
    'lull_hard_flush_percent': '1..100:linear',
    'lull_flush_bytes_min': '1M..64M:log',
    'lull_burst_us_max': '1000000..300000000:log',
    'lull_write_bytes_per_sec_min': '256K..64M:log',
    'lull_l0_miss_bytes': '64..16K:log',
    'lull_bandwidth_bytes_per_sec': '16M..4G:log',
    'idle_probe_us': '10000..5000000:log',
    'idle_threshold_bytes_per_sec': '64K..16M:log',
    'idle_quiet_us': '1000..5000000:log',
    'silk_bandwidth_bytes_per_sec': '64M..4G:log',
    'silk_reserve_bytes_per_sec': '1M..64M:log',
    'silk_urgent_bytes_per_sec_min': '4M..256M:log',
    'silk_change_bytes_per_sec_min': '1M..64M:log',
    'silk_tick_us': '10000..1000000:log',
    'silk_half_life_us': '1000000..600000000:log',
    'silk_immutables_max': '1..16:linear',
    'adoc_window_us': '100000..10000000:log',
    'adoc_threads_step': '1..4:linear',
    'adoc_batch_step_bytes': '1M..64M:log',
    'adoc_batch_factor_max': '1..32:log',
    'adoc_slowed_bytes_per_sec': '1M..256M:log',
    'adoc_immutables_max': '1..16:linear',
    'vsst_phi': '2..64:log',
    'vsst_l0_tables_max': '1..16:log',
}
# The parameters that Pramanik and Venkatesh tuned (section 6.3.1).
PAPER = ['memtable_bytes', 'table_bytes_max', 'l0_slowdown', 'l0_stop']

# l0_stop while only l0_slowdown is searched: too high to have an effect.
OUT_OF_THE_WAY = 512


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number between `low` and `high`, both included, in steps of `step`."""

    name: str
    low: int
    high: int
    scale: str  # steps of equal weight are factors (log) or differences (linear)
    is_size: bool = False

    @property
    def step(self):
        return 1024 if self.is_size and self.low % 1024 == self.high % 1024 == 0 else 1

    def text(self, value):
        return size_text(value) if self.is_size else str(value)

    def at(self, share):
        """The value at a share of the range, 0 to 1."""
        if self.scale == 'log':
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        return min(self.high, max(self.low, round(value / self.step) * self.step))

    def share(self, value):
        """The share of the range at which a value is, 0 to 1: the inverse of at()."""
        if self.scale == 'log':
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def read(self, text):
        """The value from --start."""
        value = read_number(text or '')
        if value is None or not self.low <= value <= self.high:
            told = f"'{text}' is not" if text else 'has no value'
            raise Failure(f'--start: {self.name} {told}, of {self.range_text()}')
        return max(self.low, value // self.step * self.step)

    def grid(self):
        """Doubles the minimum up to the maximum, or takes equal steps; includes both ends."""
        if self.scale == 'log':
            count = math.ceil(math.log2(self.high / self.low))
            values = [self.low << i for i in range(count)] + [self.high]
        else:
            values = [self.at(i / LINEAR_GRID_STEPS) for i in range(LINEAR_GRID_STEPS + 1)]
        return list(dict.fromkeys(values))

    def range_text(self):
        return f'{self.text(self.low)}..{self.text(self.high)}:{self.scale}'


def read_range(name, text):
    """The Parameter of LOW..HIGH[:log|:linear]."""
    match = re.fullmatch(r'\s*(\w+)\s*\.\.\s*(\w+)\s*(?::\s*(\w+)\s*)?', text)
    low, high = (read_number(match[1]), read_number(match[2])) if match else (None, None)
    if low is None or high is None:
        raise Failure(f"the range of {name}, '{text}', is not LOW..HIGH:SCALE, such as 1M..64M:log")
    scale = match[3] or 'log'
    if scale not in SCALES:
        raise Failure(f"{name}: {unknown('scale ', scale, SCALES)}")
    if low >= high:
        raise Failure(f'{name}: {match[1]} is not less than {match[2]}')
    if scale == 'log' and low == 0:
        raise Failure(f'{name}: a log scale cannot begin at 0')
    is_size = 'bytes' in name or any(bound[-1] in SUFFIXES for bound in (match[1], match[2]))
    return Parameter(name, low, high, scale, is_size)


def read_options(text, flag='--options'):
    """'k=v;k=v' as a dictionary."""
    options = {}
    for pair in filter(None, (pair.strip() for pair in text.split(';'))):
        name, equals, value = pair.partition('=')
        if not equals:
            raise Failure(f"{flag}: '{pair}' is not NAME=VALUE")
        options[name.strip()] = value.strip()
    return options


def options_text(options):
    return ';'.join(f'{name}={value}' for name, value in options.items())


def effective(point):
    """The point with ineffective differences removed: see Space.options()."""
    if 'l0_slowdown' in point and 'l0_stop' in point:
        return point | {'l0_slowdown': min(point['l0_slowdown'], point['l0_stop'])}
    return point


class Space:
    """The searched parameters, and the options of all runs.

    `own` are parameters that are not options of Lull, but of the user's command.
    """

    def __init__(self, parameters, base, own=()):
        self.parameters = parameters
        self.base = base
        self.own = set(own)
        for parameter in parameters:
            if parameter.name in base:
                raise Failure(f'{parameter.name} is searched, so --options must not set it')

    def names(self):
        return [parameter.name for parameter in self.parameters]

    def base_text(self):
        return options_text(self.base)

    def options(self, point):
        """The options of a point, as a dictionary.

        l0_slowdown has no effect above l0_stop, and Lull would reject it. So it is lowered to
        l0_stop.
        """
        options = dict(self.base)
        point = effective(point)
        for parameter in self.parameters:
            if parameter.name not in self.own:
                options[parameter.name] = parameter.text(point[parameter.name])
        if 'l0_stop' in point and 'l0_slowdown' not in point:
            slowdown = read_number(options.get('l0_slowdown', '')) or point['l0_stop']
            options['l0_slowdown'] = str(min(slowdown, point['l0_stop']))
        elif 'l0_slowdown' in point and 'l0_stop' not in options:
            options['l0_stop'] = str(max(OUT_OF_THE_WAY, point['l0_slowdown']))
        return options

    def point(self, text):
        """The point of 'k=v;k=v', which must have every parameter; see options()."""
        given = read_options(text, '--start')
        for name in given:
            check_name('--start', name, self.names())
        return {p.name: p.read(given.get(p.name)) for p in self.parameters}

    def apart(self, point, other):
        """Whether the points differ enough in some parameter to matter; see options()."""
        one, two = effective(point), effective(other)
        return any(
            abs(p.share(one[p.name]) - p.share(two[p.name])) >= APART for p in self.parameters
        )

    def text(self, point):
        """The point as shown to the user."""
        return ' '.join(f'{p.name}={p.text(point[p.name])}' for p in self.parameters)

    def declared(self):
        return {parameter.name: parameter.range_text() for parameter in self.parameters}


def declared_lines(items):
    """The items of 'NAME=RANGE;NAME=RANGE' and of '@FILE' (one per line, '#' for comments)."""
    for item in items:
        if item.startswith('@'):
            try:
                with open(item[1:]) as file:
                    pieces = [line.split('#')[0] for line in file]
            except OSError as error:
                raise Failure(f'--space: cannot read {item[1:]}: {error.strerror}') from None
        else:
            pieces = item.split(';')
        yield from filter(None, (piece.strip() for piece in pieces))


def make_space(declared, chosen, base, own=()):
    """From the arguments --space, --parameter and --options; `own` as in Space."""
    ranges = {}
    known = [*RANGES, *own]
    for item in declared_lines(declared):
        name, equals, text = (part.strip() for part in item.partition('='))
        if not equals:
            raise Failure(f"--space: '{item}' is not NAME=LOW..HIGH:SCALE")
        check_name('--space', name, known)
        ranges[name] = text
    names = chosen or list(ranges) or PAPER
    parameters = []
    for name in dict.fromkeys(names):
        check_name('--parameter', name, known)
        if name not in ranges and name not in RANGES:
            raise Failure(f'--space: {name} is not an option of Lull, so it needs a range')
        parameters.append(read_range(name, ranges.get(name) or RANGES[name]))
    return Space(parameters, read_options(base), own)


def check_name(flag, name, known):
    if name not in known:
        raise Failure(f"{flag}: {unknown('parameter ', name, known)}")
