# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The figures of benchmarks/sizes, and their tables.

A simulation estimates how much of the p99 of gets the reads of the device explain. A get reads a
block from each level that has data, with the same probability, so that the mean number of reads is
the measured one. Each read takes as long as one of the reads of the mean size that were measured on
the idle device.
"""

import collections
import math
import random

from drivers.common import MIB
from drivers.figures import number, table
from drivers.stolen_cpu import stolen_share

FLAT_MAX = 1.2  # p99, divided by the expected p99
SERVED_MIN = 0.95  # a store that serves less of its requests in time is overloaded
TRIALS = 20_000

# reads, read_kb: of the device, per request. device_p99_ms: what a get's reads of the device take.
Row = collections.namedtuple(
    'Row',
    'write_p99_ms write_p999_ms read_p99_ms read_p999_ms cpu_us reads read_kb device_p99_ms '
    'debt_gb served stolen drain_seconds',
)
Fill = collections.namedtuple('Fill', 'entries seconds stalled_seconds')


def entries_text(entries):
    for suffix, unit in (('M', 10**6), ('K', 10**3)):
        if entries % unit == 0:
            return f'{entries // unit}{suffix}'
    return str(entries)


def device_p99_ms(reads_a_get, levels, latencies_us):
    """The p99 of the time in which a get waits for the device; None if that is unknown."""
    if not latencies_us:
        return None
    tries = max(levels, math.ceil(reads_a_get), 1)
    share = reads_a_get / tries
    chooser = random.Random(0)
    waits = sorted(
        sum(chooser.choice(latencies_us) for _ in range(tries) if chooser.random() < share)
        for _ in range(TRIALS)
    )
    return waits[int(0.99 * TRIALS)] / 1000


def sum_of(intervals, key):
    """The sum over the intervals of a figure that is per second."""
    ends = [0, *(interval['at_seconds'] for interval in intervals)]
    return sum(i[key] * (end - begin) for i, begin, end in zip(intervals, ends, ends[1:]))


def mean_read_bytes(intervals):
    """The mean size of the device's reads during a load."""
    read_bytes = sum_of(intervals, 'device_read_mb_per_s') * MIB
    return read_bytes / max(1, sum_of(intervals, 'device_reads_per_s'))


def row_of(result, intervals):
    """The figures of one load. CPU and reads are of its intervals, so without the drain."""
    ops = max(1, sum_of(intervals, 'ops_per_s'))
    reads = sum_of(intervals, 'device_reads_per_s') / ops
    write, read = result['write_latency'], result['read_latency']
    reads_a_get = reads * (1 + write['count'] / max(1, read['count']))
    levels = max((sum(map(bool, i.get('level_bytes', ()))) for i in intervals), default=0)
    return Row(
        write_p99_ms=write['p99_us'] / 1000,
        write_p999_ms=write['p999_us'] / 1000,
        read_p99_ms=read['p99_us'] / 1000,
        read_p999_ms=read['p999_us'] / 1000,
        cpu_us=sum_of(intervals, 'cpus') * 1e6 / ops,
        reads=reads,
        read_kb=sum_of(intervals, 'device_read_mb_per_s') * 1024 / ops,
        device_p99_ms=device_p99_ms(reads_a_get, levels, result.get('device_us')),
        debt_gb=next((i['debt_bytes'] / 1e9 for i in intervals if 'debt_bytes' in i), None),
        served=result['load']['requests_per_s'] / result['load']['offered_per_s'],
        stolen=stolen_share(result),
        drain_seconds=result.get('drain_seconds'),
    )


class Measured:
    """Rows and fills by store, number of entries and part ('fill', 'debt', 'idle', 'null')."""

    def __init__(self):
        self.rows = {}
        self.fills = collections.defaultdict(list)

    def has(self, *key):
        return key in self.rows

    def add_fill(self, store, entries, result):
        fill = Fill(result['ops'], result['wall_seconds'], result['stall_seconds'])
        self.fills[store, entries].append(fill)

    def keys(self, part, stores):
        """(entries, store) of the rows of a part, in the order of the table."""
        sizes = sorted({e for _, e, p in self.rows if p == part})
        return [(e, s) for e in sizes for s in stores if self.has(s, e, part)]


def expected_read_p99_ms(first, row):
    """The read p99 of a larger store, if only its device reads differ from those of the first."""
    if None in (first.device_p99_ms, row.device_p99_ms):
        return None
    return first.read_p99_ms + row.device_p99_ms - first.device_p99_ms


def ratio_text(value, base):
    if not value or not base:
        return '-'
    ratio = value / base
    return f'{ratio:.2f}' if ratio <= FLAT_MAX else f'**{ratio:.2f}**'


def flat_table(measured, part, titles):
    """How the p99 of each size compares with that of the first."""
    head = ['', 'entries', 'read p99', 'read p99 / expected', 'write p99', 'no store']
    rows = [head]
    for store, title in titles.items():
        sizes = [entries for entries, _ in measured.keys(part, [store])]
        for entries in sizes[1:]:
            first, row = (measured.rows[store, e, part] for e in (sizes[0], entries))
            bare = [measured.rows.get((store, e, 'null')) for e in (sizes[0], entries)]
            rows.append(
                [
                    title,
                    entries_text(entries),
                    f'{row.read_p99_ms / first.read_p99_ms:.2f}' if first.read_p99_ms else '-',
                    ratio_text(row.read_p99_ms, expected_read_p99_ms(first, row)),
                    ratio_text(row.write_p99_ms, first.write_p99_ms),
                    ratio_text(bare[1].read_p99_ms, bare[0].read_p99_ms) if all(bare) else '-',
                ]
            )
    return table(rows) if len(rows) > 1 else ['(of one size only)']


HEAD = (
    'entries',
    'store',
    'debt, GB',
    'read p99, ms',
    'read p99.9, ms',
    'device in read p99, ms',
    'write p99, ms',
    'write p99.9, ms',
    'CPU, µs a request',
    'device reads a request',
    'read, KB a request',
    'served, %',
    'stolen, %',
)


def load_table(measured, part, titles):
    rows = [HEAD]
    for entries, store in measured.keys(part, titles):
        for shown, title in ((part, titles[store]), ('null', f'no store, after {titles[store]}')):
            row = measured.rows.get((store, entries, shown))
            if row is None or (shown == 'null' and part != 'idle'):
                continue
            cells = [row.debt_gb, row.read_p99_ms, row.read_p999_ms, row.device_p99_ms]
            cells += [row.write_p99_ms, row.write_p999_ms, row.cpu_us, row.reads, row.read_kb]
            served = f'{100 * row.served:.0f}'
            cells = [*map(number, cells), served if row.served > SERVED_MIN else f'**{served}**']
            rows.append([entries_text(entries), title, *cells, number(100 * row.stolen)])
    return table(rows)


def fill_table(measured, titles):
    rows = [['entries', 'store', 'filled, K entries/s', 'stalled, s', 'idle after, s']]
    order = list(titles)
    for store, entries in sorted(measured.fills, key=lambda key: (key[1], order.index(key[0]))):
        fills = measured.fills[store, entries]
        count, seconds, stalled = map(sum, zip(*fills))
        debt = measured.rows.get((store, entries, 'debt'))
        cells = [count / 1000 / seconds, stalled, debt.drain_seconds if debt else None]
        rows.append([entries_text(entries), titles[store], *map(number, cells)])
    return table(rows)


def page(measured, titles, notes):
    parts = [*notes, '']
    for part, title in (
        ('idle', 'after the background work of the fill'),
        ('debt', 'right after the fill, with its debt'),
    ):
        if measured.keys(part, titles):
            parts += [f'## Load {title}', '', *load_table(measured, part, titles), '']
            parts += ['p99 divided by that of the smallest size; over 1.2 in bold:', '']
            parts += [*flat_table(measured, part, titles), '']
    return '\n'.join([*parts, '## Fill', '', *fill_table(measured, titles)]) + '\n'
