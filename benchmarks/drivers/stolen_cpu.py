# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""CPU time that the host took from this machine during a run, and the runs that it disturbed.

Repeats a disturbed run, up to TRIES runs in all. Among equal runs, the least disturbed one counts.
"""

import os

STOLEN_SHARE_MAX = 0.02  # of the machine's CPU time
TRIES = 3


def stolen_share(result):
    seconds = result['wall_seconds'] + (result.get('drain_seconds') or 0)
    return result['stolen_cpu_seconds'] / (seconds * os.cpu_count())


def disturbed(result):
    return stolen_share(result) > STOLEN_SHARE_MAX


def until_undisturbed(run):
    """Calls run(last_try) until a run is not disturbed. Returns all, the least disturbed first."""
    made = []
    while len(made) < TRIES and (not made or disturbed(made[-1])):
        made.append(run(len(made) + 1 == TRIES))
    return sorted(made, key=stolen_share)


def disturbed_text(result):
    return f'{100 * stolen_share(result):.0f} % of the CPU was stolen: repeating it'
