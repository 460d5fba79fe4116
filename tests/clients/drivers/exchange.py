#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Lets libleveldb and another implementation of its files write and read the same stores.

    exchange.py NAME OTHER_PROGRAM STORE_PROGRAM FOLDER

formats/store.cc describes the arguments of both programs. This script knows the expected content of
a store: a seed determines batches of puts, overwrites and deletions, a dictionary keeps the result,
and every dump must equal that dictionary.
"""

import os
import random
import sys

from checks import Checks, Failure, empty_folder, expect, run

SEED = 301
KEYS = 4000
ROUND_BATCHES = 160
PREFIXES = [b'', b'a/', b'a/b/', b'\0', b'\xff\xff', b'k' * 40]


class Store:
    """A directory, its compression, and its expected content."""

    def __init__(self, folder, compression, seed):
        self.folder = folder
        self.compression = compression
        self.rng = random.Random(seed)
        self.entries = {}

    def value(self):
        kind = self.rng.random()
        if kind < 0.02:
            return b''
        if kind < 0.4:
            return b'%d compresses well. ' % self.rng.randrange(99) * self.rng.randrange(1, 60)
        if kind < 0.998:
            return self.rng.randbytes(self.rng.randrange(1, 1200))
        return self.rng.randbytes(100_000)  # several blocks of a log

    def key(self):
        return self.rng.choice(PREFIXES) + b'%05d' % self.rng.randrange(KEYS)

    def round(self, sync_every=0):
        """Makes operations for `apply`, and adds them to the expected content; the last batch is
        durable."""
        lines = []
        for batch in range(ROUND_BATCHES):
            for _ in range(self.rng.randrange(1, 40)):
                key = self.key()
                if self.rng.random() < 0.25:
                    lines.append(f'delete {key.hex()}')
                    self.entries.pop(key, None)
                else:
                    self.entries[key] = self.value()
                    lines.append(f'put {key.hex()} {self.entries[key].hex()}')
            durable = batch == ROUND_BATCHES - 1 or sync_every and batch % sync_every == 0
            lines.append('sync' if durable else 'commit')
        return lines

    def apply(self, program, lines, end='close'):
        run([program, 'apply', self.folder, self.compression, end],
            input=''.join(line + '\n' for line in lines).encode())  # fmt: skip

    def check(self, program):
        """Dumps the store and compares it with the expected content."""
        dump = run([program, 'dump', self.folder, self.compression]).splitlines()
        found = dict(line.split(' ', 1) for line in dump)
        expected = {key.hex(): value.hex() for key, value in self.entries.items()}
        if found != expected:
            lost = sorted(expected.keys() - found.keys())
            risen = sorted(found.keys() - expected.keys())
            differs = sorted(k for k in expected.keys() & found.keys() if expected[k] != found[k])
            raise Failure(
                f'{os.path.basename(program)} reads {len(found)} entries of {len(expected)}: '
                f'{len(lost)} are missing {lost[:3]}, {len(risen)} too many {risen[:3]}, '
                f'{len(differs)} have a different value {differs[:3]}'
            )
        expect(dump == sorted(dump), 'the entries are not in order')


def one_writes(store, writer, reader, levels):
    """Three rounds, the first two with a compaction; then both programs read the store."""
    for settle in True, True, False:
        store.apply(writer, store.round() + ['compact'] * settle)
    counts = levels(store)
    expect(sum(count > 0 for count in counts) > 1, f'all tables are in one level: {counts}')
    store.check(reader)
    store.check(writer)


def in_turn(store, first, second):
    for turn in range(6):
        writer = (first, second)[turn % 2]
        store.apply(writer, store.round() + ['compact'] * (turn == 2))
        store.check(second)
        store.check(first)


def dies(store, writer, reader):
    """The writer exits without closing the store, after several memtables of batches, many of them
    synced. The reader replays its logs."""
    store.apply(writer, store.round())
    store.apply(writer, store.round(sync_every=4), end='die')
    store.check(reader)
    store.check(writer)


def die_in_turn(store, first, second):
    for turn in range(6):
        store.apply((first, second)[turn % 2], store.round(sync_every=8), end='die')
    store.check(second)
    store.check(first)


def main():
    name, other, own, folder = sys.argv[1:]
    empty_folder(folder)
    checks = Checks()

    def levels(store):
        return [int(n) for n in run([own, 'levels', store.folder, store.compression]).split()]

    for number, compression in enumerate(('snappy', 'none')):
        scenes = {
            f'libleveldb writes, {name} reads': lambda s: one_writes(s, own, other, levels),
            f'{name} writes, libleveldb reads': lambda s: one_writes(s, other, own, levels),
            f'libleveldb and {name} write in turn': lambda s: in_turn(s, own, other),
            f'libleveldb is killed, {name} recovers': lambda s: dies(s, own, other),
            f'{name} is killed, libleveldb recovers': lambda s: dies(s, other, own),
            f'libleveldb and {name} are killed in turn': lambda s: die_in_turn(s, own, other),
        }
        for at, (title, scene) in enumerate(scenes.items()):
            path = os.path.join(folder, f'{compression}-{at}')
            with checks(f'{title}, {compression}'):
                scene(Store(path, compression, SEED + 10 * number + at))
    checks.exit()


if __name__ == '__main__':
    main()
