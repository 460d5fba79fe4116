# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Writes the charts of a search for options into one HTML page, and into files."""

import os

from charts.search_charts import SearchCharts
from charts.store_page import Page
from drivers.common import Failure, read_json_lines
from drivers.running import machine_text
from option_search.journal import NAME, chosen_of, confirmations_in
from option_search.space import options_text, read_range


class Trials:
    """The results folder of benchmarks/tune."""

    def __init__(self, folder):
        items = read_json_lines(os.path.join(folder, NAME))
        if not items or items[0].get('kind') != 'search':
            raise Failure(f'{folder}/{NAME} does not begin with the settings of a search')
        self.machine = items[0]['machine']
        self.asked = items[0]['asked']
        self.parameters = [read_range(*item) for item in self.asked['space'].items()]
        self.trials = [item for item in items if item['kind'] == 'trial']
        self.confirmations = confirmations_in(items)
        if not self.trials:
            raise Failure(f'{folder}/{NAME} contains no trials')

    def stores(self):
        return []  # of all trials the same

    def best(self):
        return chosen_of(self.trials, self.confirmations)


class SearchPage(Page):
    charts_class = SearchCharts

    def head(self):
        asked = self.results.asked
        facts = [
            f"{asked['workload']}, {asked['seconds']:g} s per run",
            f"{len(self.results.trials)} trials for {asked['objective']}",
            machine_text(self.results.machine),
        ]
        return f'<h1>Search for options</h1><p class="muted">{self.text(", ".join(facts))}</p>'

    def tell_best(self):
        best = self.results.best()
        if best is None:
            self.parts.append('<p>No trial had a value and met the constraints.</p>')
            return
        again = self.results.confirmations.get(best['number'], {})
        said = f"Trial {best['number']}: {best['value']:.2f} times the default"
        if 'value' in again:
            said += f"; measured again {again['value']:.2f}, which is more reliable"
        options = self.text(options_text(best['options']))
        self.parts.append(f'<p><code>{options}</code></p><p>{self.text(said)}.</p>')

    def write(self, path):
        trials, parameters = self.results.trials, self.results.parameters
        self.tell_best()
        self.heading('Trial by trial', 'Values above the dashed line are better than the default.')
        self.chart('convergence', 'convergence', trials, parameters, ...)
        self.heading('Each parameter')
        joined = self.results.asked['sampler'] == 'grid'
        self.chart('value against parameters', 'against', trials, parameters, ..., joined)
        if len(parameters) > 1:
            self.heading('Two at a time', 'Colours are interpolated between the trials.')
            self.chart('joint surface', 'surface', trials, parameters, ...)
        self.write_document(path, 'Search for options')
