# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Parses the parts of Markdown that the documentation tests need: fenced blocks, links, headings,
code."""
import dataclasses
import glob
import os
import re

FENCE = re.compile(r'^(\s*)(```+)\s*(.*)$')
LINK = re.compile(r'\]\(([^)\s]+)\)')  # the link's text may begin on an earlier line
HEADING = re.compile(r'^#{1,6}\s+(.*?)\s*$')
SPAN = re.compile(r'(?<!`)`([^`\n]+)`(?!`)')


@dataclasses.dataclass
class Block:
    """A fenced block. `language` is the first word after the fence; `marks` are the others."""

    path: str
    line: int  # of its first line of text
    language: str
    marks: list
    text: str

    @property
    def where(self):
        return f'{self.path}:{self.line}'


class Page:
    """One Markdown file of the repository."""

    def __init__(self, root, path):
        self.path = path
        self.blocks = []
        self.prose = []  # (line number, text) outside of blocks
        with open(os.path.join(root, path), encoding='utf-8') as file:
            self.read(file.read().splitlines())

    def read(self, lines):
        block = None
        for number, line in enumerate(lines, 1):
            fence = FENCE.match(line)
            if block is not None and fence and not fence.group(3):
                self.blocks.append(block)
                block = None
            elif block is not None:
                block.text += line + '\n'
            elif fence:
                language, *marks = fence.group(3).split() or ['']
                block = Block(self.path, number + 1, language, marks, '')
            else:
                self.prose.append((number, line))
        if block is not None:
            raise ValueError(f'{block.where}: the block does not end')

    def links(self):
        for number, line in self.prose:
            for match in LINK.finditer(SPAN.sub('', line)):
                yield number, match.group(1)

    def spans(self):
        """Yields inline code."""
        for number, line in self.prose:
            for match in SPAN.finditer(line):
                yield number, match.group(1)

    def anchors(self):
        """Yields the anchors of headings."""
        for _, line in self.prose:
            match = HEADING.match(line)
            if match:
                text = re.sub(r'[^\w\- ]', '', match.group(1).lower())
                yield text.replace(' ', '-')


def pages(root):
    """Returns all pages for users, by path."""
    paths = glob.glob('*.md', root_dir=root) + glob.glob('docs/**/*.md', root_dir=root,
                                                         recursive=True)
    return {path: Page(root, path) for path in sorted(paths)}
