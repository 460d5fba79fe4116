# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The data sets of benchmarks/layouts, and the rows of their tables."""

import collections

from drivers.command_line import size_text

# keys: their number at --scale=1. flags: db_bench's flags for a load.
Data = collections.namedtuple('Data', 'name title keys flags')
DATA = {
    d.name: d
    for d in (
        Data('uniform', 'drawn uniformly', 20_000_000, []),
        Data('zipfian', 'drawn from a Zipfian distribution (0.99)', 5_000_000, ['--keys=zipfian']),
        Data('pareto', 'drawn as those of the mixgraph', 5_000_000, ['--keys=mixgraph']),
    )
}
ENTRY_BYTES = 216

# A layout of Lull with its options and memtables, or another store (options None).
Row = collections.namedtuple('Row', 'name store options memtable_bytes')

# The vLSM paper's sizes of S_M in MiB, each with the Φ that gives the same size of L2.
PAPERS_PAIRS = ((64, 4), (32, 8), (16, 16), (8, 32), (4, 64))


def vsst_row(size, phi, memtable_bytes, more=''):
    options = f'layout=vsst;table_bytes_max={size};vsst_phi={phi};pick_by_overlap=true{more}'
    return Row(f'vsst, S_M {size_text(size)}, Φ {phi}', 'lull', options, memtable_bytes)


def make_rows(table_sizes, phis, memtable_bytes, papers):
    """The rows by name, in the order of the table. `papers`: the vsst rows have the paper's pairs
    of S_M and Φ, memtables of S_M, and one table of L0 a job."""
    rows = [
        Row(name, 'lull', options, memtable_bytes)
        for name, options in (
            ('leveled', 'layout=leveled'),
            ("leveled, LevelDB's cuts", 'layout=leveled;align_outputs=false'),
            ('leveled, by overlap', 'layout=leveled;pick_by_overlap=true'),
        )
    ]
    if papers:
        one = ';vsst_l0_tables_max=1'
        rows += [vsst_row(s << 20, phi, s << 20, one) for s, phi in PAPERS_PAIRS]
    else:
        rows += [vsst_row(s, phi, memtable_bytes) for s in table_sizes for phi in phis]
    rows.append(Row('RocksDB', 'rocksdb', None, None))
    return {row.name: row for row in rows}
