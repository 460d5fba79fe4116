# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Computes a RocksDB's chains of compactions from the events in its log.

Counts them as Lull does (docs/research/layouts.md). A chain is the compactions between two flushes.
Its width is the bytes that they read, its length the number of levels that they read from.
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


def chains_of(lines):
    """The same counters as `chains` of lull.layout. A compaction counts when it ends."""
    chains = dict.fromkeys(
        ('flushes', 'chains', 'width_bytes_sum', 'width_bytes_max', 'length_sum', 'length_max'), 0
    )
    begun = {}  # job number -> bytes, and the level they were read from
    width, levels = 0, set()
    for event in events(lines):
        if event['event'] == 'compaction_started':
            inputs = [name for name in event if name.startswith('files_L')]
            upper = min(inputs, key=lambda name: int(name.removeprefix('files_L')))
            begun[event['job']] = event['input_data_size'], upper
        elif event['event'] == 'compaction_finished' and event['job'] in begun:
            input_bytes, upper = begun.pop(event['job'])
            width += input_bytes
            levels.add(upper)
        elif event['event'] == 'flush_finished':
            chains['flushes'] += 1
            chains['chains'] += bool(levels)
            chains['width_bytes_sum'] += width
            chains['width_bytes_max'] = max(chains['width_bytes_max'], width)
            chains['length_sum'] += len(levels)
            chains['length_max'] = max(chains['length_max'], len(levels))
            width, levels = 0, set()
    return chains
