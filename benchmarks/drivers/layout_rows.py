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

# A layout of Lull with its options, or another store (options None).
Row = collections.namedtuple('Row', 'name store options')


def make_rows(table_sizes, phis):
    """The rows by name, in the order of the table."""
    rows = [
        Row('leveled', 'lull', 'layout=leveled'),
        Row("leveled, LevelDB's cuts", 'lull', 'layout=leveled;align_outputs=false'),
        Row('leveled, by overlap', 'lull', 'layout=leveled;pick_by_overlap=true'),
    ]
    for size in table_sizes:
        for phi in phis:
            options = f'layout=vsst;table_bytes_max={size};vsst_phi={phi};pick_by_overlap=true'
            rows.append(Row(f'vsst, S_M {size_text(size)}, Φ {phi}', 'lull', options))
    rows.append(Row('RocksDB', 'rocksdb', None))
    return {row.name: row for row in rows}
