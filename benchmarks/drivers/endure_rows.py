# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The stores and loads of benchmarks/endure, what a long run says, and its table."""

import collections
import statistics

from drivers.figures import median, shown, table

# `options`: of Lull; None for other stores.
Contender = collections.namedtuple('Contender', 'name store options')
POLICIES = ('leveldb', 'idle-threshold', 'idle-quiet', 'silk', 'adoc')
CONTENDERS = {
    c.name: c
    for c in (
        Contender('lull', 'lull', ''),
        Contender('leveldb', 'leveldb', None),
        Contender('rocksdb', 'rocksdb', None),
        Contender('rocksdb-tuned', 'rocksdb-tuned', None),
        *(Contender(f'policy-{name}', 'lull', f'policy={name}') for name in POLICIES),
    )
}
FULL = 100  # percent: a closed loop
LOADS = (FULL, 90, 60)  # percent of what the store itself sustains

# A store is steady if the debt and the memory of the counted part change by less than this share:
# the debt of what clients wrote meanwhile, the memory of its mean.
STEADY = 0.1


def mean_of(intervals, name):
    return statistics.fmean(interval[name] for interval in intervals)


def figures_of(intervals, result, counted_seconds):
    """Figures of the last `counted_seconds` of a load. None if it has no such intervals."""
    loaded = [i for i in intervals if i['at_seconds'] <= result['active_seconds'] + 1]
    begin = result['active_seconds'] - counted_seconds
    counted = [i for i in loaded if i['at_seconds'] > begin]
    if len(counted) < 2:
        return None
    client_mb = mean_of(counted, 'written_mb_per_s')
    seconds = counted[-1]['at_seconds'] - counted[0]['at_seconds']
    debt_mb = (counted[-1]['debt_bytes'] - counted[0]['debt_bytes']) / 2**20
    memory = mean_of(counted, 'rss_bytes')
    memory_change = counted[-1]['rss_bytes'] - counted[0]['rss_bytes']
    p99 = sorted(i['write_p99_us'] / 1000 for i in counted if 'write_p99_us' in i)
    drained = result['active_seconds'] + result.get('drain_seconds', 0)
    return {
        'requests_per_s': mean_of(counted, 'ops_per_s'),
        'mb_per_s': client_mb,
        'mb_per_s_drained': result['written_bytes'] / 2**20 / drained,
        'p99_median': statistics.median(p99) if p99 else None,
        'p99_worst': p99[-1] if p99 else None,
        'longest': max((i.get('write_max_us', 0) for i in counted), default=0) / 1000,
        'bytes': mean_of(counted, 'device_mb_per_s') / client_mb if client_mb else None,
        'bytes_drained': result['write_amplification'],
        'l0_tables': max(i['l0_tables'] for i in counted),
        'debt_gb': max(i['debt_bytes'] for i in counted) / 2**30,
        'drain': result.get('drain_seconds', 0),
        'memory_mb': memory / 2**20,
        'served': 1 - result.get('unserved', 0) / max(1, result['ops']),
        'steady': abs(debt_mb) < STEADY * client_mb * seconds
        and abs(memory_change) < STEADY * memory,
    }


HEAD = (
    'store',
    'MB/s',
    'MB/s with the drain',
    'p99 of the median second, ms',
    'of the worst',
    'longest write, ms',
    'bytes a byte',
    'with the drain',
    'L0 tables',
    'debt, GB',
    'drain, s',
    'memory, MB',
    'steady',
)
DIGITS = {
    'mb_per_s': 1,
    'mb_per_s_drained': 1,
    'p99_median': 3,
    'p99_worst': 3,
    'longest': 0,
    'bytes': 1,
    'bytes_drained': 1,
    'l0_tables': 0,
    'debt_gb': 1,
    'drain': 0,
    'memory_mb': 0,
}


def text_of(runs, key, digits):
    """The median, and the range of several runs that differ."""
    values = [run[key] for run in runs if run[key] is not None]
    text = shown(median(values), digits)
    ends = {shown(end(values), digits) for end in (min, max)} if values else {text}
    return text if len(ends) == 1 else f'{text} ({" to ".join(sorted(ends, key=float_of))})'


def float_of(text):
    return float(text.replace(',', ''))


def load_table(contenders, runs):
    """`runs`: the figures of runs by contender."""
    rows = [list(HEAD)]
    for name in contenders:
        if runs.get(name):
            cells = [text_of(runs[name], key, digits) for key, digits in DIGITS.items()]
            steady = sum(run['steady'] for run in runs[name])
            rows.append([name, *cells, f'{steady} of {len(runs[name])}'])
    return table(rows) if len(rows) > 1 else []
