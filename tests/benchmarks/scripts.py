# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Loads the scripts of benchmarks/, whose names lack .py, as modules for their tests."""

import importlib.machinery
import importlib.util
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'benchmarks'))


def load_script(name):
    path = os.path.join(ROOT, 'benchmarks', name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module  # where dataclasses look it up
    loader.exec_module(module)
    return module


class FolderTest(unittest.TestCase):
    """Gives each test an empty directory, `folder`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write_results(self, *items, tail=''):
        with open(os.path.join(self.folder, 'results.jsonl'), 'w') as file:
            file.writelines(json.dumps(item) + '\n' for item in items)
            file.write(tail)
