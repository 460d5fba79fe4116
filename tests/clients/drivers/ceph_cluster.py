# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Ceph's programs, unpacked from Debian's packages, and a cluster of monitors on 127.0.0.1."""

import glob
import os

from checks import Process, expect, expect_same, free_ports, run

FSID = '4b1a1e1e-0000-4000-8000-000000000001'
# The cluster is private, so it needs no authentication.
CONFIGURATION = """
[global]
fsid = {fsid}
mon_host = {hosts}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
mon_keyvaluedb = leveldb
mon_compact_on_start = true
mon_data_avail_crit = 1
mon_osd_crush_smoke_test = false
rados_mon_op_timeout = 30
client_mount_timeout = 30
keyring = {folder}/keyring
run_dir = {folder}
admin_socket =
log_file = {folder}/$name.log
plugin_dir = {libraries}
erasure_code_dir = {libraries}/erasure-code
"""


class Cluster:
    """Monitors by name: their addresses, their data, and the running ones."""

    def __init__(self, debian, folder, names):
        self.programs = os.path.join(debian, 'usr', 'bin')
        self.folder = folder
        self.names = names
        self.configuration = os.path.join(folder, 'ceph.conf')
        self.running = {}
        ports = dict(zip(names, free_ports(len(names))))
        self.addresses = {name: f'[v2:127.0.0.1:{port}]' for name, port in ports.items()}
        with open(self.configuration, 'w', encoding='utf-8') as file:
            file.write(CONFIGURATION.format(
                fsid=FSID, hosts=','.join(self.addresses.values()), folder=folder,
                libraries=glob.glob(os.path.join(debian, 'usr', 'lib', '*-linux-gnu*', 'ceph'))[0],
            ))  # fmt: skip

    def program(self, name, *arguments):
        return run([os.path.join(self.programs, name), *arguments],
                   env={**os.environ, 'CEPH_CONF': self.configuration})  # fmt: skip

    def data(self, name):
        return os.path.join(self.folder, f'mon-{name}')

    def store(self, name):
        return os.path.join(self.data(name), 'store.db')

    def make(self):
        """Creates the files that `ceph-mon --mkfs` needs, and with it each monitor's first
        store."""
        keyring = os.path.join(self.folder, 'keyring')
        monitors = os.path.join(self.folder, 'monmap')
        self.program('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.',
                     '--cap', 'mon', 'allow *')  # fmt: skip
        added = [word for name in self.names for word in ('--addv', name, self.addresses[name])]
        self.program('monmaptool', '--create', '--fsid', FSID, *added, monitors)
        for name in self.names:
            self.program('ceph-mon', '--mkfs', '-i', name, '--mon-data', self.data(name),
                         '--monmap', monitors, '--keyring', keyring)  # fmt: skip
            with open(os.path.join(self.data(name), 'kv_backend'), encoding='utf-8') as file:
                expect_same('backend of the store', 'leveldb', file.read().strip())

    def start(self, name):
        self.running[name] = Process(
            f'mon.{name}',
            [os.path.join(self.programs, 'ceph-mon'), '-f', '-i', name,
             '--mon-data', self.data(name)],
            os.path.join(self.folder, f'mon.{name}.out'),
            env={**os.environ, 'CEPH_CONF': self.configuration},
        )  # fmt: skip

    def kill(self, name):
        self.running.pop(name).kill()

    def stop(self):
        for name in list(self.running):
            process = self.running.pop(name)
            expect(process.runs(), f'{process.name} has ended by itself\n{process.last_lines()}')
            process.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running.values():
            process.kill()

    def kvstore(self, store, *command):
        """Returns the output lines of ceph-kvstore-tool, without its store's log lines."""
        text = self.program('ceph-kvstore-tool', 'leveldb', store, *command)
        return [line for line in text.splitlines() if line and ' leveldb: ' not in line]
