// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { XMLBuilder, XMLParser, XMLValidator } = require('../src/fxp.js');

const FORBIDDEN = [...Array(0x20).keys(), 0xFFFE, 0xFFFF, 0xD800, 0xDFFF].filter((code) => ![9, 10, 13].includes(code)).map((code) => String.fromCharCode(code));
const COMMON = { ignoreAttributes: false, trimValues: false, parseTagValue: false, suppressBooleanAttributes: false };

/** What is written holds nothing that XML forbids. */
function legal(xml) {
  assert.ok(!/[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|&#/.test(xml), JSON.stringify(xml)); // eslint-disable-line no-control-regex
  return xml;
}

/** What comes back of a text that was written: from a tag, from an attribute, and with the order preserved. */
function roundTrip(text, options = {}) {
  const write = { ...COMMON, safeText: true, ...options };
  const read = { ...COMMON, officeEscapes: true };
  const plain = new XMLParser(read).parse(legal(new XMLBuilder(write).build({ r: { '@_k': text, a: text, l: [text, text] } }))).r;
  const xml = new XMLBuilder({ ...write, preserveOrder: true }).build([{ r: [{ a: [{ '#text': text }] }], ':@': { '@_k': text } }]);
  const ordered = new XMLParser({ ...read, preserveOrder: true }).parse(legal(xml))[0];
  const inOrder = ordered.r.find((one) => 'a' in one).a;
  return [plain['@_k'], plain.a, ...plain.l, ordered[':@']['@_k'], inOrder.map((one) => one['#text']).join('')];
}

function comesBack(text, options) {
  for (const one of [text, `${text}\x1F`]) assert.deepEqual(roundTrip(one, options), Array(6).fill(one), JSON.stringify(one));
}

test('forbidden characters come back', () => {
  for (const bad of FORBIDDEN) for (const text of [bad, `start${bad}${bad}end`, `_${bad}_`, `${bad}1`]) comesBack(text);
});

test('texts that look like escapes come back', () => {
  for (const text of ['_x0001_', '_x0041_', '_x005F_', '_x005f_x0041_', '_x005F_x005F_x0041_', '__x0041__', '_x0041', 'x0041_', '_X0041_', '_', '__', '\\u0001', '\\\\', '%01', '&#1;', '&amp;', '&lt;_x0026_']) comesBack(text);
});

test('forbidden characters beside what is almost an escape', () => {
  for (const text of ['_x0001\x02', '_x0041\x01x0042_', '_\x01', '\x01_', '_x\x01_', '_x004\x011_', '\x01x0041_', '_x0041\uFFFE', '_x0041_\x01', '\x01_x0041_', '_x0041\uD800', '__x0041\x01']) comesBack(text);
});

test('all short texts of pieces that could be mixed up', () => {
  const pieces = ['_', 'x', '0041', '005F', '005f', '\x01', '_x0041_', '&', ''];
  for (const one of pieces) for (const two of pieces) for (const three of pieces) {
    const text = `${one}${two}${three}`;
    comesBack(`${one === 'x' ? '_' : ''}${text}_`);
  }
});

test('what is ordinary comes back too', () => {
  for (const text of ['Grüße aus Köln', '👍🏽', 'a & b < c > "d"', 'tab\there', 'two\nlines', 'snake_case', ' blanks ', '\x7F\x85\xA0']) comesBack(text);
});

test('with line breaks between the tags', () => {
  for (const text of ['a\x01b', '_x0041_', '_x0041\x02']) comesBack(text, { format: true });
});

test('a number that was written with a forbidden character is text', () => {
  const xml = legal(new XMLBuilder({ safeText: true }).build({ r: { a: '12\x01', b: 12 } }));
  assert.deepEqual(new XMLParser({ officeEscapes: true }).parse(xml), { r: { a: '12\x01', b: 12 } });
});
