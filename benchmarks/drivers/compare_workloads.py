# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What benchmarks/compare measures: workloads, and the figures that are shown of each."""

import collections

from drivers.common import MIB

# kind: bursts, openloop, load, classic or limit. capped: --full limits the device's write rate.
Workload = collections.namedtuple('Workload', 'name title kind flags capped', defaults=[(), False])
WORKLOADS = {
    w.name: w
    for w in (
        Workload('unsynced-100', 'Writes of 100 bytes, not synced', 'bursts', ['--value_size=100']),
        Workload('unsynced-1k', 'Writes of 1 KB, not synced', 'bursts', ['--value_size=1024']),
        Workload(
            'synced-batches',
            'Batches of 100 writes of 100 bytes, every batch synced',
            'bursts',
            ['--value_size=100', '--batch_size=100', '--sync=1'],
            capped=True,
        ),
        Workload(
            'openloop',
            'Open loop: 20,000 requests/s, 57 % puts of 400 bytes, 43 % gets',
            'openloop',
            ['--rate=20000', '--put_percent=57', '--value_size=400', '--threads=2'],
        ),
        Workload(
            'b1',
            'Peaks and valleys (B1): 57 % puts, 41 % gets, 2 % scans, values of about 400 bytes',
            'load',
        ),
        Workload('classic', "LevelDB's own benchmarks, 1 million entries of 100 bytes", 'classic'),
        Workload(
            'limit', 'The limit: the same client, with nothing to do in the background', 'limit'
        ),
    )
}
QUICK = ['unsynced-1k', 'synced-batches', 'b1']

CLASSIC = (
    'fillseq,fillsync,fillrandom,overwrite,readrandom,readseq,readreverse,compact,'
    'readrandom,readseq,readreverse,readmissing,seekrandom,readwhilewriting,fill100K,crc32c'
)

# scale: of the unit in what is measured.
Figure = collections.namedtuple(
    'Figure', 'label key digits meaning better scale', defaults=['lower', 1]
)
# What is shown of bursts and of loads.
BURSTS_ONLY = [
    Figure(
        'throughput in bursts, MB/s',
        'mb_per_s',
        1,
        'keys and values accepted a second, while the client was writing',
        'higher',
    ),
    Figure(
        'write p50, us',
        'p50_us',
        1,
        'half of all write calls took at most this long, in millionths of a second',
    ),
    Figure('write p99, us', 'p99_us', 1, '99 of 100 write calls took at most this long'),
    Figure('write p99.9, us', 'p999_us', 1, '999 of 1000 write calls took at most this long'),
    Figure('write max, us', 'max_us', 0, 'the slowest write call of all'),
]
COMMON = [
    Figure(
        'stalled, s',
        'stall_seconds',
        2,
        'seconds of the bursts spent in waits over 0.1 s in which no write completed',
    ),
    Figure(
        'write amplification',
        'write_amplification',
        2,
        "bytes written to the device for each byte of the client's keys and values",
    ),
    Figure(
        'drain, s',
        'drain_seconds',
        1,
        'seconds after the last burst until the store had nothing left to do',
    ),
    Figure(
        'peak memory, MB',
        'peak_rss_bytes',
        0,
        "the most memory the whole process held, the benchmark's own 5 MB with it",
        scale=MIB,
    ),
    Figure(
        'CPU, us a write',
        'cpu_us_per_op',
        2,
        'CPU time of all threads, background work with it, divided by the entries written',
    ),
]
FIGURES = BURSTS_ONLY + COMMON
LIMIT_FIGURES = BURSTS_ONLY
OPEN_LOOP_FIGURES = [
    Figure(
        'put p99, us', 'put_p99_us', 0, '99 of 100 puts were done this long after they were due'
    ),
    Figure('put p99.9, us', 'put_p999_us', 0, '999 of 1000 puts'),
    Figure('put max, us', 'put_max_us', 0, 'the slowest put of all'),
    Figure(
        'get p99, us', 'get_p99_us', 0, '99 of 100 gets were done this long after they were due'
    ),
    Figure('get p99.9, us', 'get_p999_us', 0, '999 of 1000 gets'),
    Figure('get max, us', 'get_max_us', 0, 'the slowest get of all'),
    Figure(
        'requests given up',
        'unserved',
        0,
        'requests that a store too slow for the rate was spared',
    ),
    *COMMON,
]
# What the client and the machine need without a store; measured beside each run of it.
NULL_FIGURES = [
    Figure(
        'no store: put p99, us',
        'put_p99_us',
        0,
        'on a store that does nothing: how soon threads wake up and run on this machine',
    ),
    Figure(
        'no store: put p99.9, us',
        'put_p999_us',
        0,
        '999 of 1000 puts on a store that does nothing',
    ),
]
