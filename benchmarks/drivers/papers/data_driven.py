# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Pramanik and Venkatesh: Data-driven optimizations for Log-Structured Merge trees."""

from drivers.papers.parts import Claim, Paper, Scenario, policy, stock
from drivers.policy_rows import Row

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
    at = '10 s on, 20 s off, writes limited to 100 MB/s'
    return [
        Row(BURSTS, f'Synced batches of 100; {at} (table 2)', 'bursts', 120, synced, '', True),
        Row(FREE, f'Unsynced batches of 100; {at} (§7)', 'bursts', 120, unsynced, '', True),
        Row(
            SWEEP,
            'The first row by threshold of `idle-threshold` (figure 23)',
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


def claim(text, says, who, side, goal, row=BURSTS, base='stock'):
    return Claim(text, says, row, 'throughput', who, base, side, goal)


PAPER = Paper(
    'data-driven',
    'Data-driven optimizations for LSM trees',
    rows,
    {
        BURSTS: [STOCK, *POLICIES],
        FREE: [STOCK, *POLICIES],
        SWEEP: [STOCK, *map(threshold, THRESHOLDS_KIB)],
        LOGGING: [
            *modes('stock', 'stock LevelDB', lambda n, t, f: stock('leveldb', t, f, n)),
            *modes('lull', 'Lull', lambda n, t, f: policy('lull', '', f, t, n)),
        ],
    },
    [
        Scenario(
            f'data-driven-{device}',
            f'Synced batches on {title} whose writes are limited to 100 MB/s',
            120,
            10,
            'leveldb',
            ['mb_per_s', 'p99', 'stalled', 'compacted', 'debt'],
        )
        for device, title in DEVICES.items()
    ],
    [
        claim('synced bursts: `idle-threshold` to LevelDB', '2.24 ×', 'idle-threshold', '>', 2.24),
        claim('synced bursts: `idle-quiet` to LevelDB', '2.34 ×', 'idle-quiet', '>', 2.34),
        claim('synced bursts: `lull` to LevelDB', 'not in it', 'lull', '>', 2.34),
        claim('unsynced bursts: `idle-quiet` to LevelDB', 'higher', 'idle-quiet', '>', 1.05, FREE),
        claim(
            'too high a threshold (128 MiB/s) to 512 KiB/s',
            '0.87 ×',
            '131072 KiB/s',
            '<',
            0.95,
            SWEEP,
            '512 KiB/s',
        ),
        claim(
            'LevelDB synced singly, to not synced',
            '0.018 ×',
            'stock, synced singly',
            '<',
            0.018,
            LOGGING,
            'stock, not synced',
        ),
        claim(
            'LevelDB synced in batches of 1000, to not synced',
            '1.11 ×',
            'stock, synced in batches of 1000',
            '>',
            1,
            LOGGING,
            'stock, not synced',
        ),
        *(
            Claim(
                f'on {title}: `{who}` to `leveldb`',
                says,
                f'data-driven-{device}',
                'mb_per_s',
                who,
                'leveldb',
                '>',
                goal,
            )
            for device, title in DEVICES.items()
            for who, says, goal in (
                ('idle-threshold', '2.24 ×', 2.24),
                ('idle-quiet', '2.34 ×', 2.34),
            )
        ),
    ],
    [BURSTS],
)
