# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shared code of the drivers of clients: tests that report one line each, and processes."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback


class Failure(Exception):
    """A check that failed, with a description."""


class Checks:
    """Counts failures. A check prints `test NAME ... ok`, or what is wrong and `FAILED`."""

    def __init__(self):
        self.failed = 0

    @contextlib.contextmanager
    def __call__(self, name):
        try:
            yield
        except Exception as error:  # whatever a client answers, the next check must still run
            self.failed += 1
            if not isinstance(error, Failure):
                traceback.print_exc()
            print(f'{error}\ntest {name} ... FAILED', flush=True)
        else:
            print(f'test {name} ... ok', flush=True)

    def exit(self):
        sys.exit(1 if self.failed else 0)


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_same(what, expected, found):
    expect(expected == found, f'{what}: expected {expected!r}, found {found!r}')


def wait_until(what, condition, seconds, process=None):
    """Returns the result of `condition` as soon as it is true. It polls every tenth of a second,
    because third-party programs give no events."""
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if process is not None and not process.runs():
            raise Failure(f'{process.name} ended while waiting: {what}\n{process.last_lines()}')
        if time.monotonic() > deadline:
            tail = f'\n{process.last_lines()}' if process is not None else ''
            raise Failure(f'not within {seconds} s: {what}{tail}')
        time.sleep(0.1)


def empty_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def free_ports(count):
    """Returns free ports of 127.0.0.1."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(('127.0.0.1', 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def run(command, seconds=60, **more):
    """Returns the output of a command. Raises Failure with that output if it fails or takes
    longer."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
            **more
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failure(f'not within {seconds} s: {command}') from None
    text = done.stdout.decode(errors='replace')
    expect(done.returncode == 0, f'{command} ended with {done.returncode}: {text[-3000:]}')
    return text


class Process:
    """A background program with its output in a file. The end of the block kills it."""

    def __init__(self, name, command, log, **more):
        self.name = name
        self.log = log
        with open(log, 'ab') as out:
            self.popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **more
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def runs(self):
        return self.popen.poll() is None

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def stop(self, seconds=60):
        """Asks it to exit; raises Failure if it does not."""
        self.popen.send_signal(signal.SIGTERM)
        self.await_end(seconds)

    def await_end(self, seconds):
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f'{self.name} does not stop\n{self.last_lines()}') from None

    def last_lines(self, count=15):
        with open(self.log, errors='replace') as text:
            return f'last lines of {self.log}:\n' + ''.join(text.readlines()[-count:])
