# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The chains of compactions of a RocksDB, from the events in its log.

Counted as Lull counts its own (docs/research/layouts.md): a chain is what is compacted from one
flush to the next, its width the bytes that these merges read, its length the levels they read from.
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
            pass  # the last line of a process that was killed


def chains_of(lines):
    """What lull.layout calls `chains`. A compaction counts where it ended."""
    chains = dict.fromkeys(
        ('flushes', 'chains', 'width_bytes_sum', 'width_bytes_max', 'length_sum', 'length_max'), 0
    )
    begun = {}  # by number of the job: bytes, and the level they were taken from
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
