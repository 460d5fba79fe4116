# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The workloads of benchmarks/suite, B0 to B10, at lengths that fit into an evening."""

import collections
import re

from drivers.common import MIB
from drivers.results_folder import SUSTAINABLE

# scale: db_bench's --scale at the suite's --scale=1; of what README shows, so that a case takes at
# least 60 s. seconds: approximate length of a run then.
# calibrated: needs X, the rate of the slowest store. limit: also measured without background work,
# and on the null store, at this share of its length, because everything stays in memory; 0: not.
# reads: whether it reads at all.
Workload = collections.namedtuple(
    'Workload', 'name title scale seconds calibrated limit reads', defaults=[True]
)
WORKLOADS = {
    w.name: w
    for w in (
        Workload('b0', 'Two-phase: puts of 400 B, then shares of X', 0.12, 62, True, 0),
        Workload('b1', 'Production mix with peaks of 20 K/s and 2 X', 0.34, 80, True, 1),
        Workload('b2', 'Long peaks of 1.5 X, half and nine tenths puts', 0.06, 100, True, 0),
        Workload('b3', 'Bursts of batches, synced and not', 0.5, 122, False, 0.4, False),
        Workload('b4', 'Inserts of 200 B at shares of X', 0.1, 50, True, 0),
        Workload('b5', 'Random writes of 1000 B without a pause', 0.34, 75, False, 0.1, False),
        Workload('b6', 'YCSB at 0.8 X', 0.06, 60, True, 0),
        Workload('b7', 'The mixgraph of Facebook, a sine about 0.6 X', 0.15, 40, True, 0),
        Workload('b8', 'Reads beside a writer at 0.5 X', 0.15, 26, True, 0),
        Workload('b9', 'Synced writes of 1 to 8 writers', 0.2, 20, False, 0),
        Workload('b10', 'Hostile gaps: bursts of 3 X', 0.2, 30, True, 1),
    )
}
CALIBRATE_SECONDS = 5
CALIBRATION_SECONDS = {'b0': 20, 'b6': 60}  # per store, approximately; for the others:
CALIBRATION_SECONDS_ELSE = 14

# b0's own closed loop measures the X of its shares.
CLOSED_LOOP_OF_B0, FIRST_SHARE_OF_B0 = 'b0/closed', 'b0/50%'


def case_of_calibration(benchmark):
    """The case whose X the closed loop `benchmark` measures; None if it is not such a loop."""
    if benchmark == CLOSED_LOOP_OF_B0:
        return FIRST_SHARE_OF_B0
    if benchmark.endswith(SUSTAINABLE):
        return benchmark[: -len(SUSTAINABLE)]
    return None


def workload_of(benchmark):
    """The workload of a case ("b4/60%") or of the loop that measured its X ("b1,sustainable")."""
    return WORKLOADS[re.split('[/,]', benchmark)[0]]


# better: direction. of: closed loops and bursts (closed), loads in open loop (open), or both.
Figure = collections.namedtuple('Figure', 'label key digits better of')
FIGURES = (
    Figure('throughput, MB/s', 'mb_per_s', 1, 'higher', 'closed'),
    Figure('served, K/s', 'served_k_per_s', 1, 'higher', 'closed'),
    Figure('write p99, ms', 'write_p99_ms', 2, 'lower', 'both'),
    Figure('write p99.9, ms', 'write_p999_ms', 2, 'lower', 'both'),
    Figure('read p99, ms', 'read_p99_ms', 2, 'lower', 'both'),
    Figure('scan p99, ms', 'scan_p99_ms', 2, 'lower', 'both'),
    Figure('given up', 'unserved', 0, 'lower', 'open'),
    Figure('stalled, s', 'stall_seconds', 2, 'lower', 'both'),
    Figure('write amplification', 'write_amplification', 2, 'lower', 'both'),
    Figure('CPU, µs a request', 'cpu_us', 1, 'lower', 'both'),
    Figure('memory, MB', 'memory_mb', 0, 'lower', 'both'),
)


def is_closed(result):
    return 'load' not in result or result['load']['closed_loop']


def figures_of(result):
    """The figures of one result of db_bench, by key; None if missing."""
    figures = {
        'mb_per_s': result['mb_per_s'],
        'served_k_per_s': result.get('load', {}).get('requests_per_s', 0) / 1000 or None,
        'unserved': result.get('unserved'),
        'stall_seconds': result['stall_seconds'],
        'write_amplification': result.get('write_amplification'),  # missing for the null store
        'cpu_us': result['cpu_seconds'] * 1e6 / max(1, result['ops']),
        'memory_mb': result['peak_rss_bytes'] / MIB,
    }
    latencies = {kind: result.get(f'{kind}_latency') for kind in ('write', 'read', 'scan')}
    if not any(latencies.values()):
        latencies['write'] = result  # bursts only write
    for kind, latency in latencies.items():
        for percentile in ('p99', 'p999'):
            known = latency and latency.get('count', 1) > 0
            figures[f'{kind}_{percentile}_ms'] = (
                latency[f'{percentile}_us'] / 1000 if known else None
            )
    return {
        figure.key: figures[figure.key]
        for figure in FIGURES
        if figure.of == 'both' or (figure.of == 'closed') == is_closed(result)
    }
