#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the program lull on stores as Minecraft Bedrock writes them, with blocks of zlib.

Neither their writer nor the reader of what lull makes of them is Lull's. The game reads no other
compression, so lull must not write any.

usage: world_test.py LULL HAS_ZLIB
"""
import glob
import os
import struct
import sys
import unittest

from files import files_of, log_of
from program import ProgramTest, lull, main
from tables import (NONE, SNAPPY, ZLIB, ZLIB_RAW, Table, internal_key, sized, table_of, tables_in,
                    varint)

HAS_ZLIB = sys.argv[2] == '1'
BLOCKS, ENTRIES = 5, 40  # of a table; of a block
COMPARATOR = b'leveldb.BytewiseComparator'
# Level, key prefix and first sequence of each table. Keys of lower levels are newer.
TABLES = ((0, b'chunk', 5000), (0, b'chunk', 4000), (1, b'actor', 3000), (1, b'chunk', 2500),
          (2, b'chunk', 1000), (2, b'digp', 1))
COMMANDS = {
    'put': ['put STORE zz v', 'delete STORE zz'],
    'compact': ['compact STORE'],
    'checkpoint': ['checkpoint STORE COPY'],
    'repair': ['repair STORE'],
    'repair without MANIFEST': ['repair STORE'],
    'backup': ['backup create STORE BACKUPS', 'backup restore BACKUPS COPY', 'compact COPY'],
}
# A log that is not small for this memtable becomes a table when the store is opened.
os.environ['LULL_OPTIONS'] = 'memtable_bytes=64K'


def make_world(folder, kinds):
    """A store of six tables, of these compressions in turn, and a log. Returns its entries."""
    os.mkdir(folder)
    files = {'CURRENT': b'MANIFEST-000002\n'}
    newest = {}
    edit = varint(1) + sized(COMPARATOR) + b'\2\3\3' + varint(20) + b'\4' + varint(9000)
    for number, (level, prefix, first) in enumerate(TABLES):
        blocks = []
        for i in range(BLOCKS * ENTRIES):
            key = b'%s%04d' % (prefix, i * 3 + number % 2)
            value = b'%d of table %d, ' % (i, number) * 20
            newest.setdefault(key.decode(), value.decode())
            if i % ENTRIES == 0:
                blocks.append([])
            blocks[-1].append((internal_key(key, first + i), value))
        content = table_of(blocks, kinds[number % len(kinds)])
        files[f'{4 + len(TABLES) - number:06}.ldb'] = content
        edit += (b'\7' + varint(level) + varint(4 + len(TABLES) - number) + varint(len(content)) +
                 sized(blocks[0][0][0]) + sized(blocks[-1][-1][0]))
    files['MANIFEST-000002'] = log_of(edit)
    batch = struct.pack('<QI', 9001, ENTRIES)
    for i in range(ENTRIES):
        key, value = b'actor%04d' % i, b'%d of the log, ' % i * 20
        newest[key.decode()] = value.decode()
        batch += b'\1' + sized(key) + sized(value)
    files['000003.log'] = log_of(batch)
    for name, content in files.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(content)
    return ''.join(f'{key}\t{newest[key]}\n' for key in sorted(newest))


class WorldTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.places = {name: os.path.join(self.folder, name)
                       for name in ('STORE', 'COPY', 'BACKUPS')}
        self.store = self.places['STORE']

    def run_lines(self, command, flags=()):
        """Returns the store that has the result."""
        if command == 'repair without MANIFEST':
            os.remove(os.path.join(self.store, 'CURRENT'))
            os.remove(os.path.join(self.store, 'MANIFEST-000002'))
        for line in COMMANDS[command]:
            writes = '' if 'restore' in line else flags
            words = [self.places.get(word, word) for word in line.split()]
            done = lull(*words, *writes)
            self.assertIn(done.returncode, (0, 4), (words, done.stderr))  # 4: repair found damage
        return self.places['COPY' if os.path.exists(self.places['COPY']) else 'STORE']

    def expect_types(self, tables, kind):
        """The tables have blocks of this compression and none of another."""
        kinds = {each for content in tables for each in Table(content).types}
        self.assertIn(kind, kinds)
        self.assertLessEqual(kinds, {NONE, kind})


@unittest.skipUnless(HAS_ZLIB, 'a build without zlib')
class WithZlib(WorldTest):
    def test_commands_write_what_the_game_reads(self):
        for kinds in (ZLIB_RAW,), (ZLIB,), (ZLIB, ZLIB_RAW, NONE), (NONE, NONE, ZLIB_RAW):
            for command in COMMANDS:
                with self.subTest(f'{command} of {kinds}'):
                    self.setUp()
                    entries = make_world(self.store, kinds)
                    self.assertEqual(self.ok('scan', self.store), entries)
                    before = tables_in(self.store)
                    result = self.run_lines(command)
                    self.assertEqual(self.ok('scan', result), entries)
                    self.expect_types(tables_in(result) - before, max(kinds))

    def test_flags_choose_the_compression(self):
        for flag, kind in ('zlib', ZLIB), ('zlib-raw', ZLIB_RAW), ('snappy', SNAPPY), ('none', 0):
            self.setUp()
            entries = make_world(self.store, (ZLIB if kind == ZLIB_RAW else ZLIB_RAW,))
            before = tables_in(self.store)
            self.run_lines('compact', ['--compression=' + flag])
            self.expect_types(tables_in(self.store) - before, kind)
            self.assertEqual(self.ok('scan', self.store), entries)

    def test_damage_is_found_and_what_is_left_keeps_its_compression(self):
        make_world(self.store, (ZLIB_RAW,))
        name = max(glob.glob(os.path.join(self.store, '*.ldb')))
        with open(name, 'r+b') as file:
            file.seek(100)
            file.write(b'damage')
        self.fails(4, 'check', self.store,
                   either=os.path.basename(name) + ': at offset 0: block checksum mismatch')
        self.run_lines('repair')
        self.expect_types(tables_in(self.store), ZLIB_RAW)
        self.ok('check', self.store)


@unittest.skipIf(HAS_ZLIB, 'a build with zlib')
class WithoutZlib(WorldTest):
    def test_a_world_is_refused_and_not_changed(self):
        for kind in ZLIB, ZLIB_RAW:
            self.setUp()
            make_world(self.store, (kind,))
            before = files_of(self.store)
            for command in 'scan', 'repair', 'check':
                done = lull(command, self.store)
                self.assertNotEqual(done.returncode, 0, command)
                self.assertRegex(done.stdout + done.stderr,
                                 r'\.ldb: at offset \d+: needs zlib, and this Lull was built')
            for name, content in before.items():
                self.assertEqual(files_of(self.store).get(name), content, name)


if __name__ == '__main__':
    main()
