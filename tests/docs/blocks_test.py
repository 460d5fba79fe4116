#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Checks the examples in the documentation: code compiles, commands and options exist, links lead
to a target. CONTRIBUTING.md says how each kind of block is checked.

usage: blocks_test.py SOURCE FOLDER_WITH_LULL CC CXX
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import markdown

SOURCE, PROGRAMS, CC, CXX = sys.argv[1:]
PAGES = markdown.pages(SOURCE)
LANGUAGES = {'', 'c', 'cmake', 'cpp', 'json', 'python', 'sh', 'text', 'yaml'}

MARKS = {'run', 'way'}
# Does not match capitals, which are placeholders for values.
OPTION_STRING = r'[a-z0-9_]+=[a-z0-9][\w-]*(?:;[a-z0-9_]+=[a-z0-9][\w-]*)*'

# Declarations that fragments of C++ and C may use.
PREAMBLE_CPP = '''
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "lull/call_profile.h"
#include "lull/compaction_filter.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "lull/read.h"
#include "lull/write.h"
extern leveldb::DB* db;
extern leveldb::Options options;
extern leveldb::Status status;
extern std::string key, value, text;
'''
PREAMBLE_C = '''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "leveldb/c.h"
#include "lull/c.h"
extern leveldb_t* db;
extern leveldb_options_t* options;
'''

# Third-party programs, whose options are not checked.
OTHERS = {'apt-get', 'c++', 'cc', 'cd', 'cp', 'curl', 'df', 'diff', 'echo', 'export', 'grep', 'jq',
          'ls', 'mkdir', 'mv', 'program', 'prometheus', 'promtool', 'python3', 'rm', 'rsync',
          'some_program_that_links_leveldb', 'sudo', 'tail', 'watch', 'your-program'}
# Our programs, and the files that define their options.
SCRIPTS = {
    **{f'benchmarks/{name}': [f'benchmarks/{name}', 'benchmarks/drivers/command_line.py']
       for name in ('compare', 'layouts', 'papers', 'policies', 'sizes', 'suite', 'tune',
                    'tuning_study')},
    'benchmarks/report': ['benchmarks/report'],
    'benchmarks/simulate': ['benchmarks/simulate', 'benchmarks/simulation/main.cc'],
    'cmake/amalgamate': ['cmake/amalgamate'],
    'cmake/install-deps': ['cmake/install-deps'],
    'db_bench': ['benchmarks/db_bench/flags.cc'],
    'docs/examples/replicated/make': ['docs/examples/replicated/make'],
    'docs/examples/replicated/start': ['docs/examples/replicated/start'],
    'docs/examples/vendored/node-addon': ['docs/examples/vendored/node-addon'],
    'docs/examples/vendored/plyvel-wheel': ['docs/examples/vendored/plyvel-wheel'],
    'resource_soak': ['tests/resources/soak.cc'],
    'resource_test': ['tests/resources/sweep.cc'],
    'schedule_test': ['tests/schedule/power_loss_test.cc'],
    'stock_resource_sweep': ['tests/resources/sweep.cc'],
    'tests/bare-root/run': ['tests/bare-root/run'],
    'tests/clients/run': ['tests/clients/run'],
    'tests/coverage': ['tests/coverage'],
    'tests/fuzz/run': ['tests/fuzz/run'],
    'tests/long': ['tests/long'],
    'tests/planted/run': ['tests/planted/run'],
    'tests/cost': ['tests/cost'],
    'tests/run': ['tests/run'],
}


def blocks(*languages):
    return [block for page in PAGES.values() for block in page.blocks
            if block.language in languages]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, check=False, **more)


def read(path):
    with open(os.path.join(SOURCE, path), encoding='utf-8') as file:
        return file.read()


def words_of(line):
    """Splits a shell line into lists of words, one for each simple command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars='|&;<>')
    lexer.whitespace_split = True
    commands = [[]]
    for word in lexer:
        if set(word) <= set('|&;'):
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def program_of(words):
    """Returns (program as called, its arguments, its environment settings)."""
    settings = []
    words = list(words)
    while words and re.match(r'[A-Z_]+=', words[0]):
        settings.append(words.pop(0))
    if words and words[0] in ('sudo', 'watch'):
        words.pop(0)
    return (words[0], words[1:], settings) if words else ('', [], settings)


def own_name(program):
    """Returns the key of SCRIPTS, `lull` or `leveldbutil`; None for third-party programs."""
    name = os.path.basename(program)
    if name in ('lull', 'leveldbutil'):
        return name
    if name == 'db_bench_leveldb':
        return 'db_bench'
    for known in SCRIPTS:
        if program == known or name == known:
            return known
    return None


class Shell:
    """Finds errors in the commands of a block, without running them."""

    def __init__(self):
        self.presets = json.loads(read('CMakePresets.json'))
        self.cmake_text = read('CMakeLists.txt')
        self.helps = {}

    def help_of(self, *words):
        if words not in self.helps:
            self.helps[words] = run([os.path.join(PROGRAMS, words[0]), *words[1:], '--help']).stdout
        return self.helps[words]

    def lines(self, block):
        """Returns the block's commands: all lines, or those after a `$` if there are any."""
        lines = block.text.replace('\\\n', ' ').splitlines()
        if any(line.startswith('$ ') for line in lines):
            lines = [line[2:] for line in lines if line.startswith('$ ')]
        return [line for line in lines if line.split('#')[0].strip()]

    def is_shell(self, block):
        if block.language == 'sh':
            return True
        if block.language != '' or not block.text.strip():
            return False
        try:
            words = words_of(self.lines(block)[0])
        except (ValueError, IndexError):
            return False
        program = program_of(words[0])[0]
        return program in ('cmake', 'ctest') or own_name(program) is not None

    def complaints(self, line):
        for words in words_of(line):
            program, arguments, settings = program_of(words)
            for setting in settings:
                if setting.startswith('LULL_OPTIONS='):
                    yield from option_complaints(setting.split('=', 1)[1])
            yield from self.command_complaints(program, arguments)

    def command_complaints(self, program, arguments):
        own = own_name(program)
        flags = [word.split('=')[0] for word in arguments if re.match(r'--[a-z]', word)]
        if own in ('lull', 'leveldbutil'):
            yield from self.tool_complaints(own, arguments, flags)
        elif own is not None:
            text = '\n'.join(read(path) for path in SCRIPTS[own])
            for flag in flags:
                if flag != '--help' and not re.search(rf'\b{flag[2:]}\b', text):
                    yield f'{own} does not know {flag}'
        elif program in ('cmake', 'ctest'):
            yield from self.cmake_complaints(arguments)
        elif program and program not in OTHERS and not program.startswith(('build/', '$')):
            yield f'{program} is not known here'

    def tool_complaints(self, tool, arguments, flags):
        named = [word for word in arguments if not word.startswith('-')]
        command = named[0] if named else None
        if command and not re.search(rf'\b{re.escape(command)} ', self.help_of(tool)):
            yield f'{tool} has no command {command}'
            return
        # The second word can be a command too, as in `lull backup create`.
        text = self.help_of(tool) + (self.help_of(tool, *named[:2]) if command else '')
        for flag in flags:
            if not re.search(rf'{flag}\b', text):
                yield f'{tool} {command or ""} does not know {flag}'

    def cmake_complaints(self, arguments):
        kind = 'configure'
        for flag, name in ('--build', 'build'), ('--workflow', 'workflow'):
            kind = name if flag in arguments else kind
        for word, following in zip(arguments, arguments[1:] + ['']):
            if word == '--preset':
                known = [preset['name'] for preset in self.presets[f'{kind}Presets']]
                if following not in known:
                    yield f'there is no {kind} preset {following}'
            match = re.match(r'-D(\w+)', word)
            if match and match.group(1).startswith('LULL_'):
                if not re.search(rf'\b{match.group(1)}\b', self.cmake_text):
                    yield f'{match.group(1)} is not an option of the build'


def option_complaints(text):
    """Yields the errors in an option string, as reported by a store opened with it."""
    with tempfile.TemporaryDirectory() as folder:
        done = run([os.path.join(PROGRAMS, 'lull'), 'put', '--create', folder, 'k', 'v'],
                   env={**os.environ, 'LULL_OPTIONS': text})
    if done.returncode != 0:
        yield done.stdout.strip()


class BlocksTest(unittest.TestCase):
    maxDiff = None

    def test_fences_are_known(self):
        found = [f'{block.where}: {block.language} {block.marks}' for page in PAGES.values()
                 for block in page.blocks
                 if block.language not in LANGUAGES or not MARKS.issuperset(block.marks)]
        self.assertEqual(found, [])

    def compile(self, compiler, name, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            done = run([*shlex.split(compiler), *flags, '-fsyntax-only', '-Wall', '-Wextra',
                        '-Wno-unused', '-I', os.path.join(SOURCE, 'include'), path])
        self.assertEqual(done.returncode, 0, done.stdout)

    def one_source(self, language, preamble, scope):
        """Returns all blocks of a language as one source: programs with main renamed, fragments as
        function bodies."""
        includes, bodies = [preamble], []
        for number, block in enumerate(blocks(language)):
            lines = block.text.splitlines()
            includes += [line for line in lines if line.startswith('#include')]
            code = '\n'.join('' if line.startswith('#include') else line for line in lines)
            here = f'#line {block.line} "{block.path}"\n{code}\n'
            if re.search(r'^int main\(', code, re.M):
                here = f'#define main main_{number}\n{here}#undef main\n'
            elif not re.search(r'^(class|struct|static|void|leveldb::Status) .*\{$', code, re.M):
                here = f'void fragment_{number}(void);\nvoid fragment_{number}(void) {{\n{here}}}\n'
            bodies.append(scope % (number, here) if scope else here)
        return '\n'.join(includes + bodies)

    def test_cpp_compiles(self):
        self.compile(CXX, 'blocks.cc',
                     self.one_source('cpp', PREAMBLE_CPP, 'namespace block_%d {\n%s}\n'),
                     '-std=c++17')

    def test_c_compiles(self):
        self.compile(CC, 'blocks.c', self.one_source('c', PREAMBLE_C, ''), '-std=c99')

    def test_python_compiles(self):
        for block in blocks('python'):
            compile(block.text, block.where, 'exec')

    def test_json_is_json(self):
        for block in blocks('json'):
            with self.subTest(block.where):
                json.loads(block.text)

    def test_cmake_stands_in_an_example(self):
        known = [read(f'docs/examples/{name}/CMakeLists.txt') for name in ('cpp', 'c')]
        for block in blocks('cmake'):
            with self.subTest(block.where):
                self.assertTrue(any(block.text in text for text in known),
                                'show lines of docs/examples/*/CMakeLists.txt: those are built')

    def test_shell_commands_exist(self):
        shell = Shell()
        found, seen = [], 0
        for page in PAGES.values():
            for block in page.blocks:
                if shell.is_shell(block):
                    for line in shell.lines(block):
                        seen += 1
                        found += [f'{block.where}: {line.strip()}: {complaint}'
                                  for complaint in shell.complaints(line)]
            for number, span in page.spans():
                if ' ' in span and own_name(span.split()[0]) and "'" not in span:
                    seen += 1
                    found += [f'{page.path}:{number}: {span}: {complaint}'
                              for complaint in shell.complaints(span.replace('…', ''))]
        self.assertEqual(found, [])
        self.assertGreater(seen, 20)

    def test_wrong_shell_is_seen(self):
        shell = Shell()
        for line in ('lull frobnicate store', 'lull scan --frob store', 'tests/run --frob',
                     'db_bench --frob=1', 'cmake --preset frob', 'frob x', 'lull stats x | frob',
                     'cmake --workflow --preset dev', 'cmake -B b -DLULL_FROB=ON',
                     'LULL_OPTIONS="frob=1" build/program', 'sudo frob'):
            with self.subTest(line):
                self.assertEqual(len(list(shell.complaints(line))), 1)
        for line in ('lull scan --limit 3 store', 'tests/run --all', 'cmake --preset dev',
                     'LULL_OPTIONS="policy=silk" build/program', 'lull stats x && lull check x'):
            with self.subTest(line):
                self.assertEqual(list(shell.complaints(line)), [])

    def test_option_strings_are_read(self):
        where = {}
        for page in PAGES.values():
            for number, span in page.spans():
                match = re.fullmatch(rf'(?:LULL_OPTIONS=")?({OPTION_STRING})"?', span)
                if match and span != 'name=value':
                    where[match.group(1)] = f'{page.path}:{number}'
        for block in blocks('cpp', 'c'):
            for text in re.findall(rf'"({OPTION_STRING})"', block.text):
                where[text] = block.where
        found = [f'{where[text]}: {complaint}' for text in where
                 for complaint in option_complaints(text)]
        self.assertEqual(found, [])
        self.assertIn('memory_budget_bytes=256M', where)

    def test_marked_shell_runs(self):
        env = {**os.environ, 'PATH': PROGRAMS + os.pathsep + os.environ['PATH']}
        for page in PAGES.values():
            marked = [block for block in page.blocks if 'run' in block.marks]
            if not marked:
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(page.path):
                for key in 'apple', 'pear':
                    run(['lull', 'put', '--create', 'store', key, 'fruit'], cwd=folder, env=env)
                for block in marked:
                    done = run(['bash', '-euo', 'pipefail', '-c', block.text], cwd=folder, env=env)
                    self.assertEqual(done.returncode, 0, f'{block.where}: {done.stdout}')

    def test_links_lead_somewhere(self):
        found = []
        for page in PAGES.values():
            folder = os.path.dirname(page.path)
            for number, target in page.links():
                if re.match(r'[a-z]+:', target):
                    continue
                path, _, anchor = target.partition('#')
                path = os.path.normpath(os.path.join(folder, path)) if path else page.path
                if not os.path.exists(os.path.join(SOURCE, path)):
                    found.append(f'{page.path}:{number}: {target}: there is no such file')
                elif anchor and path in PAGES and anchor not in PAGES[path].anchors():
                    found.append(f'{page.path}:{number}: {target}: there is no such heading')
        self.assertEqual(found, [])

    def test_every_page_is_in_the_index(self):
        listed = {target for _, target in PAGES['docs/README.md'].links()}
        missing = [path for path in PAGES if path.startswith('docs/') and path.count('/') == 1
                   and path != 'docs/README.md' and path[len('docs/'):] not in listed]
        self.assertEqual(missing, [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
