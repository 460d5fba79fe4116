# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Writes charts and tables into one self-contained HTML page, and charts into files."""

import html
import os
import re

from charts import theme
from charts.results import picture_name
from charts.store_charts import NARROW, WIDE, Charts, save_picture, svg_of, time_text
from drivers.common import MIB
from drivers.figures import ratio_number
from drivers.running import machine_text

# title, path in a result, form, digits, which direction is better.
ROWS = [
    ('written, MB/s', ('mb_per_s',), 'number', 1, 'higher'),
    ('requests/s', ('load', 'requests_per_s'), 'number', 0, 'higher'),
    ('due, requests/s', ('load', 'offered_per_s'), 'number', 0, None),
    ('given up, requests', ('unserved',), 'number', 0, 'lower'),
    ('write p50', ('write_latency', 'p50_us'), 'time', 0, 'lower'),
    ('write p99', ('write_latency', 'p99_us'), 'time', 0, 'lower'),
    ('write p99.9', ('write_latency', 'p999_us'), 'time', 0, 'lower'),
    ('write max', ('write_latency', 'max_us'), 'time', 0, 'lower'),
    ('read p99', ('read_latency', 'p99_us'), 'time', 0, 'lower'),
    ('read p99.9', ('read_latency', 'p999_us'), 'time', 0, 'lower'),
    ('scan p99', ('scan_latency', 'p99_us'), 'time', 0, 'lower'),
    ('stalled, s', ('stall_seconds',), 'number', 2, 'lower'),
    ('drain, s', ('drain_seconds',), 'number', 1, 'lower'),
    ('write amplification', ('write_amplification',), 'number', 2, 'lower'),
    ('space amplification', ('space_amplification',), 'number', 2, 'lower'),
    ('peak memory, MB', ('peak_rss_bytes',), 'mib', 0, 'lower'),
    ('CPU, µs an entry', ('cpu_seconds',), 'per_op', 2, 'lower'),
]

ARROWS = {'higher': ' ↑', 'lower': ' ↓', None: ''}

STYLE = """
:root { color-scheme: light dark; LIGHT }
@media (prefers-color-scheme: dark) { :root { DARK } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 1080px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, 'DejaVu Sans', sans-serif; }
h1 { font-size: 24px; margin: 8px 0; } h2 { font-size: 19px; margin: 40px 0 4px; }
h3 { font-size: 14px; margin: 20px 0 6px; color: var(--muted); font-weight: 600; }
p { margin: 6px 0; overflow-wrap: anywhere; } .muted { color: var(--muted); }
nav { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 12px 0; }
a { color: var(--store0); }
.chart svg { width: 100%; height: auto; display: block; }
.chart { margin: 4px 0; } .narrow { display: none; }
.row { display: grid; grid-template-columns: 190px repeat(var(--stores), minmax(0, 1fr));
  gap: 0 10px; padding: 3px 8px; border-radius: 4px; font-variant-numeric: tabular-nums; }
.row:nth-child(odd) { background: var(--card); }
.head { font-weight: 600; border-bottom: 1px solid var(--grid); border-radius: 0; }
.cell { text-align: right; overflow-wrap: anywhere; }
.cell small { color: var(--muted); display: block; line-height: 1.1; margin-bottom: 2px; }
.chip { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
@media (max-width: 720px) {
  .wide { display: none; } .narrow { display: block; }
  .row { grid-template-columns: repeat(var(--stores), minmax(0, 1fr)); font-size: 13px; }
  .row > :first-child { grid-column: 1 / -1; color: var(--muted); }
  .head { font-size: 11px; } .head > :first-child { display: none; }
  .head .chip { display: block; margin: 0 0 2px auto; }
}
"""


class Page:
    charts_class = Charts

    def __init__(self, results, folder, form):
        """form: of the files, "png", "svg" or "pdf". They go into a directory of that name."""
        self.results = results
        self.folder = os.path.join(folder, form)
        self.form = form
        self.stores = results.stores()
        self.charts = self.charts_class(self.stores, theme.TOKENS)
        self.pictures = self.charts_class(self.stores, theme.light())
        self.indices = theme.color_indices(self.stores)
        self.parts = []
        self.count = 0

    def text(self, text):
        return html.escape(str(text))

    def chart(self, name, method, *arguments):
        """Adds a chart, for wide and for narrow pages, and writes it into a file."""
        shapes = []
        for css, width in (('wide', WIDE), ('narrow', NARROW)):
            figure = self.charts.draw(method, *[width if a is Ellipsis else a for a in arguments])
            if figure is None:
                return False
            self.count += 1
            svg = theme.separate_ids(theme.to_css(svg_of(figure)), f'c{self.count}')
            # The page sets the size; the aspect ratio stays.
            svg = re.sub(r'(<svg\b[^>]*?) height="[^"]*"', r'\1', svg, count=1)
            svg = re.sub(r'(<svg\b[^>]*?) width="[^"]*"', r'\1', svg, count=1)
            shapes.append(f'<div class="{css}">{svg}</div>')
        self.parts.append(f'<div class="chart" role="img" aria-label="{self.text(name)}">')
        self.parts += shapes + ['</div>']
        figure = self.pictures.draw(method, *[WIDE if a is Ellipsis else a for a in arguments])
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, picture_name(name, self.form))
        save_picture(figure, path, self.form)
        return True

    def heading(self, title, note=''):
        anchor = re.sub(r'[^A-Za-z0-9]+', '-', title)
        self.parts.append(f'<h2 id="{anchor}">{self.text(title)}</h2>')
        if note:
            self.parts.append(f'<p class="muted">{self.text(note)}</p>')

    def small_heading(self, title):
        self.parts.append(f'<h3>{self.text(title)}</h3>')

    # ---- Parts of the page ----

    def value(self, workload, store, path, form):
        value = self.results.median(workload, store, path)
        if value is None or form != 'per_op':
            return value
        ops = self.results.median(workload, store, ('ops',))
        return value * 1e6 / ops if ops else None

    def table(self, workload):
        """Medians, each with its ratio to the reference."""
        stores = [s for s in self.stores if s in self.results.of(workload)]
        peers = [s for s in stores if s == 'LevelDB' or s.endswith('policy=leveldb')]
        reference = (peers or stores)[-1]
        cells = ''.join(
            f'<div class="cell"><span class="chip" style="background: '
            f'var(--store{self.indices[s]})"></span>{self.text(s)}</div>'
            for s in stores
        )
        rows = [f'<div class="row head"><div></div>{cells}</div>']
        for title, path, form, digits, better in ROWS:
            values = {s: self.value(workload, s, path, form) for s in stores}
            if not any(values.values()):
                continue
            cells = ''
            for store in stores:
                ratio = ''
                base = values[reference]
                # A base that is shown as zero has no ratio.
                if form != 'time' and base is not None and round(base, digits) == 0:
                    base = None
                if better and store != reference and values[store] is not None and base:
                    ratio = self.text(ratio_number(values[store] / base))
                    ratio = f'<small>{ratio}×</small>'
                cells += f'<div class="cell">{shown(values[store], form, digits)}{ratio}</div>'
            title = self.text(title) + ARROWS[better]
            rows.append(f'<div class="row"><div>{title}</div>{cells}</div>')
        runs = max(len(r) for r in self.results.of(workload).values())
        self.parts.append(f'<div style="--stores: {len(stores)}">' + ''.join(rows) + '</div>')
        note = '↑ more is better, ↓ less is better.'
        if len(stores) > 1:
            note += f' Small: ratio to {reference}.'
        if runs > 1:
            note = f'Medians of {runs} runs; charts also have their minimum and maximum. {note}'
        self.parts.append(f'<p class="muted">{self.text(note)}</p>')

    def describe(self, workload):
        run = next(iter(self.results.typical(workload).values()))
        load = run.result.get('load')
        if not load:
            sizes = f'values of {run.result["value_size"]} bytes'
            synced = 'synced' if run.result['sync'] else 'not synced'
            batches = f', batches of {run.result["batch_size"]}'
            return sizes + (batches if run.result['batch_size'] > 1 else '') + f', {synced}'
        text = f'{load["mix"]}; rate {load["shape"]}; keys {load["keys"]}'
        text += f'; values {load["values"] or run.result["value_size"]}; {load["clients"]} clients'
        if load['x']:
            text += f'; X = {load["x"]:,.0f} requests/s'
        generator_us = max(
            r.result['load']['generator_ns_per_request'] / 1e3
            for r in self.results.typical(workload).values()
        )
        return text + f'. The load generator takes {generator_us:.2f} µs per request.'

    def workload(self, workload):
        self.heading(workload, self.describe(workload))
        self.table(workload)
        runs = self.results.of(workload)
        self.small_heading('Over time')
        self.chart(f'{workload} time series', 'client_series', runs, ...)
        self.chart(f'{workload} time series of the store', 'store_series', runs, ...)
        for store, of_store in runs.items():
            self.chart(f'{workload} levels, {store}', 'levels', of_store, ...)
        self.chart(f'{workload} stall time', 'stall_bars', list(self.stalls(workload)), ...)
        self.small_heading('Latency by percentile')
        self.chart(f'{workload} percentiles', 'percentiles', runs, ...)

    def overview(self):
        names = self.results.workloads()
        self.heading('All workloads')
        amplification = 'write amplification: bytes to the device for each byte written'
        for title, figure, digits in (
            ('written, MB/s', 'mb_per_s', 1),
            (amplification, 'write_amplification', 2),
        ):
            rows = [(name, self.values(name, figure)) for name in names]
            self.chart(title.split(':')[0], 'bars', title, rows, ..., digits)
        self.chart(
            'share of the limit',
            'bars',
            'throughput, share of the same client without background work',
            self.limit_rows(names),
            ...,
            2,
            1,
        )
        self.chart(
            'p99 over the limit',
            'bars',
            'p99 of open loops, times that without background work',
            self.limit_latencies(names),
            ...,
            1,
            1,
        )
        rows = [
            (f'{name}, {store}', causes) for name in names for store, causes in self.stalls(name)
        ]
        if not self.chart('stall time', 'stall_bars', rows, ...):
            self.parts.append(
                '<p class="muted">No store had a stall (more than 0.1 s without a completed write).'
                '</p>'
            )

    def stalls(self, workload):
        """(store, {cause: seconds}) of its typical run."""
        for store, run in self.results.typical(workload).items():
            yield store, run.result.get('stall_seconds_by_cause', {})

    def values(self, workload, figure):
        """store -> the figure in each of its runs."""
        found = {}
        for store, runs in self.results.of(workload).items():
            known = [run.result[figure] for run in runs if run.result.get(figure) is not None]
            if known:
                found[store] = known
        return found

    def limits(self, names):
        """(name, store, run, limit) of the runs with a limit."""
        for name in names:
            for store, runs in self.results.of(name).items():
                for run in runs:
                    limit = self.results.limit_of(run)
                    if limit:
                        yield name, store, run, limit

    def limit_rows(self, names):
        rows = {}
        for name, store, run, limit in self.limits(names):
            load = run.result.get('load')
            if limit['mb_per_s'] and (not load or load['closed_loop']):
                share = run.result['mb_per_s'] / limit['mb_per_s']
                rows.setdefault(name, {}).setdefault(store, []).append(share)
        return list(rows.items())

    def limit_latencies(self, names):
        rows = {}
        for name, store, run, limit in self.limits(names):
            load = run.result.get('load')
            if limit['p99_us'] and load and not load['closed_loop']:
                ratio = run.result['p99_us'] / limit['p99_us']
                rows.setdefault(name, {}).setdefault(store, []).append(ratio)
        return list(rows.items())

    def against_load(self):
        families = self.results.load_families()
        if not families:
            return
        self.heading('Latency against load')
        for name, stores in families.items():
            self.small_heading(name)
            self.chart(f'{name} p99 against load', 'load_curve', stores, ...)

    def head(self):
        machine = self.results.machine
        first = self.results.runs[0].result
        facts = [first['date']]
        if machine:
            facts.append(machine_text(machine))
        made_by = ('commit', 'compiler', 'file_system', 'disk')
        facts += [first[name] for name in made_by if first.get(name)]
        devices = {run.result.get('device', 'real') for run in self.results.runs}
        if devices != {'real'}:
            facts.append('device: ' + ', '.join(sorted(devices)))
        links = ''.join(
            f'<a href="#{re.sub("[^A-Za-z0-9]+", "-", name)}">{self.text(name)}</a>'
            for name in self.results.workloads()
        )
        return (
            '<h1>Lull benchmarks</h1>'
            f'<p class="muted">{self.text(", ".join(facts))}</p>'
            '<p>Ratios of stores measured in turn on one machine are results; absolute figures '
            'are not. Latencies of open loops count from the moment a request was due.</p>'
            f'<nav>{links}</nav>'
        )

    def write(self, path):
        self.overview()
        self.against_load()
        for name in self.results.workloads():
            self.workload(name)
        self.write_document(path, 'Lull benchmarks')

    def write_document(self, path, title):
        style = STYLE.replace('LIGHT', theme.css_variables(False)).replace(
            'DARK', theme.css_variables(True)
        )
        with open(path, 'w', encoding='utf-8') as file:
            file.write(
                '<!doctype html><html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f'<title>{title}</title><style>{style}</style></head><body>'
                + self.head()
                + '\n'.join(self.parts)
                + '</body></html>\n'
            )


def shown(value, form, digits):
    if value is None:
        return '–'
    if form == 'time':
        return time_text(value)
    if form == 'mib':
        value /= MIB
    return f'{value:,.{digits}f}'
