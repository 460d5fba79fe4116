# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Balmau, Dinu, Zwaenepoel, Gupta, Chandhiramoorthi, Didona: SILK, USENIX ATC 2019."""

from drivers.papers.parts import Claim, Paper, Scenario, policy, stock
from drivers.policy_rows import Row, load

# The load is the paper's, on a device with half of the bandwidth of the paper's, which also takes a
# log. SILK's constants are halved with the device, except for the reserve, for which the paper has
# no number. Keys and values fill a store of 1 GB instead of 500.
KEYS = 1_000_000
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
T = (
    'silk_bandwidth_bytes_per_sec=100000000;silk_urgent_bytes_per_sec_min=25000000;'
    'silk_reserve_bytes_per_sec=10M;silk_change_bytes_per_sec_min=5M'
)
SHORT, LONG = 'peaks-10', 'peaks-50'


def rows(scale):
    short = load(scale, KEYS, 160, '{S}@10k,{S}@40k', *STORE)
    long = load(scale, KEYS, 180, '{S}@10k' + 5 * ',{S}@40k', *STORE)
    said = 'half writes of 1 KB, 40 K/s in peaks, 10 K/s in valleys of 10 s, device at 100 MB/s'
    return [
        Row(SHORT, f'Peaks of 10 s; {said} (figure 8)', 'peaks', 220, short),
        Row(LONG, f'Peaks of 50 s; {said} (figure 8B)', 'peaks', 240, long),
    ]


CONTENDERS = [
    policy('leveldb', f'{THREADS};{NO_L0_LIMITS}'),
    policy('silk', f'{THREADS};{NO_L0_LIMITS};{T}'),
    policy('lull', THREADS),
    stock('rocksdb', 'RocksDB'),
    stock('rocksdb-autotuned', 'RocksDB, auto-tuned'),
]
TAIL = ['throughput', 'served', 'p99', 'slow', 'stalled', 'compacted', 'debt', 'jobs']
# YCSB workloads that mostly write, and the others.
WRITES, READS = ('a', 'f'), ('b', 'c', 'e')


def peaks(name, title, seconds=1000, wall_seconds=15, more=()):
    return Scenario(f'silk-{name}', title, seconds, wall_seconds, 'rocksdb', [*TAIL, *more])


def p99(row, who, base, says, goal, text):
    return Claim(f'{text}: p99, {who} to {base}', says, row, 'p99', who, base, '<', goal)


PAPER = Paper(
    'silk',
    'SILK: Preventing Latency Spikes in Log-Structured Merge Key-Value Stores',
    rows,
    {SHORT: CONTENDERS, LONG: CONTENDERS},
    [
        peaks('24h', 'A day of the production load (figures 8A and 10)', 24 * 3600, 300),
        *(
            peaks(f'peaks-{s}', f'Peaks of {s} s, valleys of 10 s (figure 8B)')
            for s in (10, 50, 100)
        ),
        *(
            peaks(f'long-{w}', f'One peak from 200 s on, {w} % writes (8B)', more=['slow_from'])
            for w in (50, 90)
        ),
        peaks('parts', 'SILK and its parts, on peaks of 100 s (figure 8C)', 2000),
        *(
            Scenario(
                f'silk-ycsb-{w}',
                f'YCSB {w.upper()}, uniform keys (figures 12 and 13)',
                1000,
                5,
                'rocksdb',
                ['throughput', 'served', 'p50', 'p99', 'slow', 'stalled'],
            )
            for w in 'abcef'
        ),
    ],
    [
        *(
            claim
            for row in (SHORT, LONG)
            for claim in (
                p99(row, 'silk', 'leveldb', '0.001 × to RocksDB', 0.1, f'measured, {row}'),
                p99(row, 'silk', 'rocksdb', '0.001 ×', 0.001, f'measured, {row}'),
                p99(row, 'silk', 'rocksdb-autotuned', '0.01 ×', 0.01, f'measured, {row}'),
            )
        ),
        p99('silk-24h', 'silk', 'rocksdb', '0.001 ×', 0.001, 'day'),
        p99('silk-24h', 'silk', 'rocksdb-autotuned', '0.01 ×', 0.01, 'day'),
        p99('silk-24h', 'rocksdb-autotuned', 'rocksdb', '0.1 ×', 0.1, 'day'),
        Claim('day: stalls of silk, s', 'none', 'silk-24h', 'stalled', 'silk', None, '<', 0.0),
        *(
            Claim(
                f'peaks of {s} s: served by silk, %',
                'all',
                f'silk-peaks-{s}',
                'served',
                'silk',
                None,
                '>',
                99.0,
            )
            for s in (10, 50, 100)
        ),
        *(
            Claim(
                f'one peak, {w} % writes: silk degrades at, s',
                f'about {at}',
                f'silk-long-{w}',
                'slow_from',
                'silk',
                None,
                '~',
                at,
            )
            for w, at in ((50, 700), (90, 500))
        ),
        *(
            p99('silk-parts', 'silk', part, 'lower', 0.95, 'parts')
            for part in ('silk-rate-only', 'silk-priority-only')
        ),
        *(
            Claim(
                f'YCSB {w.upper()}: throughput, silk to rocksdb',
                'at least 0.93 ×',
                f'silk-ycsb-{w}',
                'throughput',
                'silk',
                'rocksdb',
                '>',
                0.93,
            )
            for w in 'abcef'
        ),
        *(
            p99(f'silk-ycsb-{w}', 'silk', 'rocksdb', says, goal, f'YCSB {w.upper()}')
            for workloads, says, goal in (
                (WRITES, 'down to 0.01 ×', 0.01),
                (READS, 'at most 0.95 ×', 0.95),
            )
            for w in workloads
        ),
    ],
    [],
)
