#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs all commands with an output that is full, or that nobody reads.

usage: output_test.py LULL LEVELDBUTIL
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

from program import LULL, ProgramTest, main

LEVELDBUTIL = os.path.abspath(sys.argv[2])

# The arguments of each command. S is a store; B has a backup of it, and D does not exist.
STORED_SCAN = 'scan S --comparator-name leveldb.BytewiseComparator'
PRINTING = ['stats S', 'levels S', 'check S', 'get S k0', 'scan S', 'scan S --keys-only',
            STORED_SCAN, 'repair --dry-run S', 'repair S', 'repair --from-lost S', 'compact S',
            'checkpoint S D', 'backup create S B', 'backup list B', 'backup verify B',
            'backup restore B D', 'backup prune B --keep 1', 'manifest dump S',
            'bench D --entries 10', 'options', 'options l0_stop', 'completion bash', 'top --once S',
            'export S --listen 127.0.0.1:0', 'which P']
SILENT = ['put S k0 v', 'delete S k0']
MESSAGE = 'cannot write output: No space left on device\n'


def run(*command, **more):
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                          **more)


class OutputTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.paths = {name: os.path.join(self.folder, name) for name in 'SBD'}
        self.paths['P'] = str(os.getpid())
        for i in range(5):
            self.ok('put', '--create', self.paths['S'], f'k{i}', 'v' * 100_000)
        self.ok('compact', self.paths['S'])
        self.ok('put', self.paths['S'], 'in a log', 'v')
        self.ok('backup', 'create', self.paths['S'], self.paths['B'])

    def to_full_device(self, *command):
        if not os.path.exists('/dev/full'):
            self.skipTest('only Linux has /dev/full')
        with open('/dev/full', 'wb') as full:
            return run(*command, stdout=full)

    def arguments(self, line):
        return [self.paths.get(word, word) for word in line.split()]

    def test_every_command_tells_that_its_output_is_incomplete(self):
        for line in PRINTING:
            for more in [], ['--json']:
                done = self.to_full_device(LULL, *more, *self.arguments(line))
                if 'was built without' in done.stderr:
                    continue
                last_line = done.stderr.splitlines(keepends=True)[-1:]  # repair tells its steps
                self.assertEqual((done.returncode, last_line), (1, ['lull: ' + MESSAGE]), line)
                shutil.rmtree(self.paths['D'], ignore_errors=True)
        for line in SILENT:
            self.assertEqual(self.to_full_device(LULL, *self.arguments(line)).returncode, 0, line)

    def test_no_command_is_left_out(self):
        def commands(*parents):
            text = self.ok(*parents, '--help')
            return re.findall(r'^  ([a-z]+) +[A-Z]', text[text.index('\nSubcommands:\n'):], re.M)

        known = [line.split() for line in PRINTING + SILENT]
        for command in commands():
            self.assertIn(command, [words[0] for words in known])
        for group in 'backup', 'manifest':
            for command in commands(group):
                self.assertIn([group, command], [words[:2] for words in known])

    def test_what_is_no_json(self):
        for line in '--help', '--version', 'scan --help', 'options --help', 'get --raw S k0':
            done = self.to_full_device(LULL, *self.arguments(line))
            self.assertEqual((done.returncode, done.stderr), (1, 'lull: ' + MESSAGE), line)

    def test_another_failure_keeps_its_exit_code(self):
        done = self.to_full_device(LULL, '--json', 'get', self.paths['S'], 'missing')
        self.assertEqual((done.returncode, done.stderr), (3, 'lull: ' + MESSAGE))

    def test_a_reader_that_leaves_is_no_error(self):
        for ignores, code in (False, -signal.SIGPIPE), (True, 1):
            for line in 'scan S', '--json scan S', 'get S k0', STORED_SCAN:
                handler = signal.SIG_IGN if ignores else signal.SIG_DFL
                with subprocess.Popen([LULL, *self.arguments(line)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, restore_signals=False,
                                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, handler)
                                      ) as lull:
                    self.assertTrue(lull.stdout.read(1))
                    lull.stdout.close()
                    self.assertEqual(lull.stderr.read(), b'', line)
                self.assertEqual(lull.returncode, code, line)

    def test_leveldbutil(self):
        manifest, = glob.glob(os.path.join(self.paths['S'], 'MANIFEST-*'))
        log = max(glob.glob(os.path.join(self.paths['S'], '*.log')), key=os.path.getsize)
        for file in manifest, log:
            done = self.to_full_device(LEVELDBUTIL, 'dump', file)
            self.assertEqual((done.returncode, done.stderr), (1, 'leveldbutil: ' + MESSAGE))


if __name__ == '__main__':
    main()
