# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Xanthakis and others: vLSM. Chains of compactions are measured by benchmarks/layouts."""

from drivers.papers.parts import LEVELS, TIME_SERIES, Paper, Picture, Scenario, policy, stock
from drivers.policy_rows import Row
from drivers.verdicts import Claim, about

# The latency of a store that falls behind measures its queue. So all stores get half of what the
# slowest sustains in a closed loop of a minute, drain included. It serves less as the store grows.
SHARE = 0.5
PEER, SLOWEST = 'rocksdb', 'vsst-paper'
SECONDS = 300
FILL_SECONDS, DRAIN_SECONDS = 240, 60  # about
KEYS = 20_000_000  # 4 GB; 350 million in the paper
SIZES = ['--values=184', '--compression=0', '--threads=4']
ROCKSDB = ['--write_buffer_size=67108864']
ADOC = 'compaction_threads=8;memory_budget_bytes=1G'
# S_M 8 MB and Φ 32, and one table of L0 a job (§4.1).
VSST = 'layout=vsst;table_bytes_max=8M;growth_factor=8;pick_by_overlap=true'
PAPERS = f'{VSST};vsst_phi=32;vsst_l0_tables_max=1'
MEMTABLE = ['--write_buffer_size=8388608']
LOADS = {
    'load-a': ('YCSB Load A: inserts, uniform', ['--mix=put', '--preload=0']),
    'load-a-zipfian': (
        'the same, Zipfian keys (figure 13(c))',
        ['--mix=put', '--preload=0', '--keys=zipfian'],
    ),
    'load-a-pareto': (
        "the same, the mixgraph's keys (figure 13(c))",
        ['--mix=put', '--preload=0', '--keys=mixgraph'],
    ),
    'run-a': ('YCSB A: half reads, half updates', ['--mix=get=50,put=50', '--keys=zipfian']),
}


def rows(scale):
    return [
        Row(
            name,
            title,
            'whole',
            SECONDS + (FILL_SECONDS if '--preload=0' not in flags else 0) + DRAIN_SECONDS,
            [
                '--benchmarks=load',
                f'--num={max(1000, int(KEYS * scale))}',
                f'--duration={SECONDS * scale:g}',
                f'--shape={SHARE}x',
                *SIZES,
                *flags,
            ],
            SLOWEST,
        )
        for name, (title, flags) in LOADS.items()
    ]


CONTENDERS = {
    PEER: stock(PEER, 'RocksDB', ROCKSDB),
    'leveled': policy('leveldb', 'layout=leveled', MEMTABLE, '`leveled`', 'leveled'),
    'adoc': policy('adoc', f'layout=leveled;{ADOC}', ROCKSDB, '`leveled`, policy `adoc`', 'adoc'),
    'vsst-paper': policy(
        'leveldb', PAPERS, MEMTABLE, "`vsst` by the paper's rule", 'vsst-paper'
    ),
    'vsst': policy('leveldb', VSST, MEMTABLE, '`vsst`', 'vsst'),
}
# Of the other loads the paper has figures of these, and of Run A also one of ADOC's.
FEWER = {
    'load-a-zipfian': (PEER, 'leveled', 'vsst-paper'),
    'load-a-pareto': (PEER, 'leveled', 'vsst-paper'),
    'run-a': (PEER, 'leveled', 'adoc', 'vsst-paper'),
}
CAUSE = '4 GB in one region, not 70 in four; 2 cores; Lull\'s store'


def better(row, figure, than, says, number, source, cause=''):
    """By how much vLSM is better than another store: the paper says "up to"."""
    what = {'write_p99': 'p99 of writes', 'read_p99': 'p99 of reads', 'stalled': 'stalls'}[figure]
    text = f'`{row}`: {what}, `{than}` to `vsst-paper`'
    says, goal = f'up to {says}', about(number)
    return Claim(text, source, says, (row,), figure, than, 'vsst-paper', goal, cause=cause)


def bytes_to(row, who, source, says, number, cause=''):
    text = f'`{row}`: bytes written, `{who}` to `{PEER}`'
    goal = about(number)
    return Claim(text, source, says, (row,), 'amplification', who, PEER, goal, cause=cause)


PAPER = Paper(
    'vlsm',
    'Xanthakis and others: vLSM',
    rows,
    {
        name: [CONTENDERS[who] for who in FEWER.get(name, CONTENDERS)]
        for name in LOADS
    },
    [
        Scenario(
            'vlsm-load-a',
            '100,000 inserts/s over four regions (figures 1 and 8)',
            3600,
            20,
            ['stalled', 'amplification', 'chain', 'chain_max'],
        ),
        Scenario(
            'vlsm-pairs',
            'the same, with the paper\'s pairs of S_M and Φ (figures 9(a) and 13(a))',
            3600,
            20,
            ['amplification', 'chain', 'chain_max'],
        ),
    ],
    [
        better('load-a', 'write_p99', PEER, '5.2 ×', 5.2, '§1', CAUSE),
        better('load-a', 'write_p99', 'adoc', '1.99 ×', 1.99, '§1', CAUSE),
        better('load-a', 'stalled', PEER, '2.5 ×', 2.5, 'abstract'),
        better('run-a', 'write_p99', PEER, '4.8 ×', 4.8, '§1', CAUSE),
        better('run-a', 'write_p99', 'adoc', '2.13 ×', 2.13, '§1', CAUSE),
        better('run-a', 'read_p99', PEER, '12.5 ×', 12.5, '§6.3, figure 12', CAUSE),
        *(
            bytes_to(row, 'vsst-paper', '§6.3, figure 13(c)', '1 ×', 1)
            for row in ('load-a', 'load-a-zipfian', 'load-a-pareto')
        ),
        bytes_to('load-a', 'adoc', '§6.1', '1.8 ×', 1.8),
        bytes_to('vlsm-load-a', 'adoc', '§6.1', '1.8 ×', 1.8),
        bytes_to('vlsm-pairs', 'rocksdb+vsst-8-32-1', '§6.3, figure 13(a)', '1 ×', 1),
        Claim(
            'chain, `rocksdb` to `rocksdb+vsst-8-32-1`',
            '§1',
            'up to 10 ×',
            ('vlsm-pairs',),
            'chain',
            'rocksdb',
            'rocksdb+vsst-8-32-1',
            about(10),
        ),
    ],
    ('write_p99', 'read_p99', 'amplification'),
    {
        'load-a': [
            Picture(TIME_SERIES, 'throughput and p99'),
            Picture(LEVELS + 'leveled', 'what compactions move on each level (figure 2(a))'),
            Picture(LEVELS + "vsst by the paper's rule", 'the same with `vsst`'),
        ]
    },
)
