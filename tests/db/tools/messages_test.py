#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What the program lull says: of stores that it cannot read, of a wrong command line, to shells
that complete one, and in JSON.

usage: messages_test.py LULL FOLDER_OF_ITS_SOURCES
"""
import json
import os
import re
import shutil
import subprocess
import sys

from files import files_of
from program import LULL, NOBODY, ProgramTest, main, writer_of

SOURCES = os.path.abspath(sys.argv[2])
ALL_BYTES = bytes(range(256))
# Commands with a store S, and with N that does not exist.
READING = ['stats S', 'levels S', 'check S', 'manifest dump S', 'get S key', 'scan S', 'repair S',
           'repair --dry-run S', 'backup create S N']
ENTRIES = ['check S', 'get S key', 'scan S', 'backup create S N']
WRITING = ['put S key value', 'delete S key', 'compact S', 'checkpoint S N']


def decoded(text):
    """The bytes of a key or value, as the manual page says."""
    return re.sub(rb'\\(\\|x..)', lambda part: b'\\' if part[1] == b'\\'
                  else bytes.fromhex(part[1][1:].decode()), text.encode())


def escaped(data):
    return ''.join(f'\\x{byte:02x}' for byte in data)


class MessagesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder, 'S')
        self.lull = LULL

    def run_lull(self, line, store=None, **more):
        paths = {'S': store or self.store, 'N': os.path.join(self.folder, 'N')}
        return subprocess.run([self.lull, *(paths.get(word, word) for word in line.split())],
                              capture_output=True, timeout=60, check=False, **more)

    def ok(self, line):
        done = self.run_lull(line)
        self.assertEqual((done.returncode, done.stderr), (0, b''), line)
        return done.stdout

    def fill(self):
        self.ok('put --create S key value')
        self.ok('compact S')
        self.ok('put S key2 value')

    def file(self, suffix):
        name, = [name for name in os.listdir(self.store) if re.fullmatch(suffix, name)]
        return os.path.join(self.store, name)

    # ---- stores that cannot be read, or are none

    def test_what_may_not_be_read_is_named_with_the_cause(self):
        self.fill()
        more = {}
        if os.geteuid() == 0:  # who may read everything
            more = {'user': NOBODY, 'extra_groups': []}
            self.lull = shutil.copy(LULL, self.folder)  # others may not look into /root
            subprocess.run(['chown', '-R', str(NOBODY), self.folder], check=True)
        self.assertEqual(self.run_lull('check S', **more).returncode, 0)
        for path, commands in ((self.store, READING + WRITING),
                               (self.file('CURRENT'), READING + WRITING),
                               (self.file('MANIFEST-.*'), READING + WRITING),
                               (self.file(r'.*\.ldb'), ENTRIES + ['repair S']),
                               (self.file(r'.*\.log'), ENTRIES + ['put S k v']),
                               (self.file('LOCK'), WRITING + ['repair S'])):
            mode = os.stat(path).st_mode
            os.chmod(path, 0)
            for command in commands:
                done = self.run_lull(command, **more)
                self.assertEqual(done.returncode, 1, (command, done))
                name = path + ('(/CURRENT)?' if path == self.store else '')
                self.assertRegex(done.stderr.decode(), f'{name}: Permission denied\n$', command)
                self.assertNotIn('damage', done.stdout.decode(), command)
            os.chmod(path, mode)
        self.assertEqual(self.ok('scan S'), b'key\tvalue\nkey2\tvalue\n')

    def test_a_directory_without_a_store_has_one_message(self):
        empty = os.path.join(self.folder, 'empty')
        os.mkdir(empty)
        for store in empty, os.path.join(self.folder, 'none'):
            for command in READING + WRITING:
                done = self.run_lull(command, store)
                self.assertEqual(done.returncode, 1, command)
                self.assertEqual(done.stderr.decode(),
                                 f'lull: Invalid argument: {store}: contains no store\n', command)
        self.assertEqual(os.listdir(empty), [])

    def test_a_store_of_another_program_has_one_message(self):
        self.fill()
        os.remove(self.file('CURRENT'))
        with open(os.path.join(self.store, 'OPTIONS-000005'), 'w', encoding='ascii') as file:
            file.write('[Version]\n  rocksdb_version=9.0.0\n')
        before = files_of(self.store)
        for command in READING + WRITING:
            done = self.run_lull(command)
            self.assertEqual(done.returncode, 1, command)
            self.assertEqual(done.stderr.decode(), f'lull: Not implemented: {self.store}: is a '
                             'RocksDB store; use its tool ldb\n', command)
        self.assertEqual(files_of(self.store), before)

    def test_the_holder_of_a_lock_is_named(self):
        with writer_of(self.store) as holder:
            for command in WRITING + ['repair S']:
                done = self.run_lull(command)
                self.assertEqual(done.returncode, 1, command)
                self.assertRegex(done.stderr.decode(),
                                 rf'lock {self.store}/LOCK: .*; held by process {holder.pid}\n')

    # ---- bytes

    def test_raw_values_are_the_bytes(self):
        self.ok('put --create S key ' + escaped(ALL_BYTES))
        self.assertEqual(self.ok('get --raw S key'), ALL_BYTES)
        self.assertEqual(self.ok('--hex get --raw S 6b6579'), ALL_BYTES)
        self.assertEqual(self.run_lull('--json get --raw S key').returncode, 2)

    def test_json_has_all_bytes(self):
        self.ok('put --create S ' + escaped(ALL_BYTES) + ' ' + escaped(ALL_BYTES[::-1]))
        self.ok('compact S')
        for command in 'scan S', 'get S ' + escaped(ALL_BYTES):
            entry = json.loads(self.ok('--json ' + command))
            self.assertEqual(decoded(entry['key']), ALL_BYTES)
            self.assertEqual(decoded(entry['value']), ALL_BYTES[::-1])
            entry = json.loads(self.ok('--json --hex ' + command.replace('\\x', '')))
            self.assertEqual(bytes.fromhex(entry['key']), ALL_BYTES)
        tables = [json.loads(self.ok('--json levels S'))]
        for line in self.ok('--json manifest dump S').splitlines():
            tables += json.loads(line).get('new_tables', [])
        self.assertGreater(len(tables), 1)
        for table in tables:
            self.assertEqual(decoded(table['smallest']), ALL_BYTES)
            self.assertEqual(decoded(table['largest']), ALL_BYTES)

    # ---- the command line

    def test_a_wrong_word_names_the_nearest(self):
        for line, message in (
                ('chek S', 'no command is called chek; the nearest is check'),
                ('--json stat S', 'no command is called stat; the nearest is stats'),
                ('backup crate S N', 'no command is called crate; the nearest is create'),
                ('scan S --prefx a', 'no option is called --prefx; the nearest is --prefix'),
                ('scan S --prefx=a', 'no option is called --prefx; the nearest is --prefix'),
                ('backup prune N --kep 7', 'no option is called --kep; the nearest is --keep'),
                ('stats S --jason', 'no option is called --jason; the nearest is --json')):
            done = self.run_lull(line)
            self.assertEqual((done.returncode, done.stdout), (2, b''), line)
            self.assertEqual(done.stderr.decode(), f'lull: {message}\n')
        for line in '', 'backup', 'get S', 'scan S --limit x', 'stats S extra':
            done = self.run_lull(line)
            self.assertEqual((done.returncode, done.stdout), (2, b''), line)
            self.assertNotIn(b'nearest', done.stderr, line)

    def help(self, *command):
        """The commands and the options that help shows."""
        text = self.ok(' '.join(command) + ' --help').decode()
        commands = re.findall(r'^  (\w+) ', text.partition('Subcommands:')[2].partition('\n\n')[0],
                              re.M)
        options = re.findall(r'^  (?:-\w,)?(--[\w-]+)', text, re.M)
        return commands, options

    def completed(self, *words):
        """What bash offers for the last word."""
        script = os.path.join(self.folder, 'lull.bash')
        with open(script, 'wb') as file:
            file.write(self.ok('completion bash'))
        done = subprocess.run(
            ['bash', '-c', f'source {script}; COMP_WORDS=(lull "$@"); COMP_CWORD=$#; _lull; '
             'printf "%s\\n" "${COMPREPLY[@]}"', 'bash', *words],
            capture_output=True, text=True, check=True, cwd=self.folder)
        self.assertEqual(done.stderr, '')
        return done.stdout.split()

    def test_every_command_and_option_is_in_manual_and_completion(self):
        with open(os.path.join(SOURCES, 'lull.1'), encoding='utf-8') as file:
            manual = file.read()
        scripts = {shell: self.ok(f'completion {shell}').decode() for shell in ('zsh', 'fish')}
        commands, options = self.help()
        self.assertGreater(len(commands), 15)
        self.assertEqual(self.completed(''), commands)
        self.assertEqual(self.completed('--'), options)
        for parent in [], ['backup'], ['manifest']:
            for command in self.help(*parent)[0]:
                path = [*parent, command]
                self.assertRegex(manual, r'\n\.BR? ?I?R? ?' + r'(\\)? '.join(path) + r'\b')
                inherited = set(options) - {'--help', '--version'}
                own = self.help(*path)[1]
                self.assertEqual(set(self.completed(*path, '--')), set(own) | inherited, path)
                self.assertIn(f"-a {command} -d '", scripts['fish'])
                self.assertIn(f"'{command}:", scripts['zsh'])
                for option in set(own) - {'--help'}:
                    self.assertIn(option.replace('-', r'\-'), manual)
                    self.assertIn(f' -l {option[2:]} ', scripts['fish'])
                    self.assertIn(f"'{option}:", scripts['zsh'])

    def test_completion_knows_values_and_directories(self):
        os.makedirs(os.path.join(self.folder, 'other', 'deep'))
        self.fill()
        self.assertEqual(self.completed('compact', 'S', '--compression', 'n'), ['none'])
        self.assertEqual(self.completed('scan', 'S', '--limit', ''), [])
        self.assertEqual(self.completed('options', 'l0_st'), ['l0_stop'])
        self.assertEqual(self.completed('completion', ''), ['bash', 'zsh', 'fish'])
        self.assertEqual(sorted(self.completed('--json', 'backup', 'create', '')), ['S', 'other/'])
        self.assertEqual(self.completed('backup', 'st'), [])
        self.assertEqual(self.run_lull('completion tcsh').returncode, 2)

    def test_shells_accept_their_completion(self):
        for shell, check in ('bash', '-n'), ('zsh', '-n'), ('fish', '--no-execute'):
            with self.subTest(shell):
                if shutil.which(shell) is None:
                    self.skipTest(f'no {shell}')
                done = subprocess.run([shell, check, '/dev/stdin'], check=False, timeout=60,
                                      input=self.ok(f'completion {shell}'), capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b''))


if __name__ == '__main__':
    main()
