# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Control groups of the kernel, version 1 or 2, around the programs that are measured."""

import contextlib
import glob
import os


def mounts(kind):
    with open('/proc/mounts') as table:
        rows = [line.split() for line in table]
    return [(row[1], row[3].split(',')) for row in rows if row[2] == kind]


def write_to(path, text):
    with open(path, 'w') as file:
        file.write(text)


def remove_orphans(prefix):
    """Removes the groups of processes that were killed."""
    for group in glob.glob(prefix + '*'):
        if not os.path.exists('/proc/' + group.removeprefix(prefix)):
            with contextlib.suppress(OSError):
                os.rmdir(group)


class ControlGroup:
    """A control group for the children of this process.

    first, second: controller, file, and what is written to the file, in version 1 and version 2.
    Raises OSError if the machine does not allow it.
    """

    def __init__(self, first, second):
        bases = [path for path, flags in mounts('cgroup') if first[0] in flags]
        controller, name, text = first
        if not bases:
            controller, name, text = second
            bases = [path for path, _ in mounts('cgroup2')]
            if not bases:
                raise OSError('no control groups are mounted')
            write_to(os.path.join(bases[0], 'cgroup.subtree_control'), '+' + controller)
        prefix = os.path.join(bases[0], f'lull-{controller}-')
        remove_orphans(prefix)
        self.group = prefix + str(os.getpid())
        os.mkdir(self.group)
        try:
            write_to(os.path.join(self.group, name), text)
        except OSError:
            self.close()
            raise

    def join(self):
        """Runs in a child process before it executes the benchmark."""
        write_to(os.path.join(self.group, 'cgroup.procs'), str(os.getpid()))

    def close(self):
        with contextlib.suppress(OSError):
            os.rmdir(self.group)


class MemoryLimit(ControlGroup):
    """Limits memory, including the page cache of the files that the children read and write."""

    def __init__(self, limit_bytes):
        super().__init__(
            ('memory', 'memory.limit_in_bytes', str(limit_bytes)),
            ('memory', 'memory.max', str(limit_bytes)),
        )
        for name, text in (('memory.swap.max', '0'), ('memory.swappiness', '0')):
            with contextlib.suppress(OSError):  # each exists in one version
                write_to(os.path.join(self.group, name), text)
