#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Draws the pictures of docs/how-it-works.md, as SVG files in this folder.

usage: draw.py [--check]

Each picture paints its own background, so it is readable on any page, and follows the reader's
choice of light or dark. --check writes nothing, and fails if a file is out of date.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Roles and their colours, light and dark.
COLOURS = {
    'paper': ('#ffffff', '#16181d'),
    'ink': ('#1f2328', '#e6e8eb'),
    'faint': ('#6a737d', '#9aa4af'),
    'line': ('#c9ced6', '#444c56'),
    'client': ('#2f6fde', '#6ea8ff'),
    'flush': ('#c2571a', '#f0975a'),
    'worker': ('#3d8b40', '#74c279'),
    'idle': ('#a9d3ab', '#2f5f33'),
    'memory': ('#8250c4', '#b994f0'),
    'file': ('#eef1f5', '#262b33'),
    'stop': ('#c93c37', '#ff7b72'),
}


class Picture:
    """An SVG of fixed size; methods add shapes."""

    def __init__(self, width, height, title):
        self.size = (width, height)
        self.parts = [f'<title>{title}</title>']
        self.rect(0, 0, width, height, 'paper')

    def rect(self, x, y, width, height, fill, edge='', radius=0, dashed=False):
        style = f' class="f-{fill}' + (f' s-{edge}' if edge else '') + '"'
        extra = f' rx="{radius}"' if radius else ''
        extra += ' stroke-dasharray="5 4"' if dashed else ''
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
                          f'{style}{extra}/>')

    def text(self, x, y, words, role='ink', anchor='start', size=13, bold=False):
        weight = ' font-weight="600"' if bold else ''
        words = words.replace('&', '&amp;').replace('<', '&lt;')
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="f-{role}" font-size="{size}"'
                          f' text-anchor="{anchor}"{weight}>{words}</text>')

    def line(self, points, role='line', width=1.5, arrow=False, dashed=False):
        path = ' '.join(f'{x:g},{y:g}' for x, y in points)
        extra = f' marker-end="url(#arrow-{role})"' if arrow else ''
        extra += ' stroke-dasharray="4 4"' if dashed else ''
        self.parts.append(f'<polyline points="{path}" fill="none" class="s-{role}"'
                          f' stroke-width="{width}"{extra}/>')

    def box(self, x, y, width, height, lines, role='line', fill='file'):
        """A box with centred lines of text, the first one bold."""
        self.rect(x, y, width, height, fill, role, 6)
        top = y + height / 2 - (len(lines) - 1) * 8 + 4.5
        for number, words in enumerate(lines):
            self.text(x + width / 2, top + 16 * number, words, 'ink' if number == 0 else 'faint',
                      'middle', 13 if number == 0 else 12, number == 0)

    def svg(self):
        css = ['text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif}']
        for side in (0, 1):
            rules = ''.join(f'.f-{role}{{fill:{colour[side]}}}.s-{role}{{stroke:{colour[side]}}}'
                            for role, colour in COLOURS.items())
            css.append(rules if side == 0 else f'@media (prefers-color-scheme:dark){{{rules}}}')
        markers = ''.join(
            f'<marker id="arrow-{role}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
            f' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" class="f-{role}"/></marker>'
            for role in ('client', 'flush', 'worker', 'faint'))
        width, height = self.size
        body = '\n'.join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
                f' width="{width}" height="{height}" role="img">\n'
                f'<style>{"".join(css)}</style>\n<defs>{markers}</defs>\n{body}\n</svg>\n')


def write_path():
    """Which thread does each step of a write, and where it can wait."""
    p = Picture(860, 430, 'The path of a write')
    p.text(20, 30, 'The path of a write', size=17, bold=True)
    legend = ((250, 'client', 'the client’s own thread'), (445, 'flush', 'flush thread'),
              (570, 'worker', 'compaction workers'))
    for x, role, words in legend:
        p.rect(x, 19, 12, 12, role, radius=2)
        p.text(x + 18, 30, words, 'faint')
    p.box(20, 60, 120, 56, ['Write', 'batch checked'], 'client')
    p.box(180, 60, 130, 56, ['Slowing', 'sleeps ≤ 20 ms'], 'client')
    p.box(350, 60, 150, 56, ['Writers’ queue', 'the first leads a group'], 'client')
    p.line([(140, 88), (178, 88)], 'client', 2, True)
    p.line([(310, 88), (348, 88)], 'client', 2, True)
    p.box(560, 48, 280, 36, ['Log (WAL): a copy into a mapped file'], 'client')
    p.box(560, 96, 280, 36, ['Active memtable: sorted, in memory'], 'client')
    p.line([(500, 82), (558, 68)], 'client', 2, True)
    p.line([(500, 94), (558, 112)], 'client', 2, True)

    p.line([(700, 132), (700, 172)], 'client', 2, True)
    p.text(690, 156, 'when full: sealed, next log', 'faint', 'end')
    p.rect(560, 174, 280, 62, 'file', 'memory', 6)
    for number in range(5):
        p.rect(576 + 40 * number, 186, 32, 22, 'memory' if number < 3 else 'paper', 'memory', 3,
               dashed=number >= 3)
    p.text(788, 202, 'budget', 'faint', size=12)
    p.text(576, 228, 'sealed memtables: several can wait', 'faint', size=12)
    p.rect(296, 182, 246, 46, 'paper', 'stop', 6, True)
    p.text(419, 201, 'Writers are stopped only here:', 'stop', 'middle', 12, True)
    p.text(419, 218, 'no memory left, or too many L0 tables', 'stop', 'middle', 12)

    p.line([(700, 236), (700, 276)], 'flush', 2, True)
    p.text(690, 260, 'flush: sealed memtables to one table', 'faint', 'end')
    p.box(560, 278, 280, 40, ['L0: tables can overlap'], 'flush')
    p.line([(560, 298), (522, 298)], 'worker', 2, True)
    p.box(300, 278, 220, 40, ['L1: sorted, disjoint'], 'worker')
    p.line([(300, 298), (262, 298)], 'worker', 2, True)
    p.box(20, 278, 240, 40, ['L2 … L6: each larger'], 'worker')
    p.text(541, 290, 'L0 job', 'faint', 'middle', 11)
    p.text(281, 290, 'deep', 'faint', 'middle', 11)

    p.rect(20, 346, 820, 66, 'file', 'line', 6)
    p.text(36, 370, 'Monitor', bold=True)
    p.text(110, 370, 'measures the load, asks the policy, and sets which jobs run and how fast '
           'clients can write.')
    p.text(110, 392, 'At the end of each slice, of at most 1 ms or 256 KiB, a worker checks '
           'whether it must pause.', 'faint')
    return p


# Begin and end of the bursts in burst_and_lull, in seconds.
BURSTS = ((2, 12), (27, 37))
END = 45


def lanes(p, top, x_of, title, rows):
    p.rect(16, top - 13, 8 * len(title), 18, 'paper')  # hides the frames of the bursts
    p.text(20, top, title, size=14, bold=True)
    for number, (name, spans) in enumerate(rows):
        y = top + 12 + 30 * number
        p.text(150, y + 15, name, 'faint', 'end', 12)
        p.rect(160, y, x_of(END) - 160, 22, 'file')
        for begin, end, role in spans:
            p.rect(x_of(begin), y + 2, x_of(end) - x_of(begin), 18, role, radius=2)


def pieces(begin, end, length, gap, role):
    at = begin
    while at < end:
        yield at, min(at + length, end), role
        at += length + gap


def burst_and_lull():
    """The same two bursts on both stores, as lanes of work."""
    p = Picture(860, 508, 'A burst and a lull')
    p.text(20, 30, 'A burst and a lull', size=17, bold=True)
    p.text(190, 30, '— a sketch of which thread works when, not a measurement', 'faint')

    def x_of(second):
        return 160 + 680 * second / END

    for begin, end in BURSTS:
        p.rect(x_of(begin), 64, x_of(end) - x_of(begin), 404, 'paper', 'client', 4, True)
    p.text(x_of(7), 58, 'burst', 'client', 'middle', 13, True)
    p.text(x_of(19.5), 58, 'lull', 'faint', 'middle', 13, True)
    p.text(x_of(32), 58, 'burst', 'client', 'middle', 13, True)
    p.text(x_of(41), 58, 'lull', 'faint', 'middle', 13, True)

    stock_writes, stock_work = [], []
    for begin, _ in BURSTS:
        at = begin
        while at < begin + 10:  # flush, write, compact: writers wait where it takes too long
            stock_work += [(at + 0.6, at + 0.9, 'flush'), (at + 0.9, at + 2.3, 'worker')]
            stock_writes += [(at, at + 1.5, 'client'), (at + 1.5, at + 2.3, 'stop')]
            at += 2.5
        stock_work += [(begin + 10.2, begin + 12, 'worker')]
    lanes(p, 88, x_of, 'LevelDB: one background thread', [
        ('writes', stock_writes), ('flush and compact', stock_work)])

    flushes = [piece for begin, end in BURSTS
               for piece in pieces(begin + 0.8, end + 0.9, 0.35, 0.75, 'flush')]
    lull_work = [(12.1, 17.5, 'worker'), (37.1, 42.5, 'worker')]
    deep_work = [(13.2, 23.5, 'worker'), (38.2, 44.6, 'worker')]
    lanes(p, 192, x_of, 'Lull: a flush thread, and workers that pause', [
        ('writes', [(begin, end, 'client') for begin, end in BURSTS]),
        ('flush', flushes), ('L0 compactions', lull_work), ('deep compactions', deep_work)])

    p.text(20, 352, 'Debt in Lull', size=14, bold=True)
    p.text(150, 378, 'bytes to compact', 'faint', 'end', 12)
    p.rect(160, 362, x_of(END) - 160, 70, 'file')
    top, bottom = 374, 428
    curve = [(0, 0), (2, 0), (12, 1), (23.5, 0), (27, 0), (37, 1), (44.6, 0.28), (END, 0.26)]
    p.line([(x_of(t), bottom - (bottom - top) * value) for t, value in curve], 'memory', 2.5)
    p.text(x_of(14.6), 384, 'grows in the burst, falls in the lull', 'faint', size=12)
    for second in range(0, END + 1, 5):
        p.text(x_of(second), 452, f'{second} s', 'faint', 'middle', 11)
    legend = ((160, 'client', 'clients write'), (270, 'stop', 'clients wait'),
              (395, 'flush', 'flush'), (460, 'worker', 'compaction'))
    for x, role, words in legend:
        p.rect(x, 478, 12, 12, role, radius=2)
        p.text(x + 18, 489, words, 'faint', size=12)
    return p


def grants():
    """The table "Which compactions run" of docs/research/policies.md as a picture."""
    p = Picture(860, 372, 'Which compactions run under the policy lull')
    p.text(20, 30, 'Which compactions run under the policy lull', size=17, bold=True)
    columns = (('lull', 'no write for 20 ms'), ('light writing', 'below ¼ of the peak rate'),
               ('hard writing', 'a burst'), ('hard writing', 'longer than a burst'))
    rows = (('≥ ¾', ('all', 'mixed', 'mixed', 'mixed')),
            ('½ … ¾', ('all', 'idle', 'idle', 'idle')),
            ('below ½', ('all', 'light', 'none', 'idle')))
    words_of = {
        'all': ('worker', 'all workers,', 'normal priority'),
        'mixed': ('worker', 'L0 normal, deep idle', '(normal at debt_bytes_max)'),
        'idle': ('idle', 'all workers,', 'idle priority'),
        'light': ('idle', 'L0 idle; deep only if', 'the next burst needs room'),
        'none': ('file', 'paused', ''),
    }
    p.text(20, 84, 'level:', 'faint', size=12)
    p.text(20, 100, 'the larger of', 'faint', size=12)
    p.text(20, 116, 'L0 / l0_stop and', 'faint', size=12)
    p.text(20, 132, 'debt / max', 'faint', size=12)
    for column, (name, detail) in enumerate(columns):
        x = 130 + 180 * column
        p.text(x + 86, 62, name, anchor='middle', bold=True)
        p.text(x + 86, 79, detail, 'faint', 'middle', 12)
    for row, (name, cells) in enumerate(rows):
        y = 92 + 76 * row
        p.text(112, y + 40 + (20 if row == 0 else 0), name, anchor='end', bold=True)
        for column, kind in enumerate(cells):
            role, first, second = words_of[kind]
            x = 130 + 180 * column
            p.rect(x, y, 172, 68, role, 'line', 6)
            ink = {'worker': 'paper', 'idle': 'ink', 'file': 'ink'}[role]
            p.text(x + 86, y + (31 if second else 39), first, ink, 'middle', 12.5, True)
            p.text(x + 86, y + 48, second, ink, 'middle', 11.5)
    p.text(130, 346, 'Flushes are never paused. It is also a lull while a client waits in Flush, '
           'WaitForIdle or CompactRange.', 'faint')
    return p


def pacing():
    """The two ramps of docs/research/policies.md: 2F(1 - x), and 2F(1 - x)(m / 2F)^(x^4)."""
    flush, floor = 300.0, 1.0
    p = Picture(860, 392, 'How fast clients can write near a limit')
    p.text(20, 30, 'How fast clients can write near a limit', size=17, bold=True)
    left, right, top, bottom = 90, 600, 60, 330

    def x_of(x):
        return left + (right - left) * (x + 0.25) / 1.25

    def y_of(rate):
        return bottom - (bottom - top) * rate / 650

    p.rect(x_of(0), top, x_of(1) - x_of(0), bottom - top, 'file')
    for rate in range(0, 601, 100):
        p.line([(left, y_of(rate)), (right, y_of(rate))], width=0.7)
        p.text(left - 8, y_of(rate) + 4, str(rate), 'faint', 'end', 11)
    p.text(left - 8, top - 8, 'MiB/s', 'faint', 'end', 11)
    for x in (0, 0.25, 0.5, 0.75, 1):
        p.text(x_of(x), bottom + 18, f'{x:g}', 'faint', 'middle', 11)
    p.text((x_of(0) + x_of(1)) / 2, bottom + 38,
           'x: from the start of slowing (0) to the limit (1)', 'faint', 'middle', 12)
    p.text((left + x_of(0)) / 2, bottom + 18, 'not paced', 'faint', 'middle', 11)
    steps = [n / 50 for n in range(51)]
    p.line([(x_of(x), y_of(max(floor, 2 * flush * (1 - x)))) for x in steps], 'memory', 2.5)
    p.line([(x_of(x), y_of(max(floor, 2 * flush * (1 - x) * (floor / (2 * flush)) ** (x ** 4))))
            for x in steps], 'worker', 2.5)
    p.line([(left, y_of(flush)), (right, y_of(flush))], 'flush', 1.5, dashed=True)
    p.text(right - 4, y_of(flush) - 6, 'F: the flush rate', 'flush', 'end', 12)
    notes = (('memory', 'memory',
              ('settles at x = ½, where clients', 'write as fast as flushes free', 'memory')),
             ('worker', 'L0 tables, debt',
              ('reaches the lowest rate before', 'the limit, because the speed of',
               'compactions is unknown')))
    y = 96
    for role, name, lines in notes:
        p.rect(630, y - 11, 12, 12, role, radius=2)
        p.text(650, y, name, bold=True)
        for number, words in enumerate(lines):
            p.text(650, y + 18 * (number + 1), words, 'faint', size=12)
        y += 18 * len(lines) + 40
    p.text(630, y, 'drawn for F = 300 MiB/s', 'faint', size=12)
    p.text(630, y + 18, 'and a floor of 1 MiB/s', 'faint', size=12)
    return p


PICTURES = {'write-path': write_path, 'burst-and-lull': burst_and_lull, 'grants': grants,
            'pacing': pacing}


def main():
    stale = []
    for name, draw in PICTURES.items():
        path = os.path.join(HERE, name + '.svg')
        wanted = draw().svg()
        if sys.argv[1:] != ['--check']:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(wanted)
            continue
        with open(path, encoding='utf-8') as file:
            if file.read() != wanted:
                stale.append(name)
    if stale:
        sys.exit(f'out of date: {", ".join(stale)}; run docs/pictures/draw.py')


if __name__ == '__main__':
    main()
