# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Writes and reads table files without Lull's code."""
import glob
import os
import struct
import zlib

from files import masked_crc

FOOTER_BYTES, TRAILER_BYTES = 48, 5
BLOOM = b'filter.leveldb.BuiltinBloomFilter2'
NONE, SNAPPY, ZLIB, ZLIB_RAW = 0, 1, 2, 4
WINDOW_BITS = {ZLIB: 15, ZLIB_RAW: -15}


def varint(number):
    return bytes([number & 0x7f | 0x80]) + varint(number >> 7) if number > 127 else bytes([number])


def sized(text):
    return varint(len(text)) + text


def internal_key(name, sequence):
    return name + struct.pack('<Q', sequence << 8 | 1)


def block(entries, kind=NONE, level=-1):
    """A block and its trailer. Compressed only if that saves an eighth, as LevelDB does."""
    stored = body = b''.join(
        varint(0) + varint(len(key)) + varint(len(value)) + key + value for key, value in entries
    ) + struct.pack('<II', 0, 1)
    if kind in WINDOW_BITS:
        packer = zlib.compressobj(level, zlib.DEFLATED, WINDOW_BITS[kind])
        stored = packer.compress(body) + packer.flush()
    if len(stored) >= len(body) - len(body) // 8:
        kind, stored = NONE, body
    return stored + bytes([kind]) + struct.pack('<I', masked_crc(stored + bytes([kind])))


def table_of(blocks, kind=NONE):
    """A table of blocks, each a list of entries in their order."""
    data, index = b'', []
    for entries in blocks:
        written = block(entries, kind)
        index.append((entries[-1][0], varint(len(data)) + varint(len(written) - TRAILER_BYTES)))
        data += written
    footer = b''
    for written in block([]), block(index, kind):
        footer += varint(len(data)) + varint(len(written) - TRAILER_BYTES)
        data += written
    return data + footer.ljust(40, b'\0') + struct.pack('<Q', 0xdb4775248b80fb57)


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def unsnappy(data):
    _, at = read_varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag, at = data[at], at + 1
        if tag & 3 == 0:  # bytes as they are
            size = (tag >> 2) + 1
            if size > 60:
                width, at = size - 60, at + size - 60
                size = int.from_bytes(data[at - width:at], 'little') + 1
            out += data[at:at + size]
            at += size
            continue
        width = (0, 1, 2, 4)[tag & 3]
        back = int.from_bytes(data[at:at + width], 'little')
        size = (tag >> 2) + 1
        if width == 1:
            back, size = back | tag >> 5 << 8, (tag >> 2 & 7) + 4
        at += width
        for _ in range(size):
            out.append(out[-back])
    return bytes(out)


class Table:
    """The types of all blocks of a table, which it decompresses, and the number of probes of its
    Bloom filter or None."""

    def __init__(self, data):
        self.data = data
        self.types = []
        self.probes = None
        self.bytes = FOOTER_BYTES
        at = len(data) - FOOTER_BYTES
        metaindex, at = self.handle(data, at)
        index, at = self.handle(data, at)
        for name, handle in self.entries(metaindex):
            contents = self.block(handle)
            if name == BLOOM:
                self.probes = contents[struct.unpack('<I', contents[-5:-1])[0] - 1]
        for _, handle in self.entries(index):
            self.block(handle)
        assert self.bytes == len(data), 'not every block was found'

    @staticmethod
    def handle(data, at):
        offset, at = read_varint(data, at)
        size, at = read_varint(data, at)
        return (offset, size), at

    def block(self, handle):
        offset, size = handle
        kind = self.data[offset + size]
        self.types.append(kind)
        self.bytes += size + TRAILER_BYTES
        stored = self.data[offset:offset + size]
        if kind in WINDOW_BITS:
            return zlib.decompress(stored, WINDOW_BITS[kind])
        return unsnappy(stored) if kind == SNAPPY else stored

    def entries(self, handle):
        """The keys and handles in the block."""
        contents = self.block(handle)
        end = len(contents) - 4 * (struct.unpack('<I', contents[-4:])[0] + 1)
        at, key, found = 0, b'', []
        while at < end:
            shared, at = read_varint(contents, at)
            fresh, at = read_varint(contents, at)
            size, at = read_varint(contents, at)
            key, at = key[:shared] + contents[at:at + fresh], at + fresh + size
            found.append((key, self.handle(contents, at - size)[0]))
        return found


def tables_in(store):
    """The bytes of each table."""
    contents = set()
    for path in glob.glob(os.path.join(store, '*.ldb')):
        with open(path, 'rb') as file:
            contents.add(file.read())
    return contents
