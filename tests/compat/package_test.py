#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Installs Lull into an empty directory, and builds programs that find it as users' programs do.

usage: package_test.py CMAKE SOURCE BUILD DROP_IN_FOLDER CC CXX

Configures the drop-in again, but takes its library from DROP_IN_FOLDER, where this build made it
from the same objects.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE, BUILD, DROP_IN, CC, CXX = sys.argv[1:]


def cached(folder, name):
    with open(os.path.join(folder, 'CMakeCache.txt'), encoding='utf-8') as cache:
        return re.search(rf'^{name}:\w+=(.*)$', cache.read(), re.M)[1]


# The other builds use this one's generator: there may be no make.
os.environ['CMAKE_GENERATOR'] = cached(BUILD, 'CMAKE_GENERATOR')

PROGRAM = r'''
#include <cstdio>
#include <memory>
#include <string>
#include "leveldb/db.h"
#ifdef WITH_LULL
#include "lull/lull.h"
#endif
int main(int argc, char** argv) {
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* raw = nullptr;
  if (argc != 2 || !leveldb::DB::Open(options, argv[1], &raw).ok()) return 1;
  std::unique_ptr<leveldb::DB> db(raw);
  std::string value;
  if (!db->Put(leveldb::WriteOptions(), "key", "value").ok()) return 2;
#ifdef WITH_LULL
  if (!lull::Flush(raw).ok()) return 3;
#endif
  if (!db->Get(leveldb::ReadOptions(), "key", &value).ok() || value != "value") return 4;
  std::puts("it works");
}
'''
PROJECT = '''
cmake_minimum_required(VERSION 3.16)
project(consumer CXX)
set(CMAKE_CXX_STANDARD 17)
%s
add_executable(consumer main.cc)
target_compile_definitions(consumer PRIVATE %s)
target_link_libraries(consumer PRIVATE %s)
'''


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=100, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f'{" ".join(command)} ended with {done.returncode}:\n{done.stdout}')
    return done.stdout


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = os.path.join(cls.folder.name, 'usual')
        run(CMAKE, '--install', BUILD, '--prefix', cls.prefix)
        cls.drop_in_prefix = os.path.join(cls.folder.name, 'drop_in')
        cls.install_drop_in()

    @classmethod
    def install_drop_in(cls):
        build = os.path.join(cls.folder.name, 'build')
        run(CMAKE, '-S', SOURCE, '-B', build, '-DLULL_DROP_IN=libleveldb.so.1d',
            '-DLULL_BUILD_TESTS=OFF', '-DLULL_BUILD_BENCHMARKS=OFF', '-DLULL_BUILD_TOOLS=ON',
            f'-DCMAKE_INSTALL_PREFIX={cls.drop_in_prefix}', f'-DCMAKE_CXX_COMPILER={CXX}',
            f'-DCMAKE_C_COMPILER={CC}')
        for library in glob.glob(os.path.join(DROP_IN, 'libleveldb.so*')):
            shutil.copy(library, build, follow_symlinks=False)
        for component in 'runtime', 'dev', 'licences':  # not the programs, which are not built
            run(CMAKE, '--install', build, '--component', component)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def expect_it_works(self, program, **environment):
        said = run(program, os.path.join(self.work, 'store'), env={**os.environ, **environment})
        self.assertEqual(said, 'it works\n')

    def build_with_cmake(self, find, definition, target, *options):
        self.write('main.cc', PROGRAM)
        self.write('CMakeLists.txt', PROJECT % (find, definition, target))
        build = os.path.join(self.work, 'build')
        run(CMAKE, '-S', self.work, '-B', build, f'-DCMAKE_CXX_COMPILER={CXX}', *options)
        run(CMAKE, '--build', build)
        return os.path.join(build, 'consumer')

    def flags(self, prefix, package):
        folder, = glob.glob(os.path.join(prefix, '**', 'pkgconfig'), recursive=True)
        env = dict(os.environ, PKG_CONFIG_PATH=folder)
        return run('pkg-config', '--cflags', '--libs', package, env=env).split()

    def test_find_package_lull(self):
        for prefix in self.prefix, self.drop_in_prefix:
            program = self.build_with_cmake('find_package(lull 0.1 REQUIRED)', 'WITH_LULL',
                                            'lull::lull', f'-DCMAKE_PREFIX_PATH={prefix}',
                                            '--fresh')
            self.expect_it_works(program)

    def test_another_minor_version_is_another_interface(self):
        for version in '0.0', '0.2', '1.0':
            with self.assertRaisesRegex(AssertionError, 'version: 0.1'):
                self.build_with_cmake(f'find_package(lull {version} REQUIRED)', 'WITH_LULL',
                                      'lull::lull', f'-DCMAKE_PREFIX_PATH={self.prefix}', '--fresh')

    def test_licences_are_installed(self):
        for name, text in ('LICENSE', 'The Lull Authors'), ('NOTICE', 'The LevelDB Authors'):
            path, = glob.glob(os.path.join(self.prefix, 'share', 'doc', '*', name))
            with open(path, encoding='utf-8') as file:
                self.assertIn(text, file.read())

    def test_find_package_leveldb(self):
        program = self.build_with_cmake('find_package(leveldb 1.23 REQUIRED)', 'PLAIN',
                                        'leveldb::leveldb',
                                        f'-DCMAKE_PREFIX_PATH={self.drop_in_prefix}')
        self.expect_it_works(program)
        self.assertIn(f'libleveldb.so.1d => {self.drop_in_prefix}', run('ldd', program))

    def test_pkg_config(self):
        source = self.write('main.cc', PROGRAM)
        program = os.path.join(self.work, 'program')
        run(CXX, '-std=c++17', '-DWITH_LULL', source, '-o', program,
            *self.flags(self.prefix, 'lull'))
        self.expect_it_works(program)
        for package in 'leveldb', 'lull':
            run(CXX, '-std=c++11', source, '-o', program,
                *self.flags(self.drop_in_prefix, package))
            library, = glob.glob(os.path.join(self.drop_in_prefix, '**', 'libleveldb.so'),
                                 recursive=True)
            self.expect_it_works(program, LD_LIBRARY_PATH=os.path.dirname(library))

    def test_add_subdirectory(self):
        # Configures, and builds only one layer: this build has compiled the rest already.
        self.write('main.cc', PROGRAM)
        # Also by the names that users of LevelDB's folder link.
        add = (f'add_subdirectory({SOURCE} lull)\n'
               'target_compile_definitions(leveldb PRIVATE FROM_THE_PROJECT)\n'
               'set_target_properties(leveldb PROPERTIES FOLDER deps)')
        self.write('CMakeLists.txt', PROJECT % (add, 'WITH_LULL', 'lull::lull leveldb::leveldb'))
        build = os.path.join(self.work, 'build')
        run(CMAKE, '-S', self.work, '-B', build, f'-DCMAKE_CXX_COMPILER={CXX}',
            '-DCMAKE_CXX_FLAGS=-fno-exceptions -fno-rtti')
        commands = run(CMAKE, '--build', build, '--target', 'lull_scheduler', '--verbose')
        self.assertIn('-DFROM_THE_PROJECT', commands)
        targets = run(CMAKE, '--build', build, '--target', 'help')
        self.assertIn('lull_scheduler', targets)
        for unwanted in 'util_test', 'db_bench', 'lull_tool':
            self.assertNotIn(unwanted, targets)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, 'liblull.a')), 'needs the archive')
    def test_in_the_place_of_leveldb(self):
        # As for LevelDB's folder. The archive is this build's: it has the same objects.
        build, prefix = os.path.join(self.work, 'leveldb'), os.path.join(self.work, 'prefix')
        run(CMAKE, '-S', SOURCE, '-B', build, '-DLEVELDB_BUILD_TESTS=OFF',
            f'-DHAVE_SNAPPY={cached(BUILD, "LULL_SNAPPY")}',
            f'-DHAVE_ZSTD={cached(BUILD, "LULL_ZSTD")}',
            f'-DLULL_ZLIB={cached(BUILD, "LULL_ZLIB")}', f'-DCMAKE_INSTALL_PREFIX={prefix}',
            f'-DCMAKE_INSTALL_LIBDIR={prefix}/lib', f'-DCMAKE_CXX_COMPILER={CXX}',
            f'-DCMAKE_C_COMPILER={CC}')
        for part in 'TESTS', 'BENCHMARKS', 'TOOLS':
            self.assertEqual(cached(build, f'LULL_BUILD_{part}'), 'OFF')
        shutil.copy(os.path.join(BUILD, 'liblull.a'), os.path.join(build, 'libleveldb.a'))
        run(CMAKE, '--install', build)
        self.assertEqual(sorted(os.listdir(prefix)), ['include', 'lib', 'share'])
        self.expect_it_works(self.build_with_cmake(
            'find_package(leveldb 1.23 REQUIRED)', 'PLAIN', 'leveldb::leveldb',
            f'-DCMAKE_PREFIX_PATH={prefix}'))
        program = os.path.join(self.work, 'program')
        run(CXX, '-std=c++11', os.path.join(self.work, 'main.cc'), '-o', program,
            *self.flags(prefix, 'leveldb'))
        self.expect_it_works(program)

    def test_programs(self):
        programs = os.path.join(self.prefix, 'bin')
        self.assertIn('lull 0.', run(os.path.join(programs, 'lull'), '--version'))
        self.assertEqual(sorted(os.listdir(programs)), ['leveldbutil', 'lull'])
        for path in ('share/man/man1/lull.1', 'share/bash-completion/completions/lull',
                     'share/zsh/site-functions/_lull', 'share/fish/vendor_completions.d/lull.fish'):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, path)), path)

    def test_leveldbutil_loads_the_library_of_its_installation(self):
        # Only the drop-in build is shared, and its programs are not built: read what it would set.
        script = os.path.join(self.folder.name, 'build', 'cmake_install.cmake')
        with open(script, encoding='utf-8') as file:
            self.assertIn(r'NEW_RPATH "\$ORIGIN/../lib', file.read())

    def test_headers(self):
        def headers(folder):
            return sorted(os.path.relpath(path, folder) for path in
                          glob.glob(os.path.join(folder, '**', '*.h'), recursive=True))

        expected = headers(os.path.join(SOURCE, 'include'))
        self.assertIn('leveldb/helpers/memenv.h', expected)
        for prefix in self.prefix, self.drop_in_prefix:
            self.assertEqual(headers(os.path.join(prefix, 'include')), expected)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
