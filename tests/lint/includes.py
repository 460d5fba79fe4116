# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Finds includes of library headers from which a file uses no name.

Works on text: a header's names are its classes, enumerations, aliases, functions, constants and
macros. Public headers can include others for their users.
"""
import os
import re

FOLDERS = ('include', 'util', 'table', 'scheduler', 'db')
INCLUDE = re.compile(r'^#\s*include\s*"([^"]+)"', re.M)
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
NAMES = re.compile(
    r'\b(?:class|struct|enum\s+class|enum|union)\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)*(\w+)'
    r'|\busing\s+(\w+)\s*='
    r'|\busing\s+[\w:]*::(\w+);'
    r'|#\s*define\s+(\w+)'
    r'|\b([A-Za-z_]\w*)\s*\('
    r'|\b(k[A-Z]\w*)\b')


def code_of(text):
    return TEXT.sub(' ', INCLUDE.sub('', text))


def names_of(text):
    return {name for found in NAMES.findall(code_of(text)) for name in found if name}


def unused(root):
    """Yields (path, the include that it does not need)."""
    sources = {}
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(('.h', '.cc')):
                    file = os.path.join(path, name)
                    with open(file, encoding='utf-8') as opened:
                        sources[os.path.relpath(file, root)] = opened.read()
    names = {path: names_of(text) for path, text in sources.items() if path.endswith('.h')}
    for path, text in sorted(sources.items()):
        if path.startswith('include/'):
            continue
        words = set(re.findall(r'\w+', code_of(text)))
        for include in INCLUDE.findall(text):
            header = include if include in names else 'include/' + include
            own = os.path.splitext(path)[0] == os.path.splitext(header)[0]
            if header in names and not own and not names[header] & words:
                yield path, include
