# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The cases of benchmarks/guest and their table."""

import collections

from drivers.figures import spread, table
from drivers.stores import STORES

# `figures`: key of the result, and what the table calls it. `seconds` and `counts`: flags that
# --scale shortens. `lasts_seconds`: about, at --scale=1.
Case = collections.namedtuple('Case', 'name title flags seconds counts figures lasts_seconds')

OPEN_MS, CLOSE_MS = ('open_ms', 'open, ms'), ('close_ms', 'close, ms')
REST = {'rest_seconds': 15, 'watch_seconds': 10}


def stores_case(stores, kilobytes):
    written = f'{kilobytes} KB in each' if kilobytes else 'never written'
    return Case(
        f'{stores}/{kilobytes}',
        f'{stores} open stores, {written}',
        {'benchmark': 'stores', 'kilobytes': kilobytes},
        REST,
        {'stores': stores},
        [
            ('memory_mb', 'memory, MB'),
            ('disk_mb', 'disk, MB'),
            ('wakes_per_s', 'wake-ups a second'),
        ],
        sum(REST.values()) + stores / 25,
    )


def reopen_case(name, title):
    flags, counts = {'benchmark': name}, {'kilobytes': 60_000}
    return Case(name, f'after 60 MB, {title}', flags, {}, counts, [OPEN_MS], 5)


CASES = {
    case.name: case
    for case in (
        *(stores_case(stores, kilobytes) for kilobytes in (0, 20) for stores in (40, 500)),
        Case(
            'sessions',
            '300 sessions of 20 KB',
            {'benchmark': 'sessions', 'kilobytes': 20},
            {},
            {'sessions': 300},
            [
                OPEN_MS,
                CLOSE_MS,
                ('l0_tables', 'tables in L0 at the end'),
                ('scan_ms', 'scan of 100 entries, ms'),
            ],
            15,
        ),
        reopen_case('reopen', 'closed'),
        reopen_case('reopen_killed', 'killed'),
    )
}


def flags_of(case, scale):
    """db_guest's flags for a case."""
    flags = dict(case.flags)
    flags |= {name: f'{value * scale:g}' for name, value in case.seconds.items()}
    flags |= {name: max(1, int(value * scale)) for name, value in case.counts.items()}
    return [f'--{name}={value}' for name, value in flags.items()]


def guest_table(cases, stores, runs):
    """`runs`: results by (case, store)."""
    rows = [['', '', *(STORES[store].title for store in stores)]]
    for name in cases:
        title = CASES[name].title
        for key, words in CASES[name].figures:
            cells = [spread([run[key] for run in runs.get((name, store), [])]) for store in stores]
            if set(cells) != {'-'}:
                rows.append([title, words, *cells])
                title = ''
    return table(rows) if len(rows) > 1 else []
