#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Checks docs/examples/monitoring: promtool's own checks and rule tests, the dashboard's structure,
and a Prometheus that scrapes `lull export` on a store that is being written.

usage: monitoring_test.py SOURCE LULL

Uses prometheus and promtool from the path, or unpacks Debian's package into build/clients (as
tests/clients does). Without either, it runs only the checks that need neither.
"""
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse
import urllib.request

import markdown

SOURCE, LULL = map(os.path.abspath, sys.argv[1:3])
FOLDER = os.path.join(SOURCE, 'docs', 'examples', 'monitoring')
CACHE = os.path.join(SOURCE, 'build', 'clients')
FETCH_SECONDS = 300
FETCH = '''set -euo pipefail
source "$SOURCE/tests/clients/common.sh"
debian_programs "$CLIENT_CACHE/prometheus" prometheus
'''
# What the values of the dashboard's variables are here.
VARIABLES = {'$store': '.*', '$__rate_interval': '10s'}


def read(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return file.read()


def programs():
    """Returns the directory of prometheus and promtool, or skips the test."""
    if shutil.which('prometheus') and shutil.which('promtool'):
        return os.path.dirname(shutil.which('promtool'))
    folder = os.path.join(CACHE, 'prometheus', 'usr', 'bin')
    if not os.path.exists(os.path.join(folder, 'promtool')):
        os.makedirs(CACHE, exist_ok=True)
        try:
            subprocess.run(['bash', '-c', FETCH], timeout=FETCH_SECONDS, check=True,
                           env={**os.environ, 'SOURCE': SOURCE, 'CLIENT_CACHE': CACHE},
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            pass
    if not os.path.exists(os.path.join(folder, 'promtool')):
        raise unittest.SkipTest('no prometheus (Debian: prometheus), and it could not be fetched')
    return folder


def dashboard():
    return json.loads(read('dashboard.json'))


def panels():
    return dashboard()['panels']


def expressions():
    """Yields (panel title, PromQL) with the dashboard's variables replaced."""
    for panel in panels():
        for target in panel.get('targets', []):
            expression = target['expr']
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            yield panel['title'], expression


def metrics_in(text):
    return {re.sub(r'_(bucket|sum|count)$', '', name) for name in re.findall(r'\blull_\w+', text)}


class FilesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        page = markdown.pages(SOURCE)['docs/metrics.md']
        cls.known = {span for _, span in page.spans()}

    def test_metrics_are_those_of_a_store(self):
        used = metrics_in(' '.join(expression for _, expression in expressions()))
        self.assertGreater(len(used), 20)
        self.assertEqual(used - self.known, set())
        expressions_of_alerts = re.findall(r'expr: (.*?)\n +(?:for|labels):', read('alerts.yml'),
                                           re.S)
        self.assertGreater(len(expressions_of_alerts), 10)
        self.assertEqual(metrics_in(' '.join(expressions_of_alerts)) - self.known, set())

    def test_alerts_are_documented(self):
        names = re.findall(r'- alert: (\w+)', read('alerts.yml'))
        with open(os.path.join(SOURCE, 'docs', 'operations.md'), encoding='utf-8') as file:
            documented = re.findall(r'^\| `(Lull\w+)` \| (\w+) \|', file.read(), re.M)
        severities = re.findall(r'severity: (\w+)', read('alerts.yml'))
        self.assertEqual(documented, list(zip(names, severities)))

    def test_alerts_have_tests(self):
        for name in re.findall(r'- alert: (\w+)', read('alerts.yml')):
            tests = re.findall(rf'alertname: {name}\n +exp_alerts:( \[\])?',
                               read('alerts_test.yml'))
            self.assertEqual(tests, ['', ' []'], name)

    def test_panels_are_complete(self):
        ids, cells = set(), set()
        for panel in panels():
            with self.subTest(panel.get('title')):
                self.assertNotIn(panel['id'], ids)
                ids.add(panel['id'])
                self.assertTrue(panel['title'])
                self.assertIn(panel['type'], ('row', 'stat', 'timeseries'))
                place = panel['gridPos']
                self.assertEqual(set(place), {'h', 'w', 'x', 'y'})
                self.assertLessEqual(place['x'] + place['w'], 24)
                covered = {(x, y) for x in range(place['x'], place['x'] + place['w'])
                           for y in range(place['y'], place['y'] + place['h'])}
                self.assertFalse(covered & cells, 'overlaps another panel')
                cells |= covered
                if panel['type'] != 'row':
                    self.check_targets(panel)

    def check_targets(self, panel):
        datasource = {'type': 'prometheus', 'uid': '${datasource}'}
        self.assertEqual(panel['datasource'], datasource)
        self.assertEqual(set(panel['fieldConfig']), {'defaults', 'overrides'})
        self.assertTrue(panel['fieldConfig']['defaults']['unit'])
        self.assertTrue(panel['options'])
        self.assertTrue(panel['targets'])
        references = [target['refId'] for target in panel['targets']]
        self.assertEqual(len(references), len(set(references)))
        for target in panel['targets']:
            self.assertEqual(target['datasource'], datasource)
            self.assertIn('store=~"$store"', target['expr'])
            self.assertIn('legendFormat', target)

    def test_the_dashboard_can_be_imported(self):
        board = dashboard()
        self.assertNotIn('id', board)  # of one Grafana
        self.assertGreaterEqual(board['schemaVersion'], 36)
        self.assertTrue(board['uid'] and board['title'])
        variables = {variable['name']: variable for variable in board['templating']['list']}
        self.assertEqual(set(variables), {'datasource', 'store'})
        self.assertEqual(variables['datasource']['type'], 'datasource')
        self.assertEqual(variables['datasource']['query'], 'prometheus')
        self.assertEqual(set(re.findall(r'\$\{?(\w+)', read('dashboard.json'))),
                         {'datasource', 'store', '__rate_interval', '__all'})


class PromtoolTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.promtool = os.path.join(programs(), 'promtool')

    def promtool_accepts(self, *arguments):
        done = subprocess.run([self.promtool, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_configuration(self):
        self.assertIn('15 rules found', self.promtool_accepts(
            'check', 'config', os.path.join(FOLDER, 'prometheus.yml')))

    def test_alerts(self):
        self.assertIn('SUCCESS', self.promtool_accepts(
            'test', 'rules', os.path.join(FOLDER, 'alerts_test.yml')))

    def test_expressions_of_the_dashboard(self):
        rules = [{'record': f'lull:panel{number}', 'expr': expression}
                 for number, (_, expression) in enumerate(expressions())]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'rules.yml')
            with open(path, 'w', encoding='utf-8') as file:  # JSON is YAML
                json.dump({'groups': [{'name': 'dashboard', 'rules': rules}]}, file)
            self.promtool_accepts('check', 'rules', path)


class CountingProxy(http.server.ThreadingHTTPServer):
    """Forwards scrapes to `lull export`. A test waits for them."""

    def __init__(self, url):
        self.url = url
        self.scrapes = threading.Semaphore(0)
        super().__init__(('127.0.0.1', 0), CountingProxy.Handler)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            self.server.scrapes.release()
            with urllib.request.urlopen(self.server.url, timeout=60) as page:
                kind, body = page.headers['Content-Type'], page.read()
            self.send_response(200)
            self.send_header('Content-Type', kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


class ScrapeTest(unittest.TestCase):
    """A real Prometheus scrapes a store, and evaluates the alerts and the dashboard."""

    @classmethod
    def setUpClass(cls):
        folder = programs()
        if 'built without' in subprocess.run([LULL, 'export', '/none'], stderr=subprocess.PIPE,
                                             text=True, check=False).stderr:
            raise unittest.SkipTest('lull was built without cpp-httplib')
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.root = place.name
        store = os.path.join(cls.root, 'store')
        os.mkdir(store)
        cls.start([LULL, 'bench', store, '--entries=100000000'], stdout=subprocess.DEVNULL,
                  env={**os.environ,
                       'LULL_OPTIONS': 'stats_file=lull.prom;latency_histograms=true'})
        backed_up = os.path.join(cls.root, 'backed_up')
        subprocess.run([LULL, 'put', '--create', backed_up, 'k', 'v'], check=True)
        subprocess.run([LULL, 'backup', 'create', backed_up, os.path.join(cls.root, 'backups')],
                       stdout=subprocess.DEVNULL, check=True)
        exporter = cls.start([LULL, 'export', cls.root, '--listen=127.0.0.1:0'],
                             stdout=subprocess.PIPE, text=True)
        proxy = CountingProxy(exporter.stdout.readline().strip())
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        cls.addClassCleanup(thread.join)
        cls.addClassCleanup(proxy.shutdown)
        cls.start_prometheus(folder, proxy.server_port)
        # When a scrape begins, Prometheus has stored the one before it.
        for _ in range(6):
            assert proxy.scrapes.acquire(timeout=60), 'no scrape within a minute'

    @classmethod
    def start(cls, arguments, **more):
        process = subprocess.Popen(arguments, **more)
        cls.addClassCleanup(process.communicate)
        cls.addClassCleanup(process.kill)
        return process

    @classmethod
    def start_prometheus(cls, folder, port):
        shutil.copy(os.path.join(FOLDER, 'alerts.yml'), cls.root)
        config = read('prometheus.yml').replace('127.0.0.1:9464', f'127.0.0.1:{port}')
        config = config.replace('15s', '1s')
        with open(os.path.join(cls.root, 'prometheus.yml'), 'w', encoding='utf-8') as file:
            file.write(config)
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            cls.address = f'127.0.0.1:{free.getsockname()[1]}'
        log = os.path.join(cls.root, 'log')
        with open(log, 'wb') as file:
            cls.start([os.path.join(folder, 'prometheus'), f'--web.listen-address={cls.address}',
                       f'--config.file={cls.root}/prometheus.yml',
                       f'--storage.tsdb.path={cls.root}/data'], stdout=file, stderr=file)

    def ask(self, path, **arguments):
        url = f'http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(arguments)}'
        with urllib.request.urlopen(url, timeout=60) as page:
            answer = json.loads(page.read())
        self.assertEqual(answer['status'], 'success', answer)
        return answer['data']

    def query(self, expression):
        return self.ask('query', query=expression)['result']

    def test_the_target_is_up(self):
        target, = self.ask('targets')['activeTargets']
        self.assertEqual((target['health'], target['lastError']), ('up', ''))

    def test_all_metrics_arrive(self):
        page = markdown.pages(SOURCE)['docs/metrics.md']
        documented = {span for _, span in page.spans() if re.fullmatch(r'lull_\w+', span)}
        self.assertGreater(len(documented), 60)
        stored = {series['metric']['__name__']
                  for series in self.query('group by (__name__) ({__name__=~"lull_.+"})')}
        self.assertEqual({re.sub('_(bucket|sum|count)$', '', name) for name in stored}, documented)

    def test_rates_are_computed(self):
        series, = self.query('rate(lull_user_written_entries_total[10s])')
        self.assertGreater(float(series['value'][1]), 0)
        self.assertEqual(series['metric']['store'], os.path.join(self.root, 'store'))
        age, = self.query('lull_stats_file_age_seconds')
        self.assertLess(float(age['value'][1]), 60)

    def test_alerts_are_evaluated(self):
        group, = self.ask('rules')['groups']
        self.assertEqual(len(group['rules']), 15)
        for rule in group['rules']:
            self.assertEqual((rule['health'], rule.get('lastError', '')), ('ok', ''), rule['name'])

    def test_panels_show_something(self):
        empty = [title for title, expression in expressions() if not self.query(expression)]
        # Only while writes are held, or a compaction waits for space.
        self.assertLessEqual(set(empty), {'Time in which writes are held', 'Free disk space',
                                          'Ended jobs'})


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
