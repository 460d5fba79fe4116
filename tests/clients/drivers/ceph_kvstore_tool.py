#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs all commands of ceph-kvstore-tool on the store of a new Ceph monitor.

    ceph_kvstore_tool.py DEBIAN_FOLDER FOLDER
"""

import os
import random
import sys

from ceph_cluster import Cluster
from checks import Checks, Failure, empty_folder, expect, expect_same

SEED = 301
ENTRIES = 30


class Tool:
    """Ceph's tool on one store, and the store's expected content."""

    def __init__(self, cluster, store):
        self.cluster = cluster
        self.store = store
        self.values = {}  # by prefix and key; those that this script set
        self.file = os.path.join(cluster.folder, 'value')

    def __call__(self, *command):
        return self.cluster.kvstore(self.store, *command)

    def set(self, prefix, key, value):
        with open(self.file, 'wb') as file:
            file.write(value)
        self('set', prefix, key, 'in', self.file)
        self.values[prefix, key] = value

    def check_values(self):
        for (prefix, key), value in self.values.items():
            self('get', prefix, key, 'out', self.file)
            with open(self.file, 'rb') as file:
                expect(file.read() == value, f'{prefix} {key} has another value')

    def check_list(self):
        found = {tuple(line.split('\t')[:2]) for line in self('list') if '\t' in line}
        ours = {(prefix, key) for prefix, key in found if prefix.startswith('tool')}
        expect_same('keys', set(self.values), ours)
        expect(('monitor', 'magic') in found, 'what ceph-mon wrote is not listed')


def main():
    debian, folder = sys.argv[1:]
    cluster = Cluster(debian, empty_folder(folder), ['a'])
    tool = Tool(cluster, cluster.store('a'))
    copy = Tool(cluster, os.path.join(folder, 'copy.db'))
    rng = random.Random(SEED)
    checks = Checks()
    with checks('ceph-mon makes the store'):
        cluster.make()
    with checks('set and get'):
        for number in range(ENTRIES):
            size = rng.choice([1, 100, 5000, 300_000])
            tool.set(f'tool{number % 3}', f'key{number:04d}', rng.randbytes(size))
        tool('set', 'tool0', 'version', 'ver', '7')
        tool.values['tool0', 'version'] = b'\7' + bytes(7)
        tool.check_values()
    with checks('list'):
        tool.check_list()
    with checks('exists'):
        tool('exists', 'tool0', 'key0000')
        try:
            tool('exists', 'tool0', 'no such key')
        except Failure:
            pass
        else:
            raise Failure('a key exists that was never set')
    with checks('rm and rm-prefix'):
        tool('rm', 'tool0', 'version')
        tool('rm-prefix', 'tool2')
        tool.values = {key: value for key, value in tool.values.items()
                       if key[0] != 'tool2' and key[1] != 'version'}  # fmt: skip
        tool.check_list()
    with checks('compact, compact-prefix and compact-range'):
        tool('compact')
        tool('compact-prefix', 'tool0')
        tool('compact-range', 'tool1', 'key0000', 'key0010')
        tool.check_values()
    with checks('store-copy'):
        tool('store-copy', copy.store, '16', 'leveldb')
        copy.values = tool.values
        copy.check_list()
        copy.check_values()
    with checks('list-crc of both'):
        expect_same('checksums', tool('list-crc'), copy('list-crc'))
    with checks('destructive-repair'):
        copy('destructive-repair')
        copy.check_list()
        copy.check_values()
    with checks('stats'):
        expect(any('db_statistics' in line for line in tool('stats')), 'there are no statistics')
    checks.exit()


if __name__ == '__main__':
    main()
