#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs programs that must print the same, and shows the differences.

usage: same_output.py [--swap FOLDER] PROGRAM [PROGRAM...]

Each PROGRAM gets the path of a directory that does not exist as its only argument. With --swap the
first one runs once more, with FOLDER first in its library path. Exit code 1 if a program fails or
the outputs differ.
"""
import argparse
import difflib
import os
import subprocess
import sys
import tempfile


def run(name, command, env):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command + [os.path.join(folder, 'store')], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100,
                              check=False)
    if done.returncode != 0:
        print(f'{name} ended with {done.returncode}:\n{done.stdout}')
        sys.exit(1)
    return name, done.stdout.splitlines(keepends=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--swap')
    parser.add_argument('program', nargs='+')
    args = parser.parse_args()

    outputs = [run(program, [program], os.environ) for program in args.program]
    if args.swap:
        env = dict(os.environ, LD_LIBRARY_PATH=args.swap)
        loaded = subprocess.run(['ldd', args.program[0]], env=env, text=True, check=True,
                                stdout=subprocess.PIPE).stdout
        if args.swap not in loaded:
            print(f'the library of {args.swap} is not loaded:\n{loaded}')
            return 1
        outputs.append(run(f'{args.program[0]} with {args.swap}', [args.program[0]], env))
    first_name, first = outputs[0]
    differing = 0
    for name, output in outputs[1:]:
        if output != first:
            sys.stdout.writelines(difflib.unified_diff(first, output, first_name, name))
            differing += 1
    print(f'{len(outputs)} outputs of {len(first)} lines, {differing} differ from the first')
    return 1 if differing or not first else 0


if __name__ == '__main__':
    sys.exit(main())
