# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The journal of a search, trials.jsonl: its settings and all measurements.

One JSON object per line. Each is on the disk before the next run begins, so a killed search can
continue. The first object has the kind `search`. Then come `trial`, with its runs, and
`confirmation`.
"""

import json
import os

from drivers.common import Failure, read_json_lines

NAME = 'trials.jsonl'
CANDIDATES = 3  # the best trials, which are measured again


class Journal:
    """Appends to the journal in `folder`; `items` are all its objects."""

    def __init__(self, folder):
        self.path = os.path.join(folder, NAME)
        self.items = []

    def begin(self, search):
        """Starts a new journal. `search` has the settings of the search."""
        if os.path.exists(self.path):
            raise Failure(f'{self.path} already exists: continue it with --resume')
        self.append({'kind': 'search', **search})

    def resume(self, search):
        """Reads the existing journal, which must have the same settings."""
        self.items = self.read()
        if not self.items or self.items[0].get('kind') != 'search':
            raise Failure(f'--resume: {self.path} does not begin with the settings of a search')
        begun, asked = self.items[0]['asked'], search['asked']
        for name in begun | asked:
            was, value = begun.get(name), asked.get(name)
            if was != value:
                raise Failure(
                    f'--resume: the search was started with {name} {json.dumps(was)}, '
                    f'not {json.dumps(value)}: give the same arguments'
                )

    def read(self):
        return read_json_lines(self.path, cuts=True)

    def append(self, item):
        self.items.append(item)
        with open(self.path, 'a') as file:
            file.write(json.dumps(item) + '\n')
            file.flush()
            os.fsync(file.fileno())

    def trials(self):
        return [item for item in self.items if item['kind'] == 'trial']

    def confirmations(self):
        return confirmations_in(self.items)


def confirmations_in(items):
    """The confirmations, by the number of the trial."""
    return {item['number']: item for item in items if item['kind'] == 'confirmation'}


def candidates(trials, apart):
    """The trials worth measuring again, the best first: those better than the default.

    `apart` compares two points. It skips points close to a better one, because a search tries many
    points around a lucky one.
    """
    better = [t for t in trials if t['status'] == 'ok' and t['value'] > 1]
    found = []
    for trial in sorted(better, key=lambda trial: -trial['value']):
        if all(apart(trial['point'], other['point']) for other in found):
            found.append(trial)
    return found[:CANDIDATES]


def chosen_of(trials, confirmations):
    """The trial to recommend: the best one when measured again."""
    again = [t for t in trials if confirmations.get(t['number'], {}).get('status') == 'ok']
    if not again:
        return best_of(trials)
    return max(again, key=lambda trial: confirmations[trial['number']]['value'])


def best_of(trials):
    """The trial with the highest value among those that keep the constraints, or None."""
    kept = [trial for trial in trials if trial['status'] == 'ok']
    return max(kept, key=lambda trial: trial['value'], default=None)
