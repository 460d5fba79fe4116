# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Building the benchmark programs, running them, and keeping what they tell."""

import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time

from drivers.progress import Progress, clock
from drivers.compare_workloads import Failure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, 'build', 'release')

INTERVAL = re.compile(r'^\s+[\d.]+ s\s+(\w+)\s+([\d.]+) MB/s')
CLASSIC_LINE = re.compile(r'^(\w+)\s*:\s+([\d.]+) micros/op;(?:\s+([\d.]+) MB/s)?')


# ---- Before ----------------------------------------------------------------


def make_results_folder():
    stamp = datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')
    folder = os.path.join(ROOT, 'results', stamp)
    os.makedirs(folder, exist_ok=True)
    return folder


def run_step(title, command, log):
    """Runs a command with its output in the file `log`; shows the end of it when it fails."""
    print(f'{title} ...', flush=True)
    begin = time.monotonic()
    with open(log, 'ab') as out:
        code = subprocess.call(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
    if code != 0:
        with open(log, errors='replace') as text:
            tail = ''.join(text.readlines()[-25:])
        raise Failure(
            f"{tail}\n{title} failed: {' '.join(command)} ended with {code}; "
            f'all of its output is in {log}'
        )
    print(f'{title}: {time.monotonic() - begin:.0f} s', flush=True)


def build(programs, log):
    run_step('Installing what is missing', [os.path.join(ROOT, 'cmake', 'install-deps')], log)
    run_step('Configuring', ['cmake', '--preset', 'release'], log)
    run_step('Building', ['cmake', '--build', '--preset', 'release', '--target', *programs], log)


def check_program(path):
    if not os.access(path, os.X_OK):
        raise Failure(f'{path} cannot be run: without --no-build and --db-bench it is built')


def machine_facts(options):
    model = 'unknown CPU'
    with open('/proc/cpuinfo') as info:
        for line in info:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    return {
        'kind': 'machine',
        'cpus': os.cpu_count(),
        'cpu': model,
        'memory_bytes': memory,
        'kernel': os.uname().release,
        'arguments': options.arguments,
    }


def machine_text(facts):
    return (
        f"{facts['cpus']} x {facts['cpu']}, {facts['memory_bytes'] >> 30} GB, "
        f"Linux {facts['kernel']}"
    )


# ---- Runs ------------------------------------------------------------------


def run_all(count, expected_seconds, work):
    """Calls work(progress), which makes `count` runs (or more) and what they need before.

    False when it was ended early, by Ctrl-C or by a run that failed: what was measured stands.
    """
    progress = Progress(expected_seconds)
    print(
        f'{count} run(s), about {clock(sum(expected_seconds))} (min:s). '
        'Ctrl-C ends early with what there is.',
        flush=True,
    )
    try:
        work(progress)
        return True
    except KeyboardInterrupt:
        print('\nStopped. Here is what had been measured.')
    except Failure as failure:
        print(f'\n{failure}\nHere is what had been measured.', file=sys.stderr)
    return False


def execute(command, cap, progress):
    """Runs a benchmark while showing how it goes; returns its lines."""
    os.sync()  # what earlier runs left unwritten must not be written during this one
    lines = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        preexec_fn=cap.join if cap else None,
    ) as child:
        try:
            for line in child.stdout:
                lines.append(line.rstrip('\n'))
                interval = INTERVAL.match(line)
                classic = CLASSIC_LINE.match(line)
                if interval:
                    progress.show(f'{interval[1]} {float(interval[2]):.1f} MB/s')
                elif classic:
                    progress.show(f'{classic[1]} {classic[2]} us')
            errors = child.stderr.read()
            code = child.wait()
        except BaseException:
            child.send_signal(signal.SIGTERM)
            raise
    if code != 0:
        reason = (errors.strip().splitlines() or ['no message'])[-1]
        raise Failure(f"{' '.join(command)}\nended with {code}: {reason}")
    return lines


def read_and_remove(path):
    with open(path) as file:
        objects = [json.loads(line) for line in file]
    os.remove(path)
    return objects


def execute_and_read(command, raw, cap, progress):
    """Runs one that appends what it measured to the file `raw`; returns its lines, and objects."""
    if os.path.exists(raw):
        os.remove(raw)  # of a run that was ended
    lines = execute(command, cap, progress)
    return lines, read_and_remove(raw)


def read_results(folder):
    """All that a call has kept there; the first object is what it was called with."""
    path = os.path.join(folder, 'results.jsonl')
    try:
        with open(path) as file:
            objects = [json.loads(line) for line in file]
    except (OSError, ValueError) as error:
        raise Failure(f'{path}: cannot be read: {error}') from None
    if not objects or 'arguments' not in objects[0]:
        raise Failure(f'{path}: does not begin with what was called')
    return objects


def parse_resuming(parser, argv, now=()):
    """The arguments; with --resume=DIR those of the call that left its results there, but for
    those named in `now` that this one gives."""
    parser.add_argument(
        '--resume',
        metavar='DIR',
        help='go on with the call that left its results there, with the arguments of that call',
    )
    options = parser.parse(argv)
    if not options.resume:
        return options
    resumed = parser.parse(read_results(options.resume)[0]['arguments'])
    resumed.results = resumed.resume = options.resume
    given = {argument.split('=')[0] for argument in options.arguments}
    for name in now:
        if '--' + name.replace('_', '-') in given:
            setattr(resumed, name, getattr(options, name))
    return resumed


def keep(objects, output, **facts):
    """Appends what a run told to the results; each interval with what it belongs to."""
    result = objects[-1]
    with open(output, 'a') as file:
        for item in objects:
            for name in ('store', 'store_kind', 'rocksdb_profile', 'scheduling', 'date'):
                if name in result:
                    item.setdefault(name, result[name])
            item.update(facts)
            file.write(json.dumps(item) + '\n')


# ---- Behind ----------------------------------------------------------------


def make_report(folder):
    """Draws the charts. What has been measured stands without them, so a failure is only told."""
    done = subprocess.run(
        [os.path.join(ROOT, 'benchmarks', 'report'), folder], capture_output=True, text=True
    )
    if done.returncode == 0:
        print(f'Report:  {os.path.relpath(done.stdout.splitlines()[-1])}')
    else:
        print(f'No charts: {done.stderr.strip()}', file=sys.stderr)
