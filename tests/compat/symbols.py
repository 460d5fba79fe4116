#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Compares what two shared libraries export: ours must have every name of LevelDB's, without a
version, and otherwise only names of lull/*.h, each with a version.

usage: symbols.py STOCK OURS
"""
import re
import subprocess
import sys

# Names that stock exports and no other program can need, by reason.
EXEMPT = {
    'a template of the standard library, which every program makes for itself':
        r'_ZN?K?(SaI|S[a-z]|9__gnu_cxx)|_ZT[VISV]N?K?St',
    'a private function of a public class, which no inline function calls':
        r'_ZN7leveldb5Table(11BlockReader|11InternalGet|10ReadFilter|8ReadMeta)E|'
        r'_ZN7leveldb12TableBuilder(10WriteBlock|13WriteRawBlock)E',
    'a class inside a function of the C interface':
        r'_ZT[VIS]Z(33leveldb_filterpolicy_create_bloom|26leveldb_writebatch_iterate)E',
}
OURS = re.compile(r'lull_|_ZN?K?4lull|_ZT[VIS]N4lull')
VERSION = re.compile(r'LULL_0\.[1-9][0-9]*')


def exported(library):
    """{name: (kind, version)} of the defined dynamic symbols; kinds are functions and objects."""
    done = subprocess.run(['readelf', '--dyn-syms', '--wide', library], check=True, text=True,
                          stdout=subprocess.PIPE)
    names = {}
    for line in done.stdout.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0][:-1].isdigit() and fields[6] != 'UND':
            if fields[4] in ('GLOBAL', 'WEAK', 'UNIQUE') and fields[6] != 'ABS':
                name, _, version = fields[7].replace('@@', '@').partition('@')
                names[name] = fields[3], version
    return names


def exempt(name):
    return any(re.match(pattern, name) for pattern in EXEMPT.values())


def main():
    stock, ours = exported(sys.argv[1]), exported(sys.argv[2])
    findings = []
    for name, (kind, _) in sorted(stock.items()):
        if exempt(name):
            continue
        if name not in ours:
            findings.append(f'missing: {name}')
        elif ours[name] != (kind, ''):
            findings.append(f'is {ours[name]}, should be {kind} without a version: {name}')
    for name, (_, version) in sorted(ours.items()):
        if name not in stock and not OURS.match(name):
            findings.append(f'should be hidden: {name}')
        elif name not in stock and not VERSION.fullmatch(version):
            findings.append(f'needs a version in cmake/exports.map: {name}')
    text = ''.join(line + '\n' for line in findings)
    print(subprocess.run(['c++filt'], input=text, check=True, text=True,
                         stdout=subprocess.PIPE).stdout, end='')
    needed = [name for name in stock if not exempt(name)]
    print(f'{len(needed)} names of LevelDB, {len(ours)} of ours, {len(findings)} findings')
    c_functions = [name for name in needed if name.startswith('leveldb_')]
    if len(c_functions) != 68 or len(needed) < 150:
        print(f'unlikely: LevelDB 1.23 has 68 C functions, not {len(c_functions)}')
        return 1
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
