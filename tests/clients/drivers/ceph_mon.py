#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Three Ceph monitors on LevelDB agree, lose one of them and then another, and agree again.

    ceph_mon.py DEBIAN_FOLDER FOLDER

Needs Ceph's Python module rados in PYTHONPATH.
"""

import contextlib
import json
import sys

import rados

from ceph_cluster import Cluster
from checks import Checks, empty_folder, expect, expect_same, wait_until

NAMES = ['a', 'b', 'c']
SETTINGS = 100  # in each round
QUORUM_SECONDS = 60


class Client:
    """A connection to the monitors, and the settings sent to them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.settings = {}
        self.connection = None

    def __enter__(self):
        self.connection = rados.Rados(conffile=self.cluster.configuration)
        self.connection.connect(timeout=30)
        return self

    def __exit__(self, *_):
        self.connection.shutdown()

    def command(self, prefix, **arguments):
        code, out, message = self.connection.mon_command(
            json.dumps({'prefix': prefix, **arguments}), b'', timeout=30
        )
        expect(code == 0, f'{prefix} failed with {code}: {message}')
        return out

    def wait_for_quorum(self, names):
        def is_there():
            with contextlib.suppress(rados.Error):
                status = json.loads(self.command('quorum_status', format='json'))
                return sorted(status['quorum_names']) == names
            return False

        wait_until(f'the quorum is {names}', is_there, QUORUM_SECONDS)

    def tell(self, round_name):
        for number in range(SETTINGS):
            key, value = f'{round_name}/{number:04d}', f'{number} of {round_name}. ' * 60
            self.command('config-key set', key=key, val=value)
            self.settings[key] = value

    def check_settings(self):
        for key, value in self.settings.items():
            expect_same(key, value, self.command('config-key get', key=key).decode())


def same_stores(cluster, settings):
    """Returns the checksums of the settings in each monitor's store."""
    lines = {name: cluster.kvstore(cluster.store(name), 'list-crc', 'mon_config_key')
             for name in NAMES}  # fmt: skip
    expect(len(lines['a']) >= settings, f'there are {len(lines["a"])} settings in a store')
    for name in NAMES[1:]:
        expect_same(f'settings of mon.{name}', lines['a'], lines[name])


def survive(cluster, client, name):
    """Kills a monitor; the others continue; it restarts."""
    cluster.kill(name)
    client.wait_for_quorum([other for other in NAMES if other != name])
    client.tell(f'without {name}')
    cluster.start(name)
    client.wait_for_quorum(NAMES)
    client.tell(f'with {name} again')


def main():
    debian, folder = sys.argv[1:]
    checks = Checks()
    with Cluster(debian, empty_folder(folder), NAMES) as cluster:
        client = Client(cluster)
        with checks('three monitors form a quorum'):
            cluster.make()
            for name in NAMES:
                cluster.start(name)
            with client:
                client.wait_for_quorum(NAMES)
        with client:
            with checks('they take settings'):
                client.tell('first')
            with checks('a follower is killed, and comes back'):
                survive(cluster, client, 'c')
            with checks('the leader is killed, and comes back'):
                survive(cluster, client, 'a')
            with checks('all settings are read back'):
                client.check_settings()
        with checks('the stores of all three say the same'):
            cluster.stop()
            same_stores(cluster, len(client.settings))
        with checks('all are restarted, and have all settings'):
            for name in NAMES:
                cluster.start(name)
            with client:
                client.wait_for_quorum(NAMES)
                client.check_settings()
            cluster.stop()
    checks.exit()


if __name__ == '__main__':
    main()
