# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""CPU time that the host took from this machine during a run, and the runs that it disturbed.

A run is disturbed if the host took too much of the whole of it, or of a second, which can be enough
to decide a p99. A second cannot decide the throughput of ten minutes: where that is what counts,
`seconds_count` is False. Repeats a disturbed run, up to TRIES runs in all. Among equal runs, the
least disturbed one counts.
"""

import collections
import os

STOLEN_SHARE_MAX = 0.02  # of the machine's CPU time
WINDOW_SHARE_MAX = 0.1
WINDOW_SECONDS = 0.95  # an interval of a second can be a little shorter
TRIES = 3


def stolen_share(*results):
    """Of the results of one run; 0 if these do not tell."""
    told = [result for result in results if 'stolen_cpu_seconds' in result]
    seconds = sum(r['wall_seconds'] + (r.get('drain_seconds') or 0) for r in told)
    stolen = sum(result['stolen_cpu_seconds'] for result in told)
    return stolen / (seconds * os.cpu_count()) if seconds else 0


def stolen_share_of_window(*results):
    """The largest in a window of successive intervals among the results of one run; 0 if these are
    shorter than a window."""
    window, begin, largest = collections.deque(), 0, 0
    for interval in (result for result in results if 'stolen_cpus' in result):
        end = interval['at_seconds']
        if end <= begin:  # another benchmark
            window, begin = collections.deque(), 0
        window.append((end - begin, interval['stolen_cpus'] or 0))
        begin = end
        seconds = sum(length for length, _ in window)
        while seconds - window[0][0] >= WINDOW_SECONDS:
            seconds -= window.popleft()[0]
        if seconds >= WINDOW_SECONDS:
            stolen = sum(length * cpus for length, cpus in window)
            largest = max(largest, stolen / (seconds * os.cpu_count()))
    return largest


def disturbance(share, of_window):
    """Disturbed: more than 1."""
    return max(share / STOLEN_SHARE_MAX, of_window / WINDOW_SHARE_MAX)


def disturbance_of(results, seconds_count=True):
    of_window = stolen_share_of_window(*results) if seconds_count else 0
    return disturbance(stolen_share(*results), of_window)


def disturbed(*results, seconds_count=True):
    return disturbance_of(results, seconds_count) > 1


def until_undisturbed(run, results_of=lambda made: made, seconds_count=True):
    """Calls run(last_try) until a run is not disturbed. Returns all, the least disturbed first.
    `results_of` takes what `run` returns."""

    def disturbance_of_run(made):
        return disturbance_of(results_of(made), seconds_count)

    made = []
    while len(made) < TRIES and (not made or disturbance_of_run(made[-1]) > 1):
        made.append(run(len(made) + 1 == TRIES))
    return sorted(made, key=disturbance_of_run)


def disturbed_text(*results):
    share, of_window = stolen_share(*results), stolen_share_of_window(*results)
    return (
        f'{100 * share:.1f} % of the CPU was stolen, up to {100 * of_window:.0f} % in a second: '
        'repeating it'
    )
