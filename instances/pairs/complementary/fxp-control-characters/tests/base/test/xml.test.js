// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { XMLBuilder, XMLParser, XMLValidator } = require('../src/fxp.js');

test('parses tags, attributes, lists and values', () => {
  const parser = new XMLParser({ ignoreAttributes: false, parseAttributeValue: true });
  assert.deepEqual(parser.parse('<?xml version="1.0"?><r a="1" b="x"><i>1.5</i><i> two </i><e/><t>true</t></r>'),
    { '?xml': { '@_version': 1 }, r: { '@_a': 1, '@_b': 'x', i: [1.5, 'two'], e: '', t: true } });
});

test('parses entities, CDATA, comments and stop nodes', () => {
  const parser = new XMLParser({ stopNodes: ['r.s'], commentPropName: '#c', cdataPropName: '#d' });
  assert.deepEqual(parser.parse('<r>&lt;a&gt; &amp;<d><![CDATA[<&>]]></d><!--note--><s><b>&lt;</b></s></r>').r,
    { '#text': '<a> &', d: { '#d': '<&>' }, '#c': 'note', s: '<b>&lt;</b>' });
});

test('parses in order', () => {
  assert.deepEqual(new XMLParser({ preserveOrder: true, ignoreAttributes: false }).parse('<r k="v">a<b>1</b>c</r>'),
    [{ r: [{ '#text': 'a' }, { b: [{ '#text': 1 }] }, { '#text': 'c' }], ':@': { '@_k': 'v' } }]);
});

test('processors change values', () => {
  const parser = new XMLParser({ ignoreAttributes: false, tagValueProcessor: (name, value) => `${name}:${value}`, attributeValueProcessor: (name, value) => value.length });
  assert.deepEqual(parser.parse('<r k="abc">x</r>'), { r: { '#text': 'r:x', '@_k': 3 } });
});

test('builds what it parses', () => {
  const value = { r: { '@_k': 'a "b" & c', i: ['1', '2 < 3'], e: '', o: { x: 'é' } } };
  const xml = new XMLBuilder({ ignoreAttributes: false }).build(value);
  assert.equal(xml, '<r k="a &quot;b&quot; &amp; c"><i>1</i><i>2 &lt; 3</i><e></e><o><x>é</x></o></r>');
  assert.deepEqual(new XMLParser({ ignoreAttributes: false, parseTagValue: false }).parse(xml), value);
});

test('builds with line breaks, CDATA and comments', () => {
  const builder = new XMLBuilder({ format: true, commentPropName: '#c', cdataPropName: '#d', suppressEmptyNode: true });
  assert.equal(builder.build({ r: { '#c': 'a', '#d': '<', e: '', x: 1 } }), '<r>\n  <!--a-->\n  <![CDATA[<]]>\n  <e/>\n  <x>1</x>\n</r>\n');
});

test('builds in order', () => {
  const value = [{ r: [{ '#text': 'a<' }, { b: [{ '#text': 'x' }] }], ':@': { '@_k': '&' } }];
  assert.equal(new XMLBuilder({ preserveOrder: true, ignoreAttributes: false }).build(value), '<r k="&amp;">a&lt;<b>x</b></r>');
});

test('validates', () => {
  assert.equal(XMLValidator.validate('<a><b/></a>'), true);
  assert.equal(XMLValidator.validate('<a><b></a>').err.code, 'InvalidTag');
});
