# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs the program lull, whose path is the first argument of each test."""
import contextlib
import os
import subprocess
import sys
import tempfile
import unittest

from files import await_file

LULL = os.path.abspath(sys.argv[1])
NOBODY = 65534  # a user


def lull(*arguments, **more):
    return subprocess.run([LULL, *arguments], capture_output=True, text=True, timeout=60,
                          check=False, **more)


@contextlib.contextmanager
def writer_of(store, *options, await_name='CURRENT', **more):
    """A process that writes a new store in this directory until it is killed."""
    os.mkdir(store)
    writer = subprocess.Popen([LULL, 'bench', store, '--entries=100000000', *options],
                              stdout=subprocess.DEVNULL, **more)
    try:
        await_file(os.path.join(store, await_name))
        yield writer
    finally:
        writer.kill()
        writer.wait()


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.store = os.path.join(self.folder, 'store')

    def ok(self, *arguments):
        done = lull(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ''), arguments)
        return done.stdout

    def fails(self, code, *arguments, stdout='', stderr='', either=''):
        """The program ends with this code, and its outputs contain these texts."""
        done = lull(*arguments)
        self.assertEqual(done.returncode, code, arguments)
        self.assertIn(stdout, done.stdout, arguments)
        self.assertIn(stderr, done.stderr, arguments)
        self.assertIn(either, done.stdout + done.stderr, arguments)
        return done


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
