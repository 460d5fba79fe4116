# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""CPU time that the host took from this machine during a run, and what follows from it.

A run that was disturbed is made again, TRIES times in all; what the last one tells counts.
"""

import os

STOLEN_SHARE_MAX = 0.02  # of the machine's CPU time
TRIES = 3


def stolen_share(result):
    seconds = result['wall_seconds'] + (result.get('drain_seconds') or 0)
    return result['stolen_cpu_seconds'] / (seconds * os.cpu_count())


def disturbed(result):
    return stolen_share(result) > STOLEN_SHARE_MAX


def until_undisturbed(measure):
    """Calls measure(last_try), which tells whether its run counts, until one does."""
    for attempt in range(TRIES):
        if measure(attempt + 1 == TRIES):
            return


def disturbed_text(result):
    return f'{100 * stolen_share(result):.0f} % of the CPU was stolen, so once more'
