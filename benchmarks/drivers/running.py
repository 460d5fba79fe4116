# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Building the benchmark programs and running them."""

import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from drivers.common import ROOT, Failure, read_json_lines
from drivers.disk import mount_of
from drivers.progress import Progress, clock
from drivers.steps import run_step, tail_of

BUILD = os.path.join(ROOT, 'build', 'release')
LIBRARY = ('db', 'include', 'scheduler', 'table', 'util')  # its folders
# Its parts that no run of a paper's rows executes while it measures.
UNMEASURED = (
    'db/backup/',
    'db/tools/',
    'db/wal/log_reader.',
    'db/wal/wal_reader.',
    'util/windows/',
)

# What CMake prints of a program that it cannot build.
OMITTED = re.compile(r'^-- (No .+), so no (db_\w+)$', re.M)
INTERVAL = re.compile(r'^\s+[\d.]+ s\s+(\w+)\s+([\d.]+) MB/s')
CLASSIC_LINE = re.compile(r'^(\w+)\s*:\s+([\d.]+) micros/op;(?:\s+([\d.]+) MB/s)?')
BUILD_SECONDS = 100  # about; on two processors
REASON_MAX = 300  # letters
GRACE_SECONDS = 5  # between SIGTERM and SIGKILL
# Set in shells that run programs on the drop-in library; stock programs must not run on it.
UNSET = {'LD_LIBRARY_PATH': None, 'LD_PRELOAD': None}


# ---- Before ----------------------------------------------------------------


def install():
    """Installs the missing packages, if there are any, and prints their names."""
    script = os.path.join(ROOT, 'cmake', 'install-deps')
    if subprocess.call([script, 'benchmarks'], stdin=subprocess.DEVNULL) != 0:
        raise Failure('packages are missing: see above')


def build(programs, log):
    """Builds the programs, given by their paths. Returns those that cannot be built, as prepare()
    does."""
    progress = Progress([10, BUILD_SECONDS])

    def run(title, command):
        if shutil.which(command[0]) is None:
            raise Failure(f'{command[0]} is missing: cmake/install-deps benchmarks installs it')
        progress.start(title)
        begin = time.monotonic()
        code, text = run_step(command, log, progress)
        if code != 0:
            raise Failure(
                f"{tail_of(text)}\n\n{title} failed: {' '.join(command)} ended with {code}; "
                f'all of its output is in {log}'
            )
        progress.finish(f'{time.monotonic() - begin:.0f} s')
        return text

    generator = [] if shutil.which('ninja') else ['-G', 'Unix Makefiles']
    said = run('Configuring', ['cmake', '--preset', 'release', *generator])
    names = {os.path.basename(path): path for path in programs}
    omitted = {names.pop(name): why for why, name in OMITTED.findall(said) if name in names}
    jobs = ['--parallel', str(os.cpu_count())]
    run('Building', ['cmake', '--build', '--preset', 'release', *jobs, '--target', *names])
    return omitted


def prepare(options, programs, folder):
    """Builds the programs, given by their paths, unless the user says that they are there. The log
    goes into the folder. Returns {program: why it cannot be built} of programs for other stores."""
    omitted = {}
    if not options.no_build and not options.db_bench:
        if not options.no_install:
            install()
        omitted = build(programs, os.path.join(folder, 'build.log'))
    flag = '--db-bench' if options.db_bench else '--no-build'
    for path in programs:
        if path not in omitted and not os.access(path, os.X_OK):
            raise Failure(f'{path} is missing or not executable: omit {flag} to build it')
    return omitted


def said_by_git(*arguments):
    """'' if there is no repository or no git."""
    try:
        done = subprocess.run(['git', '-C', ROOT, *arguments], capture_output=True, text=True)
    except OSError:
        return ''
    return done.stdout.strip() if done.returncode == 0 else ''


def commit_of_source():
    return said_by_git('describe', '--always', '--dirty', '--abbrev=12', '--exclude=*') or 'unknown'


def engine_of_source():
    """Tells one state of the library from another: commits that change only other folders, or what
    no run measures, have the same. '' if the folders of the library have changes that are not
    committed, or without git."""
    changed = said_by_git('status', '--porcelain', '--', *LIBRARY)
    lines = said_by_git('ls-tree', '-r', 'HEAD', '--', *LIBRARY).splitlines()
    measured = [line for line in lines if not line.split('\t')[1].startswith(UNMEASURED)]
    if changed or not measured:
        return ''
    return hashlib.sha256('\n'.join(measured).encode()).hexdigest()[:12]


def machine_facts(options):
    model = 'unknown CPU'
    with open('/proc/cpuinfo') as info:
        for line in info:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    disk, kind, flags = mount_of(options.db_dir)
    return {
        'kind': 'machine',
        'cpus': os.cpu_count(),
        'cpu': model,
        'memory_bytes': memory,
        'kernel': os.uname().release,
        'file_system': f'{kind} {flags}',
        'disk': disk,
        'commit': commit_of_source(),
        'engine': engine_of_source(),
        'arguments': options.arguments,
    }


def digests_of(programs):
    """Tells one build of the programs from another."""
    found = {}
    for path in filter(os.path.isfile, programs):
        with open(path, 'rb') as file:
            found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()[:16]
    return found


def machine_text(facts):
    return (
        f"{facts['cpus']} x {facts['cpu']}, {facts['memory_bytes'] >> 30} GB, "
        f"Linux {facts['kernel']}"
    )


# ---- One program -----------------------------------------------------------


class RunFailed(Exception):
    """Why a program did not end well, in one line."""


def reason_of(lines):
    """The last line that says anything, shortened."""
    said = [line.strip() for line in lines if line.strip()]
    reason = said[-1] if said else 'no message'
    return reason if len(reason) <= REASON_MAX else reason[: REASON_MAX - 1] + '…'


try:
    LIBC = ctypes.CDLL(None)
except OSError:
    LIBC = None


def end_with_parent():
    """In the child: it is killed when this script is, so that no run goes on beside the next."""
    PR_SET_PDEATHSIG = 1
    if LIBC is not None and hasattr(LIBC, 'prctl'):
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end(child):
    """Ends a child with all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(GRACE_SECONDS)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def start(command, environment, cap):
    def in_child():
        end_with_parent()
        if cap:
            cap.join()

    variables = {**os.environ, **environment}
    try:
        return subprocess.Popen(
            command,
            env={name: value for name, value in variables.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors='replace',
            start_new_session=True,
            preexec_fn=in_child,
        )
    except OSError as error:
        raise RunFailed(f'cannot run {command[0]}: {error.strerror}') from None


def run_command(command, environment, seconds_max, on_line, cap=None):
    """Its lines of output, and of errors; RunFailed when it ends otherwise than with 0.
    `environment`: variables to set, or to unset if None."""
    child = start(command, environment, cap)
    late = threading.Event()

    def too_late():
        late.set()
        end(child)

    lines, errors = [], []
    timer = threading.Timer(seconds_max or threading.TIMEOUT_MAX, too_late)
    reader = threading.Thread(target=lambda: errors.extend(child.stderr), daemon=True)
    timer.start()
    reader.start()
    try:
        for line in child.stdout:
            lines.append(line.rstrip('\n'))
            on_line(lines[-1])
        child.wait()
    finally:
        timer.cancel()
        end(child)
        reader.join(GRACE_SECONDS)
        child.stdout.close()
        child.stderr.close()
    if late.is_set():
        raise RunFailed(f'took longer than {seconds_max:g} s')
    if child.returncode < 0:
        raise RunFailed(f'killed by {signal.Signals(-child.returncode).name}')
    if child.returncode > 0:
        raise RunFailed(f'ended with {child.returncode}: {reason_of(errors or lines)}')
    return lines, [line.rstrip('\n') for line in errors]


def run_db_bench(command, show, seconds_max=None, cap=None):
    """Its lines of output. `show` is called with the figures of those that tell how it goes."""

    def on_line(line):
        interval, classic = INTERVAL.match(line), CLASSIC_LINE.match(line)
        if interval:
            show(f'{interval[1]} {float(interval[2]):.1f} MB/s')
        elif classic:
            show(f'{classic[1]} {classic[2]} us')

    os.sync()  # what earlier runs left unwritten must not be written during this one
    return run_command(command, UNSET, seconds_max, on_line, cap)[0]


def execute(command, cap, progress):
    """Runs a benchmark while showing how it goes; returns its lines."""
    try:
        return run_db_bench(command, progress.show, cap=cap)
    except RunFailed as failure:
        raise Failure(f"{' '.join(command)}\n{failure}") from None


def execute_and_read(command, raw, cap, progress):
    """Runs one that appends what it measured to the file `raw`; returns its lines, and objects."""
    if os.path.exists(raw):
        os.remove(raw)  # of a run that was ended
    lines = execute(command, cap, progress)
    objects = read_json_lines(raw)
    os.remove(raw)
    return lines, objects


# ---- All of them -----------------------------------------------------------


def run_all(what, expected_seconds, work):
    """Says how long `what` will take, and calls work(progress), which does it.

    False when it was ended early, by Ctrl-C or by a run that failed: what was measured stands.
    """
    progress = Progress(expected_seconds)
    print(
        f'{what}, about {clock(sum(expected_seconds))} (min:s). '
        'Ctrl-C stops early and prints the results so far.',
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


def make_report(folder):
    """Draws the charts. What has been measured stands without them, so a failure is only told."""
    done = subprocess.run(
        [os.path.join(ROOT, 'benchmarks', 'report'), folder], capture_output=True, text=True
    )
    if done.returncode == 0:
        print(f'Report:  {os.path.relpath(done.stdout.splitlines()[-1])}')
    else:
        print(f'No charts: {done.stderr.strip()}', file=sys.stderr)
