// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const yaml = require('../index.js')

/** That reading `text` is refused, and that the message tells why. */
function refused (text, option, value, read = yaml.load) {
  assert.throws(() => read(text, { [option]: value }), (error) => {
    assert.ok(error instanceof Error, `${option} ${value}: ${text}`)
    assert.ok(error.message.includes(option), error.message)
    assert.match(error.message, new RegExp(`(?<!\\d)${value}(?!\\d)`))
    return true
  }, `${option} ${value}: ${text}`)
}

/** That exactly `most` is the limit at which `text` is still read. */
function takes (text, option, most) {
  const want = yaml.load(text)
  assert.deepEqual(yaml.load(text, { [option]: most }), want, text)
  assert.deepEqual(yaml.load(text, { [option]: most + 1 }), want, text)
  refused(text, option, most - 1)
}

const numbers = (count) => Array.from({ length: count }, (_, at) => at)

test('entries of a block sequence', () => {
  takes('- a\n- b\n- c\n', 'maxEntries', 3)
  takes(numbers(1000).map((at) => `- ${at}\n`).join(''), 'maxEntries', 1000)
})

test('empty entries of a block sequence', () => {
  takes('-\n-\n- x\n-\n', 'maxEntries', 4)
  takes('-\n-\n-\n', 'maxEntries', 3)
})

test('entries of a block mapping', () => {
  takes('a: 1\nb: 2\nc:\n', 'maxEntries', 3)
  takes(numbers(1000).map((at) => `k${at}: ${at}\n`).join(''), 'maxEntries', 1000)
})

test('entries of a block mapping with explicit keys', () => {
  takes('? a\n? b\n: 2\n? c\nd: 4\n', 'maxEntries', 4)
  takes('? a\n? b\n? c\n', 'maxEntries', 3)
})

test('entries in flow style', () => {
  takes('[a, b, c]', 'maxEntries', 3)
  takes('[a, b, c,]', 'maxEntries', 3)
  takes('{a: 1, b: 2, c: 3}', 'maxEntries', 3)
  takes('{a, b, "c": 3, ? d}', 'maxEntries', 4)
  takes('[a: 1, b: 2, c]', 'maxEntries', 3)
})

test('each collection for itself, wherever it stands', () => {
  takes('a: [1, 2]\nb: {x: 1, y: 2}\nc:\n- 1\n- 2\n', 'maxEntries', 3)
  takes('a:\n  b:\n    - - 1\n      - 2\n      - [1, 2, 3, 4, 5]\n', 'maxEntries', 5)
  takes('a: {b: {c: [{d: 1, e: 2, f: 3}]}}', 'maxEntries', 3)
  takes('? [1, 2, 3]\n: x\n', 'maxEntries', 3)
  takes('- !!set {a, b, c}\n- !!omap [a: 1, b: 2, c: 3, d: 4]\n', 'maxEntries', 4)
  takes(numbers(50).map((at) => `- [${at}, x]\n`).join(''), 'maxEntries', 50)
})

test('what a merge brings along does not count', () => {
  const text = 'base: &base {a: 1, b: 2, c: 3}\nmore:\n  <<: *base\n  d: 4\n'
  takes(text, 'maxEntries', 3)
  assert.deepEqual(yaml.load(text, { maxEntries: 3 }).more, { a: 1, b: 2, c: 3, d: 4 })
})

test('uses of aliases', () => {
  takes('- &a x\n- *a\n- *a\n- *a\n', 'maxAliases', 3)
  takes('[&a x, &b y, *a, *b, [*a, {k: *b}]]', 'maxAliases', 4)
  takes(`- &a x\n${'- *a\n'.repeat(500)}`, 'maxAliases', 500)
})

test('aliases in merges and as keys', () => {
  takes('a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\nd:\n  <<: [*a, *b]\ne: {<<: *b}\n', 'maxAliases', 4)
  takes('a: &a key\n*a : 1\nb: {*a : 2}\nc:\n  ? *a\n  : 3\n', 'maxAliases', 3)
})

test('an anchor alone is no use, and neither is a star in a text', () => {
  const text = 'a: &a 1\nb: &b [1, 2]\nc: "*a"\nd: 3 *a\ne: |\n  *a\n'
  assert.deepEqual(yaml.load(text, { maxAliases: 0 }), yaml.load(text))
})

test('0 is a limit', () => {
  assert.deepEqual(yaml.load('[[], {}]', { maxEntries: 2 }), [[], {}])
  assert.deepEqual(yaml.load('[]', { maxEntries: 0 }), [])
  assert.deepEqual(yaml.load('{}', { maxEntries: 0 }), {})
  assert.equal(yaml.load('plain', { maxEntries: 0, maxAliases: 0 }), 'plain')
  for (const text of ['[a]', '{a: 1}', '- a\n', 'a: 1\n', '? a\n']) refused(text, 'maxEntries', 0)
  refused('[&a x, *a]', 'maxAliases', 0)
})

test('without the options there is no limit', () => {
  const big = `${numbers(30000).map((at) => `- ${at}\n`).join('')}- &a x\n${'- *a\n'.repeat(3000)}`
  assert.equal(yaml.load(big).length, 33001)
  assert.equal(yaml.load(big, { maxEntries: 33001, maxAliases: 3000 }).length, 33001)
})

test('in loadAll, entries by collection and aliases all together', () => {
  const text = '- &a x\n- *a\n---\n- &a y\n- *a\n- *a\n---\n[1]\n'
  const want = [['x', 'x'], ['y', 'y', 'y'], [1]]
  assert.deepEqual(yaml.loadAll(text, { maxEntries: 3, maxAliases: 3 }), want)
  refused(text, 'maxAliases', 2, yaml.loadAll)
  refused(text, 'maxEntries', 2, yaml.loadAll)
})

test('the iterator gets nothing from a text past a limit', () => {
  const text = 'one\n---\n[1, 2, 3]\n---\ntwo\n'
  const got = []
  yaml.loadAll(text, (document) => got.push(document), { maxEntries: 3 })
  assert.deepEqual(got, ['one', [1, 2, 3], 'two'])
  got.length = 0
  refused(text, 'maxEntries', 2, (input, options) => yaml.loadAll(input, (document) => got.push(document), options))
  assert.deepEqual(got, [])
})

test('each reading counts anew', () => {
  for (let round = 0; round < 5; round += 1) {
    assert.deepEqual(yaml.load('[&a x, *a]', { maxAliases: 1, maxEntries: 2 }), ['x', 'x'])
  }
})
