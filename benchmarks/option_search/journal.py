# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The journal of a search, trials.jsonl: what was asked, and all that was measured.

One JSON object a line, each on the disk before the next run begins, so that a search that was
killed goes on where it was. The first is of kind `search`; then come `trial`, with the runs that it
is made of, and `confirmation`.
"""

import json
import os

from drivers.common import Failure, read_json_lines

NAME = 'trials.jsonl'
CANDIDATES = 3  # of which one is chosen in the end


class Journal:
    """Appends to the journal in `folder`; `items` are all that it holds."""

    def __init__(self, folder):
        self.path = os.path.join(folder, NAME)
        self.items = []

    def begin(self, search):
        """A new one. `search` says what is searched, and how."""
        if os.path.exists(self.path):
            raise Failure(f'{self.path} is there already: --resume goes on with it')
        self.append({'kind': 'search', **search})

    def resume(self, search):
        """Reads the one that is there, which must be of the same search."""
        self.items = self.read()
        if not self.items or self.items[0].get('kind') != 'search':
            raise Failure(f'--resume: {self.path} does not begin with what was searched')
        begun, asked = self.items[0]['asked'], search['asked']
        for name in begun | asked:
            was, value = begun.get(name), asked.get(name)
            if was != value:
                raise Failure(
                    f'--resume: the search was begun with {name} {json.dumps(was)}, '
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
    """What was measured again, by the number of the trial."""
    return {item['number']: item for item in items if item['kind'] == 'confirmation'}


def candidates(trials, apart):
    """Those worth measuring again, the best first: better than the default, as far as is known.

    `apart` tells whether two points are: around one that was lucky a search tries many like it.
    """
    better = [t for t in trials if t['status'] == 'ok' and t['value'] > 1]
    found = []
    for trial in sorted(better, key=lambda trial: -trial['value']):
        if all(apart(trial['point'], other['point']) for other in found):
            found.append(trial)
    return found[:CANDIDATES]


def chosen_of(trials, confirmations):
    """The trial to recommend: the one that did best when it was measured again."""
    again = [t for t in trials if confirmations.get(t['number'], {}).get('status') == 'ok']
    if not again:
        return best_of(trials)
    return max(again, key=lambda trial: confirmations[trial['number']]['value'])


def best_of(trials):
    """The trial with the highest value among those that keep the constraints, or None."""
    kept = [trial for trial in trials if trial['status'] == 'ok']
    return max(kept, key=lambda trial: trial['value'], default=None)
