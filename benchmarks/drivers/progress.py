# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shows the progress of a comparison."""

import shutil
import sys
import time

BAR = 12  # short, so that times, names and figures fit into 80 columns


def clock(seconds):
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'


class Progress:
    """A bar with times and the latest figure on a terminal; otherwise one line per run."""

    def __init__(self, expected):
        self.expected = expected  # seconds of each run, in order
        self.done = 0
        self.begin = self.run_begin = time.monotonic()
        self.live = sys.stdout.isatty()

    def expect(self, seconds):
        """Adds one unplanned run at the end."""
        self.expected.append(seconds)

    def start(self, title):
        self.title = title
        self.run_begin = time.monotonic()
        self.show('')

    def show(self, figure):
        if not self.live:
            return
        now = time.monotonic()
        before, current = sum(self.expected[: self.done]), self.expected[self.done]
        inside = min(now - self.run_begin, 0.95 * current)
        share = (before + inside) / sum(self.expected)
        # If runs took longer than expected, later ones probably will, too.
        pace = (self.run_begin - self.begin) / before if before else 1
        left = (sum(self.expected) - before) * pace - inside
        filled = int(share * BAR)
        text = (
            f"[{'#' * filled}{'.' * (BAR - filled)}] "
            f'{clock(now - self.begin)} elapsed, {clock(max(0, left))} left  '
            f'{self.title}  {figure}'
        )
        width = shutil.get_terminal_size().columns - 1
        print('\r' + text[:width].ljust(width), end='', flush=True)

    def finish(self, summary):
        self.done += 1
        width = shutil.get_terminal_size().columns - 1
        clear = '\r' + ' ' * width + '\r' if self.live else ''
        print(f'{clear}  {self.done}/{len(self.expected)}  {self.title}: {summary}', flush=True)
