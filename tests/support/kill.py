#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Kills a process that is writing to a store, and checks what it left.

The kernel has what a process has written. So the store must contain every acknowledged commit,
synced or not, plus at most the one that was in progress. The next process continues from there with
other options. Prints a line for each directory. Exits with 1 at the first difference; prints the
command that shows it and keeps the directory.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
from seeds import SCHEDULING, add_arguments, run_seeds  # noqa: E402


def live(command, seconds):
    """Returns the number of acked commits, and the output of the process if it ended by itself."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    killer = threading.Timer(seconds, child.kill)
    acked = None
    for line in child.stdout:
        if acked is None:
            killer.start()  # the store is open and checked, and the process writes
        acked = int(line)
    killer.cancel()
    error = child.stderr.read().decode().strip()
    if child.wait(timeout=300) != -signal.SIGKILL:
        return None, error or f"ended with {child.returncode}"
    return acked, None


def lives(args, seed):
    rng = random.Random(seed)
    folder = args.folders[seed % len(args.folders)]
    directory = tempfile.mkdtemp(prefix="kill-", dir=folder)
    sync_every = rng.choice([1, 7, 512])
    option_set = rng.randrange(1000)
    removals = rng.randrange(4)  # bits: ranges, a filter
    acked = 0
    for number in range(args.lives):
        command = [args.driver, "live", f"--dir={directory}/db", f"--seed={seed}",
                   f"--start={acked}", f"--set={option_set}", f"--sync_every={sync_every}",
                   f"--scheduling={rng.choice(SCHEDULING)}",
                   f"--ranges={removals & 1}", f"--filter={removals >> 1}"]
        acked, error = live(command, rng.uniform(0, args.seconds))
        if error:
            return f"life {number} of {directory}: {error}\n  {' '.join(command)}"
        picked = subprocess.run([args.driver, "sets", f"--set={option_set}",
                                 f"--seed={rng.randrange(1 << 30)}"],
                                capture_output=True, text=True, timeout=60, check=True)
        option_set = int(picked.stdout)
    also = ["", ", ranges", ", a filter", ", ranges and a filter"][removals]
    print(f"seed {seed}: {args.lives} lives, {acked} commits, one in {sync_every} synced{also}, "
          f"in {folder}", flush=True)
    shutil.rmtree(directory)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, seeds=4)
    parser.add_argument("--lives", type=int, default=8, help="of a directory")
    parser.add_argument("--seconds", type=float, default=0.25, help="the longest, once it writes")
    args = parser.parse_args()
    args.folders = [tempfile.gettempdir()] + (["/dev/shm"] if os.path.isdir("/dev/shm") else [])
    return run_seeds(args, lives)


if __name__ == "__main__":
    sys.exit(main())
