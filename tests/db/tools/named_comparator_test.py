#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the program lull on a store whose comparator it does not have.

usage: named_comparator_test.py LULL
"""
import json
import os

from files import files_of, log_of, log_record
from program import ProgramTest, main
from tables import internal_key, sized, table_of, varint

NAME = ('--comparator-name', 'test.descending')


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
