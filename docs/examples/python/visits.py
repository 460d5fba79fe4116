#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Adds a visit to a store and prints all visits, with plyvel.

usage: visits.py STORE

plyvel is linked to LevelDB. To run it on Lull, set LD_LIBRARY_PATH to the directory of the drop-in
library.
"""
import contextlib
import sys

import plyvel


def main(store):
    with contextlib.closing(plyvel.DB(store, create_if_missing=True)) as db:
        print('on', 'Lull' if db.get_property(b'lull.options') else 'LevelDB')
        count = int(db.get(b'count', b'0')) + 1
        with db.write_batch(sync=True) as batch:  # both entries or none, durably
            batch.put(b'count', b'%d' % count)
            batch.put(b'visit/%06d' % count, b'Python')
        for key, value in db.iterator(prefix=b'visit/'):
            print(key.decode(), value.decode())


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: visits.py STORE')
    main(sys.argv[1])
