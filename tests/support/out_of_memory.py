#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Makes one allocation of a process with a store fail, a different one each time.

The process may exit, or the store may return an error; it must not hang. The store that it leaves
must open. It must contain every acknowledged commit, plus at most the one that was in progress.
Prints a line for each seed. Exits with 1 at the first difference and prints the command that shows
it.
"""
import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from seeds import SCHEDULING, add_arguments, run_seeds  # noqa: E402

SECONDS_MAX = 120


def without_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def live(command):
    """Returns the number of acked commits (None: no commit), the exit code, and the output."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX,
                          preexec_fn=without_core)
    acked = done.stdout.split()
    return int(acked[-1]) if acked else None, done.returncode, done.stderr


def fail_one(command, ops, nth, directory):
    """Returns what is wrong, or None."""
    shutil.rmtree(directory, ignore_errors=True)
    try:
        acked, _, _ = live([*command, "--start=0", f"--ops={ops}", f"--fail_allocation={nth}"])
    except subprocess.TimeoutExpired:
        return f"hangs after allocation {nth}"
    try:
        _, code, said = live([*command, f"--start={acked or 0}", "--ops=1"])
    except subprocess.TimeoutExpired:
        return f"opening hangs after allocation {nth} failed, with {acked} commits acked"
    return None if code == 0 else f"after allocation {nth}, with {acked} commits acked: {said}"


def run_seed(args, seed):
    rng = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="memory-", dir=args.folder)
    directory = os.path.join(folder, "db")
    command = [args.driver, "live", f"--dir={directory}", f"--seed={seed}",
               f"--set={rng.randrange(1000)}", f"--sync_every={rng.choice([1, 7, 512])}",
               f"--scheduling=memtable_bytes=64K;{SCHEDULING[seed % len(SCHEDULING)]}"]
    shown = " ".join(command)
    acked, code, said = live([*command, "--start=0", f"--ops={args.ops}"])
    counted = re.search(r"(\d+) allocations", said)
    if code != 0 or acked != args.ops or not counted:
        return f"{shown}: without a failure, {acked} acked, ended with {code}: {said}"
    total = int(counted[1])
    for turn in range(args.runs):
        nth = 1 + (total * turn + rng.randrange(total)) // args.runs
        wrong = fail_one(command, args.ops, nth, directory)
        if wrong:
            return f"{shown}: {wrong}"
    print(f"seed {seed}: {args.runs} failed allocations of {total}", flush=True)
    shutil.rmtree(folder)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, seeds=10)
    parser.add_argument("--runs", type=int, default=50, help="of a seed")
    parser.add_argument("--ops", type=int, default=2000, help="commits")
    args = parser.parse_args()
    args.folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    return run_seeds(args, run_seed)


if __name__ == "__main__":
    sys.exit(main())
