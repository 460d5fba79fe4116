# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The file results.jsonl in a call's results folder.

The first object has the machine and the arguments of the call. The results of the runs follow, each
after its intervals.
"""

import datetime
import json
import os

from drivers.common import ROOT, Failure, read_json_lines

NAME = 'results.jsonl'
SUSTAINABLE = ',sustainable'  # suffix of the name of a closed loop that measures X


def make_results_folder():
    stamp = datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')
    folder = os.path.join(ROOT, 'results', stamp)
    os.makedirs(folder, exist_ok=True)
    return folder


def keep(objects, output, **facts):
    """Appends the result of a run and its intervals. Adds to intervals what they belong to."""
    result = objects[-1]
    with open(output, 'a') as file:
        for item in objects:
            for name in ('store', 'store_kind', 'rocksdb_profile', 'scheduling', 'date'):
                if name in result:
                    item.setdefault(name, result[name])
            item.update(facts)
            file.write(json.dumps(item) + '\n')


def read_results(folder):
    """All objects in the file."""
    path = os.path.join(folder, NAME)
    objects = read_json_lines(path, cuts=True)
    if not objects or 'arguments' not in objects[0]:
        raise Failure(f'{path}: does not begin with the arguments of a call')
    return objects


def runs_in(objects):
    """(result, its intervals) of each run."""
    intervals = []
    for item in objects:
        if item.get('kind') == 'interval':
            intervals.append(item)
        else:
            yield item, intervals
            intervals = []
