# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Markdown tables of rows in which contenders were measured: policies, stores."""

import collections

from drivers.figures import median, number, ratio_number, spread, table
from drivers.stolen_cpu import stolen_share, stolen_share_of_window
from drivers.verdicts import LATENCIES, OVERLOADED, overloaded

# better: 'higher', 'lower', or None for a figure that is no goal: it has no ratio and no best.
Figure = collections.namedtuple('Figure', 'name title better')
UNITS = {'bursts': 'MB/s in bursts', 'peaks': 'K requests/s in peaks', 'whole': 'K requests/s'}
LIMIT = 'limit'  # a contender: the store without background work


def figures_of_row(row):
    """The columns of a row's table."""
    return [
        Figure('throughput', UNITS[row.throughput], 'higher'),
        Figure('p99', 'p99, ms', 'lower'),
        Figure('p999', 'p99.9, ms', 'lower'),
        Figure('stalled', 'stalled, s', 'lower'),
    ]


# Columns besides those.
MORE = {
    figure.name: figure
    for figure in (
        Figure('write_p99', 'p99 of writes, ms', 'lower'),
        Figure('read_p99', 'p99 of reads, ms', 'lower'),
        Figure('amplification', 'written for each byte', 'lower'),
    )
}


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


def served_share(result):
    """Of the requests that were due, the share served in the time of the load. None: not a load in
    open loop, so none was due."""
    load = result.get('load', {})
    if load.get('closed_loop', True):
        return None
    answered = load['requests'] / max(1, load['requests'] + result.get('unserved', 0))
    return answered * min(1, load['duration'] / result['active_seconds'])


def p99_of(result, kind):
    latency = result.get(f'{kind}_latency') or {}
    return latency['p99_us'] / 1000 if latency.get('count', 1) and 'p99_us' in latency else None


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
        'write_p99': p99_of(result, 'write'),
        'read_p99': p99_of(result, 'read'),
        'amplification': result.get('write_amplification'),
        'served_share': served_share(result),
        'stolen': stolen_share(result),
        'stolen_window': stolen_share_of_window(*intervals),
    }


def ratio(value, base):
    if value is None or base is None or number(value) == number(base) == '0':
        return ''
    if number(base) == '0':
        return '-'
    return f'{ratio_number(value / base)} ×'


class Measured:
    """Figures of all runs; medians by row and contender."""

    def __init__(self):
        self.runs = collections.defaultdict(dict)  # by run, of each (row, contender)

    def add(self, row, contender, run, figures):
        self.runs[row, contender][run] = figures

    def of(self, row, contender):
        """The figures of each run."""
        return list(self.runs.get((row, contender), {}).values())

    def values(self, row, contender, figure):
        values = [run.get(figure) for run in self.of(row, contender)]
        return [value for value in values if value is not None]

    def get(self, row, contender, figure):
        return median(self.values(row, contender, figure))

    def text(self, row, contender, figure):
        """The median, and the range of several runs that differ."""
        return spread(self.values(row, contender, figure))

    def best(self, row, figure, contenders):
        """The text of the best median; None if there is no difference."""
        values = [self.get(row, contender, figure.name) for contender in contenders]
        values = [value for value in values if value is not None]
        if not figure.better or len({number(value) for value in values}) < 2:
            return None
        return number(max(values) if figure.better == 'higher' else min(values))


def row_table(row, figures, contenders, measured, base, titles=None):
    """The lines of the table of one row. `base`: the contender of the ratios. `titles`: how
    contenders are shown; else as code."""
    head = ['']
    for figure in figures:
        head += [figure.title, ''] if figure.better else [figure.title]
    rows = [head]
    shown = [who for who in contenders if (row, who) in measured.runs]
    best = {f.name: measured.best(row, f, [w for w in shown if w != LIMIT]) for f in figures}
    for who in shown:
        cells = [(titles or {}).get(who, f'`{who}`')]
        for figure in figures:
            value = measured.get(row, who, figure.name)
            text = measured.text(row, who, figure.name)
            if who != LIMIT and number(value) == best[figure.name]:
                text = f'**{text}**'
            cells.append(text)
            if figure.better:
                of = measured.get(row, base, figure.name)
                cells.append('' if who == base else ratio(value, of))
        rows.append(cells)
    return table(rows)


def wide_table(rows, contenders, measured, titles):
    """One table of rows with the same contenders, and the title of its figures if all are the same.
    `rows`: [(row, its figures)]. Omits columns without results."""
    columns = [
        (row, figure)
        for row, figures in rows
        for figure in figures
        if any(measured.values(row, who, figure.name) for who in contenders)
    ]
    titled = {figure.title for _, figure in columns}
    head, said = [''], None
    for row, figure in columns:
        label = f'`{row}`' if len(titled) == 1 else f'`{row}`: {figure.title}'
        head.append(figure.title if row == said else label)
        said = row
    best = [measured.best(row, figure, contenders) for row, figure in columns]
    lines = [head]
    for who in contenders:
        cells = [titles.get(who, f'`{who}`')]
        for (row, figure), top in zip(columns, best):
            text = measured.text(row, who, figure.name)
            if figure.name in LATENCIES and overloaded(measured.of(row, who)):
                text += f' ({OVERLOADED})'
            top = top is not None and number(measured.get(row, who, figure.name)) == top
            cells.append(f'**{text}**' if top else text)
        lines.append(cells)
    return table(lines), titled.pop() if len(titled) == 1 else None


def has_results(row, contenders, measured):
    return any((row, who) in measured.runs for who in contenders)


def markdown(rows, policies, measured, notes):
    """All tables of policies. Omits rows without results."""
    out = list(notes)
    for row in rows:
        if has_results(row.name, policies, measured):
            figures, who = figures_of_row(row), [*policies, LIMIT]
            titles = {LIMIT: 'no background work'}
            lines = row_table(row.name, figures, who, measured, 'leveldb', titles)
            out += ['', f'**`{row.name}`** {row.title}', '', *lines]
    return '\n'.join(out) + '\n'
