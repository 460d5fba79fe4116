#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What `lull which` finds in running processes.

usage: which_test.py LULL [LIBRARY_OF_LEVELDB LIBRARY_OF_LULL]
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

from program import LULL, NOBODY, ProgramTest, lull, main

LIBRARIES = [os.path.abspath(path) for path in sys.argv[2:]]
LEVELDB = 'LevelDB, not Lull'
OWN = 'Lull [0-9.]+, commit [0-9a-z-]+'
BLOCK_BYTES = 1 << 20  # in which files are read
LOAD = ('import ctypes, sys; libraries = [ctypes.CDLL(path) for path in sys.argv[1:]]; '
        'print(flush=True); sys.stdin.read()')


def which(pid, *more, **settings):
    return lull('which', str(pid), *more, **settings)


class WhichTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)

    def start(self, *command):
        """A process that runs until its input ends."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.communicate)
        return process

    def program(self, contents, at):
        """A program of the system's that also contains these bytes."""
        path = os.path.join(self.folder, 'cat')  # can depend on its name
        shutil.copy(os.path.realpath(shutil.which('cat')), path)
        with open(path, 'r+b') as file:
            self.assertLess(file.seek(0, os.SEEK_END), at)
            file.seek(at)
            file.write(contents)
        return path

    def check(self, process, path, verdict, code, **settings):
        done = which(process.pid, **settings)
        line = f'{path}: {verdict}' if path else verdict
        self.assertEqual((done.stdout, done.stderr, done.returncode), (line + '\n', '', code))
        done = which(process.pid, '--json', **settings)
        self.assertEqual((json.loads(done.stdout), done.returncode),
                         ({'path': path, 'library': verdict}, code))

    def test_neither(self):
        self.check(self.start('cat'), None, 'none', 1)

    def test_lull_in_a_program(self):
        fifo = os.path.join(self.folder, 'fifo')
        os.mkfifo(fifo)  # the program waits for its writer
        process = self.start(LULL, 'manifest', 'dump', fifo)
        self.addCleanup(process.kill)
        done = which(process.pid)
        self.assertRegex(done.stdout, f'^{LULL}: {OWN}\n$')
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_marks_anywhere_in_a_program(self):
        for contents, verdict, code in ((b'leveldb.InternalKeyComparator', LEVELDB, 1),
                                        (b'@(#)Lull 9.9, commit a\0b', 'Lull 9.9, commit a', 0)):
            for before in 0, 1, 20, len(contents):
                path = self.program(contents, 2 * BLOCK_BYTES - before)
                process = self.start(path)
                self.check(process, path, verdict, code)
                process.communicate()

    @unittest.skipUnless(LIBRARIES, 'no libraries')
    def test_shared_libraries(self):
        leveldb, ours = map(os.path.realpath, LIBRARIES)
        for loaded, code in ([leveldb], 1), ([ours], 0), ([leveldb, ours], 1):
            process = self.start(sys.executable, '-c', LOAD, *loaded)
            process.stdout.readline()
            done = which(process.pid)
            found = [line.split(': ') for line in done.stdout.splitlines()]
            self.assertEqual([path for path, _ in found], sorted(loaded))
            for path, verdict in found:
                self.assertRegex(verdict, f'^({OWN if path == ours else LEVELDB})$')
            self.assertEqual((done.returncode, done.stderr), (code, ''))

    def test_a_removed_file_is_searched_or_named(self):
        path = self.program(b'leveldb.InternalKeyComparator', BLOCK_BYTES)
        process = self.start(path)
        os.remove(path)
        done = which(process.pid)
        self.assertEqual(done.returncode, 1)
        self.assertIn((done.stdout, done.stderr), (
            (f'{path} (deleted): {LEVELDB}\n', ''),
            ('', f'lull: IO error: {path} (deleted): cannot be read; try it as root\n')))

    def test_no_such_process(self):
        process = self.start('true')
        process.communicate()
        done = which(process.pid)
        message = f'NotFound: /proc/{process.pid}: no such process'
        self.assertEqual((done.stdout, done.stderr, done.returncode), ('', f'lull: {message}\n', 1))
        done = which(process.pid, '--json')
        self.assertEqual((json.loads(done.stdout), done.returncode), ({'error': message}, 1))
        for wrong in 'cat', '1.5':
            self.assertEqual(which(wrong).returncode, 2, wrong)

    def test_a_process_of_another_user(self):
        pid, settings = 1, {}
        if os.geteuid() == 0:
            pid, settings = self.start('cat').pid, {'user': NOBODY, 'extra_groups': []}
            os.chmod(self.folder, 0o755)
        elif os.stat('/proc/1').st_uid == os.geteuid():
            self.skipTest('no process of another user')
        try:
            done = which(pid, **settings)
        except PermissionError:
            self.skipTest('another user may not run the program here')
        self.assertEqual(
            (done.stdout, done.stderr, done.returncode),
            ('', f'lull: IO error: /proc/{pid}: Permission denied; try it as the process\'s user '
             'or as root\n', 1))


if __name__ == '__main__':
    main()
