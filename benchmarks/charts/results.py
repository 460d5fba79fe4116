# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Reads results.jsonl in a results folder of db_bench --results or benchmarks/compare."""

import dataclasses
import os
import re

from drivers.common import Failure, read_json_lines
from drivers.figures import median
from drivers.results_folder import NAME, SUSTAINABLE, runs_in
from drivers.stores import STORES

KINDS = ('write', 'read', 'scan', 'rmw')


def picture_name(title, form='png'):
    """The file name of the chart titled `title`."""
    return re.sub(r'[^A-Za-z0-9.]+', '-', title).strip('-') + '.' + form


@dataclasses.dataclass
class Run:
    """One run of one workload on one store."""

    workload: str  # "b4/60%", "unsynced-100"
    store: str  # as shown: "Lull", "RocksDB matched", "Lull policy=leveldb"
    kind: str  # "db", "limit" or "null"
    result: dict
    intervals: list

    def identity(self):
        """Equal for two runs if one repeats the other."""
        return self.workload, self.store, self.kind, self.result.get('run')

    def spans_of_peaks(self):
        """(begin, end) in seconds of bursts, or of the load's segments above its mean."""
        if self.result.get('bursts'):
            return [
                (b['begin_seconds'], b['begin_seconds'] + b['seconds'])
                for b in self.result['bursts']
            ]
        segments = self.result.get('load', {}).get('segments', [])
        # A closed loop has no rate, because JSON has no infinity.
        rates = [s['rate'] for s in segments if s['rate'] is not None]
        if len(segments) < 2 or len(segments) > 40:
            return []
        usual = (
            1.05
            * sum(s['seconds'] * (s['rate'] or 0) for s in segments)
            / sum(s['seconds'] for s in segments)
        )
        limit = usual if len(rates) == len(segments) else float('inf')
        return [
            (s['begin_seconds'], s['begin_seconds'] + s['seconds'])
            for s in segments
            if s['rate'] is None or s['rate'] > limit
        ]


def store_title(item):
    if 'title' in item:
        return item['title']
    store = item['store']
    title = STORES[store].title if store in STORES else store
    profile = item.get('rocksdb_profile') or ''
    if profile not in ('', 'defaults'):
        title += ' ' + profile
    if item.get('scheduling'):
        title += ' ' + item['scheduling']
    return title


class Results:
    """All runs of a results folder."""

    def __init__(self, folder):
        self.folder = folder
        self.runs = []
        items = read_json_lines(os.path.join(folder, NAME))
        self.machine = next((item for item in items if item.get('kind') == 'machine'), {})
        for item, intervals in runs_in(items):
            if item.get('kind') == 'result' and 'store' in item:
                self.add(item, intervals)
        if not self.runs:
            raise Failure(f'{folder}/{NAME} contains no results')

    def add(self, item, intervals):
        if item.get('benchmark') == 'classic' or 'curve' not in item:
            return  # LevelDB's benchmarks have one figure each, without latencies
        if item.get('counts') is False:
            return  # disturbed, so it was repeated
        workload = item.get('workload', item['benchmark'])
        if workload.endswith(SUSTAINABLE) or item.get('calibration'):
            return  # it only measured X, which is in the results of the loads that use it
        kind = item.get('store_kind', 'db')
        if workload == 'limit' and kind == 'db':
            kind = 'limit'
        run = Run(workload, store_title(item), kind, item, intervals)
        self.runs = [r for r in self.runs if not self.replaces(run, r)] + [run]

    @staticmethod
    def replaces(run, other):
        """Whether `run` repeats `other`, and so replaces it."""
        number = run.result.get('run')
        return number is not None and run.identity() == other.identity()

    def workloads(self):
        """Names of workloads that have a run on a real store, in the order of the file."""
        return list(dict.fromkeys(run.workload for run in self.runs if run.kind == 'db'))

    def stores(self):
        """Ours first, then the others by name, independent of the order in the file."""
        names = {run.store for run in self.runs}
        return sorted(names, key=lambda name: (not name.startswith('Lull'), name))

    def of(self, workload, kind='db'):
        """store -> its runs of a workload."""
        found = {store: [] for store in self.stores()}
        for run in self.runs:
            if run.workload == workload and run.kind == kind:
                found[run.store].append(run)
        return {store: runs for store, runs in found.items() if runs}

    def typical(self, workload, kind='db'):
        """store -> the run whose p99 is the median of that store's runs."""
        chosen = {}
        for store, runs in self.of(workload, kind).items():
            runs = sorted(runs, key=lambda run: run.result['p99_us'])
            chosen[store] = runs[(len(runs) - 1) // 2]
        return chosen

    def median(self, workload, store, path, kind='db'):
        values = []
        for run in self.of(workload, kind).get(store, []):
            value = run.result
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            values.append(value)
        return median(values)

    def limit_of(self, run):
        """The result of the same client without background work, or None."""
        same = [
            other.result
            for other in self.runs
            if other.kind == 'limit'
            and other.store == run.store
            and other.result['value_size'] == run.result['value_size']
            and (
                other.workload == run.workload
                or (other.workload == 'limit' and not run.result['sync'])
            )
        ]
        return same[0] if same else None

    def load_families(self):
        """workload family -> store -> [(requests due per second, p99 in us of each run)] of
        constant loads."""
        families = {}
        for run in self.runs:
            load = run.result.get('load', {})
            constant = len(load.get('segments', [])) == 1 and not load.get('closed_loop')
            if run.kind != 'db' or not constant or '/' not in run.workload:
                continue
            family = run.workload.split('/')[0]
            if family == 'b6':
                continue  # its cases are different mixes, not one mix under different loads
            points = families.setdefault(family, {}).setdefault(run.store, {})
            points.setdefault(load['offered_per_s'], []).append(run.result['p99_us'])
        return {
            name: {store: sorted(points.items()) for store, points in stores.items()}
            for name, stores in families.items()
            if any(len(points) > 1 for points in stores.values())
        }
