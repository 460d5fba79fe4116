#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests what happens before a driver measures: finding Python, installing packages, building,
starting programs.

apt, dpkg and cmake are stand-ins; nothing is installed or built.
"""

import os
import subprocess
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True

from scripts import ROOT, FolderTest, load_script  # noqa: E402  (also finds benchmarks/ modules)
from drivers import running  # noqa: E402
from drivers.common import Failure  # noqa: E402

compare = load_script('compare')

INSTALL_DEPS = os.path.join(ROOT, 'cmake', 'install-deps')
TOOLS = ['cmake', 'c++', 'ninja', 'python3']
# dpkg-query: everything is installed except $MISSING. apt-cache: knows everything except $UNKNOWN.
DPKG = 'case " $MISSING " in *" $3 "*) exit 1 ;; esac; echo installed'
APT_CACHE = '[ "$2" != "$UNKNOWN" ]'
APT = """echo "$*" >>"$FOLDER/apt"
case " $* " in *" $UNKNOWN "*) exit 100 ;; esac"""


class InstallDepsTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ('sh', 'env', 'cat', 'mktemp', 'rm', 'tail', 'dirname'):
            os.symlink(f'/usr/bin/{name}', os.path.join(self.folder, name))
        self.program('id', 'echo 0')

    def program(self, name, text='exit 0'):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write(f'#!/bin/sh\n{text}\n')
        os.chmod(path, 0o755)

    def apt(self):
        self.program('dpkg-query', DPKG)
        self.program('apt-get', APT)
        self.program('apt-cache', APT_CACHE)

    def run_in_folder(self, *command, missing='', unknown='nothing'):
        env = {'PATH': self.folder, 'FOLDER': self.folder, 'MISSING': missing, 'UNKNOWN': unknown}
        return subprocess.run(command, env=env, stderr=subprocess.PIPE, text=True)

    def install(self, *purposes, **packages):
        return self.run_in_folder(INSTALL_DEPS, *purposes, **packages)

    def calls(self):
        """What apt-get was called with."""
        path = os.path.join(self.folder, 'apt')
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return file.read().splitlines()

    def test_silent_and_without_apt_if_nothing_is_missing(self):
        self.apt()
        done = self.install()
        self.assertEqual((done.returncode, done.stderr, self.calls()), (0, '', []))

    def test_installs_and_names_what_a_purpose_lacks(self):
        self.apt()
        missing = 'libgflags-dev clang python3-matplotlib'
        done = self.install('benchmarks', missing=missing)
        self.assertEqual(done.stderr, 'install-deps: installing python3-matplotlib libgflags-dev\n')
        self.assertRegex(self.calls()[0], 'no-install-recommends python3-matplotlib libgflags-dev$')
        done = self.install('tests-all', missing=missing)
        self.assertEqual(done.stderr, 'install-deps: installing clang libgflags-dev\n')

    def test_a_package_that_the_distribution_lacks_is_named(self):
        self.apt()
        unknown = 'librocksdb-dev'
        done = self.install(missing=f'clang {unknown}', unknown=unknown)
        self.assertEqual(done.returncode, 0)
        self.assertIn('apt knows no package librocksdb-dev', done.stderr)
        self.assertTrue(self.calls()[-1].endswith('recommends clang'), self.calls())

    def test_without_apt_it_says_what_is_needed_and_goes_on_if_the_tools_are_there(self):
        done = self.install()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'tools: g\+\+ cmake .*\n.*libraries: libsnappy-dev ')
        for tool in TOOLS:
            self.program(tool)
        self.assertEqual(self.install().returncode, 0)

    def test_without_root_it_says_what_to_run(self):
        self.apt()
        self.program('id', 'echo 1000')
        done = self.install(missing='clang')
        self.assertEqual(done.returncode, 1)
        self.assertIn('sudo apt-get install clang\n', done.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_driver_says_that_python_is_missing(self):
        for flag in '--no-install', '--help':
            done = self.run_in_folder(os.path.join(ROOT, 'benchmarks', 'compare'), flag)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(
                done.stderr,
                'compare: no python3 (Debian: python3); '
                'cmake/install-deps python installs it\n',
            )


class PrepareTest(FolderTest):
    def call(self, *arguments):
        options = compare.read_options([*arguments])
        options.results = self.folder
        return compare.Comparison(options)

    def test_no_build_with_nothing_built_names_the_flag(self):
        with mock.patch.object(running, 'BUILD', self.folder):
            with self.assertRaisesRegex(Failure, 'db_bench is missing .*: omit --no-build to'):
                self.call('--no-build').begin()

    def test_a_missing_tool_is_named(self):
        with mock.patch.dict(os.environ, PATH=self.folder):
            with self.assertRaisesRegex(Failure, '^cmake is missing: cmake/install-deps'):
                self.call('--no-install').begin()

    def test_a_store_that_cannot_be_built_is_left_out(self):
        said = '-- No RocksDB (Debian: librocksdb-dev), so no db_bench_rocksdb\n'
        steps = mock.Mock(return_value=(0, said))
        call = self.call('--stores=lull,rocksdb,rocksdb-tuned', '--no-install')
        with mock.patch.object(running, 'run_step', steps):
            with mock.patch('os.access', return_value=True), mock.patch('builtins.print') as out:
                call.begin()
        self.assertEqual(call.options.stores, ['lull'])
        self.assertTrue(any('librocksdb-dev' in call.args[0] for call in out.call_args_list))
        self.assertEqual(steps.call_args_list[-1].args[0][-2:], ['--target', 'db_bench'])


class RunTest(unittest.TestCase):
    def test_a_stock_program_does_not_get_another_library(self):
        swaps = {'LD_LIBRARY_PATH': '/drop-in', 'LD_PRELOAD': ''}
        printed = ['sh', '-c', 'echo "${LD_LIBRARY_PATH-unset} ${LD_PRELOAD-unset}"']
        with mock.patch.dict(os.environ, swaps):
            self.assertEqual(running.run_db_bench(printed, print), ['unset unset'])
            # benchmarks/tune starts a user's program, which may need them.
            self.assertEqual(running.run_command(printed, {}, 60, print)[0], ['/drop-in '])


if __name__ == '__main__':
    unittest.main()
