// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const yaml = require('../index.js')

/** What comes out of a stream, and which documents were bad. */
function read (text, options = {}) {
  const bad = []
  const documents = yaml.loadAll(text, { ...options, onBadDocument: (error, number) => { bad.push([number, error]) } })
  return { documents, numbers: bad.map(([number]) => number), errors: bad.map(([, error]) => error) }
}

class OverLimitError extends Error {
  constructor (message) {
    super(message)
    this.name = 'OverLimitError'
  }
}

/** Types of ours: what they throw is given by the test. */
function schemaThrowing (failure) {
  return yaml.DEFAULT_SCHEMA.extend([
    new yaml.Type('!price', { kind: 'scalar', construct: (data) => { if (data === 'bad') throw failure; return Number(data) } }),
    new yaml.Type('!checked', { kind: 'mapping', resolve: (data) => { if (data && data.bad) throw failure; return true } })
  ])
}

const BROKEN = {
  'a bracket left open': 'b: [1, 2',
  'a brace left open': 'b: {x: 1,\n  y: 2',
  'a double quote left open': 'b: "text\nmore',
  'a single quote left open': "b: 'text\nmore",
  'bad indentation': 'b:\n    c: 1\n  d: 2',
  'a tab as indentation': 'b:\n\t- 1',
  'a key twice': 'b: 1\nb: 2',
  'an unknown tag': 'b: !nobody 1',
  'an unknown alias': 'b: *nobody',
  'a tag left open': 'b: !<tag:nobody',
  'a tag left open among others': '- x: !<nobody\n  y: 1\n- 2',
  'something after the content': '[1, 2]\nmore: 3',
  'a stray bracket': 'b: 1\n]',
  'a stray bracket after a sequence': '- 1\n- 2\n]',
  'no colon': 'b: 1\nc\nd: 2',
  'bad escape': 'b: "\\q"',
  'deep inside': 'b:\n  - c:\n      - d: [{e: [',
  'an indicator': '@b',
  'a broken key': '&x {a: [b: 1\n'
}

for (const [what, text] of Object.entries(BROKEN)) {
  test(`only the broken document is lost: ${what}`, () => {
    for (const marker of ['---\n', '--- # with a comment\n']) {
      for (const end of ['', '\n']) {
        const first = read(`${text}\n---\nc: 1\n---\n- 2\n`)
        assert.deepEqual([first.documents, first.numbers], [[{ c: 1 }, [2]], [0]])
        const middle = read(`a: 1\n${marker}${text}\n---\nc: [3]\n--- 4\n`)
        assert.deepEqual([middle.documents, middle.numbers], [[{ a: 1 }, { c: [3] }, 4], [1]])
        const last = read(`---\na: 1\n---\n- 2\n${marker}${text}${end}`)
        assert.deepEqual([last.documents, last.numbers], [[{ a: 1 }, [2]], [2]])
        const all = read(`${marker}${text}\n${marker}${text}${end}`)
        assert.deepEqual([all.documents, all.numbers], [[], [0, 1]])
      }
    }
  })
}

test('several bad ones among good ones', () => {
  const { documents, numbers, errors } = read('a: 1\n---\nb: [\n---\nc: 1\n---\n"d\n---\n- !x e\n---\nf\n')
  assert.deepEqual(documents, [{ a: 1 }, { c: 1 }, 'f'])
  assert.deepEqual(numbers, [1, 3, 4])
  for (const error of errors) assert.ok(error instanceof yaml.YAMLException)
})

test('documents that are good alone are as they were', () => {
  const good = '# head\n--- # first\na: |\n  --- not a marker\n  text\n---\n---\n- ---x\n...\n# tail\n---\n"quoted\n  ---\n  text"\n--- >\n folded\n'
  const { documents, numbers } = read(good)
  assert.deepEqual(documents, yaml.loadAll(good))
  assert.deepEqual(numbers, [])
  for (const text of ['', '\n', '# nothing\n', 'x']) assert.deepEqual(read(text).documents, yaml.loadAll(text))
})

test('only three dashes at the start of a line begin the next one', () => {
  const { documents, numbers } = read('a: [1,\n ---\n---x\n  - 2\n--- \nb: 1\n---\tc\n---')
  assert.deepEqual([documents, numbers], [[{ b: 1 }, 'c', null], [0]])
})

test('a comment before the marker of a bad one', () => {
  const { documents, numbers } = read('# supplier 1\n\n---\na: [\n---\n# supplier 2\nb: 1\n')
  assert.deepEqual([documents, numbers], [[{ b: 1 }], [0]])
})

test('lines that end in other ways', () => {
  for (const end of ['\r\n', '\r']) {
    const { documents, numbers, errors } = read(['a: 1', '---', 'b: [', '---', 'c: 2', '---', 'd: 1', ']', '--- 5', ''].join(end))
    assert.deepEqual([documents, numbers], [[{ a: 1 }, { c: 2 }, 5], [1, 3]])
    assert.equal(errors[1].mark.line, 7)
  }
})

test('the place of an error is in the whole stream', () => {
  const { errors } = read('a: 1\n---\nb: !x 1\n---\nc: 1\n---\nd:\n  - 1\n  - !x 1\n---\n\n# here\ne: *f\n')
  assert.deepEqual(errors.map((error) => error.mark.line), [2, 8, 12])
  assert.match(errors[2].message, /\(13:/)
})

test('anchors of a bad document are gone with it', () => {
  const { documents, numbers } = read('a: &x 1\nb: [\n---\nc: *x\n---\nd: &x 2\ne: *x\n')
  assert.deepEqual([documents, numbers], [[{ d: 2, e: 2 }], [0, 1]])
})

test('bad documents leave nothing behind that adds up', () => {
  const { documents, numbers } = read(`${'- - - - - - - - [\n---\n'.repeat(60)}- - - - - - - - - - 1\n`)
  assert.equal(numbers.length, 60)
  assert.equal(JSON.stringify(documents), '[[[[[[[[[[[1]]]]]]]]]]]')
})

test('errors of our own types, unchanged', () => {
  for (const failure of [new Error('no price'), new TypeError('wrong'), new RangeError('too far'), 'a text', null, undefined, 0]) {
    for (const broken of ['!price bad', 'a: {b: [!price bad]}', '!checked {bad: yes}', '- 1\n- !price bad\n- 2']) {
      const { documents, numbers, errors } = read(`--- !price 1\n---\n${broken}\n---\n!checked {a: !price 3}\n`, { schema: schemaThrowing(failure) })
      assert.deepEqual([documents, numbers], [[1, { a: 3 }], [1]])
      assert.ok(Object.is(errors[0], failure))
    }
  }
})

test('the iterator gets the good ones', () => {
  const got = []
  const numbers = []
  yaml.loadAll('a\n---\n[\n---\nb\n', (document) => got.push(document), { onBadDocument: (_, number) => numbers.push(number) })
  assert.deepEqual([got, numbers], [['a', 'b'], [1]])
})

test('what the function returns does not matter, what it throws is thrown', () => {
  for (const answer of [true, false, null, 'stop']) {
    assert.deepEqual(yaml.loadAll('[\n---\na\n---\n]\n---\nb\n', { onBadDocument: () => answer }), ['a', 'b'])
  }
  const enough = new Error('enough')
  let calls = 0
  assert.throws(() => yaml.loadAll('a\n---\n[\n---\n]\n', { onBadDocument: () => { calls += 1; throw enough } }), (error) => error === enough)
  assert.equal(calls, 1)
})

test('an OverLimitError ends the reading', () => {
  const own = new OverLimitError('this stream is too expensive')
  const plain = Object.assign(new TypeError('too much'), { name: 'OverLimitError', items: 12 })
  for (const failure of [own, plain]) {
    for (const broken of ['!price bad', 'a: [{b: !price bad}]', '!checked {bad: yes}']) {
      const got = []
      const numbers = []
      const text = `a\n---\n[\n---\n${broken}\n---\n]\n---\nb\n`
      const options = { schema: schemaThrowing(failure), onBadDocument: (_, number) => numbers.push(number) }
      assert.throws(() => yaml.loadAll(text, (document) => got.push(document), options), (error) => error === failure)
      assert.deepEqual([got, numbers], [[], [1]])
    }
  }
  assert.equal(plain.message, 'too much')
})

test('load and loadAll without the option throw as before', () => {
  const called = []
  assert.throws(() => yaml.load('[', { onBadDocument: () => called.push(1) }), yaml.YAMLException)
  assert.throws(() => yaml.loadAll('a\n---\n[\n---\nb\n'), yaml.YAMLException)
  assert.throws(() => yaml.loadAll('a\n---\n[\n---\nb\n', null, { json: true }), yaml.YAMLException)
  assert.deepEqual(called, [])
})
