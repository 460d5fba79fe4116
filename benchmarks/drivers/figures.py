# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Medians and ratios, and their form in tables."""

import statistics


def median(values):
    """The median of the values that are not None; None without any."""
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def shown(value, digits):
    return '-' if value is None else f'{value:,.{digits}f}'


def number(value):
    """With three significant digits."""
    if value is None:
        return '-'
    if value < 0.0005:
        return '0'
    return f'{value:,.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}'


def spread(values):
    """The median, and the interval of values that differ in print."""
    low, high = (number(end(values)) if values else '-' for end in (min, max))
    return number(median(values)) + (f' ({low} to {high})' if low != high else '')


def ratio_number(ratio):
    """With two significant digits, even if small."""
    if 0 < ratio < 0.0001:
        return '<0.0001'
    return f'{ratio:.2g}' if 0 < ratio < 0.1 else f'{ratio:.2f}'


def table(rows, numbers=True):
    """The lines of a Markdown table; the first row is the head. With `numbers`, all columns but the
    first are right-aligned."""
    marks = ['---'] + ['---:' if numbers else '---'] * (len(rows[0]) - 1)
    return [
        '| ' + ' | '.join(rows[0]) + ' |',
        '|' + '|'.join(marks) + '|',
        *('| ' + ' | '.join(row) + ' |' for row in rows[1:]),
    ]
