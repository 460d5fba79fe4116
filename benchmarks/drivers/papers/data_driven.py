# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Pramanik and Venkatesh: Data-driven optimizations for Log-Structured Merge trees."""

from drivers.papers.parts import LEVELS, OF_STORE, Paper, Picture, Scenario, policy, stock
from drivers.policy_rows import Row
from drivers.verdicts import HIGHER, LOWER, OWN, Claim, about, at_least

BURSTS, FREE, LOGGING, SWEEP = 'synced-100mb', 'unsynced-100mb', 'logging', 'threshold'
THRESHOLDS_KIB = (512, 8192, 32768, 131072)
DEVICES = {'ssd': 'an SSD', 'hdd': 'a hard disk'}


def bursts(scale, *flags):
    """The paper's load: 120 s, of which bursts take ten in thirty."""
    return [
        '--benchmarks=burstsintime',
        f'--duration={120 * scale:g}',
        f'--burst_seconds={10 * scale:g}',
        f'--idle_seconds={20 * scale:g}',
        '--value_size=100',
        *flags,
    ]


def rows(scale):
    synced = bursts(scale, '--batch_size=100', '--sync=1')
    unsynced = bursts(scale, '--batch_size=100', '--sync=0')
    once = bursts(scale, f'--duration={10 * scale:g}', '--idle_seconds=0')
    return [
        Row(BURSTS, 'synced batches of 100 (table 2)', 'bursts', 120, synced, '', True),
        Row(FREE, 'unsynced ones (§7)', 'bursts', 120, unsynced, '', True),
        Row(
            SWEEP,
            'synced batches by threshold of `idle-threshold` (figure 23)',
            'bursts',
            120,
            synced,
            '',
            True,
        ),
        Row(LOGGING, '10 s of random writes by logging mode (table 1)', 'bursts', 20, once),
    ]


def modes(name, title, make):
    """A store in the modes of table 1."""
    return [
        make(f'{name}, {mode}', f'{title}, {mode}', [f'--sync={sync}', f'--batch_size={batch}'])
        for mode, sync, batch in (
            ('not synced', 0, 1),
            ('synced singly', 1, 1),
            ('synced in batches of 1000', 1, 1000),
        )
    ]


def threshold(kib):
    return policy(
        'idle-threshold',
        f'idle_threshold_bytes_per_sec={kib}K',
        title=f'{kib:,} KiB/s',
        as_name=f'{kib} KiB/s',
    )


POLICIES = [policy(name) for name in ('leveldb', 'idle-threshold', 'idle-quiet', 'lull')]
STOCK = stock('leveldb', 'stock LevelDB', as_name='stock')
SINGLY, BATCHES, FREELY = (
    f'stock, {mode}' for mode in ('synced singly', 'synced in batches of 1000', 'not synced')
)
TABLE = '§6.3, table 2'
# The paper's figures are over LevelDB, whose store differs from Lull's in more than the policy.
CAUSE = 'Lull\'s store, also without the heuristic: the page has the ratio to it'


def claim(text, source, says, who, goal, row=BURSTS, base='stock', cause=''):
    return Claim(text, source, says, (row,), 'throughput', who, base, goal, cause=cause)


def heuristic(who, number, cause=''):
    says = f'{number:.2f} ×'
    return [
        claim(f'synced bursts: `{who}` to LevelDB', TABLE, says, who, about(number), cause=cause),
        claim(f'synced bursts: `{who}` to policy `leveldb`', '', '', who, None, base='leveldb'),
        *(
            Claim(
                f'{title}: `{who}` to policy `leveldb`',
                TABLE if device == 'ssd' else '§6.2',
                says,
                (f'data-driven-{device}',),
                'mb_per_s',
                who,
                'leveldb',
                about(number),
            )
            for device, title in DEVICES.items()
        ),
    ]


PAPER = Paper(
    'data-driven',
    'Pramanik and Venkatesh',
    rows,
    {
        BURSTS: [STOCK, *POLICIES],
        FREE: [STOCK, *POLICIES],
        SWEEP: [*map(threshold, THRESHOLDS_KIB)],
        LOGGING: [
            *modes('stock', 'stock LevelDB', lambda n, t, f: stock('leveldb', t, f, n)),
            *modes('lull', 'Lull', lambda n, t, f: policy('lull', '', f, t, n)),
        ],
    },
    [
        Scenario(
            f'data-driven-{device}',
            f'synced batches on {title}',
            120,
            10,
            ['mb_per_s'],
            device == 'hdd',
        )
        for device, title in DEVICES.items()
    ],
    [
        *heuristic('idle-threshold', 2.24, CAUSE),
        *heuristic('idle-quiet', 2.34, CAUSE),
        claim('synced bursts: `lull` to LevelDB', OWN, 'at least 2.34 ×', 'lull', at_least(2.34)),
        claim(
            'unsynced bursts: `idle-quiet` to LevelDB', '§7', 'higher', 'idle-quiet', HIGHER, FREE
        ),
        claim(
            'too high a threshold (128 MiB/s) to 512 KiB/s',
            'figure 23',
            'lower',  # 0.87 × at a threshold that it does not tell
            '131072 KiB/s',
            LOWER,
            SWEEP,
            '512 KiB/s',
        ),
        claim(
            'LevelDB synced singly, to not synced',
            'table 1',
            '0.018 ×',
            SINGLY,
            about(0.018),
            LOGGING,
            FREELY,
        ),
        claim(
            'LevelDB synced in batches of 1000, to not synced',
            'table 1',
            '1.11 ×',
            BATCHES,
            about(1.11),
            LOGGING,
            FREELY,
        ),
    ],
    ('throughput', 'p99'),
    {
        BURSTS: [
            Picture(OF_STORE, 'disk and CPU (subplots 1 and 3 of figures 21 to 24)'),
            *(
                Picture(LEVELS + who, f'levels, compactions, flushes of `{who}` (figure {number})')
                for who, number in (('leveldb', 21), ('idle-threshold', 22), ('idle-quiet', 24))
            ),
        ],
        SWEEP: [Picture(LEVELS + '131,072 KiB/s', 'levels with too high a threshold (figure 23)')],
    },
)
