# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What a paper consists of for benchmarks/papers: rows, and scenarios of the simulator. Its claims
are in drivers/verdicts.py."""

import collections

from drivers.row_tables import Figure

# authors: of the index of the pages. rows: function of --scale that returns the measured Rows.
# contenders: those of each row, by its name. figures: of the rows, that the page shows. pictures:
# Pictures of a row, by its name.
Paper = collections.namedtuple(
    'Paper', 'name authors rows contenders scenarios claims figures pictures'
)

# A chart that benchmarks/report draws of a row. chart: what follows the row in the chart's name.
# says: which figure of the paper it corresponds to.
Picture = collections.namedtuple('Picture', 'chart says')
TIME_SERIES, OF_STORE, STALLS = 'time series', 'time series of the store', 'stall time'
LEVELS = 'levels, '

# title: in tables. store: a key of STORES. flags: of db_bench, after those of the row.
Contender = collections.namedtuple('Contender', 'name title store flags')

# A scenario of benchmarks/simulate. seconds: in virtual time. wall_seconds: about how long all its
# policies take. figures: names in SIMULATED that the page shows. on_disk: on a hard disk.
Scenario = collections.namedtuple(
    'Scenario', 'name title seconds wall_seconds figures on_disk', defaults=[False]
)


def policy(name, options='', flags=(), title=None, as_name=None):
    """A policy of Lull."""
    scheduling = f'--options=policy={name}' + (f';{options}' if options else '')
    as_name = as_name or name
    return Contender(as_name, title or f'`{as_name}`', 'lull', [scheduling, *flags])


def stock(store, title, flags=(), as_name=None):
    """Another store."""
    return Contender(as_name or store, title, store, list(flags))


def chain(result, of):
    """MB of the chains of compactions."""
    chains = result['layout']['chains']
    if of == 'max':
        return chains['width_bytes_max'] / 1e6
    return chains['width_bytes_sum'] / max(1, chains['chains']) / 1e6


# name -> the column, and how the figure is computed from a result of the simulator. No latencies:
# the simulator does not predict tails.
SIMULATED = {
    figure.name: (figure, value_of)
    for figure, value_of in (
        (
            Figure('throughput', 'K requests/s', 'higher'),
            lambda r: r['served'] / max(1e-9, r['at_work_seconds']) / 1000,
        ),
        (
            Figure('mb_per_s', 'MB/s in bursts', 'higher'),
            lambda r: r['client_bytes'] / max(1e-9, r['at_work_seconds']) / 1e6,
        ),
        (Figure('served', 'served, %', None), lambda r: 100 * r['served'] / max(1, r['arrived'])),
        (
            Figure('slow_from', 'slow from, s', None),
            lambda r: r['first_slow_seconds'] or r['seconds'],
        ),
        (
            Figure('stalled', 'stalled or slowed, s', 'lower'),
            lambda r: sum(r['blocked_seconds'].values()) + sum(r['slowed_seconds'].values()),
        ),
        (
            Figure('amplification', 'written for each byte', 'lower'),
            lambda r: sum(r['written_bytes'].values()) / max(1, r['client_bytes']),
        ),
        (Figure('chain', 'chain, MB', 'lower'), lambda r: chain(r, 'mean')),
        (Figure('chain_max', 'widest', 'lower'), lambda r: chain(r, 'max')),
        (Figure('debt', 'largest debt, GB', None), lambda r: r['debt_bytes_max'] / 1e9),
    )
}


def simulated_figures(item):
    return {name: value_of(item) for name, (_, value_of) in SIMULATED.items()}
