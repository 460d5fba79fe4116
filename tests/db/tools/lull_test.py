#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the program lull as users and scripts do.

usage: lull_test.py LULL
"""
import contextlib
import glob
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess

import tables
from files import files_of, log_record
from program import LULL, ProgramTest, lull, main, writer_of


class LullTest(ProgramTest):
    def lines(self, *arguments):
        return [json.loads(line) for line in self.ok('--json', *arguments).splitlines()]

    def fill(self, entries=20):
        self.ok('put', '--create', self.store, 'k00', 'v0')
        for i in range(1, entries):
            self.ok('put', self.store, f'k{i:02}', f'v{i}')

    def log(self):
        """The newest one."""
        return max(glob.glob(os.path.join(self.store, '*.log')))

    def table(self):
        return min(glob.glob(os.path.join(self.store, '*.ldb')))

    def manifest(self):
        path, = glob.glob(os.path.join(self.store, 'MANIFEST-*'))
        return path

    def damage(self, path, at):
        with open(path, 'r+b') as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 0xff]))

    # ---- entries ----

    def test_put_get_delete(self):
        self.fails(1, 'put', self.store, 'a', '1')
        self.ok('put', '--create', '--sync', self.store, 'a', '1')
        self.assertEqual(self.ok('get', self.store, 'a'), '1\n')
        self.assertEqual(self.lines('get', self.store, 'a'), [{'key': 'a', 'value': '1'}])
        self.ok('delete', '--sync', self.store, 'a')
        done = lull('get', self.store, 'a')
        self.assertEqual((done.returncode, done.stdout), (3, ''))
        self.assertIn('no key a', done.stderr)
        done = self.fails(3, '--json', 'get', self.store, 'a')
        self.assertIn('no key a', json.loads(done.stdout)['error'])

    def test_any_bytes(self):
        self.ok('put', '--create', self.store, r'\x00\\x\xff', r'\xc3\xa4 \x5c')
        self.assertEqual(self.ok('scan', self.store), '\\x00\\\\x\\xff\t\\xc3\\xa4 \\\\\n')
        self.assertEqual(self.ok('--hex', 'get', self.store, '005C78ff'), 'c3a4205c\n')
        for text in 'a\\', r'\x0', r'\n', r'\xgg':
            self.fails(1, 'get', self.store, text, stderr='cannot decode it')
        self.fails(1, '--hex', 'get', self.store, '0')

    def test_scan(self):
        self.fill()
        keys = [line['key'] for line in self.lines('scan', self.store)]
        self.assertEqual(keys, [f'k{i:02}' for i in range(20)])

        def scan(*options):
            return self.ok('scan', '--keys-only', self.store, *options).split()

        self.assertEqual(scan('--from', 'k18'), ['k18', 'k19'])
        self.assertEqual(scan('--to', 'k02'), ['k00', 'k01'])
        self.assertEqual(scan('--from', 'k05', '--to', 'k07'), ['k05', 'k06'])
        self.assertEqual(scan('--prefix', 'k1', '--limit', '2'), ['k10', 'k11'])
        self.assertEqual(scan('--prefix', 'k1', '--from', 'k18'), ['k18', 'k19'])
        self.assertEqual(scan('--prefix', 'j'), [])
        self.assertEqual(scan('--reverse', '--prefix', r'\xff\xff'), [])
        self.assertEqual(scan('--reverse', '--limit', '2'), ['k19', 'k18'])
        self.assertEqual(scan('--reverse', '--prefix', 'k0', '--limit', '2'), ['k09', 'k08'])
        self.assertEqual(scan('--reverse', '--from', 'k01', '--to', 'k03'), ['k02', 'k01'])
        self.assertEqual(scan('--reverse', '--to', 'z', '--limit', '1'), ['k19'])
        self.assertEqual(scan('--limit', '0'), [])
        self.assertEqual(self.ok('scan', self.store, '--limit', '1'), 'k00\tv0\n')

    # ---- read-only commands ----

    def test_reading_changes_nothing_and_needs_no_lock(self):
        self.fill()
        self.ok('compact', self.store)
        self.ok('put', self.store, 'k20', 'in the log')
        before = files_of(self.store)
        busy = self.store + '-busy'
        with writer_of(busy):
            for store in self.store, busy:
                self.ok('stats', store)
                self.ok('levels', store)
                self.ok('manifest', 'dump', store)
                self.ok('scan', '--limit', '10', store)
            self.fails(1, 'put', busy, 'a', 'b', stderr='lock')
        self.ok('check', self.store)
        self.assertEqual(self.ok('get', self.store, 'k20'), 'in the log\n')
        self.assertEqual(files_of(self.store), before)

    def test_a_log_that_is_being_written_is_not_damage(self):
        for name in 'abcd':  # a young store reads little but its log
            with writer_of(self.store + name):
                for _ in range(10):
                    done = lull('check', self.store + name)
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_stats_and_levels(self):
        self.fill()
        self.ok('compact', self.store)
        stats, = self.lines('stats', self.store)
        self.assertEqual(stats['tables'], 1)
        self.assertEqual(stats['last_sequence'], 20)
        self.assertEqual(stats['table_bytes'], os.path.getsize(self.table()))
        self.assertEqual(sum(level['tables'] for level in stats['levels']), 1)
        self.assertRegex(self.ok('stats', self.store), r'^1 tables with \d+ B, ')
        table, = self.lines('levels', self.store)
        self.assertEqual((table['smallest'], table['largest']), ('k00', 'k19'))
        self.assertIn('k00 .. k19', self.ok('levels', self.store))

    def test_levels_tell_what_deletions_hide(self):
        self.fill()
        self.ok('compact', self.store)
        for key in 'k00', 'k01':
            self.ok('delete', self.store, key)
            self.ok('checkpoint', self.store, f'{self.store}-{key}')  # makes a table of the log
        tables = self.lines('levels', self.store)
        self.assertEqual([(table['entries'], table['deletions']) for table in tables],
                         [(1, 1), (1, 1), (20, 0)])
        upper, lower = re.findall(r'^L\d: .*$', self.ok('levels', self.store), re.M)
        self.assertRegex(upper, r'^L0: 2 tables, \d+ B; about 0 values, 2 deletions$')
        self.assertRegex(lower, r'^L\d: 1 tables, \d+ B; about 20 values, 0 deletions; '
                                r'deletions hide \d+ B$')
        self.damage(self.table(), os.path.getsize(self.table()) - 1)
        self.assertIn('not readable', self.ok('levels', self.store))

    def test_manifest_dump(self):
        self.fill(3)
        self.ok('compact', self.store)
        edits = self.lines('manifest', 'dump', self.store)
        self.assertEqual(edits[0]['comparator'], 'leveldb.BytewiseComparator')
        self.assertTrue(any('new_tables' in edit for edit in edits))
        path = self.manifest()
        self.assertEqual(self.ok('manifest', 'dump', path), self.ok('manifest', 'dump', self.store))
        self.fails(1, 'manifest', 'dump', self.store + '/none')
        self.damage(path, 20)
        self.fails(4, 'manifest', 'dump', path)

    # ---- damage ----

    def test_check_and_repair(self):
        self.fill()
        self.ok('compact', self.store)
        report, = self.lines('check', self.store)
        self.assertEqual((report['tables'], report['entries'], report['damage']), (1, 20, []))
        self.damage(self.table(), 10)
        self.fails(4, 'check', self.store, stdout=os.path.basename(self.table()))
        done = lull('--json', 'check', self.store)
        self.assertEqual((done.returncode, len(json.loads(done.stdout)['damage'])), (4, 1))
        self.fails(4, 'scan', self.store)
        before = files_of(self.store)
        done = lull('repair', '--dry-run', self.store)
        self.assertEqual((done.returncode, files_of(self.store)), (4, before))
        self.assertIn('keys from k00 to k19 can be missing or old', done.stdout)
        done = self.fails(4, 'repair', self.store)  # entries are lost
        self.assertIn('Repair', done.stderr)
        self.assertIn('originals in lost/', done.stdout)
        self.ok('check', self.store)
        self.ok('repair', self.store)  # nothing is damaged any more
        self.ok('repair', '--dry-run', self.store)
        self.assertIn('lost/', self.ok('stats', self.store))

    def damage_log(self, *entries):
        """Fills the store with k00 and k01, and appends a bad record and `entries` to its log."""
        self.fill(2)
        path = self.log()
        at = os.path.getsize(path)
        with open(path, 'ab') as file:
            for i, entry in enumerate([('bad', 'bad')] + list(entries)):
                file.write(log_record(3 + i, *entry))
        self.damage(path, at + 15)

    def lose(self, *entries):
        """The same, as after an open of a program that does not set paranoid_checks."""
        self.damage_log(*entries)
        path = self.log()
        lost = os.path.join(self.store, 'lost', os.path.basename(path))
        os.mkdir(os.path.dirname(lost))
        shutil.copy(path, lost)
        with open(lost + '.replayed', 'w', encoding='ascii') as file:
            file.write('2\n')
        with open(path, 'rb') as file:
            whole = file.read()
        os.truncate(path, whole.index(log_record(3, 'bad', 'bad')[7:15]) - 7)

    def from_lost(self):
        report, = self.lines('repair', '--from-lost', self.store)
        return [report[name] for name in ('restored', 'newer_in_store', 'maybe_deleted')]

    def entries(self):
        return self.ok('scan', self.store).split()

    def test_what_an_open_set_aside_is_put_back(self):
        self.lose(('k00', 'lost'), ('k01',), ('n1', 'lost'), ('n2', 'lost'), ('n2', 'lost2'))
        # These two writes reuse sequences of lost entries; that of n1 is lower than the lost one's.
        self.ok('put', self.store, 'x', 'x')
        self.ok('put', self.store, 'n1', 'newer')
        self.assertEqual(self.entries(), 'k00 v0 k01 v1 n1 newer x x'.split())
        self.assertEqual(self.from_lost(), [3, 1, 0])
        self.assertEqual(self.entries(), 'k00 lost n1 newer n2 lost2 x x'.split())
        self.assertEqual(self.from_lost()[0], 0)
        self.assertIn(' 0 entries restored', self.ok('repair', '--from-lost', self.store))
        self.assertEqual(self.entries(), 'k00 lost n1 newer n2 lost2 x x'.split())

    def test_a_dry_run_puts_nothing_back(self):
        self.lose(('n1', 'lost'))
        before = self.entries()
        self.fails(2, 'repair', '--dry-run', '--from-lost', self.store, stderr='excludes')
        self.assertEqual(self.entries(), before)

    def test_what_was_deleted_since_does_not_come_back(self):
        self.lose(('n1', 'lost'), ('n2', 'lost'))
        self.ok('delete', self.store, 'n1')
        self.assertEqual(self.from_lost(), [1, 1, 0])
        self.assertEqual(self.entries(), 'k00 v0 k01 v1 n2 lost'.split())

    def test_what_another_store_set_aside_is_refused(self):
        self.lose(('n1', 'lost'))
        self.ok('put', self.store, 'x', 'x')
        lost = os.path.join(self.store, 'lost')
        note, = [name for name in os.listdir(lost) if name.endswith('.replayed')]
        with open(os.path.join(lost, note), 'w', encoding='ascii') as file:
            file.write('1000\n')
        self.fails(1, 'repair', '--from-lost', self.store, stderr='another store')
        self.assertEqual(self.entries(), 'k00 v0 k01 v1 x x'.split())

    def test_nor_does_it_where_the_deletion_was_dropped(self):
        self.lose(('k01', 'lost'), ('n1', 'lost'), ('n2', 'lost'))
        self.ok('delete', self.store, 'n1')
        self.ok('compact', self.store)
        self.assertEqual(self.from_lost(), [1, 0, 2])
        self.assertEqual(self.entries(), 'k00 v0 k01 lost'.split())

    def test_nor_does_it_after_a_range_was_removed(self):
        self.lose(('k01', 'lost'), ('n1', 'lost'))
        self.ok('put', self.store, 'x', 'x')
        lost = os.path.join(self.store, 'lost')
        note, = [name for name in os.listdir(lost) if name.endswith('.replayed')]
        with open(os.path.join(lost, note), 'a', encoding='ascii') as file:
            file.write('removed\n')
        self.assertEqual(self.from_lost(), [1, 0, 1])
        self.assertEqual(self.entries(), 'k00 v0 k01 lost x x'.split())

    def lose_ingestion(self):
        """Fills the store with k00 and k01, and lost/ with a table that a lost edit ingested after
        them, and with the output of a compaction."""
        self.fill(2)
        lost = os.path.join(self.store, 'lost')
        os.mkdir(lost)
        for number, entries in (90, [('k00', 2), ('n1', 2)]), (91, [('n2', 1), ('n3', 2)]):
            path = os.path.join(lost, f'{number:06}.ldb')
            with open(path, 'wb') as file:
                file.write(tables.table_of([[
                    (tables.internal_key(key.encode(), sequence), b'lost')
                    for key, sequence in entries]]))
            with open(path + '.replayed', 'w', encoding='ascii') as file:
                file.write('2\n')

    def test_an_ingested_table_is_put_back(self):
        self.lose_ingestion()
        self.ok('put', self.store, 'x', 'x')
        self.assertEqual(self.from_lost(), [2, 0, 0])
        self.assertEqual(self.entries(), 'k00 lost k01 v1 n1 lost x x'.split())
        self.assertEqual(self.from_lost(), [0, 2, 0])

    def test_what_was_written_after_an_ingested_table_stays(self):
        self.lose_ingestion()
        self.ok('put', self.store, 'k00', 'newer')
        self.ok('delete', self.store, 'n1')
        self.assertEqual(self.from_lost(), [0, 2, 0])
        self.assertEqual(self.entries(), 'k00 newer k01 v1'.split())

    def test_an_ingested_table_stays_away_where_a_deletion_was_dropped(self):
        self.lose_ingestion()
        self.ok('delete', self.store, 'n1')
        self.ok('compact', self.store)
        self.assertEqual(self.from_lost(), [1, 0, 1])
        self.assertEqual(self.entries(), 'k00 lost k01 v1'.split())

    def test_what_a_repair_set_aside_is_not_put_back(self):
        self.damage_log(('n1', 'saved'))
        self.fails(4, 'repair', self.store)
        self.ok('delete', self.store, 'n1')
        self.assertEqual(self.from_lost(), [0, 0, 0])
        self.assertIn('2 files without a note', self.ok('repair', '--from-lost', self.store))
        self.assertEqual(self.entries(), 'k00 v0 k01 v1'.split())

    def test_a_damaged_log_is_an_error_of_every_command(self):
        self.damage_log(('k02', 'v2'))
        before = files_of(self.store)
        copy = self.store + '-copy'
        for command in (['scan', self.store], ['get', self.store, 'k00'], ['compact', self.store],
                        ['put', self.store, 'a', 'b'], ['delete', self.store, 'k00'],
                        ['checkpoint', self.store, copy], ['check', self.store],
                        ['backup', 'create', self.store, copy + '2']):
            self.fails(4, *command, either=os.path.basename(self.log()))
        after = files_of(self.store)
        for name in set(before) - {'LOG', 'LOG.old'}:
            self.assertEqual(after[name], before[name], name)
        done = lull('scan', '--keep-going', self.store)
        self.assertEqual((done.returncode, done.stdout), (4, 'k00\tv0\nk01\tv1\n'))
        self.assertIn('bad checksum', done.stderr)

    def test_keep_going_skips_damaged_blocks(self):
        self.fill(1)
        for i in range(1, 10):  # several blocks
            self.ok('put', self.store, f'k{i:02}', 'v' * 1000)
        self.ok('compact', self.store)
        self.assertEqual(len(self.lines('scan', '--keep-going', self.store)), 10)
        self.damage(self.table(), 10)
        done = self.fails(4, 'scan', '--keep-going', self.store, stdout='k09\t')
        self.assertNotIn('k00\t', done.stdout)
        check = json.loads(lull('--json', 'check', self.store).stdout)
        self.assertEqual((check['tables'], check['entries']), (0, done.stdout.count('\n')))

    def test_without_a_list_of_tables_check_reads_all_files(self):
        self.fill()
        self.ok('compact', self.store)
        self.ok('put', self.store, 'k20', 'in the log')
        os.remove(os.path.join(self.store, 'CURRENT'))
        for command in 'stats', 'levels', 'scan':
            done = lull(command, self.store)
            self.assertEqual((done.returncode, done.stdout), (4, ''), command)
            self.assertIn('lost its CURRENT; lull repair can rebuild it', done.stderr)
        done = self.fails(4, 'check', self.store, stdout='lost its CURRENT')
        self.assertRegex(done.stdout,
                         r'1 intact tables, 20 entries, 1 logs with \d records, 1 errors')
        self.assertIn(f'next: restore a backup, or lull repair {self.store}\n', done.stdout)
        self.assertNotIn('RepairDB', self.fails(4, 'repair', self.store).stderr)
        self.assertRegex(self.ok('check', self.store), r'note: lost/ has \d files with ')

    def test_check_tells_that_a_log_is_missing(self):
        self.fill(1)
        self.ok('check', self.store)
        os.remove(self.log())
        self.fails(4, 'check', self.store, stdout='is missing, but the MANIFEST names it')

    def test_a_damaged_first_record_of_the_manifest(self):
        self.fill(1)
        path = self.manifest()
        for at in 0, 20:
            self.damage(path, at)
            for command in 'stats', 'scan', 'check':
                done = self.fails(4, command, self.store, either='checksum')
                self.assertIn(os.path.basename(path), done.stdout + done.stderr)
            self.damage(path, at)

    def test_tables_in_lost_are_put_back(self):
        self.fill(3)
        self.ok('compact', self.store)
        lost = os.path.join(self.store, 'lost')
        os.mkdir(lost)
        other = self.store
        self.store += '-other'
        for _ in range(3):
            self.fill(1)
            self.ok('put', self.store, 'n', 'lost')
        self.ok('put', self.store, 'k01', 'lost')
        self.ok('compact', self.store)
        table = self.table()
        self.store = other
        shutil.copy(table, os.path.join(lost, '000900.ldb'))
        self.assertEqual(self.from_lost(), [0, 0, 0])  # no note
        with open(os.path.join(lost, '000900.ldb.replayed'), 'w', encoding='ascii') as file:
            file.write('3\n')
        self.assertEqual(self.from_lost(), [3, 0, 0])
        self.assertEqual(self.entries(), 'k00 v0 k01 lost k02 v2 n lost'.split())
        self.assertEqual(self.from_lost(), [0, 3, 0])

    def test_a_missing_table_is_damage(self):
        self.fill(3)
        self.ok('compact', self.store)
        os.remove(self.table())
        self.fails(4, 'check', self.store)
        self.fails(4, 'get', self.store, 'k00')

    def test_a_manifest_that_is_behind_is_damage(self):
        self.fill(3)
        self.ok('compact', self.store)
        log, = glob.glob(os.path.join(self.store, '*.log'))
        os.remove(log)
        manifest = self.manifest()
        self.damage(manifest, os.path.getsize(manifest) - 1)
        for command in 'check', 'scan', 'compact':
            self.fails(4, command, self.store, either=os.path.basename(manifest))

    def test_a_log_cut_short_is_none(self):
        self.fill(3)
        path = self.log()
        os.truncate(path, os.path.getsize(path) - 1)
        self.assertIn('cut short', self.ok('check', self.store))

    # ---- work ----

    def test_compact(self):
        self.fill()
        for i in range(19):
            self.ok('delete', self.store, f'k{i:02}')
        before = self.lines('compact', self.store)[0]
        self.assertGreater(before['bytes_after'], 0)
        self.assertEqual(self.lines('check', self.store)[0]['entries'], 1)

    def test_a_compaction_that_fails_is_an_error(self):
        for first in 0, 1:
            self.ok('put', '--create', self.store, f'k{first}', 'v' * 100_000)
            for i in range(2, 14, 2):
                self.ok('put', self.store, f'k{first + i:02}', 'v' * 100_000)
            self.ok('checkpoint', self.store, f'{self.store}-{first}')  # makes a table of the log
        before = self.lines('levels', self.store)
        self.assertEqual([table['level'] for table in before], [0, 0])  # so no compaction is due

        def allow_no_larger_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        done = lull('compact', self.store, preexec_fn=allow_no_larger_files)
        self.assertEqual((done.returncode, done.stdout), (1, ''), done.stderr)
        self.assertIn('File too large', done.stderr)
        self.assertEqual(self.lines('levels', self.store), before)
        self.ok('compact', self.store)
        self.assertEqual(len(self.lines('levels', self.store)), 1)

    def test_checkpoint(self):
        self.fill()
        copy = self.store + '-copy'
        done, = self.lines('checkpoint', self.store, copy)
        self.assertEqual(done['checkpoint'], copy)
        self.assertGreater(done['table_bytes'], 0)
        self.ok('put', self.store, 'k00', 'later')
        self.assertEqual(self.lines('check', copy)[0]['entries'], 20)
        self.assertEqual(self.ok('get', copy, 'k00'), 'v0\n')
        self.fails(1, 'checkpoint', self.store, copy)
        said = self.ok('checkpoint', self.store, copy + '2')
        self.assertRegex(said, r'-copy2: [\d.]+ (B|KiB) of')

    def test_backup(self):
        self.fill()
        self.ok('compact', self.store)
        backups, copy = self.store + '-backups', self.store + '-copy'
        before = files_of(self.store)
        first, = self.lines('backup', 'create', self.store, backups)
        self.assertEqual(files_of(self.store), before)
        self.assertEqual([first[name] for name in ('id', 'files', 'new_files')], [1, 1, 1])
        self.assertEqual(first['bytes'], os.path.getsize(self.table()))
        self.ok('put', self.store, 'k00', 'later')
        self.assertRegex(self.ok('backup', 'create', self.store, backups),
                         r'^backup 2  \d{4}-\d\d-\d\d .*  2 tables with .*, 1 new with \d+ B\n$')
        self.assertEqual(self.lines('backup', 'list', backups)[0], first)
        self.assertEqual([line['id'] for line in self.lines('backup', 'list', backups)], [1, 2])
        self.assertIn('2 backups, 2 intact tables', self.ok('backup', 'verify', backups))

        done, = self.lines('backup', 'restore', backups, copy, '--id', '1')
        self.assertEqual((done['id'], done['store'], done['files']), (1, copy, 1))
        self.assertEqual(self.ok('get', copy, 'k00'), 'v0\n')
        self.fails(1, 'backup', 'restore', backups, copy)
        self.ok('backup', 'restore', backups, copy + '2')
        self.assertEqual(self.ok('get', copy + '2', 'k00'), 'later\n')
        self.assertEqual(self.lines('check', copy + '2')[0]['damage'], [])

        self.ok('compact', self.store)
        self.ok('backup', 'create', self.store, backups)
        self.assertEqual(self.lines('backup', 'prune', backups, '--keep', '1')[0]['backups'], 2)
        self.assertEqual([line['id'] for line in self.lines('backup', 'list', backups)], [3])
        for arguments in (['create', self.store], ['prune', backups], ['verify'], [], ['frob']):
            self.fails(2, 'backup', *arguments)
        self.fails(1, 'backup', 'prune', backups, '--keep', '0')
        self.fails(1, 'backup', 'verify', backups, '--id', '1')
        self.fails(1, 'backup', 'list', self.store)

    def test_backup_damage(self):
        self.fill()
        backups = self.store + '-backups'
        self.ok('backup', 'create', self.store, backups)
        copy = sorted(os.listdir(os.path.join(backups, 'data')))[0]
        self.damage(os.path.join(backups, 'data', copy), 10)
        self.fails(4, 'backup', 'verify', backups, stdout=copy)
        done = lull('--json', 'backup', 'verify', backups, '--id', '1')
        self.assertEqual((done.returncode, len(json.loads(done.stdout)['damage'])), (4, 1))
        self.fails(4, 'backup', 'restore', backups, self.store + '-copy', stderr=copy)
        self.assertFalse(os.path.exists(self.store + '-copy'))
        self.damage(os.path.join(backups, 'backups', '000001'), 10)
        self.fails(4, 'backup', 'list', backups, stderr='000001')

    def test_backup_of_a_store_that_another_process_writes(self):
        backups = self.store + '-backups'
        with writer_of(self.store, '--sync') as writer:
            for i in range(1, 4):
                writer.send_signal(signal.SIGCONT)
                self.ok('backup', 'create', self.store, backups)
                writer.send_signal(signal.SIGSTOP)  # or the store grows faster than it is checked
                copy = f'{self.store}-copy{i}'
                self.ok('backup', 'restore', backups, copy)
                self.assertEqual(self.lines('check', copy)[0]['damage'], [])
        self.ok('backup', 'verify', backups)

    def test_bench(self):
        lines = self.lines('bench', self.store, '--entries', '5000', '--value-bytes', '50')
        self.assertEqual([line['what'] for line in lines], ['fill', 'overwrite', 'read'])
        for line in lines:
            self.assertEqual(line['operations'], 5000)
            self.assertLessEqual(line['p50_us'], line['p99_us'])
            self.assertLessEqual(line['p999_us'], line['max_us'])
        self.assertFalse(os.path.exists(self.store))
        self.fill(1)
        self.fails(1, 'bench', self.store)  # never on a store that is there
        self.assertEqual(self.ok('get', self.store, 'k00'), 'v0\n')

    def on_terminal(self, *arguments):
        """What the terminal shows as the standard error of the program."""
        master, slave = pty.openpty()
        done = subprocess.run([LULL, *arguments], stderr=slave, stdout=subprocess.PIPE, text=True,
                              timeout=60, check=True)
        os.close(slave)
        shown = b''
        with contextlib.suppress(OSError):  # all was read
            while part := os.read(master, 100_000):
                shown += part
        os.close(master)
        self.assertNotIn('%', re.sub(r'p99\.9|100 %', '', done.stdout))
        return shown.decode()

    def test_progress_is_for_people_at_terminals(self):
        self.fill()
        self.ok('compact', self.store)
        for form in [], ['--json']:
            copy, backups = [self.store + name + '.'.join(form) for name in ('copy', 'backups')]
            for what, command in (('checking tables', ['check', self.store]),
                                  ('repairing', ['repair', self.store]),
                                  ('compacting', ['compact', self.store]),
                                  ('writing tables', ['checkpoint', self.store, copy]),
                                  ('copying tables', ['backup', 'create', self.store, backups]),
                                  ('verifying tables', ['backup', 'verify', backups]),
                                  ('restoring tables', ['backup', 'restore', backups, copy + '2']),
                                  ('fill', ['bench', copy + '3', '--entries=2000'])):
                shown = self.on_terminal(*form, *command)
                if form:
                    self.assertEqual(shown, '', command)
                else:
                    self.assertRegex(shown, what + r': [\d.]+ \w+ of [\d.]+ \w+, \d+ %')

    def test_options(self):
        rows = self.lines('options')
        self.assertGreater(len(rows), 40)
        self.assertEqual([row['name'] for row in self.lines('options', 'l0_stop', 'policy')],
                         ['l0_stop', 'policy'])
        text = self.ok('options', 'memtable_bytes')
        self.assertIn('memtable_bytes = 0: write_buffer_size\n    bytes; 0, 64K .. 1G; set at open',
                      text)
        done = lull('options', 'l0_stopp')
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertIn('the nearest is l0_stop', done.stderr)

    # ---- the command line ----

    def test_help(self):
        self.assertRegex(self.ok('--version'), r'^lull \d+\.\d+\.\d+ ')
        self.assertIn('Exit codes', self.ok('--help'))


if __name__ == '__main__':
    main()
