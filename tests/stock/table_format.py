#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Lets each command of the program lull that can write tables do so in a store of stock LevelDB.

A LevelDB that was built without snappy, such as Bitcoin Core's, must be able to read a store
afterwards if it could before, and Bloom filters must stay. So this reads the compression type of
every block of the new tables, and their filters. Then stock LevelDB checks the contents.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "db", "tools"))
from tables import NONE, SNAPPY, Table, tables_in  # noqa: E402

SEED, COMMITS = 3, 4000

# Option sets of tests/support/option_sets.cc, flags, the expected type, and the expected probes of
# the Bloom filters: 0.69 for each bit per key.
FORMATS = [
    (2, [], NONE, 6),
    (5, [], SNAPPY, 6),
    (6, [], NONE, None),
    (9, [], SNAPPY, 13),
    (2, ["--compression=snappy", "--bloom-bits=5"], SNAPPY, 3),
    (5, ["--compression=none"], NONE, 6),
    (5, ["--compression=none", "--bloom-bits=0"], NONE, None),
    (6, ["--bloom-bits=10"], NONE, 6),
]
# In STORE there are tables and a log. A restore copies tables, so it takes no flags.
COMMANDS = {
    "put": ["put STORE zz v FLAGS", "delete STORE zz FLAGS"],
    "delete": ["delete STORE zz FLAGS"],
    "compact": ["compact STORE FLAGS"],
    "checkpoint": ["checkpoint STORE COPY FLAGS"],
    "repair": ["repair STORE FLAGS"],
    "repair --from-lost": ["repair --from-lost STORE FLAGS"],
    "backup": ["backup create STORE BACKUPS FLAGS", "backup restore BACKUPS COPY"],
}
# A log that is not small for this memtable becomes a table when the store is opened.
ENVIRONMENT = dict(os.environ, LULL_OPTIONS="memtable_bytes=64K")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          env=ENVIRONMENT)
    if done.returncode not in (0, 4):  # 4: repair has found damage
        raise RuntimeError(f"{' '.join(command)} failed with {done.returncode}: {done.stderr}")


def problem_of(args, origin, folder, command, row):
    """Runs a command on a copy of the store `origin`; returns what is wrong, or None."""
    option_set, flags, wanted_type, wanted_probes = row
    places = {name: os.path.join(folder, name) for name in ("STORE", "COPY", "BACKUPS")}
    shutil.copytree(origin, places["STORE"])
    if command == "repair":
        os.remove(os.path.join(places["STORE"], "CURRENT"))
    for line in COMMANDS[command]:
        words = line.replace(" FLAGS", "".join(" " + flag for flag in flags)).split()
        run(args.cli, *[places.get(word, word) for word in words])
    result = places["COPY" if os.path.exists(places["COPY"]) else "STORE"]
    new = [Table(data) for data in tables_in(result) - tables_in(origin)]
    if not new:
        return "wrote no table"
    types = {kind for table in new for kind in table.types}
    if wanted_type not in types or not types <= {NONE, wanted_type}:
        return f"blocks of types {types}"
    probes = {table.probes for table in new}
    if probes != {wanted_probes}:
        return f"Bloom filters with {probes} probes"
    run(args.stock, "verify", f"--dir={result}", f"--seed={SEED}", f"--start={COMMITS}",
        f"--set={option_set}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stock", required=True, help="the driver built against stock LevelDB")
    parser.add_argument("--cli", required=True, help="the program lull")
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(FORMATS):
            origin = os.path.join(folder, f"origin-{number}")
            run(args.stock, "apply", f"--dir={origin}", f"--seed={SEED}", "--start=0",
                f"--ops={COMMITS}", f"--set={row[0]}", "--leave=abandon")
            for command in COMMANDS:
                place = os.path.join(folder, f"{number}-{command}")
                os.mkdir(place)
                problem = problem_of(args, origin, place, command, row)
                failures += problem is not None
                print(f"set {row[0]} {' '.join(row[1])}: {command}: {problem or 'as expected'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
