# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Basics of all the scripts."""

import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MIB = 1 << 20


class Failure(Exception):
    """An error that is shown to the user without a traceback."""


def read_json_lines(path, cuts=False):
    """The objects of a file of JSON lines that programs append to.

    Ignores a partial last line, which a killed program leaves. With `cuts`, removes it from the
    file, so that appending is possible again.
    """
    try:
        with open(path, 'rb') as file:
            content = file.read()
    except OSError as error:
        raise Failure(f'cannot read {path}: {error.strerror}') from None
    whole = content[: content.rfind(b'\n') + 1]
    if cuts and len(whole) < len(content):
        os.truncate(path, len(whole))
    items = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            items.append(json.loads(line))
        except ValueError:
            raise Failure(f'{path}:{number} is not JSON') from None
    return items
