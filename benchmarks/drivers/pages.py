# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Writes generated text into a page of docs/, between two marks."""

from drivers.common import Failure


def replace_between(text, begin, end, block):
    """The text with a new part between the two marks; None if the marks are missing."""
    before, has_begin, rest = text.partition(begin)
    _, has_end, after = rest.partition(end)
    return f'{before}{begin}\n{block}{end}{after}' if has_begin and has_end else None


def put_between(path, begin, end, block):
    with open(path, encoding='utf-8') as file:
        page = replace_between(file.read(), begin, end, block)
    if page is None:
        raise Failure(f"{path} has no '{begin}' with '{end}' after it")
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page)
