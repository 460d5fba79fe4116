# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What a script that measures contenders in rows is made of."""

import collections

from drivers.disk import open_cap
from drivers.results_folder import keep
from drivers.row_tables import Measured
from drivers.script import Call

BESIDES_SECONDS = 8  # per run at any scale: open, first flush, wait until idle

Run = collections.namedtuple('Run', 'row contender number')


class RowsCall(Call):
    """Contenders take turns in each row. A script sets `rows` ({name: Row}) and implements
    contenders_of(row, begin), which begins with another contender for each `begin`."""

    def __init__(self, options):
        super().__init__(options)
        self.rows = {}
        self.measured = Measured()
        self.known = set()  # (row, contender, number) of the runs of an earlier call
        self.cap = None
        self.limited_by = ''

    def run_all(self):
        if any(self.rows[name].capped for name in self.options.rows):
            if self.options.device != '100mb':
                self.cap = open_cap(self.options, 'using a model of a device instead')
            self.limited_by = 'a control group' if self.cap else "db_bench's model `100mb`"
        return super().run_all()

    def clean_up(self):
        if self.cap:
            self.cap.close()
        super().clean_up()

    def plan(self):
        runs = [
            Run(self.rows[name], contender, number)
            for number in range(self.options.runs)
            for at, name in enumerate(self.options.rows)
            for contender in self.contenders_of(self.rows[name], at + number)
        ]
        return [r for r in runs if (r.row.name, r.contender, r.number) not in self.known]

    def interval_flag(self):
        return f"--report_interval_seconds={'1' if self.options.scale >= 0.2 else '0.1'}"

    def run_once(self, command, progress, capped, seconds_count=True, **facts):
        """Runs db_bench, stores its results, and returns the result and the intervals."""
        if capped and not self.cap:
            command = [*command, '--device=100mb']
        cap = self.cap if capped else None
        _, objects = self.execute_undisturbed(command, progress, cap, seconds_count)
        keep(objects, self.output, capped=capped, **facts)
        return objects[-1], objects[:-1]

    def runs_text(self):
        """How often all was measured, and at which scale."""
        runs, scale = self.options.runs, self.options.scale
        said = 'one run each'
        if runs > 1:
            said = f'medians of {runs} interleaved runs, with their range'
        return said + (f'; all seconds and keys × {scale:g}' if scale != 1 else '')


def figures_text(figures):
    """The figures of one run, for the line that shows its progress."""
    return (
        f"p99 {figures['p99']:,.2f} ms, p99.9 {figures['p999']:,.2f} ms, "
        f"stalled {figures['stalled']:.1f} s"
    )
