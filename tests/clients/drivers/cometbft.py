#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Four validators of CometBFT on 127.0.0.1 under load: one is killed and restarted.

    cometbft.py START_SCRIPT FOLDER

tests/clients/cometbft-program/make made FOLDER. The validators keep everything in stores of
libleveldb: blocks, state, evidence, the index of transactions, and the keys of the application.
"""

import base64
import contextlib
import http.client
import json
import os
import random
import socket
import sys

from checks import Checks, Failure, Process, empty_folder, expect, expect_same, run, wait_until

COUNT = 4
LOAD = 400  # writes in each phase
PORTS_TRIED = 50
STARTS_SECONDS = 60
AGREES_SECONDS = 60
# Makes blocks as fast as the votes arrive.
QUICK = {'CMT_CONSENSUS_TIMEOUT_COMMIT': '100ms', 'CMT_LOG_LEVEL': 'info'}


def adjacent_ports(count):
    """Returns the first of `count` consecutive free ports. The system takes higher ones for
    connections, so these stay free while a validator is down."""
    for _ in range(PORTS_TRIED):
        first = random.randrange(10000, 30000)
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    held.enter_context(socket.socket()).bind(('127.0.0.1', port))
            except OSError:
                continue
            return first
    raise Failure(f'there are no {count} free ports together')


class Validator:
    def __init__(self, net, number):
        self.net = net
        self.number = number
        self.process = None

    def start(self):
        self.process = Process(
            f'validator {self.number}',
            [self.net.script, self.net.folder, str(self.number), str(self.net.port)],
            os.path.join(self.net.folder, f'validator-{self.number}.log'),
            env={**os.environ, **QUICK},
        )

    def call(self, method, **parameters):
        port = self.net.port + 2 * self.number + 1
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
        try:
            connection.request(
                'POST', '/',
                json.dumps({'jsonrpc': '2.0', 'id': 0, 'method': method, 'params': parameters}),
                {'Content-Type': 'application/json'},
            )  # fmt: skip
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        expect('error' not in answer, f'{method}: {answer.get("error")}')
        return answer['result']

    def height(self):
        """Returns the height of its last block; 0 while it does not answer."""
        try:
            return int(self.call('status')['sync_info']['latest_block_height'])
        except (OSError, http.client.HTTPException):
            return 0

    def wait_for_height(self, height):
        wait_until(f'validator {self.number} has block {height}', lambda: self.height() >= height,
                   AGREES_SECONDS, self.process)  # fmt: skip

    def write(self, key, value):
        tx = base64.b64encode(f'{key}={value}'.encode()).decode()
        answer = self.call('broadcast_tx_sync', tx=tx)
        expect_same(f'code of {key}', 0, answer['code'])

    def read(self, key):
        """Returns the application's value; None if it has none."""
        value = self.call('abci_query', data=key.encode().hex())['response']['value']
        return base64.b64decode(value).decode() if value else None

    def block(self, height):
        """Returns what all must agree on: the block, and the application's state before it."""
        found = self.call('block', height=str(height))
        return found['block_id']['hash'], found['block']['header']['app_hash']


class Net:
    def __init__(self, script, folder):
        self.script = script
        self.folder = folder
        self.port = adjacent_ports(2 * COUNT)
        self.validators = [Validator(self, number) for number in range(COUNT)]
        self.written = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for validator in self.validators:
            if validator.process:
                validator.process.kill()

    def start(self):
        for validator in self.validators:
            validator.start()
        for validator in self.validators:
            wait_until(f'validator {validator.number} answers', validator.height, STARTS_SECONDS,
                       validator.process)  # fmt: skip

    def stop(self):
        for validator in self.validators:
            validator.process.stop()

    def load(self, phase, validators):
        """Writes to each validator in turn, until all of these validators have all writes.

        Blocks take writes of different validators in any order, so waiting for the last write is
        not enough."""
        keys = [f'{phase}{number}' for number in range(LOAD)]
        for number, key in enumerate(keys):
            self.written[key] = f'{number} ' * 40
            validators[number % len(validators)].write(key, self.written[key])
        for validator in validators:
            for key in keys:
                wait_until(f'validator {validator.number} has {key}',
                           lambda v=validator, k=key: v.read(k), AGREES_SECONDS,
                           validator.process)  # fmt: skip

    def check_agreement(self):
        common = min(validator.height() for validator in self.validators)
        expect(common > 5, f'the common height is {common}')
        for height in range(1, common + 1):
            blocks = {validator.block(height) for validator in self.validators}
            expect(len(blocks) == 1, f'the validators differ at height {height}: {blocks}')
        return common

    def check_written(self):
        """Reads a tenth of all keys from each validator."""
        for validator in self.validators:
            for key in list(self.written)[validator.number :: 10]:
                expect_same(f'{key} at {validator.number}', self.written[key], validator.read(key))


def main():
    script, folder = sys.argv[1:]
    # A new network for each run, from the current program.
    for name in os.listdir(folder):
        if name.startswith('validator-'):
            os.remove(os.path.join(folder, name))
    homes = empty_folder(os.path.join(folder, 'net'))
    run([os.path.join(folder, 'replicated'), 'testnet', '--home', os.path.join(homes, 'node0'),
         '--v', str(COUNT), '--o', homes, '--populate-persistent-peers=false'])  # fmt: skip
    checks = Checks()
    with Net(script, folder) as net:
        lost, others = net.validators[-1], net.validators[:-1]
        with checks('four validators commit blocks'):
            net.start()
            for validator in net.validators:
                validator.wait_for_height(3)
        with checks('they take writes'):
            net.load('first', net.validators)
        with checks('one is killed; three go on under load'):
            lost.process.kill()
            net.load('second', others)
        with checks('it comes back, and has what it missed'):
            lost.start()
            height = others[0].height()
            lost.wait_for_height(height)
            net.load('third', net.validators)
            net.check_written()
        with checks('all blocks and hashes of the application are the same'):
            common = net.check_agreement()
            print(f'{common} blocks')
        with checks('all are stopped and started, and go on'):
            net.stop()
            net.start()
            for validator in net.validators:
                validator.wait_for_height(common + 3)
            net.check_written()
            net.check_agreement()
        with checks('all are killed and started, and go on'):
            for validator in net.validators:
                validator.process.kill()
            net.start()
            net.load('fourth', net.validators)
            net.check_written()
            net.check_agreement()
            net.stop()
    checks.exit()


if __name__ == '__main__':
    main()
