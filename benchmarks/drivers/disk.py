# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The disk under the stores: its free space and its write limit."""

import contextlib
import math
import mmap
import os
import random
import shutil
import time

from drivers.common import Failure
from drivers.control_group import ControlGroup

CAP_BYTES_A_SECOND = 100_000_000
FREE_BYTES_MIN = 6 << 30
PROBE_READS = 2000
PROBE_SECONDS = 5
PAGE_BYTES = 4096
PROBE_BYTES_MAX = 1 << 20
TABLES = ('.ldb', '.sst')
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


def mount_of(folder):
    """Device, type and options of the folder's file system."""
    path = os.path.join(os.path.realpath(folder), '')
    with open('/proc/self/mounts') as table:
        rows = [line.split() for line in table]
    inside = [row for row in rows if path.startswith(os.path.join(row[1], ''))]
    # Of several mounts over each other, the last is visible.
    device, _, kind, options, *_ = max(reversed(inside), key=lambda row: len(row[1]))
    return device, kind, options


def read_ahead_text(folder):
    """How much the kernel reads at once from the disk of the folder, at most."""
    with contextlib.suppress(OSError):
        with open(f'/sys/dev/block/{device_of(folder)}/queue/read_ahead_kb') as file:
            return f'{file.read().strip()} KB'
    return 'unknown'


class WriteCap(ControlGroup):
    """Limits writes to the disk of a folder."""

    def __init__(self, folder):
        device = device_of(folder)
        super().__init__(
            ('blkio', 'blkio.throttle.write_bps_device', f'{device} {CAP_BYTES_A_SECOND}'),
            ('io', 'io.max', f'{device} wbps={CAP_BYTES_A_SECOND}'),
        )


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
    kind = mount_of(folder)[1]
    if kind in ('tmpfs', 'ramfs'):
        print(
            f'Note: {folder} is in memory ({kind}), so this measures no disk. '
            'Use --db-dir to choose another directory.'
        )


def files_in(folder):
    """(path, bytes) of the files in a folder, without subfolders."""
    with os.scandir(folder) as entries:
        return [(entry.path, entry.stat().st_size) for entry in entries if entry.is_file()]


def drop_cached(folder):
    """Removes the folder's files from the page cache."""
    os.sync()  # dirty pages stay
    for path, _ in files_in(folder):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def read_latencies_us(folder, read_bytes):
    """Latencies of random reads of so many bytes, in whole pages, from the store's tables, one at a
    time, without the page cache. Empty if the file system cannot read without it."""
    wanted = min(max(1, math.ceil(read_bytes / PAGE_BYTES)) * PAGE_BYTES, PROBE_BYTES_MAX)
    tables = [file for file in files_in(folder) if file[0].endswith(TABLES)]
    files = [file for file in tables if file[1] >= wanted]
    if not files:
        return []
    chooser = random.Random(0)
    latencies = []
    until = time.monotonic() + PROBE_SECONDS
    with mmap.mmap(-1, wanted) as buffer:  # aligned
        for path, size in chooser.choices(files, [size for _, size in files], k=PROBE_READS):
            try:
                file = os.open(path, os.O_RDONLY | os.O_DIRECT)
            except OSError:
                return []
            place = chooser.randrange((size - wanted) // PAGE_BYTES + 1)
            begin = time.perf_counter()
            os.preadv(file, [buffer], place * PAGE_BYTES)
            latencies.append(round((time.perf_counter() - begin) * 1e6, 1))
            os.close(file)
            if time.monotonic() > until:
                break
    return latencies
