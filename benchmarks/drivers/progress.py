# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shows the progress of a comparison."""

import shutil
import sys
import time

BAR = 12  # short, so that times, names and figures fit into 80 columns


def clock(seconds):
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'


class Progress:
    """A bar with times and the latest figure on a terminal; otherwise one line per run, with the
    time left."""

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

    def left(self):
        """Seconds until the last run has ended, and the share of all work that is done."""
        before = sum(self.expected[: self.done])
        current = self.expected[self.done] if self.done < len(self.expected) else 0
        inside = min(time.monotonic() - self.run_begin, 0.95 * current)
        # If runs took longer than expected, later ones probably will, too.
        pace = (self.run_begin - self.begin) / before if before else 1
        seconds = (sum(self.expected) - before) * pace - inside
        return max(0, seconds), (before + inside) / sum(self.expected)

    def show(self, figure):
        if not self.live:
            return
        left, share = self.left()
        filled = int(share * BAR)
        text = (
            f"[{'#' * filled}{'.' * (BAR - filled)}] "
            f'{clock(time.monotonic() - self.begin)} elapsed, {clock(left)} left  '
            f'{self.title}  {figure}'
        )
        width = shutil.get_terminal_size().columns - 1
        print('\r' + text[:width].ljust(width), end='', flush=True)

    def finish(self, summary):
        self.done += 1
        self.run_begin = time.monotonic()
        if not self.live:
            summary += f'; {clock(self.left()[0])} left'
        width = shutil.get_terminal_size().columns - 1
        clear = '\r' + ' ' * width + '\r' if self.live else ''
        print(f'{clear}  {self.done}/{len(self.expected)}  {self.title}: {summary}', flush=True)
