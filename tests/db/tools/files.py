# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Reads files, waits for those that another process creates, and makes the records of logs."""
import ctypes
import os
import select
import struct


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


def files_of(folder):
    """The bytes of each file."""
    contents = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as file:
            contents[name] = file.read()
    return contents


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked_crc(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def log_of(payload):
    """A log file with one record."""
    return struct.pack('<IHB', masked_crc(b'\1' + payload), len(payload), 1) + payload


def log_record(sequence, key, value=None):
    """A log record of one put, or of a deletion if there is no value."""
    def sized(text):
        return bytes([len(text)]) + text.encode()
    entry = b'\1' + sized(key) + sized(value) if value is not None else b'\0' + sized(key)
    return log_of(struct.pack('<QI', sequence, 1) + entry)
