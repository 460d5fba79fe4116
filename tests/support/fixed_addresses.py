# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""How to run programs with sanitizers."""

import os
import shutil
import subprocess


def fixed_addresses():
    """What to put before a program: sanitizers reserve fixed stretches of address space, and older
    ones die where the kernel places mappings too freely. Empty where the system refuses it, as
    containers do."""
    prefix = ['setarch', os.uname().machine, '--addr-no-randomize']
    works = shutil.which('setarch') and subprocess.run(
        [*prefix, 'true'], stderr=subprocess.DEVNULL, check=False
    )
    return prefix if works and works.returncode == 0 else []
