# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The folder in which a call keeps its results, results.jsonl.

The first object describes the machine and has the arguments of the call. Then come the results of
runs, each after its intervals.
"""

import datetime
import json
import os

from drivers.common import ROOT, Failure, read_json_lines

NAME = 'results.jsonl'
SUSTAINABLE = ',sustainable'  # ends the name of a closed loop that was run to find X


def make_results_folder():
    stamp = datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')
    folder = os.path.join(ROOT, 'results', stamp)
    os.makedirs(folder, exist_ok=True)
    return folder


def keep(objects, output, **facts):
    """Appends the intervals and the result of a run, the intervals with what they belong to."""
    result = objects[-1]
    with open(output, 'a') as file:
        for item in objects:
            for name in ('store', 'store_kind', 'rocksdb_profile', 'scheduling', 'date'):
                if name in result:
                    item.setdefault(name, result[name])
            item.update(facts)
            file.write(json.dumps(item) + '\n')


def read_results(folder):
    """All that a call has kept there."""
    path = os.path.join(folder, NAME)
    objects = read_json_lines(path, cuts=True)
    if not objects or 'arguments' not in objects[0]:
        raise Failure(f'{path}: does not begin with what was called')
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
