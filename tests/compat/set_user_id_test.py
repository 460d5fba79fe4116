#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""A set-user-ID program must not obey the environment of the user who starts it.

usage: set_user_id_test.py PROGRAM

PROGRAM is c_api, which fails if LULL_OPTIONS has an unknown option. Skipped (exit code 77) unless
root runs it where set-user-ID programs work.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NOBODY = 65534


def run(program, folder, variables, user):
    return subprocess.run([program, os.path.join(folder, 'store')], env={**os.environ, **variables},
                          user=user, group=user, extra_groups=[], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip


def main():
    with tempfile.TemporaryDirectory(dir=os.path.dirname(sys.argv[1])) as folder:
        if os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOSUID:
            return SKIPPED
        os.chmod(folder, 0o755)
        program = shutil.copy(sys.argv[1], folder)
        named = os.path.join(folder, 'named')
        variables = {'LULL_OPTIONS': 'no_such_option=1', 'TEST_TMPDIR': named}
        trusted = run(program, folder, variables, 0)
        if trusted.returncode == 0 or not os.path.isdir(named):
            print(f'root\'s own environment has no effect:\n{trusted.stdout}')
            return 1
        os.rmdir(named)
        shutil.rmtree(os.path.join(folder, 'store'), ignore_errors=True)
        os.chmod(program, 0o4755)
        done = run(program, folder, variables, NOBODY)
        if done.returncode == 126 or 'PermissionError' in done.stdout:
            return SKIPPED
        if done.returncode != 0 or os.path.exists(named):
            print(f'it obeys:\n{done.stdout}')
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
