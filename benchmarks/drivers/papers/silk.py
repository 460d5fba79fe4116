# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Balmau, Dinu, Zwaenepoel, Gupta, Chandhiramoorthi, Didona: SILK, USENIX ATC 2019."""

import os

from drivers.common import ROOT
from drivers.papers.parts import OF_STORE, TIME_SERIES, Paper, Picture, Scenario, policy, stock
from drivers.policy_rows import Row, load
from drivers.verdicts import OWN, SERVED_MIN, Claim, Goal, about, at_least, at_most, order

# The load is the paper's, on a device with half of the bandwidth of the paper's, which also takes a
# log. SILK's constants are halved with the device, except for the reserve, for which the paper has
# no number. Keys and values fill a store of 1 GB instead of 500.
KEYS = 1_000_000
PRODUCTION_KEYS = 2_500_000
TRACE = os.path.join(ROOT, 'benchmarks', 'workloads', 'nutanix-like.csv')
TRACE_SECONDS = 920
STORE = [
    '--device=100mb',
    '--mix=put=50,get=50',
    '--values=1024',
    '--compression=0',
    '--write_buffer_size=134217728',
    '--max_file_size=67108864',
]
# Of four background threads one flushes. The paper has no limits on L0.
THREADS = 'compaction_threads=3;memory_budget_bytes=384M'
NO_L0_LIMITS = 'l0_slowdown=1000000;l0_stop=1000000'
ROCKSDB = (
    '--options=max_background_jobs=4;'
    'level0_slowdown_writes_trigger=1000000;level0_stop_writes_trigger=1000000'
)
T = (
    'silk_bandwidth_bytes_per_sec=100000000;silk_urgent_bytes_per_sec_min=25000000;'
    'silk_reserve_bytes_per_sec=10M;silk_change_bytes_per_sec_min=5M'
)
SHORT, LONG, PRODUCTION = 'peaks-10', 'peaks-50', 'production'


def rows(scale):
    short = load(scale, KEYS, 160, '{S}@10k,{S}@40k', *STORE)
    long = load(scale, KEYS, 180, '{S}@10k' + 5 * ',{S}@40k', *STORE)
    production = load(
        scale,
        PRODUCTION_KEYS,
        TRACE_SECONDS,
        f'trace:{TRACE}',
        *STORE,
        '--mix=put=57,get=41,scan=2',
        '--values=lognormal:400:0.4:250:1000',
        '--scans=uniform:10:50',
    )
    return [
        Row(
            PRODUCTION,
            'a trace like that of the production load (figure 8A)',
            'peaks',
            TRACE_SECONDS + 50,
            production,
        ),
        Row(SHORT, 'peaks of 10 s at 40 K/s (figure 8B)', 'peaks', 220, short),
        Row(LONG, 'peaks of 50 s (figure 8B)', 'peaks', 240, long),
    ]


CONTENDERS = [
    policy('leveldb', f'{THREADS};{NO_L0_LIMITS}'),
    policy('silk', f'{THREADS};{NO_L0_LIMITS};{T}'),
    policy('lull', THREADS),
    stock('rocksdb', 'RocksDB', [ROCKSDB]),
    stock('rocksdb-autotuned', 'RocksDB, auto-tuned', [ROCKSDB]),
]
PEAKS = (10, 50, 100)
YCSB = 'abcef'
# The paper compares RocksDB on its production load (§6.2); under these peaks it shows only SILK.
RATIOS = (('rocksdb', 0.001), ('rocksdb-autotuned', 0.01))
CAUSE = '1 GB, not 500; a log; Lull\'s store'


def scenario(name, title, seconds=1000, wall_seconds=15, figures=('served',)):
    return Scenario(f'silk-{name}', title, seconds, wall_seconds, list(figures))


def p99(row, base, source, says, goal, cause=''):
    text = f'`{row}`: p99, `silk` to `{base}`'
    return Claim(text, source, says, (row,), 'p99', 'silk', base, goal, cause=cause)


def simulated(name, text, source, says, figure, goal, base=None):
    return Claim(text, source, says, (f'silk-{name}',), figure, 'silk', base, goal)


PAPER = Paper(
    'silk',
    'Balmau and others: SILK',
    rows,
    {SHORT: CONTENDERS, PRODUCTION: CONTENDERS[1:], LONG: CONTENDERS},
    [
        scenario('24h', 'a day of the production load (figure 10)', 24 * 3600, 300),
        *(
            scenario(f'peaks-{s}', f'peaks of {s} s') for s in PEAKS
        ),
        *(
            scenario(
                f'long-{w}',
                f'one peak, {w} % writes',
                figures=('served', 'slow_from'),
            )
            for w in (50, 90)
        ),
        scenario('parts', 'parts of SILK, on peaks of 100 s (figure 8C)', 2000),
        *(
            scenario(f'ycsb-{w}', f'YCSB {w.upper()}', 1000, 5, ['throughput'])
            for w in YCSB
        ),
    ],
    [
        *(
            p99(PRODUCTION, base, '§6.2, figure 8A', f'{ratio:g} ×', order(ratio), CAUSE)
            for base, ratio in RATIOS
        ),
        *(
            Claim(
                f'`{row}`: share served by `silk`',
                '§6.4',
                'all',
                (row,),
                'served_share',
                'silk',
                None,
                at_least(SERVED_MIN),
            )
            for row in (SHORT, LONG)
        ),
        *(p99(row, base, '', '', None) for row in (SHORT, LONG) for base, _ in RATIOS),
        *(p99(row, 'leveldb', OWN, 'at most 0.1 ×', at_most(0.1)) for row in (SHORT, LONG)),
        simulated('24h', 'day: seconds stalled', '§6.2', 'none', 'stalled', at_most(0)),
        *(
            simulated(
                f'peaks-{s}', f'peaks of {s} s: served, %', '§6.4', 'all', 'served', at_least(99)
            )
            for s in PEAKS
        ),
        *(
            simulated(
                f'long-{w}',
                f'one peak, {w} % writes: degrades at, s',
                '§6.4',
                f'about {at}',
                'slow_from',
                about(at),
            )
            for w, at in ((50, 700), (90, 500))
        ),
        *(
            simulated(
                f'ycsb-{w}',
                f'YCSB {w.upper()}: throughput, `silk` to `rocksdb`',
                '§6.3',
                'at most 7 % lower',
                'throughput',
                Goal(0.93, 1.07),
                'rocksdb',
            )
            for w in YCSB
        ),
    ],
    ('throughput', 'p99'),
    {
        PRODUCTION: [
            Picture(TIME_SERIES, 'throughput and p99 (figure 8A)'),
            Picture(OF_STORE, 'debt, writes to the device and CPU (figure 11)'),
        ],
        **{row: [Picture(TIME_SERIES, 'throughput and p99 (figure 8B)')] for row in (SHORT, LONG)},
    },
)
