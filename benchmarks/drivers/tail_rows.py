# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The stores and loads of benchmarks/tails, and their table."""

import collections

from drivers.common import MIB
from drivers.figures import median, shown, table

# options: None for RocksDB, which has its own defaults.
Contender = collections.namedtuple('Contender', 'name store options')
VSST = 'layout=vsst;pick_by_overlap=true'
CONTENDERS = {
    c.name: c
    for c in (
        Contender('rocksdb', 'rocksdb', None),
        Contender('leveled-leveldb', 'lull', 'policy=leveldb'),
        Contender('leveled-lull', 'lull', 'policy=lull'),
        Contender('vsst-leveldb', 'lull', f'policy=leveldb;{VSST}'),
        Contender('vsst-adoc', 'lull', f'policy=adoc;{VSST}'),
        Contender('vsst-lull', 'lull', f'policy=lull;{VSST}'),
    )
}
PEER = 'rocksdb'  # whose X the loads are also shares of
MEMTABLE_BYTES = 8 * MIB  # S_M of vsst

# keys: written before, if `preloaded`.
Load = collections.namedtuple('Load', 'name title keys preloaded flags')
LOADS = {
    load.name: load
    for load in (
        Load('b4', 'B4: inserts of 200 B', 20_000_000, False, ['--values=200']),
        Load(
            'b6-a',
            'B6 A: half reads, half writes of 1 KB',
            1_000_000,
            True,
            ['--mix=get=50,put=50', '--keys=zipfian', '--values=1024'],
        ),
        Load(
            'b6-b',
            'B6 B: 95 % reads, 5 % writes of 1 KB',
            1_000_000,
            True,
            ['--mix=get=95,put=5', '--keys=zipfian', '--values=1024'],
        ),
        Load(
            'b6-d',
            'B6 D: 95 % reads of the latest keys, 5 % inserts of 1 KB',
            1_000_000,
            True,
            ['--mix=get=95,insert=5', '--keys=latest', '--values=1024'],
        ),
    )
}
SHARES = (0.8, 0.95)

# A load at a share of X: that of RocksDB, or its own.
Target = collections.namedtuple('Target', 'of share')
TARGETS = [Target(of, share) for of in (PEER, 'own') for share in SHARES]


def targets_of(contender):
    """RocksDB's own X is that of the peer."""
    return [t for t in TARGETS if t.of == PEER or contender != PEER]


def figures_of(result):
    """Figures by name; None if the load has no such requests."""
    latencies = {}
    for kind in ('write', 'read'):
        latency = result.get(f'{kind}_latency')
        for percentile in ('p99', 'p999'):
            known = latency and latency.get('count', 1) > 0
            ms = latency[f'{percentile}_us'] / 1000 if known else None
            latencies[f'{kind}_{percentile}'] = ms
    return latencies | {
        'served': result['load']['requests_per_s'] / 1000,
        'unserved': result.get('unserved', 0),
        'stalled': result['stall_seconds'],
        'cpu': result['cpu_seconds'] * 1e6 / max(1, result['ops']),
        'written': result['call_write_bytes'] / MIB,
        'read': result['device_read_bytes'] / MIB,
    }


def both(figures, kind):
    return f"{shown(figures[f'{kind}_p99'], 2)} / {shown(figures[f'{kind}_p999'], 2)}"


HEAD = (
    'store',
    'X, K/s',
    'load',
    'served, K/s',
    'writes: p99 / p99.9, ms',
    'reads: p99 / p99.9, ms',
    'given up',
    'stalled, s',
    'CPU, µs a request',
    'written, MiB',
    'read from the disk, MiB',
)


def load_table(contenders, x, runs):
    """`x`: requests per second by contender. `runs`: figures of runs by (contender, target)."""
    rows = [list(HEAD)]
    for name in contenders:
        for target in targets_of(name):
            found = runs.get((name, target))
            if not found:
                continue
            figures = {key: median([run[key] for run in found]) for key in found[0]}
            of = 'RocksDB' if target.of == PEER else 'own'
            rows.append(
                [
                    name,
                    f'{x[name] / 1000:.1f}',
                    f'{target.share * 100:.0f} % of {of}',
                    shown(figures['served'], 1),
                    both(figures, 'write'),
                    both(figures, 'read'),
                    shown(figures['unserved'], 0),
                    shown(figures['stalled'], 2),
                    shown(figures['cpu'], 1),
                    shown(figures['written'], 0),
                    shown(figures['read'], 0),
                ]
            )
    return table(rows) if len(rows) > 1 else []
