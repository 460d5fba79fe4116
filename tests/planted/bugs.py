# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The planted bugs: bugs.ini and the patches.

Used by tests/planted/run, which builds and runs them, and by tests/lint, which checks that they
agree. Needs neither git nor patch: a released source archive has no repository.
"""
import configparser
import os

LIBRARY = ('util', 'table', 'scheduler', 'db')
INI = os.path.join('tests', 'planted', 'bugs.ini')
PATCHES = os.path.join('tests', 'planted', 'patches')


class PatchError(Exception):
    """A patch does not apply to the sources."""


class Bug:
    def __init__(self, name, section):
        self.name = name
        self.does = section['does']
        self.origins = section['from']
        self.tests = [tuple(line.split(maxsplit=1)) for line in section['tests'].split('\n')]
        self.hangs = section.getboolean('hangs', fallback=False)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def load(root):
    parser = configparser.ConfigParser(interpolation=None, delimiters=('=',))
    parser.optionxform = str
    parser.read_string(read(root, INI))
    return [Bug(name, parser[name]) for name in parser.sections()]


def hunks_of(patch):
    """Returns (path, source lines, replacement lines) for each hunk of a git diff."""
    path, hunks, in_hunk = '', [], False
    for line in patch.splitlines(keepends=True):
        if line.startswith('diff --git '):
            in_hunk = False
        elif line.startswith('@@ '):
            hunks.append((path, [], []))
            in_hunk = True
        elif not in_hunk and line.startswith('+++ b/'):
            path = line.removeprefix('+++ b/').rstrip()
        elif in_hunk:
            _, before, after = hunks[-1]
            if line[0] in ' -':
                before.append(line[1:])
            if line[0] in ' +':
                after.append(line[1:])
    return [(path, ''.join(before), ''.join(after)) for path, before, after in hunks]


def apply(root, patch):
    """Returns the sources that a patch changes: {path: text with the bug}.

    A hunk must fit exactly one place of its file; its line numbers are ignored. Only .cc files of
    the library may change: a header is compiled into the tests too.
    """
    sources = {}
    for path, before, after in hunks_of(patch):
        if path.split('/')[0] not in LIBRARY or not path.endswith('.cc'):
            raise PatchError(f'it changes "{path}", which is not a .cc file of the library')
        if path not in sources:
            if not os.path.isfile(os.path.join(root, path)):
                raise PatchError(f'{path} does not exist')
            sources[path] = '\n' + read(root, path)
        places = sources[path].count('\n' + before)
        if places != 1:
            raise PatchError(f'{path}: a hunk fits {places} places, not one')
        sources[path] = sources[path].replace('\n' + before, '\n' + after)
    if not sources:
        raise PatchError('it has no hunk; write it with git diff')
    return {path: text[1:] for path, text in sources.items()}


def patch_path(name):
    return os.path.join(PATCHES, name + '.patch')


def disagreements(root):
    """Yields (path, what to do) wherever bugs.ini, the patches and the sources differ."""
    bugs = load(root)
    names = {bug.name for bug in bugs}
    patches = {name.removesuffix('.patch') for name in os.listdir(os.path.join(root, PATCHES))}
    for name in sorted(patches - names):
        yield patch_path(name), 'describe the bug in bugs.ini, or remove the patch'
    for name in sorted(names - patches):
        yield INI, f'{name} has no patch: write patches/{name}.patch, or remove the section'
    for name in sorted(names & patches):
        try:
            apply(root, read(root, patch_path(name)))
        except PatchError as error:
            yield patch_path(name), (f'does not apply: {error}; update the patch, see '
                                     'CONTRIBUTING.md')
