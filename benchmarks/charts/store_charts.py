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
from charts.bands import band_of, band_row, means_of_a_second  # noqa: E402
from charts.results import KINDS  # noqa: E402
from drivers.common import MIB  # noqa: E402

WIDE, NARROW = 9.6, 3.7  # inches of 100 px
MEAN_MB_PER_S, MEAN_CORES = 'mean MB/s', 'mean cores'  # over a second
# Metadata of files, by format: the same results give the same bytes.
UNDATED = {'png': {}, 'svg': {'Date': None}, 'pdf': {'CreationDate': None}}


def settings(colors):
    """matplotlib's settings for these colours."""
    return {
        'svg.fonttype': 'none',  # keeps text as text: searchable, and sharp at any size
        'svg.hashsalt': 'report',
        'pdf.fonttype': 42,  # TrueType: publishers refuse the default, Type 3
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
        self.indices = theme.color_indices(stores)

    def draw(self, name, *arguments):
        """The figure of the method `name`, or None."""
        with plt.rc_context(settings(self.theme)):
            return getattr(self, name)(*arguments)

    def color(self, index):
        return self.theme[f'store{index}']

    def style(self, index):
        """Of a line: colour and dashes."""
        return {'color': self.color(index), 'linestyle': theme.DASHES[index]}

    def band(self, axis, rows, index, **marks):
        """The median of the runs as a line, their minimum and maximum as a band around it."""
        places, low, middle, high = zip(*rows)
        axis.plot(places, middle, **self.style(index), **marks)
        if low != high:
            axis.fill_between(places, low, high, color=self.color(index), alpha=0.2, linewidth=0)

    def legend(self, figure, stores, width):
        handles = [
            plt.Line2D([], [], linewidth=2, label=store, **self.style(self.indices[store]))
            for store in stores
        ]
        place_legend(figure, handles, columns_of(stores, width), width)

    # What clients see of an interval, and what it takes. Means are of a second.
    CLIENT_PANELS = [
        ('written', 'MB/s', lambda i: i.get('written_mb_per_s', i.get('mb_per_s'))),
        ('p99 of all requests', '', lambda i: i.get('p99_us') or None),
    ]
    STORE_PANELS = [
        ('L0 tables', '', lambda i: i.get('l0_tables')),
        ('debt', 'MB', lambda i: scaled(i.get('debt_bytes'))),
        ('memory of the process', 'MB', lambda i: scaled(i.get('rss_bytes'))),
        ('background writes', MEAN_MB_PER_S, lambda i: i.get('background_mb_per_s')),
        ('device writes', MEAN_MB_PER_S, lambda i: i.get('device_mb_per_s')),
        ('CPU', MEAN_CORES, lambda i: i.get('cpus')),
        ('CPU that the host gave to others', MEAN_CORES, lambda i: i.get('stolen_cpus')),
    ]

    def client_series(self, runs, width):
        return self.series(runs, self.CLIENT_PANELS, 1.7, width)

    def store_series(self, runs, width):
        return self.series(runs, self.STORE_PANELS, 1, width)

    def series(self, runs, panels, height, width):
        """The figures of each interval, one strip per figure. runs: {store: its runs}."""
        kept = {s: [run for run in runs[s] if len(run.intervals) > 1] for s in runs}
        runs = {store: of_store for store, of_store in kept.items() if of_store}
        intervals = [i for of_store in runs.values() for run in of_store for i in run.intervals]
        panels = [p for p in panels if any(p[2](i) is not None for i in intervals)]
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
            self.strip(axis, runs, value_of, unit in (MEAN_MB_PER_S, MEAN_CORES))
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

    def strip(self, axis, runs, value_of, means):
        self.shade_peaks(axis, next(iter(runs.values())))
        for store, of_store in runs.items():
            curves = [[(i['at_seconds'], value_of(i)) for i in r.intervals] for r in of_store]
            if means:
                curves = [means_of_a_second(curve) for curve in curves]
            self.band(axis, band_of(curves), self.indices[store])

    def shade_peaks(self, axis, runs):
        """The bursts of the first run: those of the others begin and end within moments of them."""
        for begin, end in runs[0].spans_of_peaks():
            axis.axvspan(begin, end, color=self.theme['shade'], linewidth=0)

    def levels(self, runs, width):
        """What one store keeps in its levels, and writes into them by flushes and compactions."""
        filled = [[i for i in r.intervals if sum(i.get('level_written_bytes', []))] for r in runs]
        filled = [intervals for intervals in filled if len(intervals) > 1]
        if not filled:
            return None
        count = max(len(i['level_bytes']) for intervals in filled for i in intervals)
        figure, axes = plt.subplots(
            3, 1, sharex=True, figsize=(width, 5.5), layout='constrained', squeeze=False
        )
        panels = (
            ('bytes in each level, MB', range(count), level_sizes),
            (f'compactions into each level, {MEAN_MB_PER_S}', range(1, count), level_writes),
            (f'flushes into L0, {MEAN_MB_PER_S}', [0], level_writes),
        )
        for axis, (title, levels, curve_of) in zip(axes[:, 0], panels):
            self.shade_peaks(axis, runs)
            for level in levels:
                curves = [curve_of(intervals, level) for intervals in filled]
                self.band(axis, band_of(curves), level)
            axis.set_title(title)
            axis.set_ylim(bottom=0)
            axis.yaxis.set_major_locator(ticker.MaxNLocator(4))
            axis.yaxis.set_major_formatter(count_text)
        axes[-1, 0].set_xlabel('seconds (shaded: bursts, peaks)')
        axes[-1, 0].margins(x=0.01)
        handles = [
            plt.Line2D([], [], linewidth=2, label=f'L{level}', **self.style(level))
            for level in range(count)
        ]
        place_legend(figure, handles, count, width, runs[0].store)
        return figure

    def percentiles(self, runs, width):
        """Latency at each percentile, one chart per kind of request. runs: {store: its runs}."""
        kinds = [
            kind
            for kind in KINDS
            if any(latency_curve(run, kind) for of_store in runs.values() for run in of_store)
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
            for store, of_store in runs.items():
                curves = [latency_curve(run, kind) for run in of_store]
                curves = [curve for curve in curves if len(curve) > 1]
                if curves:
                    furthest = max([furthest] + [curve[-1][0] for curve in curves])
                    self.band(axis, band_of(curves), self.indices[store])
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
            rows = [band_row(rate, values) for rate, values in points]
            self.band(axis, rows, self.indices[store], marker='o', markersize=4)
        axis.set_xlabel('requests due per second')
        axis.xaxis.set_major_formatter(count_text)
        axis.xaxis.set_major_locator(ticker.MaxNLocator(5 if width == NARROW else 9))
        axis.set_title('p99 of all requests')
        axis.set_xlim(left=0)
        log_time_axis(axis.yaxis)
        self.legend(figure, stores, width)
        return figure

    def bars(self, title, rows, width, digits=2, reference=None):
        """rows: [(workload, {store: values of its runs})]. One group of bars per workload: medians,
        with a line from minimum to maximum."""
        rows = [(name, values) for name, values in rows if values]
        if not rows:
            return None
        stores = [s for s in self.indices if any(s in values for _, values in rows)]
        count = sum(len(values) for _, values in rows)
        figure, axis = plt.subplots(
            figsize=(width, 1.0 + 0.26 * count + 0.3 * len(rows)), layout='constrained'
        )
        position, ticks = 0, []
        top = max(max(runs) for _, values in rows for runs in values.values()) or 1
        for _, values in rows:
            begin = position
            for store in [s for s in stores if s in values]:
                _, low, middle, high = band_row(position, values[store])
                axis.barh(position, middle, height=0.8, color=self.color(self.indices[store]))
                if low < high:
                    axis.plot([low, high], [position] * 2, color=self.theme['ink'], linewidth=1)
                text = f'{middle:,.{digits}f}'
                axis.text(high + top * 0.01, position, text, va='center', fontsize=8)
                position += 1
            ticks.append((begin + position - 1) / 2)
            position += 0.8
        finish_bars(axis, ticks, [name for name, _ in rows], top, width, self.theme['ink'])
        axis.set_ylim(position - 0.8 - 0.4, -0.6)
        if reference is not None:
            axis.axvline(reference, color=self.theme['muted'], linewidth=1, linestyle=(0, (4, 3)))
        handles = [
            plt.Rectangle((0, 0), 1, 1, color=self.color(self.indices[store]), label=store)
            for store in stores
        ]
        place_legend(figure, handles, columns_of(stores, width), width, title)
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


def columns_of(labels, width):
    longest = max(len(label) for label in labels)
    return max(1, min(len(labels), int(width * 12 / (longest + 6))))


def place_legend(figure, handles, columns, width, title=None):
    """Above the axes, with the chart's title."""
    if title:
        title = '\n'.join(textwrap.wrap(title, int(width * 13)))
    legend = figure.legend(
        handles=handles,
        loc='upper left',
        ncols=columns,
        handlelength=2.6,
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
    return [(i['at_seconds'], of_level(i, 'level_bytes', level)) for i in intervals]


def level_writes(intervals, level):
    """How fast a level was written."""
    totals = [(i['at_seconds'], of_level(i, 'level_written_bytes', level)) for i in intervals]
    return means_of_a_second(
        [
            (at, max(0, total - before) / (at - begin))
            for (begin, before), (at, total) in zip([(0, 0), *totals], totals)
        ]
    )


def scaled(value):
    return None if value is None else value / MIB


def latency_curve(run, kind):
    """[(nines, us)] of one kind of request."""
    curve = run.result.get(f'{kind}_latency', {}).get('curve', [])
    points = [(nines(percent), us) for percent, us in curve if percent < 100]
    # 100 % is not on this axis: draw it one step after the last point.
    if curve and curve[-1][0] == 100:
        points.append(((points[-1][0] if points else 0) + 0.25, curve[-1][1]))
    return [(x, us) for x, us in points if us > 0]


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
        figure.savefig(out, format='svg', metadata=UNDATED['svg'])
    plt.close(figure)
    text = out.getvalue()
    return text[text.index('<svg') :]


def save_picture(figure, path, form):
    with plt.rc_context(settings(theme.light())):
        figure.savefig(path, format=form, dpi=160, metadata=UNDATED[form])
    plt.close(figure)
