#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of the scripts that run tests: what they count as failed, and as not run.

usage: runners_test.py SOURCE
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True

SOURCE = sys.argv.pop(1)
SHELL = shutil.which('sh')
DAY = 86400


def load(name):
    path = os.path.join(SOURCE, 'tests', name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


run, long = load('run'), load('long')


def case(name, status, inside=''):
    return f'<testcase name="{name}" time="0" status="{status}">{inside}</testcase>'


def skipped(reason):
    return f'<skipped message="{reason}"/>'


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write(f'#!{SHELL}\n{text}\n')
        os.chmod(path, 0o755)


class RunTest(FolderTest):
    """tests/run, with stand-ins for ctest and tests/platforms."""

    def call(self, build, code, cases=()):
        """Returns how tests/run ends, and what it prints, if a step ends with `code`."""
        def step(command, log, progress, **more):
            if '--output-junit' in command:
                with open(command[command.index('--output-junit') + 1], 'w') as file:
                    file.write(f'<testsuite>{"".join(cases)}</testsuite>')
                return code, ''
            return code if build == 'platforms' else 0, ''

        out = io.StringIO()
        with mock.patch.multiple(run, ROOT=self.folder, run_step=step), \
                contextlib.redirect_stdout(out):
            ended = run.main([build, '--no-install'])
        return ended, out.getvalue()

    def test_a_test_without_its_program_has_failed(self):
        missing = case('db_test/0', 'notrun', skipped('Unable to find executable'))
        ended, said = self.call('asan', 8, [case('lint', 'run'), missing])
        self.assertEqual(ended, 1)
        self.assertIn('1 tests failed out of 2', said)
        self.assertIn('asan: db_test/0 (Failed)', said)

    def test_a_test_that_skips_itself_has_not_failed(self):
        skips = case('compat/clients', 'notrun', skipped('SKIP_RETURN_CODE=77'))
        ended, said = self.call('asan', 0, [case('lint', 'run'), skips])
        self.assertEqual(ended, 0)
        self.assertIn('0 tests failed out of 1', said)

    def test_ctest_that_fails_without_a_failed_test_is_a_failure(self):
        ended, said = self.call('asan', 8, [case('lint', 'run')])
        self.assertEqual(ended, 1)
        self.assertIn('asan: ctest ended with 8 (Failed)', said)

    def test_platforms_that_cannot_run_have_neither_passed_nor_failed(self):
        for code, ended, counted in ((0, 0, '0 tests failed out of 1'),
                                     (1, 1, '1 tests failed out of 1'),
                                     (77, 0, '0 tests failed out of 0')):
            got, said = self.call('platforms', code)
            self.assertEqual(got, ended)
            self.assertIn(counted, said)
            self.assertEqual('platforms: there is no emulator' in said, code == 77)


class LongTest(FolderTest):
    """tests/long."""

    def test_it_runs_where_fixed_addresses_are_refused(self):
        part = long.Part('', '', '', lambda seed: ['/bin/echo', '3 units'], {},
                         re.compile(r'(\d+) units'), '')
        for code in 0, 1:
            self.program('setarch', f'[ {code} = 0 ] || exit 1; shift 2; exec "$@"')
            self.program('true', 'exit 0')
            with mock.patch.dict(os.environ, PATH=self.folder):
                prefix = long.fixed_addresses()
                self.assertEqual(bool(prefix), code == 0)
                self.assertEqual(long.run_once(part, 1, self.folder, prefix), (3, ''))


class PlatformsTest(FolderTest):
    """tests/platforms on a machine without emulators."""

    def setUp(self):
        super().setUp()
        for name in ('bash', 'env', 'dirname', 'nproc'):
            os.symlink(shutil.which(name), os.path.join(self.folder, name))
        self.program('cmake', 'exit 0')
        self.program('date', f'[ "$1" = +%s ] && echo $((20001 * {DAY}))')

    def call(self, *arguments):
        command = [os.path.join(SOURCE, 'tests', 'platforms'), '--no-install', *arguments]
        return subprocess.run(command, env={'PATH': self.folder}, stdout=subprocess.PIPE,
                              text=True, check=False)

    def test_without_an_emulator_it_says_so(self):
        done = self.call('--quick')
        self.assertEqual(done.returncode, 77, done.stdout)
        for platform in ('arm64', 's390x', 'windows'):
            self.assertIn(f'| {platform} | not run | not run | not run |', done.stdout)

    def test_commits_select_the_turn_and_the_day_if_there_is_no_history(self):
        for git, platform in (('echo 3', 'arm64'), ('echo 4', 's390x'), ('echo 5', 'windows'),
                              ('echo 1', 'arm64'), ('exit 128', 'arm64')):
            self.program('git', git)
            said = self.call('--quick', '--turn').stdout
            self.assertEqual(said.count('| not run | not run |'), 1, said)
            self.assertIn(f'| {platform} |', said)


if __name__ == '__main__':
    unittest.main()
