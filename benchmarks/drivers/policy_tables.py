# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Turns what was measured of policies into Markdown."""

import collections

from drivers.policy_rows import POLICIES
from drivers.compare_tables import median

BEGIN = '<!-- benchmarks/policies writes from here -->'
END = '<!-- to here -->'

Figure = collections.namedtuple('Figure', 'name better')
FIGURES = [
    Figure('throughput', 'higher'),
    Figure('p99', 'lower'),
    Figure('p999', 'lower'),
    Figure('stalled', 'lower'),
]
UNITS = {'bursts': 'MB/s in bursts', 'peaks': 'K requests/s in peaks', 'whole': 'K requests/s'}


def peak_rate(intervals):
    """Operations a second over those intervals in which a load's rate was above its mean."""
    ops = seconds = begin = 0
    for interval in intervals:
        length = interval['at_seconds'] - begin
        begin = interval['at_seconds']
        if interval['phase'] == 'peak':
            ops += interval['ops_per_s'] * length
            seconds += length
    return ops / seconds if seconds else None


def figures_of(row, intervals, result):
    """By name; latencies in milliseconds. None: there was nothing to take it from."""
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


def number(value):
    """With three digits that count."""
    if value is None:
        return '-'
    if value < 0.0005:
        return '0'
    return f'{value:,.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}'


def ratio(value, base):
    if value is None or base is None or number(value) == number(base) == '0':
        return ''
    if number(base) == '0':
        return '-'
    share = value / base
    return f'{share:.2g} ×' if 0 < share < 0.1 else f'{share:.2f} ×'


class Measured:
    """Figures of all runs: medians by row and policy. 'limit' is a policy, too."""

    def __init__(self):
        self.runs = collections.defaultdict(list)

    def add(self, row, policy, figures):
        self.runs[row, policy].append(figures)

    def get(self, row, policy, figure):
        return median([run[figure] for run in self.runs.get((row, policy), [])])

    def best(self, row, figure, policies):
        """What the best of the policies is shown as; None where there is no difference."""
        values = [self.get(row, policy, figure.name) for policy in policies]
        values = [value for value in values if value is not None]
        if len({number(value) for value in values}) < 2:
            return None
        return number(max(values) if figure.better == 'higher' else min(values))


def lines(rows):
    """Rows of cells as a Markdown table; the first is the head."""
    marks = ['---'] + ['---:'] * (len(rows[0]) - 1)
    return ['| ' + ' | '.join(row) + ' |' for row in (rows[0], marks, *rows[1:])]


def row_table(row, policies, measured):
    head = ['policy', UNITS[row.throughput], '', 'p99, ms', '', 'p99.9, ms', '', 'stalled, s', '']
    table = [head]
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
        table.append(cells)
    return lines(table)


def claim_text(policy, measured):
    parts = []
    names = {'throughput': 'throughput', 'p99': 'p99', 'p999': 'p99.9', 'stalled': 'stalls'}
    for row, figure, base in POLICIES[policy].figures:
        text = ratio(measured.get(row, policy, figure), measured.get(row, base, figure))
        parts.append(f'{names[figure]} {text or "-"} in `{row}`')
    return '; '.join(parts) or '-'


def claims_table(policies, measured):
    table = [['policy', 'what is claimed', 'against', 'here']]
    for policy in policies:
        claim = POLICIES[policy]
        table.append([f'`{policy}`', claim.text, claim.over or '-', claim_text(policy, measured)])
    head, _, *body = lines(table)
    return [head, '|---|---|---|---|', *body]


def markdown(rows, policies, measured, notes):
    """All tables. `rows` are shown as far as there is something of them."""
    out = list(notes) + ['', *claims_table(policies, measured)]
    for row in rows:
        if not any((row.name, policy) in measured.runs for policy in policies):
            continue
        out += ['', f'**`{row.name}`** {row.title}', '', *row_table(row, policies, measured)]
    return '\n'.join(out) + '\n'
