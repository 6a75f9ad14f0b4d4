import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvError, formatCsv, parseCsv } from '../src/index.js';

const cellsOf = (text) => parseCsv(text).rows.map((row) => row.cells);

test('quotes, commas and line breaks within cells', () => {
  assert.deepEqual(cellsOf('a,b\n"x, y","say ""hi"""\n"two\nlines",\n'), [
    { a: 'x, y', b: 'say "hi"' },
    { a: 'two\nlines', b: '' },
  ]);
});

test('either line end, a byte order mark, blank lines, no last line end', () => {
  assert.deepEqual(cellsOf('\uFEFFa,b\r\n1,2\r\n\r\n3,4'), [{ a: '1', b: '2' }, { a: '3', b: '4' }]);
});

test('rows know their line', () => {
  assert.deepEqual(parseCsv('a\n"x\ny"\nz\n').rows.map((row) => row.line), [2, 4]);
});

test('what is not CSV is refused', () => {
  for (const text of ['', 'a,a\n', 'a,b\n1\n', 'a\n"open\n', 'a\n"x"y\n']) {
    assert.throws(() => parseCsv(text), CsvError, JSON.stringify(text));
  }
});

test('what is written can be read', () => {
  const lines = [['a', 'b', 'c'], ['x,y', '"', ' space '], ['line\nbreak', '', 'plain']];
  assert.deepEqual(cellsOf(formatCsv(lines)).map((cells) => Object.values(cells)), lines.slice(1));
});
