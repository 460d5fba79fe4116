# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shows the progress of a comparison."""

import shutil
import sys
import time

BAR = 12  # short, so that times, names and figures fit into 80 columns
SILENT_SECONDS = 8  # at most, where there is no terminal


def clock(seconds):
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'


class Progress:
    """A bar with times and the latest figure on a terminal; otherwise a line per run, and one every
    few seconds during a run."""

    def __init__(self, expected):
        self.expected = expected  # seconds of each run, in order
        self.done = 0
        self.begin = self.run_begin = self.shown = time.monotonic()
        self.live = sys.stdout.isatty()
        self.title = self.figure = ''
        self.share = None

    def expect(self, seconds):
        """Adds one unplanned run at the end."""
        self.expected.append(seconds)

    def start(self, title):
        self.title = title
        self.run_begin = time.monotonic()
        self.show('')

    def left(self):
        """Seconds until the last run has ended, and the share of all work that is done."""
        before = sum(self.expected[: self.done])
        current = self.expected[self.done] if self.done < len(self.expected) else 0
        inside = time.monotonic() - self.run_begin if self.share is None else self.share * current
        inside = min(inside, 0.95 * current)
        # If runs took longer than expected, later ones probably will, too.
        pace = max(1, (self.run_begin - self.begin) / before) if before else 1
        seconds = (sum(self.expected) - before) * pace - inside
        return max(0, seconds), (before + inside) / sum(self.expected)

    def note(self, figure, share=None):
        """Keeps a figure of the current run, and the share of it that is done, if that is known.
        Any thread may call this."""
        self.figure, self.share = figure, share

    def show(self, figure, share=None):
        self.note(figure, share)
        self.tick()

    def tick(self):
        """Shows the latest figure, on a terminal at once, otherwise if it is time for a line."""
        now = time.monotonic()
        left, done = self.left()
        times = f'{clock(now - self.begin)} elapsed, {clock(left)} left'
        if self.live:
            filled = int(done * BAR)
            bar = '#' * filled + '.' * (BAR - filled)
            width = shutil.get_terminal_size().columns - 1
            text = f'[{bar}] {times}  {self.title}  {self.figure}'
            print('\r' + text[:width].ljust(width), end='', flush=True)
        elif now - self.shown >= SILENT_SECONDS:
            self.shown = now
            print(f'       {self.title} {self.figure}; {times}', flush=True)

    def finish(self, summary):
        self.done += 1
        self.run_begin = self.shown = time.monotonic()
        self.figure, self.share = '', None
        if not self.live:
            summary += f'; {clock(self.left()[0])} left'
        width = shutil.get_terminal_size().columns - 1
        clear = '\r' + ' ' * width + '\r' if self.live else ''
        print(f'{clear}  {self.done}/{len(self.expected)}  {self.title}: {summary}', flush=True)
