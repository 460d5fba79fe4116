# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Markdown of benchmarks/papers: a paper's figures beside ours, and tables of all of ours."""

import collections

from drivers.figures import number, ratio_number, table
from drivers.papers.parts import SIMULATED
from drivers.row_tables import MORE, Measured, figures_of_row, wide_table
from drivers.verdicts import MISSING, OWN, counts_text, judge

# What a record has besides figures.
FACTS = ('paper', 'row', 'contender', 'run', 'machine', 'limited_by', 'date', 'commit', 'engine')


def measured_of(records, paper):
    measured = Measured()
    for record in records:
        if record['paper'] == paper.name:
            figures = {name: value for name, value in record.items() if name not in FACTS}
            measured.add(record['row'], record['contender'], record['run'], figures)
    return measured


def runs_text(count):
    return 'one run' if count == 1 else f'{count} runs'


def here_text(judgement, simulated=False):
    """Our figure: the median of the runs, their interval and number."""
    if judgement.middle is None:
        return '-'
    form = ratio_number if judgement.claim.base else number
    low, middle, high = map(form, (judgement.low, judgement.middle, judgement.high))
    text = middle + (f' ({low} to {high})' if low != high else '')
    text += ' ×' if judgement.claim.base else ''
    return text if simulated else f'{text}; {runs_text(judgement.runs)}'


def paper_text(claim):
    return f'{claim.says} ({claim.source})' if claim.says else '-'


def claims_text(judged, simulated=False):
    """How many verdicts there are, and the tables: the paper's figures, and apart from them ours.
    Omits what was not measured."""
    judged = [judgement for judgement in judged if judgement.verdict != MISSING]
    out = []
    for own in (False, True):
        found = [j for j in judged if (j.claim.source == OWN) == own]
        if found:
            head = ['our own goal', 'goal'] if own else ['figure', 'paper']
            rows = [
                [
                    j.claim.text,
                    j.claim.says if own else paper_text(j.claim),
                    here_text(j, simulated),
                    j.verdict,
                ]
                for j in found
            ]
            said = [] if own else [counts_text(found), '']
            out += [*said, *table([[*head, 'here', 'verdict'], *rows], numbers=False), '']
    return out


def facts_text(records):
    """Machine, date, version, runs and scale of measured records."""

    def all_of(name):
        return sorted({record[name] for record in records if name in record})

    runs = collections.Counter((r['row'], r['contender']) for r in records).values()
    ends = sorted({min(runs), max(runs)})
    said = '; '.join(all_of('machine')) + '; ' + ', '.join(all_of('date'))
    commits = all_of('commit')
    if commits:
        said += f'; version{"s" if len(commits) > 1 else ""} {", ".join(commits)}'
    if len(commits) > 1 and len({record.get('engine', '') for record in records}) == 1:
        said += ', whose differences no run measures'
    said += f'; {" to ".join(map(str, ends))} run{"s" if ends[-1] > 1 else ""}'
    scales = [f'{scale:g}' for scale in all_of('scale')]
    said += '' if scales == ['1'] else f' at scale {", ".join(scales)}'
    return said + ''.join(f'; {by} limits writes to 100 MB/s' for by in all_of('limited_by')) + '.'


def grouped(items, key):
    """{key: items}, in the order of the items."""
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def tables_text(rows, measured, contenders_of, figures_of, titles, pictures):
    """A table of each group of rows with the same contenders, and the rows' pictures. Rows without
    results are omitted."""

    def present(row):
        return tuple(who for who in contenders_of(row) if (row.name, who) in measured.runs)

    out = []
    for who, group in grouped(filter(present, rows), present).items():
        shown = [(row.name, figures_of(row)) for row in group]
        lines, figure = wide_table(shown, who, measured, titles)
        said = '; '.join(f'`{row.name}`: {row.title}' for row in group)
        out += [(f'{figure}. ' if figure else '') + f'{said}.', '', *lines, '']
        for row in group:
            out += [line for picture in pictures.get(row.name, []) for line in (picture, '')]
    return out


def measured_text(paper, records, measured, pictures):
    """`pictures`: {row: Markdown of each of its pictures}."""
    rows = paper.rows(1)
    names = {row.name for row in rows}
    ours = [r for r in records if r['paper'] == paper.name and r['row'] in names]
    if not ours:
        return 'Not measured yet.\n'
    claims = [claim for claim in paper.claims if names.issuperset(claim.rows)]
    titles = {c.name: c.title for contenders in paper.contenders.values() for c in contenders}

    def figures_of(row):
        known = {figure.name: figure for figure in figures_of_row(row)} | MORE
        return [known[name] for name in paper.figures]

    def contenders_of(row):
        return [contender.name for contender in paper.contenders[row.name]]

    out = [facts_text(ours), '', *claims_text([judge(claim, measured) for claim in claims])]
    out += tables_text(rows, measured, contenders_of, figures_of, titles, pictures)
    return '\n'.join(out).rstrip() + '\n'


def simulated_text(paper, records, measured, validated):
    names = {scenario.name for scenario in paper.scenarios}
    if not any(r['paper'] == paper.name and r['row'] in names for r in records):
        return 'Not simulated yet.\n'
    claims = [claim for claim in paper.claims if names.issuperset(claim.rows)]

    def contenders_of(scenario):
        return [who for name, who in measured.runs if name == scenario.name]

    def figures_of(scenario):
        return [SIMULATED[name][0] for name in scenario.figures]

    # The simulator was validated on an SSD.
    on_disks = {scenario.name for scenario in paper.scenarios if scenario.on_disk}
    judged = [
        judge(claim, measured, {} if on_disks.intersection(claim.rows) else validated)
        for claim in claims
    ]
    out = claims_text(judged, simulated=True)
    out += tables_text(paper.scenarios, measured, contenders_of, figures_of, {}, {})
    return '\n'.join(out).rstrip() + '\n'


def headlines_text(papers, records):
    """The table that opens the index of the papers' pages."""
    rows = [['paper', 'figure', 'its figure', 'here', 'verdict', 'what differs here']]
    for paper in papers:
        measured = measured_of(records, paper)
        for claim in paper.claims:
            if claim.cause:
                judgement = judge(claim, measured)
                rows.append(
                    [
                        f'[{paper.authors}]({paper.name}.md)',
                        claim.text,
                        paper_text(claim),
                        here_text(judgement),
                        judgement.verdict,
                        claim.cause,
                    ]
                )
    return '\n'.join(table(rows, numbers=False)) + '\n'
