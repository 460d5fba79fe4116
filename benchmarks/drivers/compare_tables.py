# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Turns the figures of benchmarks/compare into tables of medians and ratios."""

from drivers.compare_workloads import (
    FIGURES,
    LIMIT_FIGURES,
    NULL_FIGURES,
    OPEN_LOOP_FIGURES,
    WORKLOADS,
)
from drivers.disk import MODELS
from drivers.figures import median, ratio_number, shown
from drivers.stores import STORES


def ratio_text(ours, theirs, better, digits=9):
    """Ours divided by theirs, with the verdict in a word. What is shown as zero counts as zero."""
    if ours is None or theirs is None:
        return '', ''
    ours = 0 if round(ours, digits) == 0 else ours
    theirs = 0 if round(theirs, digits) == 0 else theirs
    if theirs == 0:
        return ('same', '') if ours == 0 else ('-', 'worse' if better == 'lower' else 'better')
    ratio = ours / theirs
    text = f'{ratio_number(ratio)}x'
    if abs(ratio - 1) < 0.05:
        return text, 'about equal'
    return text, 'better' if (ratio > 1) == (better == 'higher') else 'worse'


def print_rows(title, rows, stores, emit):
    """rows: (label, {store: value}, digits, better). Ratios: the first store to each other one."""
    titles = [STORES[name].title for name in stores]
    peers = stores[1:]
    emit('')
    emit(title)
    head = f"  {'':<30}" + ''.join(f'{name:>14}' for name in titles)
    head += ''.join(f'{titles[0] + " / " + STORES[name].title:>20}' for name in peers)
    emit(head + '   better is')
    for label, values, digits, better in rows:
        line = f'  {label:<30}' + ''.join(f'{shown(values[name], digits):>14}' for name in stores)
        verdict = ''
        for peer in peers:
            ratio, verdict = ratio_text(values[stores[0]], values[peer], better, digits)
            line += f'{ratio:>20}'
        if len(peers) > 1:
            verdict = ''  # there are several
        emit(f'{line}   {better:<8}{verdict}'.rstrip())


def figure_rows(figures, per_store, part):
    rows = []
    for figure in figures:
        values = {}
        for store, runs in per_store.items():
            found = median([run[part].get(figure.key) for run in runs if part in run])
            values[store] = None if found is None else found / figure.scale
        if any(value is not None for value in values.values()):
            rows.append((figure.label, values, figure.digits, figure.better))
    return rows


def share_rows(workload, part, per_store, results):
    """Throughput beside that of the same client with nothing to do in the background."""
    if workload.kind != 'bursts' or '--sync=1' in workload.flags:
        return []
    shares = {}
    for store, runs in per_store.items():
        limits = results.get(('limit', store), [])
        ours = median([run[part]['mb_per_s'] for run in runs])
        limit = median([run[part]['mb_per_s'] for run in limits if part in run])
        shares[store] = 100 * ours / limit if ours is not None and limit else None
    if all(share is None for share in shares.values()):
        return []
    return [('throughput, % of its own limit', shares, 0, 'higher')]


def classic_rows(per_store):
    names = dict.fromkeys(
        name for runs in per_store.values() for run in runs for name in run['classic']
    )
    return [
        (
            name + ', us',
            {
                store: median([run['classic'].get(name) for run in runs])
                for store, runs in per_store.items()
            },
            3,
            'lower',
        )
        for name in names
    ]


def print_workload(workload, results, options, emit):
    per_store = {store: results.get((workload.name, store), []) for store in options.stores}
    count = min(len(runs) for runs in per_store.values())
    if not any(per_store.values()):
        return []
    note = f' (median of {count})' if count > 1 else ''
    if workload.kind == 'classic':
        print_rows(workload.title + note, classic_rows(per_store), options.stores, emit)
        return []
    if workload.kind == 'limit':
        for size in (100, 1024):
            for part, what in (('db', 'nothing is flushed'), ('null', 'a store that does nothing')):
                print_rows(
                    f'{workload.title}: {size} bytes, {what}{note}',
                    figure_rows(LIMIT_FIGURES, per_store, (part, size)),
                    options.stores,
                    emit,
                )
        return LIMIT_FIGURES
    figures = OPEN_LOOP_FIGURES if workload.kind in ('openloop', 'load') else FIGURES
    part = next(key for runs in per_store.values() for run in runs for key in run)
    rows = figure_rows(figures, per_store, part) + share_rows(workload, part, per_store, results)
    if workload.kind == 'openloop':
        rows += figure_rows(NULL_FIGURES, per_store, ('null', part[1]))
        figures = figures + NULL_FIGURES
    print_rows(workload.title + note, rows, options.stores, emit)
    return figures


def device_text(options, capped):
    if capped:
        return 'Writes to the device limited to 100 MB/s: ' + ', '.join(capped) + '.'
    if options.device in MODELS:
        return f'A model of a device ({options.device}), not the disk.'
    return 'The disk as it is.'


def print_tables(results, options, capped, complete, emit):
    used = {}
    for name in options.workloads:
        used.update(dict.fromkeys(print_workload(WORKLOADS[name], results, options, emit)))
    if not used:
        return
    emit('')
    emit('What the rows mean')
    for figure in used:
        emit(f'  {figure.label:<28}{figure.meaning}; {figure.better} is better')
    emit('')
    emit(
        f'{options.runs} run(s) of each, in turn on the stores, each with its own defaults'
        + (f' (Lull with {options.lull_options})' if options.lull_options else '')
        + '. '
        + device_text(options, capped)
    )
    if options.runs == 1:
        emit(
            'One short run each: differences of 10 % mean nothing. '
            '--runs=3 takes medians, --full measures longer.'
        )
    if not complete:
        emit('Stopped early: some rows have fewer runs than others.')
