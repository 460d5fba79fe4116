# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Runs a step of a build or of tests while showing how it goes."""

import os
import re
import subprocess
import threading

from drivers.common import ROOT

BUILT = re.compile(r'^\[(\d+)/(\d+)\] ')  # Ninja's lines
TAIL_LINES = 25


def run_step(command, log, progress, counted=BUILT, environment=()):
    """Runs a command in the root of the repository and appends its output to the file `log`.

    `counted` matches the lines that say how many parts of the step are done, and of how many.
    Returns (exit code, all output).
    """
    lines = []
    with open(log, 'a', buffering=1, encoding='utf-8') as kept:
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **dict(environment)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
        )

        def read():
            for line in child.stdout:
                lines.append(line)
                kept.write(line)
                match = counted.match(line)
                if match:
                    done, count = int(match[1]), int(match[2])
                    progress.note(f'{done}/{count}', done / max(1, count))

        reader = threading.Thread(target=read)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(1)
                progress.tick()
            code = child.wait()
        except BaseException:
            child.terminate()
            reader.join()
            raise
    return code, ''.join(lines)


def tail_of(text):
    return '\n'.join(text.splitlines()[-TAIL_LINES:])
