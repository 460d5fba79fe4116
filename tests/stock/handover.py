#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Lets stock LevelDB and Lull use the same store directories in turn, many times.

Each side first checks that the directory contains exactly the commits applied so far by both sides,
then applies more. Each turn uses another option set. Half of the time a side leaves without
closing, so that the other must recover its log. Sometimes Lull passes on a checkpoint of its
directory instead, ingests tables, or compacts with a compaction filter. Prints one line for each
directory.
Exits with 1 at the first difference; prints the command that shows it and keeps the directory.

With --recycled=N, Lull must have left N recycled logs. Whether it recycles one depends on how soon
its flush thread has it ready, so up to ten times as many seeds are tried.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from seeds import strided  # noqa: E402

VSST = "layout=vsst;table_bytes_max=32K"
SCHEDULING = ["policy=lull", "policy=leveldb", "policy=lull;compaction_threads=2;pick_by_overlap=1",
              f"manifest_bytes_min=1;policy=lull;{VSST}",
              f"policy=leveldb;{VSST};growth_factor=2;vsst_phi=4"]
LULL = 1  # the second driver


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stderr.strip()


def recycled_logs(directory):
    """The number of logs with bytes after the zeros at the start of a block."""
    block = 32768
    count = 0
    for log in pathlib.Path(directory).glob("*.log"):
        content = log.read_bytes()
        blocks = [content[at:at + block] for at in range(block, len(content), block)]
        count += any(not any(part[:7]) and any(part) for part in blocks)
    return count


def hand_over(drivers, seed, args):
    """Works on one directory; returns an error or None, and the number of recycled logs."""
    rng = random.Random(seed)
    parent = tempfile.mkdtemp(prefix="handover-", dir=args.folder)
    directory = os.path.join(parent, "0")
    recycled = 0
    option_set = rng.randrange(1000)
    start = 0
    filtered = 0
    side = rng.randrange(2)
    more = [f"--flush_every={args.flush_every}"] if args.flush_every else []
    more += ["--compress=0"] if args.no_compression else []
    for turn in range(args.rounds + 1):
        command = [drivers[side], "apply", f"--dir={directory}", f"--seed={seed}",
                   f"--start={start}", f"--ops={args.ops}", f"--set={option_set}",
                   f"--sync_every={args.sync_every}", *more,
                   f"--scheduling={rng.choice(SCHEDULING)}", f"--filtered={filtered}",
                   f"--leave={rng.choice(['close', 'abandon'])}"]
        left = directory
        if side == LULL and rng.random() < 0.3:
            directory = os.path.join(parent, str(turn + 1))
            command.append(f"--checkpoint={directory}")
        if side == LULL and rng.random() < 0.3:
            command.append("--ingest_every=150")
        if side == LULL and rng.random() < 0.3:
            command.append("--filter=1")
            filtered = start + args.ops
        code, error = run(command)
        if code != 0:
            return f"hand-over {turn} failed with {code}: {error}\n  {' '.join(command)}", recycled
        start += args.ops
        recycled += recycled_logs(left)
        side = 1 - side
        picked = subprocess.run([drivers[0], "sets", f"--set={option_set}",
                                 f"--seed={rng.randrange(1 << 30)}"],
                                capture_output=True, text=True, timeout=60, check=True)
        option_set = int(picked.stdout)
    shutil.rmtree(parent)
    return None, recycled


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stock", required=True, help="the driver built against stock LevelDB")
    parser.add_argument("--lull", required=True, help="the driver built against Lull")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=8, help="hand-overs of each directory")
    parser.add_argument("--ops", type=int, default=1500, help="commits between two hand-overs")
    parser.add_argument("--sync-every", type=int, default=512,
                        help="commits from one synced to the next")
    parser.add_argument("--flush-every", type=int,
                        help="commits from one flush of Lull's memtable to the next")
    parser.add_argument("--no-compression", action="store_true",
                        help="for a driver that was built without compression libraries")
    parser.add_argument("--folder", help="where to make the directories")
    parser.add_argument("--recycled", type=int, default=0, help="minimum of recycled logs")
    args = parser.parse_args()
    args.seeds = strided(args.seeds)
    recycled = 0
    for seed in range(args.first_seed, args.first_seed + 10 * args.seeds):
        if seed >= args.first_seed + args.seeds and recycled >= args.recycled:
            break
        error, seen = hand_over([args.stock, args.lull], seed, args)
        recycled += seen
        if error is not None:
            print(f"seed {seed}: {error}", file=sys.stderr)
            return 1
        print(f"seed {seed}: {args.rounds} hand-overs, {(args.rounds + 1) * args.ops} commits, "
              f"{seen} recycled logs")
    if recycled < args.recycled:
        print(f"only {recycled} logs were recycled", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
