# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Computes a RocksDB's chains of compactions from the events in its log.

Counts them as Lull does (docs/research/layouts.md). A chain is what was compacted until L0 had
room: it ends with a compaction out of L0. Its width is the bytes that its compactions read, its
length the number of levels that they read from.
"""

import json

EVENT = ' EVENT_LOG_v1 '


def events(lines):
    for line in lines:
        _, found, event = line.partition(EVENT)
        if not found:
            continue
        try:
            yield json.loads(event)
        except ValueError:
            pass  # the partial last line of a killed process


class Merges:
    """The compactions of a chain that has not ended."""

    def __init__(self):
        self.ended = dict.fromkeys(
            (
                'chains',
                'merges_sum',
                'merges_max',
                'width_bytes_sum',
                'width_bytes_max',
                'length_sum',
                'length_max',
            ),
            0,
        )
        self.begin()

    def begin(self):
        self.count, self.width, self.levels = 0, 0, set()

    def add(self, level, input_bytes):
        self.count += 1
        self.width += input_bytes
        self.levels.add(level)

    def end(self):
        if self.count == 0:
            return
        self.ended['chains'] += 1
        for name, value in (
            ('merges', self.count),
            ('width_bytes', self.width),
            ('length', len(self.levels)),
        ):
            self.ended[name + '_sum'] += value
            self.ended[name + '_max'] = max(self.ended[name + '_max'], value)
        self.begin()


def layout_of(lines):
    """`chains` and `between_flushes`, as in lull.layout, and for each level `merges` and their
    `input_bytes`. A compaction counts when it ends."""
    chain, since_flush = Merges(), Merges()
    by_level = {}
    begun = {}  # job number -> bytes, and the level they were read from
    for event in events(lines):
        if event['event'] == 'compaction_started':
            inputs = [name for name in event if name.startswith('files_L')]
            upper = min(int(name.removeprefix('files_L')) for name in inputs)
            begun[event['job']] = event['input_data_size'], upper
        elif event['event'] == 'compaction_finished' and event['job'] in begun:
            input_bytes, upper = begun.pop(event['job'])
            for merges in (chain, since_flush):
                merges.add(upper, input_bytes)
            level = by_level.setdefault(upper, {'from': upper, 'merges': 0, 'input_bytes': 0})
            level['merges'] += 1
            level['input_bytes'] += input_bytes
            # Tables of L0 that are merged into one of L0 make no room there for others.
            if upper == 0 and event.get('output_level', 1) > 0:
                chain.end()
        elif event['event'] == 'flush_finished':
            since_flush.end()
    return {
        'levels': [by_level[level] for level in sorted(by_level)],
        'chains': chain.ended,
        'between_flushes': since_flush.ended,
    }
