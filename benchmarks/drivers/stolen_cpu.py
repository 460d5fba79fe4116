# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""CPU time that the host took from this machine during a run, and the runs that it disturbed.

Repeats a disturbed run, up to TRIES runs in all. Among equal runs, the least disturbed one counts.
"""

import os

STOLEN_SHARE_MAX = 0.02  # of the machine's CPU time
TRIES = 3


def stolen_share(*results):
    """Of the results of one run; 0 if these do not tell."""
    told = [result for result in results if 'stolen_cpu_seconds' in result]
    seconds = sum(r['wall_seconds'] + (r.get('drain_seconds') or 0) for r in told)
    stolen = sum(result['stolen_cpu_seconds'] for result in told)
    return stolen / (seconds * os.cpu_count()) if seconds else 0


def disturbed(*results):
    return stolen_share(*results) > STOLEN_SHARE_MAX


def until_undisturbed(run, results_of=lambda made: [made]):
    """Calls run(last_try) until a run is not disturbed. Returns all, the least disturbed first.
    `results_of` takes what `run` returns."""
    made = []
    while len(made) < TRIES and (not made or disturbed(*results_of(made[-1]))):
        made.append(run(len(made) + 1 == TRIES))
    return sorted(made, key=lambda one: stolen_share(*results_of(one)))


def disturbed_text(*results):
    return f'{100 * stolen_share(*results):.0f} % of the CPU was stolen: repeating it'
