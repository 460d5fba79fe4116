#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the program lull on a store whose comparator it does not have.

usage: named_comparator_test.py LULL
"""
import json
import os
import subprocess

from files import files_of, log_of, log_record
from program import LULL, ProgramTest, main, writer_of
from tables import internal_key, sized, table_of, varint

NAME = ('--comparator-name', 'test.descending')
BYTEWISE = ('--comparator-name', 'leveldb.BytewiseComparator')


def descending_store(folder):
    """A store of two L1 tables in descending order, and a log."""
    os.mkdir(folder)
    edit = varint(1) + sized(b'test.descending') + b'\2\7\3\12\4\11\11\0'
    for number, entries in ((5, [(internal_key(b'd', 2), b'd2'), (internal_key(b'c', 1), b'c1')]),
                            (6, [(internal_key(b'b', 3), b'b3'), (internal_key(b'a', 4), b'a4')])):
        content = table_of([entries])
        with open(os.path.join(folder, f'{number:06}.ldb'), 'wb') as file:
            file.write(content)
        edit += (b'\7\1' + varint(number) + varint(len(content)) + sized(entries[0][0]) +
                 sized(entries[-1][0]))
    for name, content in (('MANIFEST-000003', log_of(edit)), ('CURRENT', b'MANIFEST-000003\n'),
                          ('000007.log', log_record(9, 'c', 'c9'))):
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(content)


class NamedComparatorTest(ProgramTest):
    def setUp(self):
        super().setUp()
        descending_store(self.store)

    def test_a_store_in_another_order(self):
        for command in 'check', 'stats', 'levels', 'scan':
            self.fails(1, command, self.store,
                       stderr='was written with comparator test.descending')
        report = json.loads(self.ok('--json', 'check', self.store, *NAME))
        self.assertEqual((report['tables'], report['entries'], report['damage']), (2, 4, []))
        self.assertIn('2 tables', self.ok('stats', self.store, *NAME))
        self.assertIn('d .. c', self.ok('levels', self.store, *NAME))
        self.assertEqual(sorted(self.ok('scan', self.store, *NAME).split()),
                         'a a4 b b3 c c9 d d2'.split(' '))
        self.assertEqual(self.ok('scan', '--prefix', 'c', self.store, *NAME), 'c\tc9\n')
        self.fails(1, 'scan', '--reverse', self.store, *NAME)
        self.fails(1, 'backup', 'create', self.store, self.store + '-backups', *NAME,
                   stderr='entries in its logs')
        os.truncate(os.path.join(self.store, '000007.log'), 0)
        self.ok('backup', 'create', self.store, self.store + '-backups', *NAME)
        self.ok('backup', 'restore', self.store + '-backups', self.store + '-copy')
        self.assertIn('4 entries', self.ok('check', self.store + '-copy', *NAME))

    def test_a_scan_reads_the_files_of_its_start(self):
        store = self.store + '-bytewise'
        value = 'v' * 100_000  # more than a pipe takes
        self.ok('put', '--create', store, 'a', value)
        self.ok('checkpoint', store, store + '-1')  # makes a table of the log
        self.ok('put', store, 'b', value)
        self.ok('checkpoint', store, store + '-2')
        self.ok('put', store, 'c', 'in the log')
        before = set(os.listdir(store))
        with subprocess.Popen([LULL, 'scan', store, *BYTEWISE], stdout=subprocess.PIPE,
                              bufsize=0) as scan:
            output = scan.stdout.read(1)  # the scan prints its first entry, and waits
            self.ok('compact', store)
            kept = before & set(os.listdir(store))
            self.assertEqual([name for name in kept if name.endswith(('.ldb', '.log'))], [])
            while more := scan.stdout.read(65536):
                output += more
            self.assertEqual(scan.wait(60), 0)
        self.assertEqual(sorted(output.decode().splitlines()),
                         [f'a\t{value}', f'b\t{value}', 'c\tin the log'])

    def test_a_store_that_another_process_writes(self):
        options = {**os.environ, 'LULL_OPTIONS': 'memtable_bytes=256K'}  # many flushes
        for i in range(10):  # young stores: while a scan reads all entries, the writer adds more
            store, found = f'{self.store}-{i}', set()
            with writer_of(store, '--value-bytes=20000', env=options):
                for _ in range(3):
                    keys = set(self.ok('scan', '--keys-only', store, *BYTEWISE).split())
                    self.assertLessEqual(found, keys)  # the writer deletes nothing
                    found = keys

    def test_a_missing_file_is_damage(self):
        rest = {'000005.ldb': 'a a4 b b3 c c9', '000007.log': 'a a4 b b3 c c1 d d2'}
        for name, entries in rest.items():
            path = os.path.join(self.store, name)
            os.rename(path, path + '.away')
            self.assertEqual(self.fails(4, 'scan', self.store, *NAME, stderr=name).stdout, '')
            done = self.fails(4, 'scan', '--keep-going', self.store, *NAME, stderr=name)
            self.assertEqual(sorted(done.stdout.split()), entries.split())
            os.rename(path + '.away', path)

    def test_repair_leaves_a_store_in_another_order_alone(self):
        before = files_of(self.store)
        for name in 'CURRENT', 'MANIFEST-000003':
            os.remove(os.path.join(self.store, name))
            self.fails(1, 'repair', self.store, stderr='comparator')
            after = files_of(self.store)
            self.assertTrue(all(after[name] == before[name] for name in after
                                if name not in ('LOCK', 'LOG', 'LOG.old')))


if __name__ == '__main__':
    main()
