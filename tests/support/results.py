# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What a run of tests left in a build tree: the results of ctest and the times of its steps.

tests/run writes them and prints the verdict; tests/cost prints what took the time.
"""
import collections
import json
import os
import re
import xml.etree.ElementTree

RESULTS = 'tests.xml'  # by ctest, in the build tree of a preset
STEPS = 'steps.jsonl'  # by tests/run, in build/

# A test of a program, or a case of a GoogleTest program.
Case = collections.namedtuple('Case', 'name seconds passed')

ENDED = re.compile(r'^\[ +(OK|FAILED|SKIPPED) +\] (\S+?),?(?: where .*)? \((\d+) ms\)$', re.M)
BEGUN = re.compile(r'^\[ RUN +\] (\S+)$', re.M)
SANITIZER = re.compile(r'^.*(?:WARNING|ERROR): \w+Sanitizer: |^.*: runtime error: ', re.M)
SHOWN_LINES = 60  # of the output of a failed test


def cases_of(name, seconds, passed, output):
    """The cases of a ctest test, which may be a GoogleTest program."""
    program = name.split('/')[0]
    ended = ENDED.findall(output)
    cases = [
        Case(f'{program} {case}', int(ms) / 1000, passed or word == 'OK')
        for word, case, ms in ended
        if word != 'SKIPPED'
    ]
    if passed:
        return cases or [Case(name, seconds, True)]
    if all(case.passed for case in cases):  # a sanitizer reported, or the program ended, in a case
        report = SANITIZER.search(output)
        begun = BEGUN.findall(output[: report.start()] if report else output)
        cases.append(Case(f'{program} {begun[-1]}' if begun else name, 0, False))
    return cases


def cause_in(output):
    """The lines of a failed test's output to show: a sanitizer's report, or else the end."""
    report = SANITIZER.search(output)
    if report:
        return '\n'.join(output[report.start() :].splitlines()[:SHOWN_LINES])
    return '\n'.join(output.splitlines()[-SHOWN_LINES:])


def read_results(build):
    """Returns the cases of the last run in a build tree, and {name: output} of what failed."""
    cases, outputs = [], {}
    tree = xml.etree.ElementTree.parse(os.path.join(build, RESULTS))
    for test in tree.getroot().iter('testcase'):
        skipped = test.find('skipped')
        # ctest's other reasons not to run a test are failures: there is no program, for example.
        if skipped is not None and skipped.get('message', '').startswith('SKIP_'):
            continue
        name, output = test.get('name'), test.findtext('system-out') or ''
        passed = test.get('status') == 'run'
        cases += cases_of(name, float(test.get('time')), passed, output)
        if not passed:
            outputs[name] = output
    return cases, outputs


def busy_ticks():
    """(ticks in which the processors worked, all ticks), or None where Linux does not tell."""
    try:
        with open('/proc/stat', encoding='ascii') as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except OSError:
        return None
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def busy_share(before, after):
    if before is None or after is None or after[1] == before[1]:
        return None
    return (after[0] - before[0]) / (after[1] - before[1])


def keep_step(root, **step):
    with open(os.path.join(root, 'build', STEPS), 'a', encoding='utf-8') as file:
        file.write(json.dumps(step) + '\n')
