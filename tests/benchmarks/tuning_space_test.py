#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Tests of the search space of benchmarks/tune: parameters, their ranges, and points in them."""

import math
import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from scripts import ROOT  # noqa: E402  (also finds the modules of benchmarks/)
from drivers.common import Failure  # noqa: E402
from option_search import space  # noqa: E402


def make_space(*declared, chosen=None, base='', own=()):
    return space.make_space(list(declared), chosen, base, own)


class SpaceTest(unittest.TestCase):
    def test_the_papers_four_are_searched_unless_others_are_named(self):
        self.assertEqual(make_space().names(), space.PAPER)
        self.assertEqual(make_space(chosen=['l0_stop']).names(), ['l0_stop'])
        self.assertEqual(make_space('l0_trigger=2..8:linear').names(), ['l0_trigger'])
        both = make_space('l0_stop=8..64', chosen=['l0_stop', 'memtable_bytes'])
        self.assertEqual(
            both.declared(), {'l0_stop': '8..64:log', 'memtable_bytes': '1M..128M:log'}
        )

    def test_every_range_is_of_an_option(self):
        with open(os.path.join(ROOT, 'db', 'base', 'option_table.cc')) as file:
            names = re.findall(r'Row\("(\w+)"', file.read())
        self.assertEqual(set(space.RANGES) - set(names), set())
        for name, text in space.RANGES.items():
            space.read_range(name, text)

    def test_a_file_of_ranges(self):
        with tempfile.NamedTemporaryFile('w') as file:
            file.write('# two\nl0_stop = 8 .. 64 : linear  # one\n\nmemtable_bytes=1M..2M\n')
            file.flush()
            declared = make_space('@' + file.name).declared()
        self.assertEqual(declared, {'l0_stop': '8..64:linear', 'memtable_bytes': '1M..2M:log'})
        with self.assertRaisesRegex(Failure, 'cannot read /nowhere: No such file'):
            make_space('@/nowhere')

    def test_wrong_names_come_with_the_nearest_right_one(self):
        for arguments, said in (
            (['l0_stopp=1..2'], "no parameter 'l0_stopp'; did you mean 'l0_stop'"),
            (['memtable_byte=1M..2M'], "did you mean 'memtable_bytes'"),
            (['l0_stop=1..2:logg'], "no scale 'logg'; did you mean 'log'"),
            (['l0_stop=1-2'], 'is not LOW..HIGH:SCALE'),
            (['l0_stop=1..2x'], 'is not LOW..HIGH:SCALE'),
            (['l0_stop=8..8'], '8 is not less than 8'),
            (['l0_stop=0..8:log'], 'cannot begin at 0'),
            (['l0_stop'], 'is not NAME=LOW..HIGH:SCALE'),
        ):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                make_space(*arguments)
        with self.assertRaisesRegex(Failure, "did you mean 'l0_trigger'"):
            make_space(chosen=['l0_triger'])
        with self.assertRaisesRegex(Failure, 'l0_stop is searched'):
            make_space(chosen=['l0_stop'], base='policy=lull;l0_stop=9')
        with self.assertRaisesRegex(Failure, "'policy' is not NAME=VALUE"):
            make_space(base='policy')

    def test_values_lie_in_the_range_on_its_scale(self):
        size = make_space(chosen=['memtable_bytes']).parameters[0]
        self.assertEqual([size.text(size.at(share)) for share in (0, 1)], ['1M', '128M'])
        self.assertAlmostEqual(size.at(0.5) / (1 << 20), math.sqrt(128), places=2)
        self.assertEqual(size.at(0.123) % 1024, 0)
        count = make_space('l0_trigger=1..9:linear').parameters[0]
        self.assertEqual([count.at(share) for share in (0, 0.5, 1)], [1, 5, 9])
        for parameter in (size, count):
            self.assertAlmostEqual(parameter.share(parameter.at(0.25)), 0.25, places=3)

    def test_a_grid_doubles_and_has_both_ends(self):
        size = make_space(chosen=['table_bytes_max']).parameters[0]
        texts = [size.text(value) for value in size.grid()]
        self.assertEqual((texts[:3], texts[-1], len(texts)), (['32K', '64K', '128K'], '64M', 12))
        self.assertEqual(make_space('l0_stop=4..20').parameters[0].grid(), [4, 8, 16, 20])
        self.assertEqual(make_space('l0_stop=4..6:linear').parameters[0].grid(), [4, 5, 6])

    def test_limits_of_l0_come_in_order(self):
        both = make_space(chosen=['l0_slowdown', 'l0_stop'])
        options = both.options({'l0_slowdown': 100, 'l0_stop': 20})
        self.assertEqual(options, {'l0_slowdown': '20', 'l0_stop': '20'})
        stop = make_space(chosen=['l0_stop'])
        self.assertEqual(stop.options({'l0_stop': 9}), {'l0_stop': '9', 'l0_slowdown': '9'})
        stop = make_space(chosen=['l0_stop'], base='l0_slowdown=5')
        self.assertEqual(stop.options({'l0_stop': 9})['l0_slowdown'], '5')
        slow = make_space(chosen=['l0_slowdown'])
        self.assertEqual(slow.options({'l0_slowdown': 9}), {'l0_slowdown': '9', 'l0_stop': '512'})
        slow = make_space(chosen=['l0_slowdown'], base='policy=leveldb;l0_stop=12')
        self.assertEqual(
            space.options_text(slow.options({'l0_slowdown': 9})),
            'policy=leveldb;l0_stop=12;l0_slowdown=9',
        )

    def test_points_are_apart_where_that_may_matter(self):
        both = make_space(chosen=['l0_slowdown', 'l0_stop'])

        def apart(one, two):
            names = ('l0_slowdown', 'l0_stop')
            return both.apart(dict(zip(names, one)), dict(zip(names, two)))

        self.assertTrue(apart((8, 100), (12, 100)))
        self.assertFalse(apart((100, 400), (102, 401)))
        self.assertFalse(apart((100, 32), (500, 32)), 'writes stop before they are slowed')
        self.assertTrue(apart((20, 32), (500, 32)))

    def test_a_point_to_begin_with_names_each_parameter(self):
        both = make_space(chosen=['memtable_bytes', 'l0_stop'])
        point = both.point('l0_stop=64; memtable_bytes=2500000')
        self.assertEqual(point, {'memtable_bytes': 2441 << 10, 'l0_stop': 64})
        for text, said in (
            ('l0_stop=64', 'memtable_bytes has no value, of 1M..128M:log'),
            ('l0_stop=1;memtable_bytes=4M', "l0_stop '1' is not, of 4..512:log"),
            ('l0_stop=x;memtable_bytes=4M', "l0_stop 'x' is not, of"),
            ('l0_stp=64', "no parameter 'l0_stp'; did you mean 'l0_stop'"),
            ('l0_stop', "--start: 'l0_stop' is not NAME=VALUE"),
        ):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                both.point(text)


if __name__ == '__main__':
    unittest.main()
