# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Markdown of benchmarks/papers: a paper's figures beside ours, and the tables of ours."""

import collections

from drivers.figures import number, ratio_number, table
from drivers.papers.parts import SIMULATED
from drivers.row_tables import figures_of_row, has_results, row_table

REPRODUCED, DIRECTION, NOT = 'reproduced', 'in direction', 'not reproduced'
MISSING, NO_BASE = 'not measured', 'nothing to compare'
CLEARLY = 0.05  # a ratio this far from one has a direction
NEAR = 0.2


def on_side(value, side, limit):
    if side == '~':
        return abs(value - limit) <= NEAR * limit
    return value >= limit if side == '>' else value <= limit


def judge(claim, measured):
    """(our figure as text, verdict)."""
    value = measured.get(claim.row, claim.who, claim.figure)
    if value is None:
        return '-', MISSING
    if not claim.base:
        return number(value), REPRODUCED if on_side(value, claim.side, claim.goal) else NOT
    base = measured.get(claim.row, claim.base, claim.figure)
    if base is None:
        return '-', MISSING
    if number(base) == '0':
        return '-', NO_BASE
    ratio = value / base
    clear = 1 + (CLEARLY if claim.side == '>' else -CLEARLY)
    verdict = NOT
    if on_side(ratio, claim.side, claim.goal):
        verdict = REPRODUCED
    elif claim.side != '~' and on_side(ratio, claim.side, clear):
        verdict = DIRECTION
    return f'{ratio_number(ratio)} ×', verdict


def claims_text(claims, measured):
    """One sentence, and the table of the claims that were measured."""
    judged = [(claim, *judge(claim, measured)) for claim in claims]
    judged = [(claim, here, verdict) for claim, here, verdict in judged if verdict != MISSING]
    if not judged:
        return []
    counts = collections.Counter(verdict for _, _, verdict in judged)
    said = ', '.join(
        f'{counts[verdict]} {verdict}'
        for verdict in (REPRODUCED, DIRECTION, NOT, NO_BASE)
        if counts[verdict]
    )
    rows = [['figure', 'paper', 'here', 'verdict']]
    rows += [[claim.text, claim.says, here, verdict] for claim, here, verdict in judged]
    return [f'Verdict on {len(judged)} figures: {said}.', '', *table(rows, numbers=False), '']


def measured_text(paper, rows, measured, notes, pictures):
    """`pictures`: {row: [(title, path)]}."""
    names = {row.name for row in rows}
    out = [*notes, '', *claims_text([c for c in paper.claims if c.row in names], measured)]
    for row in rows:
        contenders = paper.contenders[row.name]
        who = [c.name for c in contenders]
        if has_results(row.name, who, measured):
            titles = {c.name: c.title for c in contenders}
            lines = row_table(row.name, figures_of_row(row), who, measured, who[0], titles)
            out += [f'**`{row.name}`** {row.title}', '', *lines, '']
            for title, path in pictures.get(row.name, []):
                out += [f'![{title}]({path})', '']
    return '\n'.join(out)


def simulated_text(paper, scenarios, measured, notes):
    names = {scenario.name for scenario in scenarios}
    out = [*notes, '', *claims_text([c for c in paper.claims if c.row in names], measured)]
    for scenario in scenarios:
        who = [who for name, who in measured.runs if name == scenario.name]
        if who:
            figures = [SIMULATED[name][0] for name in scenario.figures]
            lines = row_table(scenario.name, figures, who, measured, scenario.base)
            out += [f'**`{scenario.name}`** {scenario.title}', '', *lines, '']
    return '\n'.join(out)
