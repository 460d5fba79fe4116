#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Checks that the tables of docs/options.md are those that the library's table of options gives.

usage: options_test.py ROOT TOOL [--rewrite]

TOOL is the program lull. --rewrite puts the tables into the page.
"""
import json
import os
import re
import subprocess
import sys

GROUPS = ('common', 'layout', 'policy')
MARKED = re.compile(r'(<!-- options:begin (\w+) -->\n).*?(<!-- options:end -->)', re.S)
HEAD = ('| name | default | values | live | meaning |', '|---|---|---|---|---|')


def value_text(option, text):
    return text if option['unit'] not in ('name', 'flag') else f'`{text}`'


def row(option):
    values = ', '.join(value_text(option, value) for value in option['values'].split(', '))
    return (f"| `{option['name']}` | {value_text(option, option['default'])} | {values} | "
            f"{'yes' if option['live'] else ''} | {option['meaning']} |")


def main():
    root, tool = sys.argv[1:3]
    done = subprocess.run([tool, 'options', '--json'], stdout=subprocess.PIPE, text=True,
                          check=True)
    options = [json.loads(line) for line in done.stdout.splitlines()]
    tables = {group: '\n'.join([*HEAD, *(row(option) for option in options
                                         if option['group'] == group)]) + '\n'
              for group in GROUPS}
    path = os.path.join(root, 'docs', 'options.md')
    with open(path, encoding='utf-8') as file:
        page = file.read()
    found = [match[2] for match in MARKED.finditer(page)]
    if sorted(found) != sorted(GROUPS):
        print(f'{path}: needs a table between "options:begin" and "options:end" for each of '
              f'{", ".join(GROUPS)}; has {", ".join(found)}')
        return 1
    wanted = MARKED.sub(lambda match: match[1] + tables[match[2]] + match[3], page)
    if '--rewrite' in sys.argv:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(wanted)
    elif wanted != page:
        print(f'{path}: the tables differ from the library\'s; to renew them:\n'
              f'  {" ".join(sys.argv)} --rewrite')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
