// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const yaml = require('../index.js')

/** What happens to a stream: what is returned, what is handed on, which documents are bad, what is thrown. */
function play (text, options) {
  const numbers = []
  const given = []
  const onBadDocument = (_, number) => { numbers.push(number) }
  let thrown = null
  let documents = null
  try {
    documents = yaml.loadAll(text, { ...options, onBadDocument })
  } catch (error) {
    thrown = error
  }
  const once = numbers.splice(0)
  try {
    yaml.loadAll(text, (document) => given.push(document), { ...options, onBadDocument })
  } catch (error) {
    assert.equal(error.message, thrown && thrown.message)
  }
  assert.deepEqual(numbers, once)
  assert.deepEqual(given, documents ?? [])
  return { documents, numbers, thrown }
}

function stopped (text, option, value, before) {
  const { documents, numbers, thrown } = play(text, { [option]: value })
  assert.equal(documents, null)
  assert.ok(thrown instanceof Error)
  assert.equal(thrown.name, 'OverLimitError')
  assert.ok(thrown.message.includes(option), thrown.message)
  assert.match(thrown.message, new RegExp(`(?<!\\d)${value}(?!\\d)`))
  assert.deepEqual(numbers, before)
}

test('too many entries in one document end the reading of the stream', () => {
  for (const big of ['[1, 2, 3]', '- 1\n- 2\n- 3', '-\n-\n-', 'a: 1\nb: 2\nc: 3', '{a: 1, b: 2, c: 3}', '? a\n? b\n? c', 'x:\n  y: [1, 2, 3]', '? {a, b, c}\n: 1']) {
    stopped(`a\n---\n${big}\n---\nb\n`, 'maxEntries', 2, [])
    stopped(`${big}\n---\nb\n`, 'maxEntries', 2, [])
    stopped(`a\n---\n[\n---\n- !x 1\n---\n${big}\n---\n]\n`, 'maxEntries', 2, [1, 2])
  }
})

test('too many aliases end it, wherever the last one stands', () => {
  const text = '[&a x, *a]\n---\n[&a x, *a]\n---\n]\n---\n- &a {x: 1}\n- <<: *a\n---\nb\n'
  stopped(text, 'maxAliases', 0, [])
  stopped(text, 'maxAliases', 1, [])
  stopped(text, 'maxAliases', 2, [2])
  const { documents, numbers } = play(text, { maxAliases: 3 })
  assert.deepEqual([documents, numbers], [[['x', 'x'], ['x', 'x'], [{ x: 1 }, { x: 1 }], 'b'], [2]])
})

test('within the limits only the broken ones are lost', () => {
  const text = '[1, 2]\n---\na: 1\nb: 2\n---\n{a: [1, 2}\n---\n- &a 1\n- *a\n---\n"open\n---\n- *nobody\n'
  const { documents, numbers } = play(text, { maxEntries: 2, maxAliases: 5 })
  assert.deepEqual([documents, numbers], [[[1, 2], { a: 1, b: 2 }, [1, 1]], [2, 4, 5]])
})

test('errors of our own types are still about one document, under limits too', () => {
  const schema = yaml.DEFAULT_SCHEMA.extend([new yaml.Type('!no', { kind: 'scalar', construct: () => { throw new RangeError('no') } })])
  const { documents, numbers } = play('[1]\n---\n!no 1\n---\n[2]\n', { schema, maxEntries: 1, maxAliases: 0 })
  assert.deepEqual([documents, numbers], [[[1], [2]], [1]])
  const { thrown, numbers: before } = play('[1]\n---\n!no 1\n---\n[2, 3]\n', { schema, maxEntries: 1, maxAliases: 0 })
  assert.equal(thrown.name, 'OverLimitError')
  assert.deepEqual(before, [1])
})

test('the same error without the function, and from load', () => {
  for (const read of [yaml.load, yaml.loadAll]) {
    for (const [text, options] of [['[1, 2]', { maxEntries: 1 }], ['[&a 1, *a]', { maxAliases: 0 }]]) {
      assert.throws(() => read(text, options), { name: 'OverLimitError' })
    }
  }
})
