#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""leveldbutil, built for Lull and for the system's LevelDB, must print the same bytes for every
file of a store, whichever library wrote it.

usage: dump_test.py UTIL_LULL UTIL_STOCK MAKE_STORE...
"""
import os
import subprocess
import sys
import tempfile
import unittest

LULL, STOCK, *MAKERS = [os.path.abspath(path) for path in sys.argv[1:]]


def dump(program, *files):
    done = subprocess.run([program, 'dump', *files], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


class DumpTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def files_of(self, maker):
        store = os.path.join(self.folder, os.path.basename(maker))
        subprocess.run([maker, store], check=True, timeout=60)
        names = [name for name in sorted(os.listdir(store))
                 if name.endswith(('.log', '.ldb')) or name.startswith('MANIFEST')]
        return [os.path.join(store, name) for name in names]

    def test_both_print_the_same(self):
        for maker in MAKERS:
            files = self.files_of(maker)
            kinds = {os.path.splitext(file)[1] or 'MANIFEST' for file in files}
            self.assertEqual(kinds, {'.log', '.ldb', 'MANIFEST'}, f'files of {maker}')
            for file in files:
                ours, stocks = dump(LULL, file), dump(STOCK, file)
                self.assertEqual(ours, stocks, file)
                self.assertEqual(ours[0], 0)
            self.assertEqual(dump(LULL, *files), dump(STOCK, *files))
            self.assertGreater(len(dump(LULL, *files)[1]), 100_000)

    def test_failures(self):
        code, out, err = dump(LULL, '/nowhere/000001.log', '/nowhere/strange')
        self.assertEqual((code, out), (1, b''))
        self.assertEqual(len(err.splitlines()), 2)
        for arguments in [], ['undump'], ['dumping', 'x']:
            done = subprocess.run([LULL, *arguments], capture_output=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b'usage', done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
