#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs `lull top` and `lull export` on stores that other processes write, and on what is no store.

usage: watch_test.py LULL
"""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
import unittest
import urllib.error
import urllib.request

import program
from program import LULL, ProgramTest, main, writer_of

LIVE_STATES = ('ok', 'slowed', 'STOPPED', 'disk low')

# Pure Python, so Debian's also serves another interpreter.
sys.path.append('/usr/lib/python3/dist-packages')
try:
    import pyte
except ImportError:
    pyte = None


def lull(*arguments, **more):
    done = program.lull(*arguments, stdin=subprocess.DEVNULL, **more)
    if 'was built without' in done.stderr:
        raise unittest.SkipTest(done.stderr.strip())
    return done


class Terminal:
    """A process on a pseudo-terminal of the given size."""

    def __init__(self, arguments, lines=24, columns=80, term='xterm'):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
        self.process = subprocess.Popen([LULL, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env={**os.environ, 'TERM': term})
        os.close(slave)
        self.output = b''
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)

    def read(self):
        """Returns False at the end of the output."""
        ready, _, _ = select.select([self.master], [], [], 60)
        assert ready, f'no more output after a minute: {self.output!r}'
        try:
            more = os.read(self.master, 65536)
        except OSError:  # the process ended
            more = b''
        self.output += more
        self.stream.feed(more)
        if b'was built without' in self.output:
            raise unittest.SkipTest(self.output.decode().strip())
        return more != b''

    def await_text(self, text):
        deadline = time.monotonic() + 60
        while text not in '\n'.join(self.screen.display):
            assert self.read(), f'ended without {text}: {self.output!r}'
            assert time.monotonic() < deadline, f'no {text}: {self.screen.display}'

    def type(self, keys):
        os.write(self.master, keys.encode())

    def await_end(self):
        while self.read():
            pass
        return self.process.wait(60)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


class WatchTest(ProgramTest):
    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    @contextlib.contextmanager
    def busy_store(self, name='store', stats_file='lull.prom'):
        """A store that a process writes, and that is not closed at the end: the process crashes."""
        store = self.path(name)
        options = f'stats_file={stats_file};latency_histograms=true'
        with writer_of(store, await_name=self.stats_path(store, stats_file),
                       env={**os.environ, 'LULL_OPTIONS': options}):
            yield store

    @staticmethod
    def stats_path(store, stats_file):
        if stats_file != 'auto':
            return os.path.join(store, stats_file)
        name = store.replace('%', '%25').replace('-', '%2D').replace('/', '-')
        return f'/dev/shm/lull{name}.prom'

    def error_line(self, *arguments, code=1):
        done = lull(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ''), done.stderr)
        self.assertRegex(done.stderr, r'^lull: [^\n]*\n$')
        return done.stderr

    # ---- the option

    def test_the_file_is_removed_at_the_close(self):
        os.mkdir(self.path('store'))
        done = lull('put', '--create', self.path('store'), 'k', 'v',
                    env={**os.environ, 'LULL_OPTIONS': 'stats_file=lull.prom'})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('lull.prom', os.listdir(self.path('store')))

    def test_top_finds_the_file_in_memory(self):
        with self.busy_store(stats_file='auto') as store:
            self.assertNotIn('lull.prom', os.listdir(store))
            row = json.loads(lull('--json', 'top', store).stdout)
            self.assertEqual((row['store'], row['state'] in LIVE_STATES), (store, True), row)
            self.addCleanup(os.remove, row['file'])

    # ---- top --once

    def test_top_of_one_store(self):
        with self.busy_store() as store:
            row = json.loads(lull('--json', 'top', store).stdout)
            self.assertIn(row['state'], LIVE_STATES)
            self.assertEqual(row['store'], store)
            self.assertGreater(row['writes_per_sec'], 0)
            self.assertGreater(row['written_bytes_per_sec'], row['writes_per_sec'])
            self.assertGreater(row['latency']['write']['p50_us'], 0)
            done = lull('top', '--once', store)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0], store)
            self.assertTrue(lines[1].startswith('policy lull, open for '), lines)
            self.assertLessEqual(max(map(len, lines[1:])), 80)

    def test_top_of_a_folder_in_which_one_store_crashed(self):
        with self.busy_store('alive'):
            with self.busy_store('crashed'):
                pass
            done = lull('top', self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            heading, alive, crashed = done.stdout.splitlines()
            self.assertTrue(heading.startswith('STORE '), heading)
            self.assertRegex(alive, rf'alive .* ({"|".join(LIVE_STATES)})$')
            self.assertRegex(crashed, r'crashed not updated for \d+ s$')

    def test_top_without_a_store(self):
        self.assertIn('none: no such file or directory', self.error_line('top', self.path('none')))
        foreign = self.write('foreign.prom', '# HELP node_load1 1m load average.\n')
        store = self.path('store')
        self.assertEqual(lull('put', '--create', store, 'k', 'v').returncode, 0)
        for path, message in ((foreign, 'is not a stats file of Lull'),
                              (store, 'no stats file in this store'),
                              (self.write('empty.prom', ''), 'is empty'),
                              (self.write('cut.prom', '# HELP lull_uptime_s'), 'cut short')):
            done = lull('top', '--once', path)
            self.assertEqual((done.returncode, done.stderr), (1, ''), path)
            self.assertIn(message, done.stdout)
            state = json.loads(lull('top', '--json', path).stdout)['state']
            self.assertIn(message, state)

    # ---- top on a terminal

    @contextlib.contextmanager
    def top(self, *arguments, **size):
        if pyte is None:  # without it, text that the terminal moves to its place is not readable
            self.skipTest('no pyte (Debian: python3-pyte)')
        terminal = Terminal(['top', *arguments], **size)
        try:
            yield terminal
        finally:
            terminal.close()

    def test_top_on_a_terminal(self):
        with self.busy_store('a'), self.busy_store('b'), self.top(self.folder) as terminal:
            terminal.await_text('/b ')
            lines = terminal.screen.display
            self.assertRegex(lines[0], r'^lull top   2 stores by name ')
            self.assertRegex(lines[1], '^STORE .* STATE')
            self.assertIn('/a ', lines[2])
            self.assertIn('/b ', lines[3])
            self.assertEqual(''.join(lines[4:]).strip(), '')
            terminal.type('s')
            terminal.await_text('by writes')
            terminal.type('\n')
            terminal.await_text('slowdown ')
            terminal.await_text('p99.9')
            lines = terminal.screen.display
            self.assertTrue(lines[2].startswith('policy lull, open for '), lines)
            self.assertTrue(lines[9].startswith('LEVEL '), lines)
            self.assertTrue(lines[23].startswith('stop '), lines)
            terminal.type('q')
            self.assertEqual(terminal.await_end(), 0)

    def test_top_on_a_tiny_terminal(self):
        with self.busy_store() as store:
            for lines, columns in (1, 1), (5, 20), (60, 250):
                with self.top(store, lines=lines, columns=columns) as terminal:
                    terminal.await_text('l')
                    terminal.type('\n')
                    terminal.type('q')
                    self.assertEqual(terminal.await_end(), 0)

    def test_top_on_an_unknown_terminal(self):
        with self.busy_store() as store, self.top(store, term='nonsense') as terminal:
            self.assertEqual(terminal.await_end(), 1)
            self.assertIn(b'TERM=nonsense is unknown', terminal.output)

    # ---- export

    @contextlib.contextmanager
    def export(self, *arguments):
        """Yields the page's address and the process."""
        lull('export', self.path('none'))  # skips the test if this build has no server
        server = subprocess.Popen([LULL, 'export', *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        try:
            yield server.stdout.readline().strip(), server
        finally:
            server.kill()
            server.communicate()

    @staticmethod
    def get(url):
        with urllib.request.urlopen(url, timeout=60) as page:
            return page.headers['Content-Type'], page.read().decode()

    def test_export(self):
        with self.busy_store('a') as store:
            with self.busy_store('crashed'):
                pass
            self.write('cut.prom', '# HELP lull_uptime_s')
            with self.export(self.folder, '--listen=127.0.0.1:0') as (url, server):
                self.assertRegex(url, r'^http://127\.0\.0\.1:\d+/metrics$')
                kind, text = self.get(url)
                self.assertEqual(kind, 'text/plain; version=0.0.4; charset=utf-8')
                names = re.findall(r'^# TYPE (\w+) ', text, re.M)
                self.assertEqual(len(names), len(set(names)))
                series = re.findall(r'^(\w+\{.*\}) \S+$', text, re.M)
                self.assertEqual(len(series), len(set(series)))
                self.assertEqual(len(text.splitlines()), len(series) + 2 * len(names))
                for line in (f'lull_uptime_seconds{{store="{store}"}} ',
                             f'lull_stats_file_age_seconds{{store="{store}"}} ',
                             f'lull_user_written_entries_total{{store="{self.path("crashed")}"}} ',
                             f'lull_stats_file_up{{file="{store}/lull.prom"}} 1\n',
                             f'lull_stats_file_up{{file="{self.path("cut.prom")}"}} 0\n'):
                    self.assertIn(f'\n{line}', text)
                self.assertEqual(self.get(url)[1].count('cut.prom'), 1)
                with self.assertRaises(urllib.error.HTTPError):
                    self.get(url + '/none')
                self.assertIn('/metrics', self.get(url[:-len('metrics')])[1])
                server.kill()
                complaints = server.communicate()[1].splitlines()
                self.assertEqual(len(complaints), 1, complaints)
                self.assertIn('cut.prom: line 1: cut short', complaints[0])

    def test_export_tells_the_age_of_backups(self):
        store, backups = self.path('store'), self.path('backups', 'of_store')
        self.assertEqual(lull('put', '--create', store, 'k', 'v').returncode, 0)
        os.mkdir(self.path('backups'))
        series = f'\nlull_last_backup_timestamp_seconds{{directory="{backups}"}} '
        with self.export(self.path('backups'), '--listen=127.0.0.1:0') as (url, _):
            self.assertNotIn('last_backup', self.get(url)[1])
            for _ in range(2):
                made = json.loads(lull('--json', 'backup', 'create', store, backups).stdout)
                self.assertIn(f'{series}{made["unix_seconds"]}\n', self.get(url)[1])
            shutil.rmtree(backups)
            self.assertIn(f'{series}{made["unix_seconds"]}\n', self.get(url)[1])

    def test_export_waits_for_stores(self):
        with self.export(self.folder, '--listen=127.0.0.1:0') as (url, _):
            self.assertNotIn('lull_uptime_seconds', self.get(url)[1])
            with self.busy_store():
                self.assertIn('lull_uptime_seconds', self.get(url)[1])

    def test_export_refuses(self):
        with self.export(self.folder, '--listen=127.0.0.1:0') as (url, _):
            address = url.split('/')[2]
            text = self.error_line('export', self.folder, f'--listen={address}')
            self.assertIn(f'--listen={address}: cannot listen: Address already in use; '
                          'choose another address or port', text)
        self.assertIn('none: no such file or directory',
                      self.error_line('export', self.path('none')))
        for wrong in '9464', 'localhost', '127.0.0.1:x':
            text = self.error_line('export', self.folder, '--listen', wrong, code=2)
            self.assertIn(f'--listen={wrong}: ', text)
        self.assertIn('cannot listen',
                      self.error_line('export', self.folder, '--listen=192.0.2.1:9464'))

    def test_export_to_other_machines_warns(self):
        with self.export(self.folder, '--listen=0.0.0.0:0') as (url, server):
            self.assertTrue(url)
            self.assertIn('other machines can read the metrics', server.stderr.readline())


if __name__ == '__main__':
    main()
