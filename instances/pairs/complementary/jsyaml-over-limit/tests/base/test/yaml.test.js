// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const yaml = require('../index.js')

test('reads scalars', () => {
  assert.deepEqual(yaml.load('[1, 0x1f, 1.5, true, ~, "a\\tb", plain text]'), [1, 31, 1.5, true, null, 'a\tb', 'plain text'])
})

test('reads block collections and scalars', () => {
  assert.deepEqual(yaml.load('a:\n  - 1\n  -\n  - b: |\n      x\n      y\n    c: >-\n      p\n      q\n? d\n'),
    { a: [1, null, { b: 'x\ny\n', c: 'p q' }], d: null })
})

test('reads anchors and merges', () => {
  assert.deepEqual(yaml.load('a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\n&k key: *a\n').c, { x: 1, y: 3 })
  assert.throws(() => yaml.load('*x'), /unidentified alias/)
})

test('reads tags', () => {
  assert.deepEqual(yaml.load('- !!set {a, b}\n- !!str 1\n- !!pairs [a: 1, a: 2]\n'), [{ a: null, b: null }, '1', [['a', 1], ['a', 2]]])
  const type = new yaml.Type('!twice', { kind: 'scalar', construct: (data) => data + data })
  assert.equal(yaml.load('!twice ab', { schema: yaml.DEFAULT_SCHEMA.extend(type) }), 'abab')
})

test('reads several documents', () => {
  assert.deepEqual(yaml.loadAll('a\n---\nb\n...\n---\n- c\n'), ['a', 'b', ['c']])
  const got = []
  yaml.loadAll('1\n--- 2\n', (document) => got.push(document))
  assert.deepEqual(got, [1, 2])
  assert.throws(() => yaml.load('a\n---\nb\n'), /single document/)
})

test('says where a text is wrong', () => {
  assert.throws(() => yaml.load('a: 1\nb: [1\n', { filename: 'x.yml' }), (error) => error instanceof yaml.YAMLException && error.mark.line === 2)
  assert.throws(() => yaml.load('a: 1\na: 2\n'), /duplicated mapping key \(2:1\)/)
  assert.deepEqual(yaml.load('a: 1\na: 2\n', { json: true }), { a: 2 })
})

test('keeps its limits', () => {
  assert.throws(() => yaml.load('[[[1]]]', { maxDepth: 2 }), yaml.YAMLException)
  assert.throws(() => yaml.load('a: &a {x: 1}\nb: {<<: *a}\n', { maxTotalMergeKeys: 1 }), /maxTotalMergeKeys/)
})

test('writes what it reads', () => {
  const value = { a: [1, 'two', null, { b: true }], text: 'a\nb\n', date: new Date(0), empty: {}, '1': '1' }
  assert.deepEqual(yaml.load(yaml.dump(value)), value)
  assert.equal(yaml.dump({ b: [1], a: 'x' }, { sortKeys: true, flowLevel: 1 }), 'a: x\nb: [1]\n')
})
