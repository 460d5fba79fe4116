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


def obeys(original, parent):
    """Returns what is wrong, or None."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(original, folder)
        named = os.path.join(folder, 'named')
        variables = {'LULL_OPTIONS': 'no_such_option=1', 'TEST_TMPDIR': named}
        trusted = run(program, folder, variables, 0)
        if trusted.returncode == 0 or not os.path.isdir(named):
            return f'root\'s own environment has no effect:\n{trusted.stdout}'
        os.rmdir(named)
        shutil.rmtree(os.path.join(folder, 'store'), ignore_errors=True)
        os.chmod(program, 0o4755)
        done = run(program, folder, variables, NOBODY)
        if done.returncode != 0 or os.path.exists(named):
            return f'it obeys:\n{done.stdout}'
    return None


def main():
    original = sys.argv[1]
    for parent in tempfile.gettempdir(), os.path.dirname(original):
        if os.geteuid() != 0 or os.statvfs(parent).f_flag & os.ST_NOSUID:
            continue
        try:
            wrong = obeys(original, parent)
        except PermissionError:  # others may not look into this one, such as /root
            continue
        if wrong:
            print(wrong)
        return 1 if wrong else 0
    return SKIPPED


if __name__ == '__main__':
    sys.exit(main())
