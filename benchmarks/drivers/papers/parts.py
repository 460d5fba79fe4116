# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What a paper consists of for benchmarks/papers: rows, scenarios of the simulator, and claims."""

import collections

from drivers.row_tables import Figure

# rows: function of --scale that returns the measured Rows. contenders: those of each row, by its
# name; the first is the base of the ratios. charted: the rows whose levels are drawn.
Paper = collections.namedtuple('Paper', 'name title rows contenders scenarios claims charted')

# title: in tables. store: a key of STORES. flags: of db_bench, after those of the row.
Contender = collections.namedtuple('Contender', 'name title store flags')

# A scenario of benchmarks/simulate. seconds: in virtual time. wall_seconds: about how long all its
# policies take. figures: names in SIMULATED. base: the policy of the ratios.
Scenario = collections.namedtuple('Scenario', 'name title seconds wall_seconds base figures')

# One figure of a paper. says: what the paper reports. Ours is `figure` of `who` in the row or
# scenario `row`, divided by that of `base` if there is one. It is reproduced if it is on `side` of
# `goal`: '<' at most, '>' at least, '~' within a fifth.
Claim = collections.namedtuple('Claim', 'text says row figure who base side goal')


def policy(name, options='', flags=(), title=None, as_name=None):
    """A policy of Lull."""
    scheduling = f'--options=policy={name}' + (f';{options}' if options else '')
    as_name = as_name or name
    return Contender(as_name, title or f'`{as_name}`', 'lull', [scheduling, *flags])


def stock(store, title, flags=(), as_name=None):
    """Another store."""
    return Contender(as_name or store, title, store, list(flags))


# name -> the column, and how the figure is computed from a result of the simulator.
SIMULATED = {
    'throughput': (
        Figure('throughput', 'K requests/s', 'higher'),
        lambda r: r['served'] / max(1e-9, r['at_work_seconds']) / 1000,
    ),
    'mb_per_s': (
        Figure('mb_per_s', 'MB/s in bursts', 'higher'),
        lambda r: r['client_bytes'] / max(1e-9, r['at_work_seconds']) / 1e6,
    ),
    'served': (
        Figure('served', 'served, %', None),
        lambda r: 100 * r['served'] / max(1, r['arrived']),
    ),
    'p50': (Figure('p50', 'p50, ms', None), lambda r: r['p50_us'] / 1000),
    'p99': (Figure('p99', 'p99, ms', 'lower'), lambda r: r['p99_us'] / 1000),
    'slow': (
        Figure('slow', 'seconds with a p99 over 10 ms, %', None),
        lambda r: 100 * r['slow_share'],
    ),
    'slow_from': (
        Figure('slow_from', 'the first of them, s (the end: none)', None),
        lambda r: r['first_slow_seconds'] or r['seconds'],
    ),
    'stalled': (
        Figure('stalled', 'stalled or slowed, s', 'lower'),
        lambda r: sum(r['blocked_seconds'].values()) + sum(r['slowed_seconds'].values()),
    ),
    **{
        f'stalled_{cause}': (
            Figure(f'stalled_{cause}', title, None),
            lambda r, cause=cause: r['blocked_seconds'][cause] + r['slowed_seconds'][cause],
        )
        for cause, title in (('memory', 'by memory'), ('l0', 'by L0'), ('debt', 'by debt'))
    },
    'input': (Figure('input', 'written by clients, GB', None), lambda r: r['client_bytes'] / 1e9),
    'compacted': (
        Figure('compacted', 'compacted, GB', None),
        lambda r: (r['written_bytes']['l0'] + r['written_bytes']['deep']) / 1e9,
    ),
    'debt': (Figure('debt', 'largest debt, GB', None), lambda r: r['debt_bytes_max'] / 1e9),
    'jobs': (Figure('jobs', 'compactions begun, at most', None), lambda r: r['jobs_max']),
    'device': (Figure('device', 'device busy, %', None), lambda r: 100 * r['device_share']),
    'cores': (Figure('cores', 'cores', None), lambda r: r['cores']),
    'memory': (Figure('memory', 'memtables, MB', None), lambda r: r['memory_bytes'] / 1e6),
    'threads': (Figure('threads', 'threads', None), lambda r: r['compactions']),
    'threads_turned': (
        Figure('threads_turned', 'changes of the threads', None),
        lambda r: r['compactions_changes'],
    ),
    'batch': (Figure('batch', 'batch, MB', None), lambda r: r['memtable_bytes'] / 1e6),
    'batch_turned': (
        Figure('batch_turned', 'changes of the batch', None),
        lambda r: r['memtable_changes'],
    ),
}


def simulated_figures(item):
    return {name: value_of(item) for name, (_, value_of) in SIMULATED.items()}
