# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Reading the command line, so that a wrong word is named together with the nearest right one."""

import argparse
import difflib
import os
import re

from drivers.common import ROOT
from drivers.results_folder import read_results

# Stores are made and removed there, never straight in a folder that the user named.
STORES_FOLDER = 'lull-benchmark-stores'
SUFFIXES = {'K': 10, 'M': 20, 'G': 30}

# ---- Values ----------------------------------------------------------------


def nearest(word, choices):
    found = difflib.get_close_matches(word, choices, 1, 0.5)
    return f"; did you mean '{found[0]}'?" if found else ''


def unknown(kind, word, choices):
    """The error for a word that is not one of `choices`."""
    return f"there is no {kind}'{word}'{nearest(word, choices)} (known: {', '.join(choices)})"


def name_list(choices):
    """Reads names of `choices` with commas between them."""

    def parse(text):
        names = [name for name in text.split(',') if name]
        for name in names:
            if name not in choices:
                raise argparse.ArgumentTypeError(unknown('', name, choices))
        if not names:
            raise argparse.ArgumentTypeError(f"name at least one of {', '.join(choices)}")
        return names

    return parse


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)


def number_up_to(limit, complaint):
    """Reads a number over 0 and at most `limit`."""

    def parse(text):
        try:
            value = float(text)
        except ValueError:
            value = 0
        if not 0 < value <= limit:
            raise argparse.ArgumentTypeError(f"'{text}' is {complaint}")
        return value

    return parse


positive_share = number_up_to(100, 'not a number over 0 and at most 100')


def read_number(text):
    """A whole number that may end in K, M or G; None for anything else."""
    match = re.fullmatch(r'(\d{1,15})([KMG]?)', text.strip())
    return int(match[1]) << SUFFIXES.get(match[2], 0) if match else None


def size_text(value):
    for suffix, shift in reversed(SUFFIXES.items()):
        if value and value % (1 << shift) == 0:
            return f'{value >> shift}{suffix}'
    return str(value)


# ---- Flags -----------------------------------------------------------------


def names_of(choices, default=None):
    """The argparse settings of a flag that takes some of `choices`; all of them if there is no
    default."""
    help_text = 'of ' + ', '.join(choices) + (f" ({','.join(default)})" if default else '')
    default = default or list(choices)
    return dict(type=name_list(choices), metavar='A,B', default=default, help=help_text)


# Flags that several scripts have.
USUAL = {
    '--db-bench': dict(
        metavar='FILE', help='a db_bench that is there already: nothing is built'
    ),
    '--db-dir': dict(
        metavar='DIR',
        default=os.path.join(ROOT, 'build', 'compare-db'),
        help='directory of the stores, on the disk to measure',
    ),
    '--docs': dict(action='store_true'),
    '--lull-options': dict(metavar='K=V;K=V', default='', help="Lull's scheduling options"),
    '--no-build': dict(
        action='store_true', help='take the programs in build/release as they are'
    ),
    '--no-report': dict(action='store_true', help='make no page of charts'),
    '--options': dict(metavar='K=V;K=V', default='', help='further scheduling options of all'),
    '--results': dict(metavar='DIR', help='where results are kept (results/TIME)'),
    '--runs': dict(
        type=positive, default=1, metavar='N', help='figures are medians of so many (1)'
    ),
    '--scale': dict(
        type=positive_share,
        default=1,
        metavar='F',
        help='factor of all seconds and numbers of keys (1)',
    ),
    '--seconds': dict(type=positive_share, metavar='S'),
    '--seed': dict(type=positive, default=301, help='of keys, values and arrivals'),
}


class Parser(argparse.ArgumentParser):
    def __init__(self, prog, description):
        super().__init__(
            prog=prog,
            allow_abbrev=False,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_argument(
            '--no-install', action='store_true', help='install no packages that are missing'
        )
        # Of flags that not every script has.
        self.set_defaults(db_bench=None, no_build=False, results=None, resume=None)

    def add_usual(self, *flags, **changed):
        """Adds some of USUAL; of a single one the words in `changed` go before those there."""
        for flag in flags:
            self.add_argument(flag, **USUAL[flag] | changed)

    def parse(self, argv):
        options, extra = self.parse_known_args(argv)
        if extra:
            flag = extra[0].split('=')[0]
            known = [name for action in self._actions for name in action.option_strings]
            self.error(f"unknown argument '{extra[0]}'{nearest(flag, known)}")
        options.arguments = list(argv)
        if hasattr(options, 'db_dir'):
            options.db_dir = os.path.join(options.db_dir, STORES_FOLDER)
        return options

    def parse_resuming(self, argv, now=()):
        """The arguments; with --resume=DIR those of the call that left its results there, but for
        those named in `now` that this one gives. Any other that differs is an error."""
        self.add_argument(
            '--resume',
            metavar='DIR',
            help='go on with the call that left its results there, with the arguments of that call',
        )
        options = self.parse(argv)
        if not options.resume:
            return options
        resumed = self.parse(read_results(options.resume)[0]['arguments'])
        resumed.results = resumed.resume = options.resume
        given = {argument.split('=')[0] for argument in options.arguments}
        for action in self._actions:
            value = getattr(options, action.dest, None)
            flags = ' '.join(given.intersection(action.option_strings))
            positional = not action.option_strings and value != action.default
            if action.dest in ('no_install', *now) and flags:
                setattr(resumed, action.dest, value)
            elif (flags or positional) and value != getattr(resumed, action.dest):
                said = flags or f"'{value}'"
                self.error(f'{said} differs from the call that --resume goes on with: omit it')
        return resumed
