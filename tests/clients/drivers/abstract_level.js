// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs the test suite that the package abstract-level has for its implementations on classic-level,
// as classic-level's own test/abstract-level-test.js does, and a test of shared stores. Prints TAP.
//
//     node abstract_level.js FOLDER        the folder of classic-level, with its node_modules
'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createRequire } = require('node:module')

const load = createRequire(path.join(path.resolve(process.argv[2]), 'index.js'))
const { ClassicLevel } = load('./index.js')

const test = load('tape')
const newFolder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'store-'))

load('abstract-level/test')({
  test,
  factory: (options) => new ClassicLevel(newFolder(), options)
})

// classic-level deletes the block cache when the first instance closes; the others use the store.
test('a shared store stays open until the last instance closes', async function (t) {
  const folder = newFolder()
  const shared = { multithreading: true }
  const first = new ClassicLevel(folder, shared)
  const second = new ClassicLevel(folder, shared)
  await first.open()
  await second.open()
  await first.put('key', 'value')
  await first.close()
  t.is(await second.get('key'), 'value')
  await second.close()
  const alone = new ClassicLevel(folder)
  t.is(await alone.get('key'), 'value')
  await alone.close()
})
