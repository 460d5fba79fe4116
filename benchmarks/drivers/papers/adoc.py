# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Yu, Noh, Choi, Xue: ADOC, USENIX FAST 2023."""

from drivers.papers.parts import (
    OF_STORE,
    STALLS,
    TIME_SERIES,
    Paper,
    Picture,
    Scenario,
    policy,
    stock,
)
from drivers.policy_rows import Row
from drivers.verdicts import HIGHER, LOWER, Claim, about

# b5 is ADOC's workload: random writes of 1000 bytes, as fast as the store accepts them. An hour in
# the paper; here ten minutes, 600 windows of the rule. A longer run needs more than 40 GB.
SCALE = 3.3
SECONDS = 610
MEMTABLE = ['--write_buffer_size=67108864', '--max_file_size=67108864']
# The configuration of SILK that ADOC's authors found best: batches of 512 MB.
SILK_O = ['--write_buffer_size=536870912', '--max_file_size=67108864']
THREADS = 'compaction_threads=8;memory_budget_bytes=1G'
DEVICES = {'': 'the disk of this machine', 'sata': 'the model `sata`', 'hdd': 'the model `hdd`'}


def row_name(device):
    return f'b5-{device}' if device else 'b5'


def rows(scale):
    return [
        Row(
            row_name(device),
            f'random writes on {title}',
            'whole',
            SECONDS,
            ['--benchmarks=b5', f'--scale={SCALE * scale:g}', f'--device={device or "real"}'],
            seconds_count=False,
        )
        for device, title in DEVICES.items()
    ]


CONTENDERS = [
    stock('rocksdb-autotuned', 'RocksDB, auto-tuned'),
    policy('silk', 'compaction_threads=6;memory_budget_bytes=2G', SILK_O),
    policy('adoc', THREADS, MEMTABLE),
    policy('lull', THREADS, MEMTABLE),
]
# On this machine's disk also what tells the rule from the store.
HERE_TOO = [stock('rocksdb', 'RocksDB'), policy('leveldb', THREADS, MEMTABLE)]
SIMULATED = {
    'pm': 'persistent memory',
    'nvme': 'an NVMe SSD',
    'sata': 'a SATA SSD',
    'hdd': 'a hard disk',
}
AT, HERE = 'rocksdb-autotuned', '10 minutes on 2 cores, not an hour on 40; Lull\'s store'
WORDS = {'throughput': 'throughput', 'stalled': 'stalls'}
# `adoc` to SILK-O by device: throughput (§6.2, figure 12) and stalls (figure 13).
TO_SILK = {
    'pm': (1.667, 0.548),
    'nvme': (1.378, 1.015),
    'sata': (1.310, 0.913),
    'hdd': (1.551, 0.897),
}
MEASURED = ('sata', 'hdd')  # of the paper's devices; the disk of this machine is another one


def claim(rows, figure, who, base, source, says, goal, best=max, cause=''):
    where = ', '.join(f'`{row}`' for row in rows)
    text = f'{where}: {WORDS[figure]}, `{who}` to `{base}`'
    of = (text, source, says, tuple(rows), figure, who, base, goal, best, cause)
    return Claim(*of, seconds_count=figure != 'throughput')


def to_silk(row, device, peer):
    throughput, stalled = TO_SILK[device]
    return [
        claim([row], figure, 'adoc', peer, source, f'{ratio:.2f} ×', about(ratio))
        for figure, source, ratio in (
            ('throughput', '§6.2, figure 12', throughput),
            ('stalled', '§6.2, figure 13', stalled),
        )
    ]


ALL = [row_name(device) for device in DEVICES]
OF_STALLS = Picture(STALLS, 'stalls by cause (figure 13)')
PAPER = Paper(
    'adoc',
    'Yu and others: ADOC',
    rows,
    {row_name(device): CONTENDERS + ([] if device else HERE_TOO) for device in DEVICES},
    [
        Scenario(
            f'adoc-{device}',
            f'an hour on {title}',
            3600,
            330,
            ['throughput', 'stalled'],
            device == 'hdd',
        )
        for device, title in SIMULATED.items()
    ],
    [
        # "By as much as", so of the devices the one with the largest effect counts.
        claim(ALL, 'throughput', 'adoc', AT, 'abstract', 'up to 4.23 ×', about(4.228), max, HERE),
        claim(ALL, 'stalled', 'adoc', AT, 'abstract', 'down to 0.12 ×', about(0.121), min, HERE),
        *(one for device in MEASURED for one in to_silk(row_name(device), device, 'silk')),
        *(one for device in SIMULATED for one in to_silk(f'adoc-{device}', device, 'silk-o')),
        *(
            claim([f'adoc-{device}'], 'throughput', who, base, source, says, goal)
            for device, who, base, source, says, goal in (
                ('nvme', AT, 'rocksdb', '§6.2', 'higher', HIGHER),
                ('sata', AT, 'rocksdb', '§6.2', 'higher', HIGHER),
                ('pm', AT, 'rocksdb', '§6.2', 'lower', LOWER),
                ('hdd', AT, 'rocksdb', '§6.2', 'lower', LOWER),
                ('pm', 'adoc-t', 'adoc-b', '§6.4', 'higher', HIGHER),
                ('hdd', 'adoc-b', 'adoc-t', '§6.4', 'higher', HIGHER),
            )
        ),
    ],
    ('throughput', 'stalled', 'p99'),
    {
        **{row: [OF_STALLS] for row in ALL},
        'b5': [
            Picture(TIME_SERIES, 'throughput and p99 (figures 12 and 16)'),
            OF_STALLS,
            Picture(OF_STORE, 'debt, memory and CPU (figure 14)'),
        ],
    },
)
