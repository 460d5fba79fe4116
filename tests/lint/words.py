# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Words and phrases that make a reader stop, and what to write instead. A rule of lint.py."""
import re

# Pattern -> what to write. They hold for pages, comments, messages and commit-ready text alike.
PHRASES = {
    r'(?<!\bfall )(?<!\bfalls )(?<!\bfell )(?<!\bfalling )(?<!\blags )(?<!\blag )behind':
        'after (of time), following',
    r'anew': 'again',
    r'mend(s|ed|ing)?': 'fix, repair',
    r'whoever': 'a caller that, the thread that',
    r'lest': 'so that ... not',
    r'(its|their) kin': 'or later, and similar',
    r'for good': 'permanently',
    r'in vain': 'without finding the key; for nothing',
    r'lets? go of': 'release',
    r'hand(s|ed|ing)? (to|over|out|on|in)': 'pass',
    r'(gives?|given|gave) back': 'release, return',
    r'tells? of': 'report, describe',
    r'speaks? of': 'call, describe',
    r'next to nothing': 'almost nothing',
    r'at a stretch': 'without a break, at a time',
    r'works? off': 'compact, process',
    r'puts? aside': 'postpone, set aside',
    r"nobody's": 'of no owner; ignored',
    r'bears?': 'has, contains',
    r'shall': 'must, will',
    r'(is|are) to be': 'must be, will be',
    r'(is|are|was|were|be) told': 'receive, know; say who calls what',
    r'(become|becomes|became) of': 'happen to',
    r'(bring|brings|brought) about': 'cause',
    r'what there is': 'name the thing',
    r'another idea of': 'a different definition of',
    r'takes? it along': 'move it too',
    r'(to )?be had': 'available',
    r'(?-i:is none)': 'say what it is instead',
    r'the like of': 'such as',
    r'as good as': 'almost',
    r'(its|their|the) housework': 'background work',
    r'would-be': 'name what it is',
    r'come(s)? to nothing': 'fail, be dropped',
}
FINDERS = [(re.compile(r'\b' + pattern + r'\b', re.I), instead)
           for pattern, instead in PHRASES.items()]
ANY = re.compile(r'\b(' + '|'.join(PHRASES) + r')\b', re.I)


def found(text):
    """Yields (line, phrase, what to write instead)."""
    for number, line in enumerate(text.split('\n'), 1):
        if not ANY.search(line):
            continue
        for finder, instead in FINDERS:
            match = finder.search(line)
            if match:
                yield number, match.group(), instead


if __name__ == '__main__':
    import sys
    for path in sys.argv[1:]:
        with open(path, encoding='utf-8', errors='replace') as file:
            for line, phrase, instead in found(file.read()):
                print(f'{path}:{line}: "{phrase}": {instead}')
