# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Puts the charts of a search for options into one HTML page, and into PNGs."""

import os

from charts import theme
from charts.search_charts import SearchCharts
from charts.store_page import Page
from drivers.common import Failure, read_json_lines
from drivers.running import machine_text
from option_search.journal import NAME, chosen_of, confirmations_in
from option_search.space import options_text, read_range


class Trials:
    """What a folder of benchmarks/tune holds."""

    def __init__(self, folder):
        items = read_json_lines(os.path.join(folder, NAME))
        if not items or items[0].get('kind') != 'search':
            raise Failure(f'{folder}/{NAME} does not begin with what was searched')
        self.machine = items[0]['machine']
        self.asked = items[0]['asked']
        self.parameters = [read_range(*item) for item in self.asked['space'].items()]
        self.trials = [item for item in items if item['kind'] == 'trial']
        self.confirmations = confirmations_in(items)
        if not self.trials:
            raise Failure(f'{folder}/{NAME} holds no trials')

    def best(self):
        return chosen_of(self.trials, self.confirmations)


class SearchPage(Page):
    def __init__(self, results, folder):
        # Not the parent's: it draws stores, of which there is one here.
        self.results = results
        self.folder = folder
        self.charts = SearchCharts(theme.TOKENS)
        self.pictures = SearchCharts(theme.light())
        self.parts = []
        self.count = 0

    def head(self):
        asked = self.results.asked
        facts = [
            f"{asked['workload']}, {asked['seconds']:g} s a run",
            f"{len(self.results.trials)} trials for {asked['objective']}",
            machine_text(self.results.machine),
        ]
        return f'<h1>Search for options</h1><p class="muted">{self.text(", ".join(facts))}</p>'

    def tell_best(self):
        best = self.results.best()
        if best is None:
            self.parts.append('<p>No trial gave a value that keeps the constraints.</p>')
            return
        again = self.results.confirmations.get(best['number'], {})
        said = f"Trial {best['number']}: {best['value']:.2f} times the default"
        if 'value' in again:
            said += f"; measured again {again['value']:.2f}, which is the figure to believe"
        options = self.text(options_text(best['options']))
        self.parts.append(f'<p><code>{options}</code></p><p>{self.text(said)}.</p>')

    def write(self, path):
        trials, parameters = self.results.trials, self.results.parameters
        self.tell_best()
        self.heading('Trial by trial', 'Above the dashed line is better than the default.')
        self.chart('convergence', 'convergence', trials, parameters, ...)
        self.heading('Each parameter')
        joined = self.results.asked['sampler'] == 'grid'
        self.chart('value against parameters', 'against', trials, parameters, ..., joined)
        if len(parameters) > 1:
            self.heading('Two at a time', 'Between the trials the colour is interpolated.')
            self.chart('joint surface', 'surface', trials, parameters, ...)
        self.write_document(path, 'Search for options')
