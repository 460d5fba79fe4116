#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the steps of the README and docs/examples/README.md, command by command. Compares the
metrics, statistics and options on the pages with a store's own.

usage: examples_test.py SOURCE BUILD DROP_IN_FOLDER CMAKE

The blocks marked "way" run unchanged, except that two commands are replaced. `cmake --workflow`
copies the results of BUILD and DROP_IN_FOLDER to the places where the build would put them.
`apt-get` only checks that cmake/install-deps installs the same packages. With LULL_DOCS_FRESH=1 in
the environment the real commands run, in a copy of SOURCE.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import markdown

SOURCE, BUILD, DROP_IN, CMAKE = sys.argv[1:]
PAGES = markdown.pages(SOURCE)
COMMANDS_MAX = 5
FRESH = os.environ.get('LULL_DOCS_FRESH') == '1'
PLYVEL_PYTHON = '/usr/bin/python3'  # Debian's plyvel is a module of Debian's Python
PLACE = None

STAND_IN_CMAKE = '''#!/bin/sh
case "$*" in
  "--workflow --preset install") exec {cmake} --install {build} --prefix "$PWD/build/prefix" ;;
  "--workflow --preset drop-in")
    mkdir -p build/drop-in && exec cp -P {drop_in}/libleveldb.so* build/drop-in ;;
  *) exec {cmake} "$@" ;;
esac
'''
STAND_IN_APT = '''#!/bin/sh
for word in "$@"; do
  case "$word" in
    install | update | -*) ;;
    *) grep -qwe "$word" {source}/cmake/install-deps ||
         {{ echo "cmake/install-deps lacks $word"; exit 1; }} ;;
  esac
done
'''


def lacks_plyvel():
    return subprocess.run([PLYVEL_PYTHON, '-c', 'import plyvel'], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0


def commands_of(text):
    lines = text.replace('\\\n', ' ').splitlines()
    return [line for line in lines if line.strip() and not line.startswith('#')]


class Workplace:
    """A directory that looks like a fresh copy of the sources."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, 'lull')
        if FRESH:
            shutil.copytree(SOURCE, self.path,
                            ignore=shutil.ignore_patterns('build', '.git', '.cache'))
        else:
            os.mkdir(self.path)
            for name in os.listdir(SOURCE):
                if name not in ('build', '.git'):
                    os.symlink(os.path.join(SOURCE, name), os.path.join(self.path, name))
        self.env = dict(os.environ)
        self.env.pop('LULL_OPTIONS', None)
        self.env.pop('LD_LIBRARY_PATH', None)
        programs = os.path.join(self.folder, 'bin')
        os.mkdir(programs)
        os.symlink(PLYVEL_PYTHON, os.path.join(programs, 'python3'))
        if not FRESH:
            self.program(programs, 'cmake',
                         STAND_IN_CMAKE.format(cmake=CMAKE, build=BUILD, drop_in=DROP_IN))
            self.program(programs, 'apt-get', STAND_IN_APT.format(source=SOURCE))
        self.env['PATH'] = programs + os.pathsep + self.env['PATH']

    @staticmethod
    def program(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run(self, text, timeout=100):
        done = subprocess.run(['bash', '-euo', 'pipefail', '-c', text], cwd=self.path,
                              env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=3000 if FRESH else timeout, check=False)
        if done.returncode != 0:
            raise AssertionError(f'{text}\nended with {done.returncode}:\n{done.stdout}')
        return done.stdout

    def remove(self):
        shutil.rmtree(self.folder)


def setUpModule():
    """All tests share one workplace, like one reader."""
    global PLACE
    PLACE = Workplace()
    unittest.addModuleCleanup(PLACE.remove)


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ways = {path: [block for block in PAGES[path].blocks if 'way' in block.marks]
                    for path in ('README.md', 'docs/examples/README.md')}

    def test_a_cmake(self):
        said = self.go('README.md', 0)
        self.assertRegex(said, r'on Lull\nvisit/000001 C\+\+\n$')

    def test_b_swap(self):
        said = self.go('README.md', 1)
        self.assertRegex(said, r'(?s)on LevelDB\nvisit/000001 C\+\+\n.*'
                               r'on Lull\nvisit/000001 C\+\+\nvisit/000002 C\+\+\n$')

    @unittest.skipIf(lacks_plyvel(), 'no plyvel (Debian: python3-plyvel)')
    def test_c_python(self):
        said = self.go('README.md', 2)
        self.assertRegex(said, r'on Lull\nvisit/000001 Python\n$')

    def go(self, path, number):
        block = self.ways[path][number]
        self.assertLessEqual(len(commands_of(block.text)), COMMANDS_MAX, block.where)
        return PLACE.run(block.text)

    def test_d_examples(self):
        self.assertEqual(len(self.ways['docs/examples/README.md']), 2)
        with_lull, swapped = self.ways['docs/examples/README.md']
        said = PLACE.run(with_lull.text)
        self.assertTrue(said.endswith('on Lull\nvisit/000001 C++\nvisit/000002 C\n'), said)
        text = swapped.text
        if lacks_plyvel():
            text = '\n'.join(line for line in text.splitlines() if 'python3' not in line)
        said = PLACE.run(text)
        self.assertRegex(said, r'(?s)on LevelDB\n.*visit/000003 C\+\+\n.*on Lull\n.*'
                               r'visit/000004 C\+\+\n')
        if not lacks_plyvel():
            self.assertTrue(said.endswith('visit/000004 C++\nvisit/000005 Python\n'), said)


    def test_e_expiry(self):
        def expiry(arguments):
            said = PLACE.run(f'build/examples/cpp/expiry build/expiring {arguments}')
            return said.splitlines()

        alice, bob = 'a: until 1010 alice', 'b: until 1090 bob'
        expired = [f'{count} expired entries are still in the store' for count in (0, 1)]
        self.assertEqual(expiry('1000 a 10 alice'), [alice, expired[0]] * 2)
        self.assertEqual(expiry('1000 b 90 bob'), [alice, bob, expired[0]] * 2)
        # All entries are in the deepest level, with nothing above them to compact.
        self.assertEqual(expiry('1010'), [bob, expired[1], bob, expired[0]])


class FactsTest(unittest.TestCase):
    """The names on the pages are those of a store."""

    @classmethod
    def setUpClass(cls):
        PLACE.run('cmake --workflow --preset install')
        PLACE.run('cmake -S docs/examples/cpp -B build/examples/cpp -G Ninja '
                  '-DCMAKE_PREFIX_PATH=$PWD/build/prefix && '
                  'cmake --build build/examples/cpp --target watch')
        cls.metrics = set(re.findall(r'^# TYPE (\w+)', cls.ask('lull.metrics'), re.M))
        cls.stats = json.loads(cls.ask('lull.stats'))
        cls.options = [pair.split('=')[0] for pair in cls.ask('lull.options').split(';')]

    @classmethod
    def ask(cls, name):
        return PLACE.run(f'build/examples/cpp/watch build/{name} {name} 2>/dev/null').strip()

    def test_metrics_exist(self):
        with open(os.path.join(SOURCE, 'include/lull/c.h'), encoding='utf-8') as file:
            known = self.metrics | set(self.options) | set(re.findall(r'\blull_\w+', file.read()))
        with open(os.path.join(SOURCE, 'db/tools/export_text.cc'), encoding='utf-8') as file:
            known |= set(re.findall(r'\blull_\w+', file.read()))  # of lull export
        for path in ('docs/metrics.md', 'docs/operations.md', 'docs/research/tuning.md',
                     'docs/faq.md'):
            text = '\n'.join([line for _, line in PAGES[path].prose] +
                             [block.text for block in PAGES[path].blocks])
            named = {re.sub(r'_(bucket|sum|count)$', '', name)
                     for name in re.findall(r'\blull_[a-z0-9_]+', text)}
            self.assertEqual(named - known, set(), path)

    def test_metrics_are_listed(self):
        listed = {span for _, span in PAGES['docs/metrics.md'].spans()}
        self.assertEqual(self.metrics - listed, set())

    def test_statistics_are_listed(self):
        pages = ('docs/metrics.md', 'docs/research/policies.md')
        listed = {span for page in pages for _, span in PAGES[page].spans()}
        # The members of these are job classes, causes, and policies' measurements.
        of_kinds = {'job_totals', 'slowdown', 'stop', 'state'}

        def names(value, kinds):
            if isinstance(value, list):
                return set().union(*(names(item, False) for item in value))
            if not isinstance(value, dict):
                return set()
            own = set() if kinds else set(value)
            return own.union(*(names(v, k in of_kinds) for k, v in value.items()))

        found = names(self.stats, False)
        self.assertIn('compactions_max', found)
        self.assertEqual(found - listed, set())

    def test_options_are_listed(self):
        listed = {span for _, span in PAGES['docs/options.md'].spans()}
        self.assertGreater(len(self.options), 10)
        self.assertEqual(set(self.options) - listed, set())


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
