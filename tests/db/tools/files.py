# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Waits for files that another process creates."""
import ctypes
import os
import select


def await_file(path):
    """Waits until another process has created a file of this name, in a directory that exists."""
    create, moved_to = 0x100, 0x80  # from <sys/inotify.h>
    libc = ctypes.CDLL(None)
    events = libc.inotify_init()
    try:
        folder = os.fsencode(os.path.dirname(path))
        assert libc.inotify_add_watch(events, folder, create | moved_to) >= 0, folder
        poller = select.poll()
        poller.register(events, select.POLLIN)
        while not os.path.exists(path):
            assert poller.poll(60_000), f'no such file after a minute: {path}'
            os.read(events, 4096)
    finally:
        os.close(events)
