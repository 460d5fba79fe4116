#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests what programs rely on when the library changes under them.

usage: interface_test.py SOURCE PROGRAM PRESENT NEXT TOOL

PROGRAM is compiled with the headers in baseline/ and linked with the library in the folder PRESENT.
NEXT is the folder of a library with one more option. TOOL is the program lull.

baseline/ is the interface of this minor version when it was released. A change that the tests here
or abidiff find breaks compiled programs: make it in a new minor version, and renew the baseline
with `g++ -fpreprocessed -dD -E -P include/lull/X.h`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM, PRESENT, NEXT, TOOL = sys.argv[1:]
LATER_OPTION = 'option_of_next_version=7'


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        return file.read()


def run(library, options=''):
    env = dict(os.environ, LD_LIBRARY_PATH=library, LULL_OPTIONS=options)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, os.path.join(folder, 'store')], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100,
                              check=False)
    return done.returncode, done.stdout


def exported_functions(header):
    """Names of the functions that a C++ header exports."""
    text = re.sub(r'//[^\n]*', '', read('include', 'lull', header))
    return re.findall(r'LEVELDB_EXPORT\s+(?!class\b)[\w:\s*&<>]*?\b(\w+)\(', text)


def in_c(name):
    """What a function of lull/*.h is called in lull/c.h."""
    return 'lull_' + re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()


class InterfaceTest(unittest.TestCase):
    def test_a_compiled_program_runs_with_this_library(self):
        self.assertEqual(run(PRESENT), (0, 'it works\n'))

    def test_a_compiled_program_runs_after_an_option_was_added(self):
        self.assertEqual(run(NEXT), (0, 'it works\n'))
        # It is another library indeed.
        self.assertEqual(run(NEXT, LATER_OPTION), (0, 'it works\n'))
        code, output = run(PRESENT, LATER_OPTION)
        self.assertEqual(code, 3)
        self.assertIn('no such name', output)

    def test_c_has_every_function_of_cpp(self):
        in_cpp = sum((exported_functions(header) for header in
                      ('lull.h', 'read.h', 'write.h', 'backup.h', 'listener.h',
                       'compaction_filter.h')), [])
        self.assertGreaterEqual(len(in_cpp), 10)
        c_text = read('include', 'lull', 'c.h')
        functions = set(re.findall(r'\b(lull_\w+)\(', c_text))
        self.assertEqual(sorted(in_c(name) for name in in_cpp),
                         sorted(functions - {'lull_listener_create', 'lull_listener_destroy',
                                             'lull_compaction_filter_create',
                                             'lull_compaction_filter_destroy'}
                                - {name for name in functions
                                   if name.startswith('lull_call_profile_')}))
        events = re.findall(r'virtual void On(\w+)\(', read('include', 'lull', 'listener.h'))
        callbacks = re.findall(r'void \(\*(\w+)\)\(void\* state, const', c_text)
        self.assertEqual([in_c(name)[len('lull_'):] for name in events], callbacks)

    def test_every_setter_is_of_an_option(self):
        lines = subprocess.run([TOOL, 'options', '--json'], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        known = {json.loads(line)['name']: json.loads(line) for line in lines}
        setters = re.findall(
            r'SchedulingOptions& Set(\w+)\((?:const )?(\S+) \w+\)\s*{\s*return Set\("(\w+)"',
            read('include', 'lull', 'lull.h'))
        self.assertGreaterEqual(len(setters), 12)
        types = {'name': 'std::string&', 'flag': 'bool', 'count': 'int', 'bytes': 'uint64_t',
                 'bytes per second': 'uint64_t'}
        for setter, argument, name in setters:
            with self.subTest(setter):
                self.assertEqual(in_c(setter), 'lull_' + name)
                self.assertEqual(argument, types[known[name]['unit']])

    def test_the_headers_say_the_version_of_the_package(self):
        text = read('include', 'lull', 'version.h')
        numbers = [re.search(rf'LULL_VERSION_{part} (\d+)', text)[1]
                   for part in ('MAJOR', 'MINOR', 'PATCH')]
        self.assertIn(f'LULL_VERSION_STRING "{".".join(numbers)}"', text)
        done = subprocess.run([TOOL, '--version'], text=True, check=True, stdout=subprocess.PIPE)
        self.assertIn('.'.join(numbers), done.stdout)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
