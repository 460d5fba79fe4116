# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The stores of the comparisons."""

import collections

# Name on the command line, title in tables, program, and the flags that select the store.
Store = collections.namedtuple('Store', 'name title program flags', defaults=[()])
PROFILE = '--rocksdb_profile='
STORES = {
    store.name: store
    for store in (
        Store('lull', 'Lull', 'db_bench'),
        Store('leveldb', 'LevelDB', 'db_bench_leveldb'),
        Store('rocksdb', 'RocksDB', 'db_bench_rocksdb'),
        Store('rocksdb-matched', 'RocksDB match', 'db_bench_rocksdb', [PROFILE + 'matched']),
        Store('rocksdb-autotuned', 'RocksDB auto', 'db_bench_rocksdb', [PROFILE + 'autotuned']),
        Store('rocksdb-tuned', 'RocksDB tuned', 'db_bench_rocksdb', [PROFILE + 'tuned']),
    )
}


def in_turn(items, begin):
    """All items, beginning with number `begin`, so that drift does not always hit the same one."""
    begin %= len(items)
    return [*items[begin:], *items[:begin]]
