# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The pages of the papers, and the recorded results from which benchmarks/papers makes them.

results.jsonl has one object for each run of a contender in a row, and for each policy of a
simulated scenario. All tables and verdicts of the pages come from it.
"""

import collections
import json
import os
import re
import shutil

from charts.results import picture_name
from drivers.common import ROOT, read_json_lines
from drivers.pages import put_between
from drivers.paper_tables import headlines_text, measured_of, measured_text, simulated_text
from drivers.papers import PAPERS
from drivers.verdicts import disturbed

RESEARCH = os.path.join(ROOT, 'docs', 'research')
DOCS = os.path.join(RESEARCH, 'papers')
RECORDS = os.path.join(DOCS, 'results.jsonl')
MARKS = ('<!-- benchmarks/papers, {}: from here -->', '<!-- {}: to here -->')
MEASURED, SIMULATED, HEADLINES = 'measured', 'simulated', 'headlines'
PICTURES = os.path.join(DOCS, 'png')
DIGITS = 4  # significant ones that are recorded

# A run in the validation of the simulator: workload, policy, throughput and debt with their errors.
ERROR = r' \S+ \(([+-]?\d+) %\) \|'
VALIDATION = re.compile(r'^\| `[\w-]+`, ([\w-]+) \|' + 2 * ERROR, re.M)


def validated_errors(page):
    """{(policy, figure): largest error} of what the simulator's page shows to be validated."""
    errors = {}
    for policy, throughput, debt in VALIDATION.findall(page):
        for figure, error in (('mb_per_s', throughput), ('debt', debt)):
            error = abs(int(error)) / 100
            errors[policy, figure] = max(error, errors.get((policy, figure), 0))
    return errors


def rounded(record):
    return {
        name: float(f'{value:.{DIGITS}g}') if isinstance(value, float) else value
        for name, value in record.items()
        if value is not None
    }


def round_of(record):
    """All contenders of a row take turns in a round, so that ratios can be within it."""
    return record['paper'], record['row'], record['run']


def rounds_done(records, engine, paper, scale):
    """(row, number) of the rounds of this state of the library in which no contender is missing and
    the host left the CPU alone."""
    wanted = {row: len(contenders) for row, contenders in paper.contenders.items()}
    lasting = {row.name for row in paper.rows(scale) if not row.seconds_count}
    rounds = collections.defaultdict(set)
    for one in records:
        here = (one['paper'], one.get('engine'), one['scale']) == (paper.name, engine, scale)
        if engine and here and not disturbed([one], one['row'] not in lasting):
            rounds[one['row'], one['run']].add(one['contender'])
    return {
        (row, number)
        for (row, number), names in rounds.items()
        if len(names) >= wanted.get(row, 1)  # a scenario is recorded as a whole
    }


def record(new):
    """Adds records of whole rounds. They replace those of the same round, and those of their rows
    that are of another state of the library, or of another scale."""
    rounds = {round_of(one) for one in new}
    states = {round_of(one)[:2]: (one.get('engine'), one['scale']) for one in new}

    def stays(one):
        state = one.get('engine'), one['scale']
        return round_of(one) not in rounds and states.get(round_of(one)[:2], state) == state

    kept = [one for one in read_json_lines(RECORDS) if stays(one)]
    with open(RECORDS, 'w', encoding='utf-8') as file:
        for one in sorted([*kept, *map(rounded, new)], key=round_of):
            file.write(json.dumps(one) + '\n')


def drawn(paper, folder):
    """(row, picture, file) of the paper's pictures that are in the folder."""
    for row, pictures in paper.pictures.items():
        for picture in pictures:
            path = os.path.join(folder, picture_name(f'{row} {picture.chart}'))
            if os.path.isfile(path):
                yield row, picture, path


def keep_pictures(paper, folder):
    """Copies what the pages show from a report's folder of pictures."""
    os.makedirs(PICTURES, exist_ok=True)
    for _, _, path in drawn(paper, folder):
        shutil.copy(path, PICTURES)


def pictures_of(paper):
    """{row: Markdown of its pictures}."""
    found = collections.defaultdict(list)
    for row, picture, path in drawn(paper, PICTURES):
        link = '/'.join(path.split(os.sep)[-2:])
        found[row].append(f'![`{row}`: {picture.says}]({link})')
    return found


def texts_of(paper, records):
    """{half: its text} of a paper's page."""
    with open(os.path.join(RESEARCH, 'simulator.md'), encoding='utf-8') as file:
        validated = validated_errors(file.read())
    measured = measured_of(records, paper)
    return {
        MEASURED: measured_text(paper, records, measured, pictures_of(paper)),
        SIMULATED: simulated_text(paper, records, measured, validated),
        HEADLINES: headlines_text(PAPERS.values(), records),
    }


def render():
    """Writes all pages again, from the recorded results."""
    records = read_json_lines(RECORDS)
    for paper in PAPERS.values():
        texts = texts_of(paper, records)
        for half in (MEASURED, SIMULATED):
            page = os.path.join(DOCS, f'{paper.name}.md')
            put_between(page, *(mark.format(half) for mark in MARKS), texts[half])
    index = os.path.join(DOCS, 'README.md')
    put_between(index, *(mark.format(HEADLINES) for mark in MARKS), texts[HEADLINES])
