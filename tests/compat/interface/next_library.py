#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Writes the table of options as a later version could have it: with one more option.

usage: next_library.py db/base/option_table.cc OUTPUT
"""
import sys

FIRST = 'constexpr OptionRow kRows[] = {\n'
ROW = '''    {.name = "option_of_next_version",
     .field = [](OptionValues&) -> OptionField {
       static uint64_t value = 5;
       return &value;
     },
     .unit = OptionUnit::kCount,
     .group = OptionGroup::kCommon,
     .max = 10,
     .meaning = "An option that today's library does not have."},
'''


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        text = file.read()
    if text.count(FIRST) != 1:
        sys.exit(f'{sys.argv[1]}: the table does not begin with {FIRST!r}')
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(text.replace(FIRST, FIRST + ROW))


if __name__ == '__main__':
    main()
