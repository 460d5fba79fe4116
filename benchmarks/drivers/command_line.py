# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Reading the command line, so that a wrong word is named together with the nearest right one."""

import argparse
import difflib
import os


# Stores are made and removed there, never straight in a folder that the user named.
STORES_FOLDER = 'lull-benchmark-stores'


def nearest(word, choices):
    found = difflib.get_close_matches(word, choices, 1, 0.5)
    return f"; did you mean '{found[0]}'?" if found else ''


def name_list(choices):
    """Reads names of `choices` with commas between them."""

    def parse(text):
        names = [name for name in text.split(',') if name]
        for name in names:
            if name not in choices:
                raise argparse.ArgumentTypeError(
                    f"there is no '{name}'{nearest(name, choices)} (known: {', '.join(choices)})"
                )
        if not names:
            raise argparse.ArgumentTypeError(f"name at least one of {', '.join(choices)}")
        return names

    return parse


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)


def positive_share(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number over 0 and at most 100")
    return value


class Parser(argparse.ArgumentParser):
    def __init__(self, prog, description):
        super().__init__(
            prog=prog,
            allow_abbrev=False,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def parse(self, argv):
        options, unknown = self.parse_known_args(argv)
        if unknown:
            flag = unknown[0].split('=')[0]
            known = [name for action in self._actions for name in action.option_strings]
            self.error(f"unknown argument '{unknown[0]}'{nearest(flag, known)}")
        options.arguments = list(argv)
        if hasattr(options, 'db_dir'):
            options.db_dir = os.path.join(options.db_dir, STORES_FOLDER)
        return options
