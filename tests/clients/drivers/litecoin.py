#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Lets litecoind mine a private chain (regtest), and find it again after stops and kills.

    litecoin.py PROGRAM FOLDER

Three of its stores use LevelDB: the block index, the coins, and the index of transactions. The node
listens on 127.0.0.1 only, and connects to no other.
"""

import base64
import http.client
import json
import os
import sys

from checks import (Checks, Failure, Process, empty_folder, expect, expect_same, free_ports,
                    wait_until)  # fmt: skip

START_SECONDS = 60
BLOCKS = 200
MATURE_BLOCKS = 110  # a reward can be spent 100 blocks later
PAYMENTS = 60


class Node(Process):
    def __init__(self, program, folder, *options):
        self.port, p2p = free_ports(2)
        super().__init__(
            'litecoind',
            [program, '-regtest', f'-datadir={folder}', '-txindex=1', '-fallbackfee=0.001',
             '-rpcuser=tester', '-rpcpassword=regtest', '-rpcbind=127.0.0.1',
             '-rpcallowip=127.0.0.1', f'-rpcport={self.port}', '-bind=127.0.0.1', f'-port={p2p}',
             '-dnsseed=0', '-connect=0', '-discover=0', '-upnp=0', '-listenonion=0',
             '-dbcache=8', *options],
            os.path.join(folder, 'litecoind.log'),
        )  # fmt: skip
        wait_until('litecoind answers', self.answers, START_SECONDS, self)

    def answers(self):
        try:
            return self.call('getblockcount') is not None
        except (OSError, http.client.HTTPException, Failure):
            return False

    def call(self, method, *parameters):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        try:
            connection.request(
                'POST', '/', json.dumps({'id': 0, 'method': method, 'params': parameters}),
                {'Authorization': 'Basic ' + base64.b64encode(b'tester:regtest').decode()})
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if answer['error'] is not None:
            raise Failure(f'{method}: {answer["error"]}')
        return answer['result']

    def shut_down(self):
        self.call('stop')
        self.await_end(START_SECONDS)
        expect_same('exit code of litecoind', 0, self.popen.returncode)

    def state(self):
        """Returns the state that must be the same after every restart."""
        coins = self.call('gettxoutsetinfo')
        del coins['disk_size']
        return {'best': self.call('getbestblockhash'), 'coins': coins}


class Story:
    """The history of one data directory, one step for each check."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.payments = []
        self.saved = None

    def start(self, *options):
        return Node(self.program, self.folder, *options)

    def mine(self):
        with self.start() as node:
            node.call('createwallet', 'miner')
            address = node.call('getnewaddress')
            node.call('generatetoaddress', MATURE_BLOCKS, address)
            for number in range(BLOCKS - MATURE_BLOCKS):
                if number < PAYMENTS:
                    to = node.call('getnewaddress')
                    self.payments.append(node.call('sendtoaddress', to, 0.5))
                node.call('generatetoaddress', 1, address)
            expect_same('blocks', BLOCKS, node.call('getblockcount'))
            self.saved = node.state()
            node.shut_down()

    def verify(self, node):
        wait_until('all blocks are back', lambda: node.call('getblockcount') >= BLOCKS,
                   START_SECONDS, node)  # fmt: skip
        expect_same('state', self.saved, node.state())
        expect(node.call('verifychain', 4, 0), 'verifychain finds a fault')
        wait_until('transactions are indexed', lambda: self.has_payments(node), START_SECONDS, node)

    def has_payments(self, node):
        try:
            return all(node.call('getrawtransaction', payment, True)['confirmations'] > 0
                       for payment in self.payments)  # fmt: skip
        except Failure:
            return False  # the index is built in the background

    def restart(self):
        with self.start() as node:
            self.verify(node)
            node.shut_down()

    def survive_kill(self):
        """A kill can lose blocks mined just before it, but none of an earlier run."""
        with self.start() as node:
            node.call('generatetodescriptor', 20, 'raw(51)')
            node.kill()
        with self.start() as node:
            expect(node.call('getblockcount') >= BLOCKS, 'blocks of an earlier run are lost')
            expect(node.call('verifychain', 4, 0), 'verifychain finds a fault')
            expect_same('block 200', self.saved['best'], node.call('getblockhash', BLOCKS))
            lost = node.call('getblockcount') == BLOCKS
            if not lost:
                node.call('invalidateblock', node.call('getblockhash', BLOCKS + 1))
            self.verify(node)
            node.shut_down()

    def rebuild(self):
        with self.start('-reindex-chainstate') as node:
            self.verify(node)
            node.shut_down()


def main():
    program, folder = sys.argv[1:]
    story = Story(program, empty_folder(folder))
    checks = Checks()
    with checks(f'mines {BLOCKS} blocks with {PAYMENTS} payments'):
        story.mine()
    with checks('restarts with the same chain and coins, and verifies them'):
        story.restart()
    with checks('is killed, and still has the chain'):
        story.survive_kill()
    with checks('rebuilds the coins from the blocks'):
        story.rebuild()
    checks.exit()


if __name__ == '__main__':
    main()
