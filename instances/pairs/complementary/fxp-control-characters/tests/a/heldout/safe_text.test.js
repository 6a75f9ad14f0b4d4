// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { XMLBuilder, XMLParser, XMLValidator } = require('../src/fxp.js');

const FORBIDDEN = /[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/; // eslint-disable-line no-control-regex

const codes = [...Array(0x20).keys()].filter((code) => ![9, 10, 13].includes(code));
const BAD = [...codes, 0xFFFE, 0xFFFF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF].map((code) => String.fromCharCode(code));

/** The ways to have a text written. */
const WAYS = {
  'text of a tag': (text, options) => new XMLBuilder({ safeText: true, ...options }).build({ a: text }),
  'text beside an attribute': (text, options) => new XMLBuilder({ ignoreAttributes: false, safeText: true, ...options }).build({ a: { '@_k': 'v', '#text': text } }),
  'text beside a tag': (text, options) => new XMLBuilder({ safeText: true, ...options }).build({ a: { '#text': text, b: 1 } }),
  'texts in a list': (text, options) => new XMLBuilder({ safeText: true, ...options }).build({ r: { a: ['x', text] } }),
  'one list': (text, options) => new XMLBuilder({ safeText: true, oneListGroup: true, ...options }).build({ a: ['x', text] }),
  attribute: (text, options) => new XMLBuilder({ ignoreAttributes: false, safeText: true, ...options }).build({ a: { '@_k': text } }),
  'group of attributes': (text, options) =>
    new XMLBuilder({ ignoreAttributes: false, attributesGroupName: '$', safeText: true, ...options }).build({ a: { $: { k: text }, b: 1 } }),
  'ordered text': (text, options) => new XMLBuilder({ preserveOrder: true, safeText: true, ...options }).build([{ a: [{ '#text': text }, { b: [] }] }]),
  'ordered attribute': (text, options) =>
    new XMLBuilder({ preserveOrder: true, ignoreAttributes: false, safeText: true, ...options }).build([{ a: [{ '#text': 'x' }], ':@': { '@_k': text } }]),
};
const OPTIONS = [{}, { format: true }, { processEntities: false }];

/** Texts that a careless way of writing would mix up with each other. */
const BITS = ['', '_', '\\', '%', '&', 'x', 'u', '1', '0001', '\x01', '\uD800'];
const LOOKALIKES = ['_x0001_', '_x0001', 'x0001_', '__x0001__', '\\u0001', '\\\\u0001', '\\x01', '\\1', '\\', '\\\\', '%01', '%', '%25', '%2501',
  '&#1;', '&#x1;', '&amp;#1;', '{1}', '{{1}}', '[U+0001]', '[01]', '[[01]]', '<01>', '\u2401', '\u2400', '\uE001', '\uFFFD', '^A', '^', '^^', '=01', '=', '~1', '~', '~0', '$01', '$', '#1', '!1', '\x1A', '\x10', '^[', '\x1b', '(1)', '|1|',
  'U+0001', '0x01', '\\u{1}', '\\x1', '?01', '@01', '@', '*1', ':01:', '`1`', "'1'", '_u0001_', '_0001_', '__', '___', '\x01_', '_\x01', '_x0001\x02', '_x0001_\x02', '\\\x01', '%\x01'];

/** Numbers of characters that a way of writing may begin with, as such ways may write them. */
for (const hex of ['005f', '005c', '0025', '0026']) {
  for (const number of new Set([hex, hex.toUpperCase()])) LOOKALIKES.push(`_x${number}_`, `_x${number}_x0001_`, `\\u${number}`, `\\u${number}u0001`, `%${number}`, `%${number}01`);
}

for (const [way, build] of Object.entries(WAYS)) {
  test(`nothing forbidden comes out: ${way}`, () => {
    for (const options of OPTIONS) {
      for (const bad of BAD) {
        for (const text of [bad, `start${bad}${bad}end`]) {
          const xml = build(text, options);
          assert.ok(!FORBIDDEN.test(xml), JSON.stringify(xml));
          assert.ok(!xml.includes('&#'), xml);
          assert.match(xml, /^[\n\x20-\x7E]*$/);
          assert.equal(XMLValidator.validate(xml), true);
        }
      }
    }
  });

  test(`texts that differ are written differently: ${way}`, () => {
    const texts = new Set([...BAD, ...LOOKALIKES, ...BAD.map((bad) => `${bad}1`)]);
    for (const one of BITS) for (const two of BITS) for (const three of BITS) texts.add(one + two + three);
    for (const one of LOOKALIKES) for (const two of ['\x01', '_', '1', 'x']) texts.add(one + two).add(two + one);
    const written = new Map();
    for (const text of texts) {
      const xml = build(text);
      assert.ok(!written.has(xml), `${JSON.stringify(text)} and ${JSON.stringify(written.get(xml))} are both ${xml}`);
      written.set(xml, text);
    }
  });

  test(`what needs no change is not changed: ${way}`, () => {
    for (const options of OPTIONS) {
      for (const text of ['Hello, world!', 'two words', 'tab\there', 'two\nlines', 'over\r\nlines', 'Grüße aus Köln', '東京', '👍🏽 \u{10FFFF}', 'one; two: three. Four?', '12.5', 'a - b', '\x7F\x85\xA0\uFFFD', 'snake_case_name', '_', 'a & b < c > d "e"']) {
        assert.equal(build(text, options), build(text, { ...options, safeText: false }), text);
      }
    }
  });
}

test('what is around a forbidden character stays as it is', () => {
  for (const text of ['Grüße\x07Köln', '👍\x00👍', 'tab\t\x01\tline\n', 'a & b\x02 < c']) {
    const [before, after] = text.split(/[\x00-\x08]/); // eslint-disable-line no-control-regex
    const [first, last] = [before, after].map((part) => new XMLBuilder({}).build({ a: part }).slice(3, -4));
    const xml = new XMLBuilder({ safeText: true }).build({ a: text });
    assert.ok(xml.startsWith(`<a>${first}`) && xml.endsWith(`${last}</a>`), xml);
  }
});

test('what processors return is made safe', () => {
  const processors = { tagValueProcessor: (_, value) => `${value}\x01`, attributeValueProcessor: (_, value) => `\x02${value}` };
  for (const options of OPTIONS) {
    const plain = new XMLBuilder({ ignoreAttributes: false, safeText: true, ...processors, ...options }).build({ a: { '@_k': 'v', b: 'text' } });
    const ordered = new XMLBuilder({ ignoreAttributes: false, preserveOrder: true, safeText: true, ...processors, ...options }).build([{ a: [{ '#text': 't' }], ':@': { '@_k': 'v' } }]);
    for (const xml of [plain, ordered]) assert.ok(!FORBIDDEN.test(xml), JSON.stringify(xml));
  }
});

test('processors get what they got', () => {
  const got = [];
  const note = (_, value) => { got.push(value); return value; };
  new XMLBuilder({ ignoreAttributes: false, safeText: true, tagValueProcessor: note, attributeValueProcessor: note }).build({ a: { '@_k': '\x01', b: '\x02' } });
  assert.deepEqual(got, ['\x01', '\x02']);
});

test('values that are no texts', () => {
  const value = { a: 1, b: true, c: null, d: [1, false], e: { '@_n': 5, '@_t': true }, f: new Date(0), g: '' };
  for (const format of [false, true]) {
    const build = (safeText) => new XMLBuilder({ ignoreAttributes: false, safeText, format }).build(value);
    assert.equal(build(true), build(false));
  }
});

test('comments, CDATA and names are left alone', () => {
  const options = { commentPropName: '#comment', cdataPropName: '#cdata' };
  const value = { a: { '#comment': 'x\x01_x0001_', '#cdata': 'y\x02\\u0002', b: 1 } };
  assert.equal(new XMLBuilder({ ...options, safeText: true }).build(value), new XMLBuilder(options).build(value));
});

test('without the option nothing changes', () => {
  for (const options of [{}, { safeText: false }]) {
    assert.equal(new XMLBuilder(options).build({ a: 'x\x01_x0001_' }), '<a>x\x01_x0001_</a>');
    assert.equal(new XMLBuilder({ ...options, preserveOrder: true }).build([{ a: [{ '#text': 'x\x01\uFFFE' }] }]), '<a>x\x01\uFFFE</a>');
  }
  assert.notEqual(new XMLBuilder({ safeText: true }).build({ a: 'x\x01' }), '<a>x\x01</a>');
});
