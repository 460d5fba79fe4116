# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The policies and the rows of benchmarks/policies."""

import collections

POLICIES = ['leveldb', 'idle-threshold', 'idle-quiet', 'silk', 'adoc', 'lull']

# throughput: in bursts in MB/s; in peaks or the whole run in 1000 requests per second.
# seconds: approximate length of a run. capped: writes to the device are limited to 100 MB/s.
# sustained: the closed loop that measures X, if the row needs X. seconds_count: a stolen second can
# disturb a run (drivers/stolen_cpu.py).
Row = collections.namedtuple(
    'Row',
    'name title throughput seconds flags sustained capped seconds_count',
    defaults=['', False, True],
)
SUSTAINED_SECONDS = 20


def bursts(scale, synced):
    return [
        '--benchmarks=burstsintime',
        f'--duration={41 * scale:g}',
        f'--burst_seconds={10 * scale:g}',
        f'--idle_seconds={20 * scale:g}',
        '--batch_size=100',
        '--value_size=100',
        f'--sync={int(synced)}',
    ]


def load(scale, num, seconds, shape, *flags):
    """In `shape`, each {S} is replaced by ten seconds."""
    return [
        '--benchmarks=load',
        f'--num={max(1000, int(num * scale))}',
        f'--duration={seconds * scale:g}',
        '--shape=' + shape.replace('{S}', f'{10 * scale:g}'),
        '--threads=2',
        *flags,
    ]


# As in B1 and B10 of db_bench, and as in B2.
PRODUCTION = ('--mix=put=57,get=41,scan=2', '--values=lognormal:400:0.4:250:1000')
PRODUCTION += ('--scans=uniform:10:50',)
HALF_WRITES = ('--mix=put=50,get=50', '--values=1024')
PRODUCTION_KEYS = 400_000
HALF_WRITES_KEYS = 200_000
FULL, HALF = 'production', 'half-writes'  # the closed loops that measure X


def make_rows(scale):
    """The rows by name."""
    free, synced = bursts(scale, False), bursts(scale, True)
    cap = ', device at 100 MB/s'
    peaks = load(scale, PRODUCTION_KEYS, 30, '{S}@20k,{S}@300', *PRODUCTION)
    high = load(scale, PRODUCTION_KEYS, 30, '{S}@2x,{S}@300', *PRODUCTION)
    short = load(scale, HALF_WRITES_KEYS, 40, '{S}@0.25x,{S}@1.5x', *HALF_WRITES)
    gaps = load(scale, PRODUCTION_KEYS, 30, 'gaps:3x:0.4:0.1:2:1:0.2:5', *PRODUCTION)
    rows = [
        Row('unsynced', 'B3: bursts of unsynced batches', 'bursts', 44, free),
        Row('synced-100mb', f'B3: bursts of synced batches{cap}', 'bursts', 42, synced, '', True),
        Row('unsynced-100mb', f'B3: bursts of unsynced batches{cap}', 'bursts', 50, free, '', True),
        Row('b1-20k', 'B1: peaks of 20 K/s, 10 s on and 10 s at 300/s', 'peaks', 37, peaks),
        Row('b1-2x', 'B1: peaks of 2X, 10 s on and 10 s at 300/s', 'peaks', 47, high, FULL),
        Row('b2', 'B2: short peaks, 10 s at 1.5X and 10 s at 0.25X', 'peaks', 49, short, HALF),
        Row('gaps', 'B10: surprise bursts of 3X, hostile gaps', 'whole', 40, gaps, FULL),
    ]
    return {row.name: row for row in rows}


def sustained_flags(which, scale):
    """The flags of the closed loop whose rate is X."""
    mix, num = {FULL: (PRODUCTION, PRODUCTION_KEYS), HALF: (HALF_WRITES, HALF_WRITES_KEYS)}[which]
    return load(scale, num, SUSTAINED_SECONDS, 'max', *mix)
