# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The result of a search in Markdown: the option string to paste, and the trials."""

import statistics

from drivers.figures import number, table
from option_search.journal import chosen_of
from option_search.space import options_text

SHOWN = 10  # trials in the table, the best first
CHANCE = ' Some of these runs were no better than the default, so this may be chance.'


def ratio_text(ratio):
    return '-' if ratio is None else f'{ratio:.2f} ×'


def shown_figures(objective, trials):
    """The figures with a weight or limit, and those that usually trade off; if reported."""
    names = [*objective.weights, *(c.figure for c in objective.constraints)]
    names += ['p99', 'write_amplification', 'memory', 'drain']
    told = set().union(*(trial.get('figures', {}) for trial in trials))
    return [objective.known[name] for name in dict.fromkeys(names) if name in told]


def figure_cells(figures, trial):
    cells = []
    for figure in figures:
        value = trial['figures'].get(figure.name)
        text = '-' if value is None else number(value / figure.scale)
        ratio = trial['ratios'].get(figure.name)
        cells.append(text if ratio is None else f'{text} ({ratio_text(ratio)})')
    return cells


def default_row(space, figures, trials):
    """The first run with the default options."""
    base = next((t['runs'][0]['default'] for t in trials if t.get('runs')), None)
    if base is None:
        return []
    cells = [number(base[f.name] / f.scale) if f.name in base else '-' for f in figures]
    return [['default', *(['-'] * len(space.parameters)), '1.00', *cells]]


def trial_table(space, objective, trials):
    """The best trials; those that violate a constraint come last."""
    measured = [trial for trial in trials if 'value' in trial]
    measured.sort(key=lambda trial: (trial['status'] != 'ok', -trial['value']))
    figures = shown_figures(objective, trials)
    head = ['trial', *(f'`{name}`' for name in space.names()), 'value']
    head += [f'{f.name}, {f.unit}' if f.unit else f.name for f in figures]
    rows = [head, *default_row(space, figures, trials)]
    for trial in measured[:SHOWN]:
        value = f"{trial['value']:.2f}"
        if len(trial.get('values', [])) > 1:
            value += f" ({min(trial['values']):.2f} to {max(trial['values']):.2f})"
        if trial['status'] != 'ok':
            value += ', ' + trial['reason']
        point = [parameter.text(trial['point'][parameter.name]) for parameter in space.parameters]
        rows.append([str(trial['number']), *point, value, *figure_cells(figures, trial)])
    return table(rows)


def failures(space, trials):
    """One line per trial without a value."""
    return [
        f"- trial {trial['number']} ({space.text(trial['point'])}): {trial['reason']}"
        for trial in trials
        if trial['status'] == 'failed'
    ]


def best_lines(space, objective, journal):
    trials = journal.trials()
    best = chosen_of(trials, journal.confirmations())
    if best is None:
        return ['No trial had a value and met the constraints.']
    again = journal.confirmations().get(best['number'])
    said = f"trial {best['number']} of {len(trials)}, {best['value']:.2f} times the default"
    if best['value'] <= 1 or (again and again.get('value', 0) <= 1):
        why = f'; measured again {again["value"]:.2f}' if again and 'value' in again else ''
        return [f'**Nothing better than the default was found.** The best was {said}{why}.']
    own = [p for p in space.parameters if p.name in space.own]
    found = ['```text', options_text(best['options']), '```', '']
    if own:
        values = ', '.join(f"{p.name} = {p.text(best['point'][p.name])}" for p in own)
        found += [f'And for your program: {values}.', '']
    if again is None:
        return [*found, f'This is {said}. It was not measured again, so expect less.']
    if 'value' not in again:
        return [*found, f"This is {said}; it failed when measured again: {again['reason']}."]
    values = again['values']
    return [
        *found,
        f'This is {said}. **Measured again, {len(values)} time(s): {again["value"]:.2f}**'
        + (f' ({min(values):.2f} to {max(values):.2f})' if len(values) > 1 else '')
        + (f", but {again['reason']}" if again['status'] != 'ok' else '')
        + '. Rely on this figure: the best of many trials is partly the luckiest one.'
        + (CHANCE if min(values) <= 1 else ''),
    ]


def default_note(objective, trials):
    """The default's figures, with their range, which shows chance and drift."""
    said = []
    for name in objective.weights:
        figure = objective.known[name]
        values = [run['default'][name] / figure.scale for t in trials for run in t.get('runs', [])]
        if values:
            unit = f' {figure.unit}' if figure.unit else ''
            said.append(
                f'{name} {number(statistics.median(values))}{unit} '
                f'({number(min(values))} to {number(max(values))} during the search)'
            )
    return [f"The default: {', '.join(said)}."] if said else []


def markdown(space, objective, journal, notes):
    trials = journal.trials()
    notes = [*notes, *default_note(objective, trials)]
    text = ['# Search for options', '']
    text += best_lines(space, objective, journal) + ['']
    text += [f'- {note}' for note in notes] + ['']
    text += trial_table(space, objective, trials)
    failed = failures(space, trials)
    if failed:
        text += ['', '## Without a value', '', *failed]
    return '\n'.join(text) + '\n'
