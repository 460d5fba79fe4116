# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The tables of benchmarks/suite in Markdown: headlines with their range, and one per case."""

import collections
import statistics

from drivers.figures import median, ratio_number, shown, table
from drivers.suite_workloads import FIGURES

BY_KEY = {figure.key: figure for figure in FIGURES}

# The table at the top of the page: case, figure, and its description.
Headline = collections.namedtuple('Headline', 'case key text')
HEADLINES = (
    Headline('b3/unsynced', 'mb_per_s', 'throughput of unsynced bursts'),
    Headline('b3/synced', 'mb_per_s', 'throughput of synced bursts'),
    Headline('b5', 'mb_per_s', 'throughput of random writes without a pause'),
    Headline('b0/closed', 'served_k_per_s', 'puts a second in a closed loop'),
    Headline('b0/80%', 'write_p99_ms', 'p99 of puts at 80 % of X'),
    Headline('b1', 'write_p99_ms', 'p99 of writes, production mix with peaks'),
    Headline('b1', 'read_p99_ms', 'p99 of reads, production mix with peaks'),
    Headline('b10', 'write_p99_ms', 'p99 of writes, surprise bursts'),
    Headline('b6/A,zipfian', 'read_p99_ms', 'p99 of reads, YCSB A'),
    Headline('b6/C,zipfian', 'read_p99_ms', 'p99 of reads, YCSB C'),
    Headline('b9/1', 'served_k_per_s', 'synced writes a second, one writer'),
)


class Measured:
    """The figures of every run, by case and store."""

    def __init__(self):
        self.runs = collections.defaultdict(dict)  # (case, store) -> run number -> figures

    def add(self, case, store, number, figures):
        self.runs[case, store][number] = figures

    def cases(self):
        return list(dict.fromkeys(case for case, _ in self.runs))

    def values(self, case, store, key):
        """run number -> value."""
        runs = self.runs.get((case, store), {})
        return {n: f[key] for n, f in runs.items() if f.get(key) is not None}

    def median(self, case, store, key):
        return median(self.values(case, store, key).values())

    def ratios(self, case, key, store, peer):
        """The ratios of the runs in which both have the figure, sorted."""
        ours, theirs = (self.values(case, name, key) for name in (store, peer))
        return sorted(ours[n] / theirs[n] for n in ours if theirs.get(n))


def ratio_text(ratios):
    if not ratios:
        return '-'
    text = f'**{ratio_number(statistics.median(ratios))}**'
    if len(ratios) == 1:
        return text
    return f'{text} ({ratio_number(ratios[0])} to {ratio_number(ratios[-1])})'


def table_text(rows):
    return '\n'.join(table(rows, numbers=False)) + '\n'


def headlines(measured, stores, titles):
    ours, peers = stores[0], stores[1:]
    head = ['', 'better is', *(f'{titles[ours]} / {titles[peer]}' for peer in peers)]
    rows = [head]
    for line in HEADLINES:
        ratios = [measured.ratios(line.case, line.key, ours, peer) for peer in peers]
        if any(ratios):
            better = BY_KEY[line.key].better
            rows.append([f'{line.text} (`{line.case}`)', better, *map(ratio_text, ratios)])
    return table_text(rows)


def case_table(measured, case, stores, titles):
    present = [store for store in stores if (case, store) in measured.runs]
    keys = dict.fromkeys(
        key for store in present for run in measured.runs[case, store].values() for key in run
    )
    rows = [['', *(titles[store] for store in present)]]
    for key in keys:
        medians = [measured.median(case, store, key) for store in present]
        if any(medians):  # otherwise zero, or not measured, for every store
            rows.append([BY_KEY[key].label, *(shown(v, BY_KEY[key].digits) for v in medians)])
    return table_text(rows)


def page(measured, workloads, stores, titles, notes, pictures):
    """The whole of README.md in the folder of results."""
    parts = ['# Results of the suite\n', '\n'.join(notes) + '\n', '## Summary\n']
    parts.append(headlines(measured, stores, titles))
    for workload in workloads:
        of_it = [c for c in measured.cases() if c.split('/')[0] == workload.name]
        if not of_it:
            continue
        parts.append(f'## {workload.name.upper()}: {workload.title}\n')
        for case in of_it:
            if case != workload.name:
                parts.append(f'### `{case}`\n')
            parts.append(case_table(measured, case, list(titles), titles))
            parts += [f'![{case}](png/{name})\n' for name in pictures.get(case, [])]
    return '\n'.join(parts)
