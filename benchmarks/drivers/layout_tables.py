# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The figures of benchmarks/layouts, and their tables."""

import collections

from drivers.common import MIB
from drivers.figures import median, table
from drivers.stolen_cpu import stolen_share

# layout: the store's counters of its own compactions since it was opened.
Load = collections.namedtuple('Load', 'p99_ms p999_ms stalled_s amplification levels stolen layout')
COUNTED = ('chains', 'between_flushes', 'l1_tables', 'l1_picks')


def load_of(result, intervals, layout):
    writes = result['write_latency']
    tree = [i['level_bytes'] for i in intervals if i.get('level_bytes')][-1:]
    return Load(
        writes['p99_us'] / 1000,
        writes['p999_us'] / 1000,
        result['stall_seconds'],
        result['write_amplification'],
        sum(size > 0 for size in tree[0][1:]) if tree else None,  # without L0, which varies
        stolen_share(result),
        layout,
    )


class Measured:
    """Results of one data set: X by row name, and loads by row name, share of X and run number."""

    def __init__(self):
        self.x = {}  # requests per second
        self.overwritten = {}  # counters of the closed loop
        self.loads = collections.defaultdict(lambda: collections.defaultdict(dict))

    def shares_of(self, name):
        return sorted(share for share, runs in self.loads.get(name, {}).items() if runs)

    def runs_done(self):
        """The smallest and largest number of runs of a measured load; one number if equal."""
        counts = {len(runs) for loads in self.loads.values() for runs in loads.values() if runs}
        return sorted({min(counts), max(counts)})

    def stolen_max(self):
        """The largest share of CPU time that the host took during a load."""
        by_share = [runs for loads in self.loads.values() for runs in loads.values()]
        return max(load.stolen for runs in by_share for load in runs.values())


def together(counted):
    """Adds up the counters of several runs; takes the maximum of each maximum."""
    if not isinstance(counted[0], dict):
        return sum(counted)
    return {
        key: (max if key.endswith('_max') else together)([counters[key] for counters in counted])
        for key in counted[0]
    }


def summary_of(loads):
    """The medians of several runs, and the sums of their counters."""
    counted = [
        {part: load.layout[part] for part in COUNTED if part in load.layout} for load in loads
    ]
    return Load(*(median(values) for values in list(zip(*loads))[:-1]), together(counted))


def share_text(part, whole):
    return f'{100 * part / whole:.0f} %' if whole else '-'


def overlap_text(tables):
    return f"{tables['overlap_bytes'] / tables['bytes']:.1f}" if tables['bytes'] else '-'


def width_text(chains):
    count = chains['chains']
    if not count:
        return '-'
    mean = chains['width_bytes_sum'] / count / MIB
    return f"{mean:.1f} / {chains['width_bytes_max'] / MIB:.1f}"


def layout_cells(layout):
    chains = layout['chains']
    count = max(chains['chains'], 1)
    cells = [
        width_text(chains),
        f"{chains['merges_sum'] / count:.1f} / {chains['merges_max']}",
        f"{chains['length_sum'] / count:.2f} / {chains['length_max']}",
    ]
    if 'l1_tables' not in layout:
        return cells + ['-'] * 4
    good, poor = layout['l1_tables']['good'], layout['l1_tables']['poor']
    picks = layout['l1_picks']
    return cells + [
        share_text(good['bytes'], good['bytes'] + poor['bytes']),
        share_text(layout['l1_tables']['over_few'], good['count'] + poor['count']),
        f'{overlap_text(good)} / {overlap_text(poor)}',
        share_text(picks['least_bad'], picks['good'] + picks['least_bad']),
    ]


HEAD = (
    'stalled, s',
    'write amp.',
    'levels',
    'chain width overwriting, MiB: mean / max',
    'merged between flushes',
    'chain width at the last load',
    'its merges: mean / max',
    'its length',
    'good, of bytes',
    'over at most f tables',
    'overlap: good / poor',
    'least-bad picks',
)


def row_of(name, measured):
    """The cells of one row. Latencies are per load; everything else is from the last load."""
    runs = measured.loads[name]
    loads = [summary_of(list(runs[share].values())) for share in measured.shares_of(name)]
    last = loads[-1]
    return [
        name,
        f'{measured.x[name] / 1000:.1f}',
        *(f'{load.p99_ms:.2f} / {load.p999_ms:.1f}' for load in loads),
        f'{last.stalled_s:.1f}',
        f'{last.amplification:.1f}',
        '-' if last.levels is None else f'{last.levels:g}',
        width_text(measured.overwritten[name]['chains']),
        width_text(measured.overwritten[name]['between_flushes']),
        *layout_cells(last.layout),
    ]


def merge_mib(level):
    """Mean input of a merge from this level, in MiB."""
    read = level.get('input_bytes', level.get('upper_bytes', 0) + level.get('lower_bytes', 0))
    return read / level['merges'] / MIB


def steps_table(names, measured):
    """What a merge from each level reads, and in brackets the sum down to that level: what must be
    merged to make room in L0 if all levels above are full."""
    steps = {
        name: [level for level in measured.overwritten[name].get('levels', ()) if level['merges']]
        for name in names
    }
    deepest = max((step['from'] for found in steps.values() for step in found), default=-1)
    if deepest < 0:
        return []
    rows = [['MiB a merge (sum)'] + [f'L{n} → L{n + 1}' for n in range(deepest + 1)]]
    for name in names:
        by_level = {step['from']: merge_mib(step) for step in steps[name]}
        row, total = [name], 0
        for n in range(deepest + 1):
            total += by_level.get(n, 0)
            row.append(f'{by_level[n]:.1f} ({total:.0f})' if n in by_level else '-')
        rows.append(row)
    return ['', 'While overwriting, by the level that a merge reads from:', '', *table(rows)]


def markdown(names, measured, notes):
    """Omits rows that are not complete."""
    shares = sorted({share for name in names for share in measured.shares_of(name)})
    names = [name for name in names if len(measured.shares_of(name)) == len(shares) > 0]
    head = ['layout', 'X, K/s']
    head += [f'p99 / p99.9 at {share * 100:.0f} %, ms' for share in shares]
    head += HEAD
    rows = [head, *(row_of(name, measured) for name in names)]
    return '\n'.join([*notes, '', *table(rows), *steps_table(names, measured)]) + '\n'
