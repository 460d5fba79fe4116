# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Python environments under build/ for the libraries that scripts need beyond Python's own."""

import os
import subprocess
import sys

from drivers.common import ROOT, Failure


class NotMade(Failure):
    """Why there is no such environment."""


def has(python, modules):
    """Whether that Python finds the modules. They are not run: some take seconds to load."""
    looks = 'import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None '
    command = [python, '-c', looks + 'for m in sys.argv[1:]))', *modules]
    return os.path.exists(python) and subprocess.call(command, stderr=subprocess.DEVNULL) == 0


def make(folder, python, requirements):
    for command in (
        [sys.executable, '-m', 'venv', '--clear', folder],
        [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
            hint = '; Debian has it in python3-venv' if 'venv' in command else ''
            raise NotMade(f"{' '.join(command)} failed{hint}: {' '.join(reason)}")


def go_on_in(name, needs, script):
    """Goes on, from the beginning of `script`, in a Python that has what it needs.

    `needs` is what pip is asked for, by the module that tells whether it is there. Returns when the
    present Python has it; otherwise build/NAME is made, from PyPI, and takes this process over.
    """
    if has(sys.executable, needs):
        return
    folder = os.path.join(ROOT, 'build', name)
    python = os.path.join(folder, 'bin', 'python3')
    if not has(python, needs):
        title = os.path.basename(script)
        print(f"{title}: making a Python environment with {', '.join(needs)} (once)", flush=True)
        make(folder, python, needs.values())
    os.execv(python, [python, os.path.abspath(script), *sys.argv[1:]])
