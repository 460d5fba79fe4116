# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Markdown tables of the results of benchmarks/policies."""

import collections

from drivers.figures import median, number, ratio_number, table
from drivers.policy_rows import POLICIES

Figure = collections.namedtuple('Figure', 'name better')
FIGURES = [
    Figure('throughput', 'higher'),
    Figure('p99', 'lower'),
    Figure('p999', 'lower'),
    Figure('stalled', 'lower'),
]
UNITS = {'bursts': 'MB/s in bursts', 'peaks': 'K requests/s in peaks', 'whole': 'K requests/s'}


def peak_rate(intervals):
    """Operations per second in the intervals in which a load's rate was above its mean."""
    ops = seconds = begin = 0
    for interval in intervals:
        length = interval['at_seconds'] - begin
        begin = interval['at_seconds']
        if interval['phase'] == 'peak':
            ops += interval['ops_per_s'] * length
            seconds += length
    return ops / seconds if seconds else None


def figures_of(row, intervals, result):
    """Figures by name; latencies in milliseconds. None: not available."""
    if row.throughput == 'bursts':
        throughput = result['mb_per_s']
    elif row.throughput == 'peaks':
        throughput = peak_rate(intervals)
    else:
        throughput = result['load']['requests_per_s']
    if throughput is not None and row.throughput != 'bursts':
        throughput /= 1000
    return {
        'throughput': throughput,
        'p99': result['p99_us'] / 1000,
        'p999': result['p999_us'] / 1000,
        'stalled': result['stall_seconds'],
    }


def ratio(value, base):
    if value is None or base is None or number(value) == number(base) == '0':
        return ''
    if number(base) == '0':
        return '-'
    return f'{ratio_number(value / base)} ×'


class Measured:
    """Figures of all runs; medians by row and policy. 'limit' counts as a policy."""

    def __init__(self):
        self.runs = collections.defaultdict(list)

    def add(self, row, policy, figures):
        self.runs[row, policy].append(figures)

    def get(self, row, policy, figure):
        return median([run[figure] for run in self.runs.get((row, policy), [])])

    def best(self, row, figure, policies):
        """The text of the best policy's value; None if there is no difference."""
        values = [self.get(row, policy, figure.name) for policy in policies]
        values = [value for value in values if value is not None]
        if len({number(value) for value in values}) < 2:
            return None
        return number(max(values) if figure.better == 'higher' else min(values))


def row_table(row, policies, measured):
    head = ['policy', UNITS[row.throughput], '', 'p99, ms', '', 'p99.9, ms', '', 'stalled, s', '']
    rows = [head]
    shown = [policy for policy in policies if (row.name, policy) in measured.runs]
    best = {figure: measured.best(row.name, figure, shown) for figure in FIGURES}
    if (row.name, 'limit') in measured.runs:
        shown.append('limit')
    for policy in shown:
        cells = ['no background work' if policy == 'limit' else f'`{policy}`']
        for figure in FIGURES:
            value = measured.get(row.name, policy, figure.name)
            text = number(value)
            marked = policy != 'limit' and text == best[figure]
            base = measured.get(row.name, 'leveldb', figure.name)
            cells += [
                f'**{text}**' if marked else text,
                '' if policy == 'leveldb' else ratio(value, base),
            ]
        rows.append(cells)
    return table(rows)


def claim_text(policy, measured):
    parts = []
    names = {'throughput': 'throughput', 'p99': 'p99', 'p999': 'p99.9', 'stalled': 'stalls'}
    for row, figure, base in POLICIES[policy].figures:
        text = ratio(measured.get(row, policy, figure), measured.get(row, base, figure))
        parts.append(f'{names[figure]} {text or "-"} in `{row}`')
    return '; '.join(parts) or '-'


def claims_table(policies, measured):
    rows = [['policy', 'what is claimed', 'against', 'here']]
    for policy in policies:
        claim = POLICIES[policy]
        rows.append([f'`{policy}`', claim.text, claim.over or '-', claim_text(policy, measured)])
    return table(rows, numbers=False)


def markdown(rows, policies, measured, notes):
    """All tables. Omits rows without results."""
    out = list(notes) + ['', *claims_table(policies, measured)]
    for row in rows:
        if not any((row.name, policy) in measured.runs for policy in policies):
            continue
        out += ['', f'**`{row.name}`** {row.title}', '', *row_table(row, policies, measured)]
    return '\n'.join(out) + '\n'
