# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Several runs as one band: minimum, median and maximum at each place of the x axis."""

import bisect
import math

from drivers.figures import median


def band_row(x, values):
    """(x, minimum, median, maximum) of the values that are not None; NaN if none is."""
    known = [value for value in values if value is not None]
    if not known:
        return x, math.nan, math.nan, math.nan
    return x, min(known), median(known), max(known)


def band_of(curves):
    """The rows at each x of the curve of median length: the band ends with half of the runs.

    A curve has two or more (x, value), with ascending x. Each run counts with its point nearest to
    x, because intervals of two runs end at slightly different times. After its end a run does not
    count.
    """
    readers = [reader_of(curve) for curve in curves]
    middle = sorted(curves, key=len)[len(curves) // 2]
    return [band_row(x, [value_at(x) for value_at in readers]) for x, _ in middle]


def means_of_a_second(curve):
    """The curve of a rate that a store counts when a table is finished: shorter intervals would
    show when it counts, not how fast it writes. Intervals of a second or more stay as they are."""
    places = [x for x, _ in curve]

    lengths = [x - before for before, x in zip([0, *places], places)]

    def mean(x):
        begin, end = bisect.bisect(places, x - 0.5), bisect.bisect(places, x + 0.5)
        known = [
            (value, length)
            for (_, value), length in zip(curve[begin:end], lengths[begin:end])
            if value is not None
        ]
        seconds = sum(length for _, length in known)
        return sum(value * length for value, length in known) / seconds if known else None

    return [(x, mean(x)) for x in places]


def reader_of(curve):
    places = [x for x, _ in curve]
    middles = [(x + after) / 2 for x, after in zip(places, places[1:])]
    end = 2 * places[-1] - middles[-1]
    return lambda x: curve[bisect.bisect(middles, x)][1] if x < end else None
