# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The disk under the stores: its free space and its write limit."""

import contextlib
import os
import shutil

from drivers.common import Failure

CAP_BYTES_A_SECOND = 100_000_000
FREE_BYTES_MIN = 6 << 30
MODELS = ['hdd', 'sata', 'nvme', '100mb']  # known to db_bench


def device_of(folder):
    """MAJOR:MINOR of the whole disk that holds the folder."""
    number = os.stat(folder).st_dev
    device = f'{os.major(number)}:{os.minor(number)}'
    node = os.path.realpath(f'/sys/dev/block/{device}')
    if not os.path.isdir(node):
        raise OSError(f'{folder} is not on exactly one block device')
    if os.path.exists(os.path.join(node, 'partition')):
        with open(os.path.join(os.path.dirname(node), 'dev')) as disk:
            device = disk.read().strip()
    return device


def mounts(kind):
    with open('/proc/mounts') as table:
        rows = [line.split() for line in table]
    return [(row[1], row[3].split(',')) for row in rows if row[2] == kind]


def write_to(path, text):
    with open(path, 'w') as file:
        file.write(text)


class WriteCap:
    """A control group that limits writes to one disk.

    Raises OSError if the machine does not allow it.
    """

    def __init__(self, folder):
        device = device_of(folder)
        first = [path for path, flags in mounts('cgroup') if 'blkio' in flags]
        second = [path for path, _ in mounts('cgroup2')]
        if first:
            base, limit = first[0], (
                'blkio.throttle.write_bps_device',
                f'{device} {CAP_BYTES_A_SECOND}',
            )
        elif second:
            base, limit = second[0], ('io.max', f'{device} wbps={CAP_BYTES_A_SECOND}')
            write_to(os.path.join(base, 'cgroup.subtree_control'), '+io')
        else:
            raise OSError('no control groups are mounted')
        self.group = os.path.join(base, f'lull-compare-{os.getpid()}')
        os.mkdir(self.group)
        try:
            write_to(os.path.join(self.group, limit[0]), limit[1])
        except OSError:
            self.close()
            raise

    def join(self):
        """Runs in a child process before it executes the benchmark."""
        write_to(os.path.join(self.group, 'cgroup.procs'), str(os.getpid()))

    def close(self):
        with contextlib.suppress(OSError):
            os.rmdir(self.group)


def open_cap(options, otherwise):
    """The limit. If it cannot be set, raises Failure if the user asked for it by name; otherwise
    prints that, with `otherwise`, and returns None."""
    try:
        return WriteCap(options.db_dir)
    except OSError as error:
        if options.device == 'cap':
            raise Failure(f'--device=cap: cannot limit writes on this machine: {error}') from None
        print(f'The kernel cannot limit writes to 100 MB/s here ({error}): {otherwise}.')
        return None


def check_folder(folder):
    os.makedirs(folder, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES_MIN:
        raise Failure(
            f'--db-dir: {folder} has {free >> 30} GB free; {FREE_BYTES_MIN >> 30} GB are needed'
        )
    inside = [
        (path, kind)
        for kind in ('tmpfs', 'ramfs')
        for path, _ in mounts(kind)
        if os.path.realpath(folder).startswith(path.rstrip('/') + '/')
    ]
    if inside:
        print(
            f'Note: {folder} is in memory ({inside[0][1]}), so this measures no disk. '
            'Use --db-dir to choose another directory.'
        )
