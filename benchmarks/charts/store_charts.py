# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Draws the charts of a report. Needs matplotlib."""

import io
import math
import textwrap

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import ticker  # noqa: E402

from charts import theme  # noqa: E402
from charts.results import KINDS  # noqa: E402
from drivers.common import MIB  # noqa: E402

WIDE, NARROW = 9.6, 3.7  # inches of 100 px


def settings(colors):
    """matplotlib's settings for these colours."""
    return {
        'svg.fonttype': 'none',  # keeps text as text: searchable, and sharp at any size
        'svg.hashsalt': 'report',
        'font.family': 'DejaVu Sans',
        'font.size': 9,
        'figure.dpi': 100,
        'figure.facecolor': colors['paper'],
        'axes.facecolor': colors['paper'],
        'savefig.facecolor': colors['paper'],
        'axes.edgecolor': colors['grid'],
        'axes.labelcolor': colors['ink'],
        'axes.titlecolor': colors['ink'],
        'axes.titlesize': 10,
        'axes.titlelocation': 'left',
        'axes.spines.top': False,
        'axes.spines.right': False,
        'axes.grid': True,
        'axes.axisbelow': True,
        'grid.color': colors['grid'],
        'grid.linewidth': 0.7,
        'text.color': colors['ink'],
        'xtick.color': colors['muted'],
        'ytick.color': colors['muted'],
        'lines.linewidth': 1.4,
        'legend.frameon': False,
    }


def time_text(us, _=None):
    """A latency with its unit: 90 µs, 1.5 ms, 2 s."""
    if us <= 0:
        return '0'
    for limit, unit, scale in ((1000, 'µs', 1), (1e6, 'ms', 1e3), (math.inf, 's', 1e6)):
        if us < limit * 0.9995:
            value = us / scale
            return f'{value:.3g} {unit}'
    return ''


def count_text(value, _=None):
    if abs(value) >= 1e6:
        return f'{value / 1e6:g}M'
    return f'{value / 1e3:g}k' if abs(value) >= 1e4 else f'{value:g}'


class Charts:
    """The charts of one report in one theme. Methods return None when there is no data."""

    def __init__(self, stores, colors):
        self.theme = colors
        self.colors = {
            store: colors[f'store{index}'] for store, index in theme.color_indices(stores).items()
        }

    def draw(self, name, *arguments):
        """The figure of the method `name`, or None."""
        with plt.rc_context(settings(self.theme)):
            return getattr(self, name)(*arguments)

    def legend(self, figure, stores, width, title=None):
        """Above the axes, in as many lines as the width needs; includes the chart's title."""
        handles = [
            plt.Line2D([], [], color=self.colors[store], linewidth=3, label=store)
            for store in stores
        ]
        longest = max(len(store) for store in stores)
        columns = max(1, min(len(stores), int(width * 12 / (longest + 4))))
        place_legend(figure, handles, columns, width, title)

    # What clients see of a second, and what it takes.
    CLIENT_PANELS = [
        ('written', 'MB/s', lambda i: i.get('written_mb_per_s', i.get('mb_per_s'))),
        ('p99 of all requests', '', lambda i: i.get('p99_us') or None),
    ]
    STORE_PANELS = [
        ('L0 tables', '', lambda i: i.get('l0_tables')),
        ('debt', 'MB', lambda i: scaled(i.get('debt_bytes'))),
        ('memory of the process', 'MB', lambda i: scaled(i.get('rss_bytes'))),
        ('background writes', 'MB/s', lambda i: i.get('background_mb_per_s')),
        ('device writes', 'MB/s', lambda i: i.get('device_mb_per_s')),
        ('CPU', 'cores', lambda i: i.get('cpus')),
        ('CPU that the host gave to others', 'cores', lambda i: i.get('stolen_cpus')),
    ]

    def client_series(self, runs, width):
        return self.series(runs, self.CLIENT_PANELS, 1.7, width)

    def store_series(self, runs, width):
        return self.series(runs, self.STORE_PANELS, 1, width)

    def series(self, runs, panels, height, width):
        """The figures of each second, one strip per figure."""
        runs = {store: run for store, run in runs.items() if len(run.intervals) > 1}
        panels = [
            panel
            for panel in panels
            if any(panel[2](i) is not None for run in runs.values() for i in run.intervals)
        ]
        if not runs or not panels:
            return None
        figure, axes = plt.subplots(
            len(panels),
            1,
            sharex=True,
            figsize=(width, 0.5 + 1.15 * height * len(panels)),
            layout='constrained',
            squeeze=False,
        )
        for axis, (title, unit, value_of) in zip(axes[:, 0], panels):
            self.strip(axis, runs, value_of)
            axis.set_title(title + (f', {unit}' if unit else ''))
            if title.startswith('p99'):
                log_time_axis(axis.yaxis)
            else:
                axis.set_ylim(bottom=0)
                axis.yaxis.set_major_locator(ticker.MaxNLocator(4))
                axis.yaxis.set_major_formatter(count_text)
        axes[-1, 0].set_xlabel('seconds (shaded: bursts, peaks)')
        axes[-1, 0].margins(x=0.01)
        self.legend(figure, runs, width)
        return figure

    def strip(self, axis, runs, value_of):
        for begin, end in next(iter(runs.values())).spans_of_peaks():
            axis.axvspan(begin, end, color=self.theme['shade'], linewidth=0)
        for store, run in runs.items():
            values = [value_of(i) for i in run.intervals]
            axis.plot(
                [i['at_seconds'] for i in run.intervals],
                [math.nan if value is None else value for value in values],
                color=self.colors[store],
            )

    def levels(self, run, width):
        """What one store keeps in its levels, and writes into them by flushes and compactions."""
        intervals = [i for i in run.intervals if sum(i.get('level_written_bytes', []))]
        if len(intervals) < 2:
            return None
        count = max(len(i['level_bytes']) for i in intervals)
        colors = [self.theme[f'store{level % len(theme.STORES)}'] for level in range(count)]
        figure, axes = plt.subplots(
            3, 1, sharex=True, figsize=(width, 5.5), layout='constrained', squeeze=False
        )
        at = [i['at_seconds'] for i in intervals]
        panels = (
            ('bytes in each level, MB', range(count), level_sizes),
            ('compactions into each level, MB', range(1, count), level_writes),
            ('flushes into L0, MB', [0], level_writes),
        )
        for axis, (title, levels, values_of) in zip(axes[:, 0], panels):
            for begin, end in run.spans_of_peaks():
                axis.axvspan(begin, end, color=self.theme['shade'], linewidth=0)
            for level in levels:
                axis.plot(at, values_of(intervals, level), color=colors[level])
            axis.set_title(title)
            axis.set_ylim(bottom=0)
            axis.yaxis.set_major_locator(ticker.MaxNLocator(4))
            axis.yaxis.set_major_formatter(count_text)
        axes[-1, 0].set_xlabel('seconds (shaded: bursts, peaks)')
        axes[-1, 0].margins(x=0.01)
        handles = [
            plt.Line2D([], [], color=color, linewidth=3, label=f'L{level}')
            for level, color in enumerate(colors)
        ]
        place_legend(figure, handles, count, width, run.store)
        return figure

    def percentiles(self, runs, width):
        """Latency at each percentile, one chart per kind of request."""
        kinds = [
            kind
            for kind in KINDS
            if any(run.result.get(f'{kind}_latency', {}).get('curve') for run in runs.values())
        ]
        if not kinds:
            return None
        across = len(kinds) if width == WIDE else 1
        down = 1 if width == WIDE else len(kinds)
        figure, axes = plt.subplots(
            down,
            across,
            figsize=(width, 0.5 + 3.1 * down),
            layout='constrained',
            squeeze=False,
            sharey=True,
        )
        for axis, kind in zip(axes.flat, kinds):
            furthest = 1
            for store, run in runs.items():
                curve = run.result.get(f'{kind}_latency', {}).get('curve', [])
                # 100 % is not on this axis: draw it one step after the last point.
                points = [(nines(percent), us) for percent, us in curve if percent < 100]
                if curve and curve[-1][0] == 100:
                    points.append(((points[-1][0] if points else 0) + 0.25, curve[-1][1]))
                points = [(x, us) for x, us in points if us > 0]
                furthest = max([furthest] + [x for x, _ in points])
                axis.plot(*zip(*points), color=self.colors[store])
            axis.set_title(f'{kind}s' if kind != 'rmw' else 'read-modify-writes')
            ticks = [0] + [x for x in range(1, 8) if x <= furthest]
            # A small chart has room for only every other label after the first two.
            sparse = width / across < WIDE / 2 and len(ticks) > 5
            labels = [percent_text(x) if x in (0, 1) or x % 2 or not sparse else '' for x in ticks]
            axis.set_xticks(ticks, labels)
            axis.set_xlabel('percent of requests that were faster')
            log_time_axis(axis.yaxis)
        self.legend(figure, runs, width)
        return figure

    def load_curve(self, stores, width):
        """p99 against load."""
        figure, axis = plt.subplots(figsize=(width, 3.6), layout='constrained')
        for store, points in stores.items():
            axis.plot(*zip(*points), color=self.colors[store], marker='o', markersize=4)
        axis.set_xlabel('requests due per second')
        axis.xaxis.set_major_formatter(count_text)
        axis.xaxis.set_major_locator(ticker.MaxNLocator(5 if width == NARROW else 9))
        axis.set_title('p99 of all requests')
        axis.set_xlim(left=0)
        log_time_axis(axis.yaxis)
        self.legend(figure, stores, width)
        return figure

    def bars(self, title, rows, width, digits=2, reference=None):
        """rows: [(workload, {store: value})]. One group of bars per workload."""
        rows = [(name, values) for name, values in rows if values]
        if not rows:
            return None
        stores = [s for s in self.colors if any(s in values for _, values in rows)]
        count = sum(len(values) for _, values in rows)
        figure, axis = plt.subplots(
            figsize=(width, 1.0 + 0.26 * count + 0.3 * len(rows)), layout='constrained'
        )
        position, ticks = 0, []
        top = max(value for _, values in rows for value in values.values()) or 1
        for _, values in rows:
            begin = position
            for store in [s for s in stores if s in values]:
                axis.barh(position, values[store], height=0.8, color=self.colors[store])
                axis.text(
                    values[store] + top * 0.01,
                    position,
                    f'{values[store]:,.{digits}f}',
                    va='center',
                    fontsize=8,
                )
                position += 1
            ticks.append((begin + position - 1) / 2)
            position += 0.8
        finish_bars(axis, ticks, [name for name, _ in rows], top, width, self.theme['ink'])
        axis.set_ylim(position - 0.8 - 0.4, -0.6)
        if reference is not None:
            axis.axvline(reference, color=self.theme['muted'], linewidth=1, linestyle=(0, (4, 3)))
        self.legend(figure, stores, width, title)
        return figure

    def stall_bars(self, rows, width):
        """rows: [(workload and store, {cause: seconds})]."""
        rows = [(name, values) for name, values in rows if sum(values.values()) > 0]
        if not rows:
            return None
        causes = ['memory', 'l0', 'debt', 'unknown']
        top = max(sum(values.values()) for _, values in rows)
        figure, axis = plt.subplots(figsize=(width, 1.0 + 0.3 * len(rows)), layout='constrained')
        for position, (_, values) in enumerate(rows):
            left = 0
            for cause in causes:
                axis.barh(
                    position, values.get(cause, 0), left=left, height=0.7, color=self.theme[cause]
                )
                left += values.get(cause, 0)
            axis.text(left + top * 0.01, position, f'{left:.2f}', va='center', fontsize=8)
        finish_bars(axis, range(len(rows)), [n for n, _ in rows], top, width, self.theme['ink'])
        axis.set_ylim(len(rows) - 0.4, -0.6)
        handles = [
            plt.Rectangle((0, 0), 1, 1, color=self.theme[cause], label=cause)
            for cause in causes
            if any(cause in values for _, values in rows)
        ]
        place_legend(figure, handles, 4, width, 'seconds in stalls, by cause')
        return figure


def place_legend(figure, handles, columns, width, title=None):
    """Above the axes."""
    if title:
        title = '\n'.join(textwrap.wrap(title, int(width * 13)))
    legend = figure.legend(
        handles=handles,
        loc='upper left',
        ncols=columns,
        handlelength=1.2,
        columnspacing=1.4,
        borderaxespad=0.2,
        title=title,
        alignment='left',
        title_fontsize=10,
    )
    # matplotlib 3.6 has no loc='outside upper left'.
    share = (legend.get_window_extent().height + 4) / figure.bbox.height
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - share))


def of_level(interval, name, level):
    values = interval[name]
    return values[level] / MIB if level < len(values) else 0


def level_sizes(intervals, level):
    return [of_level(interval, 'level_bytes', level) for interval in intervals]


def level_writes(intervals, level):
    """What was written into a level in each interval."""
    totals = [of_level(interval, 'level_written_bytes', level) for interval in intervals]
    return [max(0, total - before) for before, total in zip([0, *totals], totals)]


def scaled(value):
    return None if value is None else value / MIB


def nines(percent):
    """0 -> 0, 90 -> 1, 99 -> 2, 99.9 -> 3."""
    return -math.log10(1 - percent / 100)


def percent_text(x):
    """The label of that, with as many digits as nines."""
    return '0' if x == 0 else f'{100 - 10.0 ** (2 - x):.{max(0, x - 2)}f}'


def log_time_axis(axis):
    axis.axes.set_yscale('log')
    low, high = axis.axes.get_ylim()
    # A narrow range needs more ticks than the powers of ten.
    subs = (1,) if high / max(low, 1e-9) > 3000 else (1, 2, 5)
    axis.set_major_locator(ticker.LogLocator(subs=subs, numticks=9))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(time_text)


def finish_bars(axis, ticks, names, top, width, ink):
    axis.set_yticks(list(ticks), names)
    axis.set_xlim(0, top * (1.12 if width == WIDE else 1.3))
    axis.grid(visible=False, axis='y')
    axis.tick_params(axis='y', length=0, colors=ink)
    axis.xaxis.set_major_locator(ticker.MaxNLocator(4 if width == NARROW else 8))
    axis.xaxis.set_major_formatter(count_text)


def svg_of(figure):
    """The drawing as SVG for a page."""
    out = io.StringIO()
    with plt.rc_context(settings(theme.TOKENS)):  # savefig reads them, too
        figure.savefig(out, format='svg', metadata={'Date': None})
    plt.close(figure)
    text = out.getvalue()
    return text[text.index('<svg') :]


def save_png(figure, path):
    with plt.rc_context(settings(theme.light())):
        figure.savefig(path, format='png', dpi=160)
    plt.close(figure)
