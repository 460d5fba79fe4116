# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Draws the results of a search for options. Needs matplotlib."""

import itertools
import math

import matplotlib.pyplot as plt
from matplotlib import ticker, tri

from charts.store_charts import WIDE, Charts, place_legend

PAIRS_MAX = 6  # surfaces per picture: all pairs of four parameters
LEVELS = 12
COLORS = 'viridis'  # even in lightness, so it is readable without colour vision


def best_so_far(trials):
    """[(number, trial)]: after each trial, the best one so far that met the constraints."""
    best, found = None, []
    for trial in trials:
        if trial['status'] == 'ok' and (best is None or trial['value'] > best['value']):
            best = trial
        if best is not None:
            found.append((trial['number'], best))
    return found


def measured(trials):
    return [trial for trial in trials if 'value' in trial]


def size_label(value, _=None):
    for shift, suffix in ((30, 'G'), (20, 'M'), (10, 'K')):
        if value >= 1 << shift:
            return f'{value / (1 << shift):.3g}{suffix}'
    return f'{value:.3g}'


def parameter_axis(axis, parameter):
    """Ticks at powers of two on a log scale; sizes with their unit letter."""
    if parameter.scale == 'log':
        axis.axes.set(**{f'{axis.axis_name}scale': 'log'})
        axis.set_major_locator(ticker.LogLocator(base=2, numticks=9))
        axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(size_label if parameter.is_size else '{x:g}')


def value_axis(axis):
    """A log scale of ratios: half is as far from 1 as twice."""
    axis.set_yscale('log')
    axis.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 1.5, 2, 3, 5, 7)))
    low, high = axis.get_ylim()
    if high / low < 4:
        axis.yaxis.set_major_locator(ticker.MaxNLocator(6))
    axis.yaxis.set_minor_locator(ticker.NullLocator())
    axis.yaxis.set_major_formatter('{x:.3g}')


class SearchCharts(Charts):
    """The charts of one search. Methods return None when there is nothing to draw."""

    def __init__(self, stores, colors):
        super().__init__(stores, colors)
        self.dot, self.line = colors['store0'], colors['store1']

    def default_line(self, axis):
        axis.axhline(1, color=self.theme['muted'], linewidth=1, linestyle=(0, (4, 3)))

    def dots(self, axis, pairs, kept=True):
        """(x, y) of trials; hollow if a constraint was violated."""
        face = self.dot if kept else 'none'
        axis.scatter(*zip(*pairs), s=18, facecolors=face, edgecolors=self.dot, zorder=3)

    def legend_of(self, figure, width, beyond, failed):
        entry = {'linestyle': '', 'marker': 'o', 'markersize': 5, 'color': self.dot}
        handles = [
            plt.Line2D([], [], **entry, label='trial'),
            plt.Line2D([], [], color=self.line, linewidth=2, label='best so far'),
        ]
        if beyond:
            hollow = {**entry, 'markerfacecolor': 'none'}
            handles.append(plt.Line2D([], [], **hollow, label='violates a constraint'))
        if failed:
            mark = {'linestyle': '', 'marker': 'x', 'color': self.theme['muted']}
            handles.append(plt.Line2D([], [], **mark, label='failed'))
        place_legend(figure, handles, 4 if width == WIDE else 2, width)

    def convergence(self, trials, parameters, width):
        """Value and parameters of each trial, and of the best so far."""
        best = best_so_far(trials)
        if not best:
            return None
        count = 1 + len(parameters)
        figure, axes = plt.subplots(
            count,
            1,
            sharex=True,
            figsize=(width, 1.0 + 1.7 * count),
            layout='constrained',
            squeeze=False,
        )
        top, *others = axes[:, 0]
        for kept in (True, False):
            pairs = [
                (t['number'], t['value'])
                for t in measured(trials)
                if (t['status'] == 'ok') == kept
            ]
            if pairs:
                self.dots(top, pairs, kept)
        self.step(top, [(number, trial['value']) for number, trial in best])
        self.default_line(top)
        top.set_title('value, as a multiple of the default')
        value_axis(top)
        failed = [trial for trial in trials if trial['status'] == 'failed']
        for axis, parameter in zip(others, parameters):
            self.course(axis, parameter, trials, best)
        for trial in failed:
            top.plot(
                trial['number'],
                0.04,
                'x',
                color=self.theme['muted'],
                transform=top.get_xaxis_transform(),
            )
        axes[-1, 0].set_xlabel('trial')
        axes[-1, 0].xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        self.legend_of(figure, width, [t for t in trials if t['status'] == 'beyond'], failed)
        return figure

    def step(self, axis, pairs):
        axis.plot(*zip(*pairs), color=self.line, drawstyle='steps-post', linewidth=2, zorder=2)

    def course(self, axis, parameter, trials, best):
        name = parameter.name
        axis.scatter(
            [trial['number'] for trial in trials],
            [trial['point'][name] for trial in trials],
            s=12,
            color=self.dot,
            zorder=3,
        )
        self.step(axis, [(number, trial['point'][name]) for number, trial in best])
        axis.set_title(name)
        parameter_axis(axis.yaxis, parameter)

    def grid_of(self, count, width, height):
        across = min(count, 2 if width == WIDE else 1)
        down = math.ceil(count / across)
        figure, axes = plt.subplots(
            down,
            across,
            figsize=(width, 0.4 + height * down),
            layout='constrained',
            squeeze=False,
        )
        for axis in axes.flat[count:]:
            axis.set_visible(False)
        return figure, list(axes.flat)[:count]

    def against(self, trials, parameters, width, joined):
        """Value against each parameter, whatever the others were; connected for a grid."""
        shown = measured(trials)
        if not shown:
            return None
        best = best_so_far(trials)
        figure, axes = self.grid_of(len(parameters), width, 2.9)
        for axis, parameter in zip(axes, parameters):
            name = parameter.name
            for kept in (True, False):
                pairs = [
                    (t['point'][name], t['value']) for t in shown if (t['status'] == 'ok') == kept
                ]
                if pairs:
                    self.dots(axis, pairs, kept)
            if joined:
                pairs = sorted((t['point'][name], t['value']) for t in shown)
                axis.plot(*zip(*pairs), color=self.dot)
            self.spread(axis, shown, name)
            if best:
                winner = best[-1][1]
                axis.scatter(
                    winner['point'][name],
                    winner['value'],
                    s=110,
                    facecolors='none',
                    edgecolors=self.line,
                    linewidths=2,
                    zorder=4,
                )
            self.default_line(axis)
            axis.set_title(f'value against {name}')
            parameter_axis(axis.xaxis, parameter)
            value_axis(axis)
        return figure

    def spread(self, axis, trials, name):
        """Bars from the minimum to the maximum of a trial's runs."""
        for trial in trials:
            if len(trial['values']) > 1:
                axis.plot(
                    [trial['point'][name]] * 2,
                    [min(trial['values']), max(trial['values'])],
                    color=self.dot,
                    linewidth=1,
                )

    def surface(self, trials, parameters, width):
        """Value over each pair of parameters, interpolated between trials."""
        shown = measured(trials)
        pairs = list(itertools.combinations(parameters, 2))[:PAIRS_MAX]
        if not pairs or len(shown) < 4:
            return None
        values = [trial['value'] for trial in shown]
        if max(values) <= min(values):
            return None
        figure, axes = self.grid_of(len(pairs), width, 3.1)
        drawn = None
        for axis, (across, up) in zip(axes, pairs):
            drawn = self.one_surface(axis, shown, values, across, up)
        wide = width == WIDE
        place = {'location': 'right', 'shrink': 0.7} if wide else {'location': 'top', 'aspect': 30}
        bar = figure.colorbar(drawn, ax=axes, pad=0.01, **place)
        bar.set_label('value, as a multiple of the default')
        bar.outline.set_visible(False)
        return figure

    def one_surface(self, axis, trials, values, across, up):
        points = [(trial['point'][across.name], trial['point'][up.name]) for trial in trials]
        # Triangulate in the axes' scales, which avoids very thin triangles.
        triangles = triangles_of([(across.share(x), up.share(y)) for x, y in points])
        style = {'vmin': min(values), 'vmax': max(values), 'cmap': COLORS}
        if triangles is not None:
            axis.tricontourf(
                [x for x, _ in points],
                [y for _, y in points],
                triangles,
                values,
                levels=LEVELS,
                alpha=0.75,
                **style,
            )
        drawn = axis.scatter(
            *zip(*points),
            c=values,
            s=26,
            edgecolors=self.theme['ink'],
            linewidths=0.6,
            zorder=3,
            **style,
        )
        if best_so_far(trials):
            best = best_so_far(trials)[-1][1]['point']
            x, y, edge = best[across.name], best[up.name], self.theme['paper']
            axis.plot(x, y, '*', markersize=15, color=self.line, markeredgecolor=edge, zorder=4)
        axis.use_sticky_edges = False
        axis.margins(0.04)
        axis.set_xlabel(across.name)
        axis.set_ylabel(up.name)
        parameter_axis(axis.xaxis, across)
        parameter_axis(axis.yaxis, up)
        axis.grid(visible=False)
        return drawn


def triangles_of(points):
    """The triangles between points, for matplotlib; None if the points are on one line."""
    try:
        return tri.Triangulation(*zip(*points)).triangles
    except (RuntimeError, ValueError):
        return None
