#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Damages stores of every shape in every way, and compares what opens, tools and repairs say and
save with what was written, and with stock LevelDB.

Rules for Lull:
  - nothing crashes or hangs, and no read returns a value that was never written;
  - nothing is lost silently: if an open with paranoid_checks, or `lull check`, finds nothing wrong,
    the contents are complete; an open without paranoid_checks that loses something leaves files in
    lost/; `lull repair` exits with 0 only if nothing is lost. What no program can notice, that the
    newest log ends earlier, may only cost the newest batches;
  - a repair keeps at least as many newest values as LevelDB's with paranoid_checks, unless
    LevelDB's also brings values that were never written (it ignores checksums in logs); a second
    repair changes nothing.

Prints a table for the damages, and one line for each violation with the seed that repeats it; exits
with 1 if there was one.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from seeds import strided  # noqa: E402

# Writers of the stages, and their shape.
SHAPES = [
    ("lull", "batches=60"),  # logs alone
    ("stock", "batches=60"),
    ("lull lull lull lull", "batches=40"),  # several logs
    ("lull lull lull", "batches=300"),
    ("stock stock stock", "batches=300"),
    ("lull stock lull", "batches=300 filter=1"),
    ("lull lull", "batches=400 compress=0 compact=1"),  # tables alone
    ("stock stock", "batches=400 compress=0 compact=1"),
    ("lull lull", "batches=300 reverse=1"),
    ("stock stock", "batches=300 reverse=1"),
    ("lull lull", "batches=500 memtable=1048576"),  # long logs
    ("stock lull", "batches=200 compact=1 filter=1"),
    ("lull lull", "batches=300 abandon=1"),
    ("stock stock", "batches=300 abandon=1"),
    ("lull lull lull lull", "batches=50 abandon=1"),
]
KINDS = {"CURRENT": r"CURRENT", "MANIFEST": r"MANIFEST-\d+", "log": r"\d+\.log",
         "table": r"\d+\.(ldb|sst)"}
DAMAGES = ["flip", "overwrite", "zero", "truncate", "append", "drop", "empty", "duplicate",
           "old copy", "foreign", "directory"]
# After these the newest log looks as after a power loss.
ENDS_EARLIER = {"truncate", "zero", "drop", "empty", "old copy", "directory"}

Verdict = collections.namedtuple("Verdict", "kind damage violations figures")


class Store:
    """A store, its copy of before the last stage, and what was written to it."""

    def __init__(self, folder, number, drivers):
        self.writers, shape = SHAPES[number]
        self.shape = shape.split()
        self.path = os.path.join(folder, f"store-{number}")
        self.old = self.path + "-old"
        self.batches = []  # lists of (key, version or None)
        writers = self.writers.split()
        version = 1
        for stage, writer in enumerate(writers):
            if stage == len(writers) - 1 and stage > 0:
                shutil.copytree(self.path, self.old)
            done = run([drivers[writer], "make", self.path, str(100 * number + stage),
                        str(version), *self.shape])
            if done.returncode != 0:
                raise RuntimeError(f"make failed: {done.stderr}")
            batch = []
            for line in done.stdout.splitlines():
                if line == "=":
                    self.batches.append(batch)
                    batch = []
                    continue
                key, number_text, *deleted = line.split("\t")
                batch.append((key, None if deleted else int(number_text)))
                version = int(number_text) + 1
        self.valid = {(key, value) for batch in self.batches for key, value in batch if value}
        state = {}
        self.lost_batches = {self.fingerprint(state): len(self.batches)}
        for at, batch in enumerate(self.batches):
            for key, value in batch:
                if value is None:
                    state.pop(key, None)
                else:
                    state[key] = value
            self.lost_batches[self.fingerprint(state)] = len(self.batches) - 1 - at
        self.expected = state

    @staticmethod
    def fingerprint(contents):
        return hash(frozenset(contents.items()))


def run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1000, "", "does not end")


def names_of(kind, path):
    """Oldest first."""
    return sorted(name for name in os.listdir(path) if re.fullmatch(KINDS[kind], name))


def apply_damage(damage, path, name, store, rng):
    """Returns False if it cannot be applied."""
    file = pathlib.Path(path, name)
    content = bytearray(file.read_bytes())
    at = rng.randrange(len(content)) if content else 0
    if damage in ("flip", "overwrite", "zero", "truncate") and not content:
        return False
    if damage == "flip":
        content[at] ^= 1 << rng.randrange(8)
    elif damage == "overwrite":
        length = rng.randrange(1, 64)
        content[at:at + length] = rng.randbytes(len(content[at:at + length]))
    elif damage == "zero":
        length = rng.choice([16, 512, 4096, len(content)])
        content[at:at + length] = bytes(len(content[at:at + length]))
    elif damage == "truncate":
        del content[at:]
    elif damage == "append":
        content += rng.randbytes(rng.randrange(1, 200))
    elif damage == "empty":
        content = bytearray()
    elif damage == "foreign":
        content = bytearray(rng.choice([b"#!/bin/sh\necho\n", b"\xff\xd8\xff\xe0\0\x10JFIF",
                                        b"SQLite format 3\0" + rng.randbytes(5000)]))
    elif damage == "old copy":
        before = pathlib.Path(store.old, name)
        if not before.is_file() or before.read_bytes() == content:
            return False
        content = before.read_bytes()
    if damage == "duplicate":
        prefix, number, suffix = re.fullmatch(r"(\D*)(\d*)(.*)", name).groups()
        if not number:
            return False
        other = f"{prefix}{int(number) + rng.choice([-1, 1, 50]):06}{suffix}"
        if os.path.exists(os.path.join(path, other)):
            return False
        pathlib.Path(path, other).write_bytes(content)
        return True
    if damage in ("drop", "directory"):
        file.unlink()
        if damage == "directory":
            file.mkdir()
        return True
    file.write_bytes(content)
    return True


class Case:
    """One damaged store, and what both libraries make of it."""

    def __init__(self, seed, stores, tools, folder):
        self.seed = seed
        self.tools = tools
        self.rng = random.Random(seed)
        self.folder = os.path.join(folder, f"case-{seed}")
        self.violations = []
        while True:
            self.store = self.rng.choice(stores)
            self.kind = self.rng.choice(list(KINDS))
            self.damage = self.rng.choice(DAMAGES)
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.copytree(self.store.path, os.path.join(self.folder, "damaged"))
            names = names_of(self.kind, self.store.path)
            if not names:
                continue
            name = self.rng.choice(names)
            if apply_damage(self.damage, os.path.join(self.folder, "damaged"), name, self.store,
                            self.rng):
                break
        self.name = name
        # A later log that was only prepared is empty, or zeros.
        written = [log for log in names if any(pathlib.Path(self.store.path, log).read_bytes())]
        self.is_newest_log = self.kind == "log" and name in written[-1:]

    def violate(self, text):
        self.violations.append(f"seed {self.seed}: {self.damage} of {self.name}, store of "
                               f"{self.store.writers} ({' '.join(self.store.shape)}): {text}")

    def copy(self, name):
        path = os.path.join(self.folder, name)
        shutil.copytree(os.path.join(self.folder, "damaged"), path)
        return path

    def call(self, tool, command, path, *more):
        done = run([self.tools[tool], command, path, *more])
        if done.returncode not in (0, 1) and tool != "cli" or done.returncode < 0:
            if tool != "stock":
                self.violate(f"{command} ended with {done.returncode}: {done.stderr[-300:]}")
        return done

    def read(self, tool, path, *more):
        """Returns whether all could be read, and the contents."""
        done = self.call(tool, "read", path, *self.store.shape, *more)
        contents = {}
        wrong = 0
        for line in done.stdout.split("\n")[:-1]:
            key, _, version = line.partition("\t")  # a key that was never written can have any byte
            contents[key] = int(version) if version.isdigit() else "wrong"
            wrong += (key, contents[key]) not in self.store.valid
        if wrong and tool != "stock":
            self.violate(f"{wrong} values that were never written: {os.path.basename(path)}")
        return done.returncode == 0, contents, done.stderr.strip(), wrong

    def lost(self, contents):
        """The number of batches lost at the end; None if others are lost; 0: nothing."""
        if contents == self.store.expected:
            return 0
        return self.store.lost_batches.get(Store.fingerprint(contents))

    def is_silent_loss(self, contents):
        lost = self.lost(contents)
        if lost == 0:
            return False
        if lost is not None and self.is_newest_log:
            # A wrong length in the last record's header looks like missing bytes.
            return self.damage not in ENDS_EARLIER and lost > 1
        return True

    def missing(self, contents):
        return f"{self.right(contents)} of {len(self.store.expected)} are there"

    def right(self, contents):
        return sum(contents.get(key) == value for key, value in self.store.expected.items())

    def judge_opens(self):
        path = self.copy("paranoid")
        ok, contents, error, _ = self.read("lull", path, "paranoid=1")
        # Where unsynced logs were lost, the logs after them are kept in lost/.
        is_kept = os.path.isdir(os.path.join(path, "lost")) and self.lost(contents) is not None
        if ok and self.is_silent_loss(contents) and not is_kept:
            self.violate(f"a paranoid open is OK, {self.missing(contents)}")
        checked = self.call("cli", "check", self.copy("check"))
        if checked.returncode == 0 and (not ok or self.is_silent_loss(contents)):
            self.violate(f"check finds nothing; a paranoid open: {error or 'OK'}, "
                         f"{self.missing(contents)}")
        path = self.copy("open")
        ok, contents, _, _ = self.read("lull", path)
        if ok and self.is_silent_loss(contents) and not os.path.isdir(os.path.join(path, "lost")):
            self.violate(f"an open is OK without lost/, {self.missing(contents)}")

    def judge_repairs(self):
        stock_path = self.copy("stock")
        stock_ok = self.call("stock", "repair", stock_path, *self.store.shape).returncode == 0
        stock = self.read("stock", stock_path) if stock_ok else (False, {}, "", 0)
        path = self.copy("repaired")
        done = self.call("lull", "repair", path, *self.store.shape)
        contents = {}
        if done.returncode == 0:
            ok, contents, error, _ = self.read("lull", path, "paranoid=1")
            if not ok:
                self.violate(f"after a repair: {error}")
            self.call("lull", "repair", path, *self.store.shape)
            _, again, error, _ = self.read("lull", path, "paranoid=1")
            if again != contents:
                self.violate(f"a second repair changes the contents: {error}")
        # LevelDB's repair ignores checksums, and is sometimes lucky with one batch or block. With
        # paranoid_checks it verifies those of tables.
        luck = 4 if self.kind == "log" else 0
        target = self.right(stock[1]) - luck if stock[3] == 0 else 0
        if self.right(contents) < target:
            path = self.copy("stock-paranoid")
            self.call("stock", "repair", path, *self.store.shape, "paranoid=1")
            target = min(target, self.right(self.read("stock", path)[1]))
        if self.right(contents) < target:
            self.violate(f"a repair keeps {self.right(contents)} newest values, LevelDB's "
                         f"{target} {done.stderr.strip()}")
        if "reverse=1" not in self.store.shape:
            path = self.copy("cli")
            done = self.call("cli", "repair", path)
            if done.returncode == 0:
                _, by_cli, _, _ = self.read("lull", path)
                if self.is_silent_loss(by_cli):
                    self.violate(f"lull repair exits with 0, {self.missing(by_cli)}")
        return {"expected": len(self.store.expected), "saved": self.right(contents),
                "saved by LevelDB": self.right(stock[1]), "wrong of LevelDB": stock[3],
                "LevelDB fails": int(not stock[0])}

    def judge(self):
        self.judge_opens()
        figures = self.judge_repairs()
        if self.violations:
            return Verdict(self.kind, self.damage, self.violations, figures)
        shutil.rmtree(self.folder)
        return Verdict(self.kind, self.damage, [], figures)


def table(verdicts):
    """Rows by file kind and damage."""
    rows = collections.defaultdict(collections.Counter)
    for verdict in verdicts:
        row = rows[verdict.kind, verdict.damage]
        row["cases"] += 1
        row["violations"] += bool(verdict.violations)
        row.update(verdict.figures)
    total = sum(rows.values(), collections.Counter())
    names = ["cases", "expected", "saved", "saved by LevelDB", "wrong of LevelDB", "LevelDB fails",
             "violations"]
    lines = ["| file | damage | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for (kind, damage), row in [*sorted(rows.items()), (("all", ""), total)]:
        lines.append(f"| {kind} | {damage} | " + " | ".join(f"{row[n]:,}" for n in names) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stock", required=True, help="damage_driver built with stock LevelDB")
    parser.add_argument("--lull", required=True, help="damage_driver built with Lull")
    parser.add_argument("--cli", required=True, help="the program lull")
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the stores of violations")
    args = parser.parse_args()
    tools = {"stock": args.stock, "lull": args.lull, "cli": args.cli}
    folder = tempfile.mkdtemp(prefix="damage-")
    stores = [Store(folder, number, tools) for number in range(len(SHAPES))]
    seeds = range(args.first_seed, args.first_seed + strided(args.seeds))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(lambda seed: Case(seed, stores, tools, folder).judge(), seeds))
    print(table(verdicts))
    violations = [text for verdict in verdicts for text in verdict.violations]
    print("\n".join(violations))
    if args.keep:
        print(f"the stores are in {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
