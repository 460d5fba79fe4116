# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Yu, Noh, Choi, Xue: ADOC, USENIX FAST 2023."""

from drivers.papers.parts import Claim, Paper, Scenario, policy, stock
from drivers.policy_rows import Row

# b5 is ADOC's workload: random writes of 1000 bytes, as fast as the store accepts them. An hour in
# the paper, here about a minute.
SCALE = 0.33
SECONDS = 70
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
            f'Random writes of 1000 bytes at full speed on {title}',
            'whole',
            SECONDS,
            ['--benchmarks=b5', f'--scale={SCALE * scale:g}', f'--device={device or "real"}'],
        )
        for device, title in DEVICES.items()
    ]


CONTENDERS = [
    stock('rocksdb-autotuned', 'RocksDB, auto-tuned'),
    stock('rocksdb', 'RocksDB'),
    policy('leveldb', THREADS, MEMTABLE),
    policy('silk', 'compaction_threads=6;memory_budget_bytes=2G', SILK_O),
    policy('adoc', THREADS, MEMTABLE),
    policy('lull', THREADS, MEMTABLE),
]
SIMULATED = {
    'pm': 'persistent memory',
    'nvme': 'an NVMe SSD',
    'sata': 'a SATA SSD',
    'hdd': 'a hard disk',
}
FIGURES = ['throughput', 'input', 'stalled', 'stalled_memory', 'stalled_l0', 'stalled_debt', 'p99']
FIGURES += ['compacted', 'device', 'cores', 'memory']
FIGURES += ['threads', 'threads_turned', 'batch', 'batch_turned']
# adoc to silk-o, by device: throughput (figure 12), stalls (13) and p99 (16).
TO_SILK = {
    'pm': (1.667, 0.548, None),
    'nvme': (1.378, 1.015, 1.701),
    'sata': (1.310, 0.913, 2.312),
    'hdd': (1.551, 0.897, 3.429),
}


WORDS = {'throughput': 'throughput', 'stalled': 'stalls', 'p99': 'p99'}


def claim(row, figure, who, base, says, side, goal):
    text = f'`{row}`: {WORDS[figure]}, {who} to {base}'
    return Claim(text, says, row, figure, who, base, side, goal)


def to_silk(device):
    throughput, stalled, p99 = TO_SILK[device]
    row, pair = f'adoc-{device}', ('adoc', 'silk-o')
    return [
        claim(row, 'throughput', *pair, f'{throughput:.2f} ×', '>', throughput),
        # In the paper stalls are as long on one device, and p99 is higher on three.
        claim(row, 'stalled', *pair, f'{stalled:.2f} ×', '<' if stalled < 1 else '~', stalled),
        claim(row, 'p99', *pair, f'{p99:.2f} ×', '>', p99)
        if p99
        else claim(row, 'p99', *pair, 'lower', '<', 0.95),
    ]


def measured(device):
    row, auto_tuned = row_name(device), 'rocksdb-autotuned'
    return [
        claim(row, 'throughput', 'adoc', auto_tuned, 'up to 4.23 ×', '>', 4.23),
        claim(row, 'stalled', 'adoc', auto_tuned, 'down to 0.12 ×', '<', 0.12),
        claim(row, 'throughput', 'adoc', 'silk', '1.31 to 1.67 ×', '>', 1.31),
    ]


PAPER = Paper(
    'adoc',
    'ADOC: Automatically Harmonizing Dataflow Between Components in LSM Key-Value Stores',
    rows,
    {row_name(device): CONTENDERS for device in DEVICES},
    [
        Scenario(
            f'adoc-{device}',
            f'An hour on {title} (figures 12 to 16, 20, 21)',
            3600,
            330,
            'silk-o',
            FIGURES,
        )
        for device, title in SIMULATED.items()
    ],
    [
        *(one for device in DEVICES for one in measured(device)),
        *(one for device in SIMULATED for one in to_silk(device)),
        *(
            claim(f'adoc-{device}', 'throughput', who, base, says, side, goal)
            for device, who, base, says, side, goal in (
                ('nvme', 'rocksdb-autotuned', 'rocksdb', 'higher', '>', 1.05),
                ('sata', 'rocksdb-autotuned', 'rocksdb', 'higher', '>', 1.05),
                ('pm', 'rocksdb-autotuned', 'rocksdb', 'lower', '<', 0.95),
                ('hdd', 'rocksdb-autotuned', 'rocksdb', 'lower', '<', 0.95),
                ('pm', 'adoc-t', 'adoc-b', 'higher', '>', 1.05),
                ('hdd', 'adoc-b', 'adoc-t', 'higher', '>', 1.05),
            )
        ),
    ],
    [],
)
