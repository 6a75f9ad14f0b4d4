// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { XMLBuilder, XMLParser, XMLValidator } = require('../src/fxp.js');

/** What a text, as it is written, is read as: in a tag, in an attribute, and both with their order preserved. */
function readings(written, options = {}) {
  const all = { officeEscapes: true, ignoreAttributes: false, ...options };
  const xml = `<r><a>${written}</a><b k="${written}"/></r>`;
  const plain = new XMLParser(all).parse(xml).r;
  const ordered = new XMLParser({ ...all, preserveOrder: true }).parse(xml)[0].r;
  return [plain.a, plain.b['@_k'], ordered[0].a[0]['#text'], ordered[1][':@']['@_k']];
}

function reads(written, want, options) {
  assert.deepEqual(readings(written, options), [want, want, want, want], written);
}

test('escapes become characters', () => {
  reads('Line one_x000D_', 'Line one\r');
  reads('Line one_x000D__x000a_two', 'Line one\r\ntwo');
  reads('a_x005F_b', 'a_b');
  reads('bell_x0007_', 'bell\x07');
  reads('_x0041__x0042_C', 'ABC');
  reads('_x00e9__x00E9_', 'éé');
  reads('_x0000_', '\0');
  reads('_xFFFE__xffff_', '\uFFFE\uFFFF');
  reads('_xD83D__xDE00_ _xd83d_', '\u{1F600} \uD83D');
});

test('anything else stays as it is', () => {
  for (const text of ['_x41_', '_X0041_', '_x00G1_', '_x0041', 'x0041_', '_x00041_', '_ x0041_', 'snake_case_name', '_', '__', '_x_', '_x0041-', '\\u0041', '_u0041_']) reads(text, text);
});

test('from left to right, and once', () => {
  reads('_x005F_x0041_', '_x0041_');
  reads('_x005f_x005F_x0041_', '_x005FA');
  reads('_x005f_x005F_x005f_x0041_', '_x005F_x0041_');
  reads('__x0041_', '_A');
  reads('_x0041__', 'A_');
  reads('_x0041_x0042_', 'Ax0042_');
  reads('_x005F__x005F_', '__');
  reads('_x_x0041_', '_xA');
  reads('_x00_x0041_', '_x00A');
});

test('entities come before it', () => {
  reads('&#95;x0041_', 'A', { htmlEntities: true });
  reads('_x0026_lt;', '&lt;');
  reads('&lt;_x0041_&gt;', '<A>');
  reads('_x0026_amp;lt; &amp;', '&amp;lt; &');
  reads('_x0026_#65;', '&#65;', { htmlEntities: true });
});

test('whether entities are processed or not', () => {
  reads('&lt;_x0041_', '&lt;A', { processEntities: false });
  reads('&lt;_x0041_', '<A', { processEntities: true });
});

test('trimming is for what is written', () => {
  reads('  _x0020_a_x0020_  ', ' a ');
  reads('  _x0020_a_x0009_  ', '   a\t  ', { trimValues: false });
  reads('_x0020_', ' ');
  reads('  a  ', 'a');
});

test('a decoded value is text', () => {
  const options = { parseAttributeValue: true };
  for (const [written, want] of [['_x0031_2', '12'], ['12_x002E_5', '12.5'], ['_x0074_rue', 'true'], ['fals_x0065_', 'false'], ['_x0030_x1F', '0x1F'], ['1_x0065_3', '1e3']]) {
    reads(written, want, options);
    reads(written, want, { ...options, trimValues: false });
  }
  reads('12', 12, options);
  reads('true', true, options);
});

test('processors get the decoded text, and what they return counts', () => {
  const got = [];
  const note = (name, value) => { got.push([name, value]); return value; };
  const xml = '<r><a k="_x0041_1">_x0031_</a><b k="2">3</b></r>';
  const options = { officeEscapes: true, ignoreAttributes: false, parseAttributeValue: true };
  assert.deepEqual(new XMLParser({ ...options, tagValueProcessor: note, attributeValueProcessor: note }).parse(xml),
    { r: { a: { '#text': '1', '@_k': 'A1' }, b: { '#text': 3, '@_k': 2 } } });
  assert.deepEqual(got.filter(([, value]) => String(value).trim()), [['k', 'A1'], ['a', '1'], ['k', '2'], ['b', '3']]);
  const twice = (_, value) => (value === '1' ? 99 : value + value);
  assert.deepEqual(new XMLParser({ ...options, tagValueProcessor: twice, attributeValueProcessor: twice }).parse(xml),
    { r: { a: { '#text': 99, '@_k': 'A1A1' }, b: { '#text': '33', '@_k': '22' } } });
  const nothing = () => undefined;
  assert.deepEqual(new XMLParser({ ...options, tagValueProcessor: nothing, attributeValueProcessor: nothing }).parse(xml),
    { r: { a: { '#text': '1', '@_k': 'A1' }, b: { '#text': '3', '@_k': '2' } } });
});

test('CDATA, comments, names and stop nodes are left alone', () => {
  const xml = '<r><!--_x0041_--><a><![CDATA[_x0041_]]></a><b_x0041_ k_x0041_="_x0042_">_x0042_</b_x0041_><c><i>_x0041_</i></c></r>';
  const options = { officeEscapes: true, ignoreAttributes: false, stopNodes: ['r.c'], commentPropName: '#comment' };
  assert.deepEqual(new XMLParser({ ...options, cdataPropName: '#cdata' }).parse(xml).r,
    { '#comment': '_x0041_', a: { '#cdata': '_x0041_' }, b_x0041_: { '#text': 'B', '@_k_x0041_': 'B' }, c: '<i>_x0041_</i>' });
  assert.equal(new XMLParser(options).parse(xml).r.a, '_x0041_');
});

test('text in pieces, lists, and next to tags', () => {
  assert.deepEqual(new XMLParser({ officeEscapes: true }).parse('<r><a>_x0041_</a><a>2</a><a><b>_x0042_</b>_x0043_</a></r>'),
    { r: { a: ['A', 2, { b: 'B', '#text': 'C' }] } });
  assert.equal(new XMLParser({ officeEscapes: true }).parse('<r>_x0041_<![CDATA[_x0041_]]>_x0042_</r>').r, 'A_x0041_B');
});

test('without the option nothing is decoded', () => {
  for (const options of [{}, { officeEscapes: false }]) {
    const parsed = new XMLParser({ ignoreAttributes: false, ...options }).parse('<a k="_x0041_">_x0041_</a>');
    assert.deepEqual(parsed, { a: { '#text': '_x0041_', '@_k': '_x0041_' } });
  }
  reads('_x0041_', 'A');
});
