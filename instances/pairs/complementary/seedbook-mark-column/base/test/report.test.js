import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReportError, renderReport, reportCsv } from '../src/index.js';

const FILE = `id,species,shelf,grams
1,Avena sativa,A|B,100
2,Avena sativa,C,50.25
3,Linum usitatissimum,A|B,0.1
4,Linum usitatissimum,,0.2
`;

test('lines are grouped and summed', () => {
  assert.deepEqual(reportCsv(FILE, { by: ['species'] }), {
    by: ['species'],
    groups: [
      { keys: ['Avena sativa'], lots: 2, grams: 150.25 },
      { keys: ['Linum usitatissimum'], lots: 2, grams: 0.3 },
    ],
    total: { lots: 4, grams: 150.55 },
  });
});

test('by several columns', () => {
  assert.deepEqual(reportCsv(FILE, { by: ['shelf', 'species'] }).groups.map((group) => group.keys), [
    ['', 'Linum usitatissimum'], ['A|B', 'Avena sativa'], ['A|B', 'Linum usitatissimum'], ['C', 'Avena sativa'],
  ]);
});

test('conditions', () => {
  const lots = (...where) => reportCsv(FILE, { by: ['species'], where }).total.lots;
  assert.equal(lots('shelf=A|B'), 2);
  assert.equal(lots('shelf!=A|B'), 2);
  assert.equal(lots('shelf='), 1);
  assert.equal(lots('shelf = A|B', 'species!=Avena sativa'), 1);
});

test('what cannot be reported on', () => {
  for (const options of [{ by: [] }, { by: ['colour'] }, { by: ['species'], where: ['colour=red'] }, { by: ['species'], where: ['red'] }]) {
    assert.throws(() => reportCsv(FILE, options), ReportError);
  }
  assert.throws(() => reportCsv('id,species\n1,x\n', { by: ['species'] }), ReportError);
  assert.throws(() => reportCsv('species,grams\nx,much\n', { by: ['species'] }), ReportError);
});

test('as text', () => {
  assert.equal(renderReport(reportCsv(FILE, { by: ['shelf'] })), [
    'shelf    lots   grams', '---------------------', '(empty)     1     0.2', 'A|B         2   100.1', 'C           1   50.25',
    '---------------------', 'total       4  150.55', ''].join('\n'));
});

test('as CSV and Markdown', () => {
  const report = reportCsv(FILE, { by: ['shelf', 'species'], where: ['species=Avena sativa'] });
  assert.equal(renderReport(report, 'csv'), 'shelf,species,lots,grams\nA|B,Avena sativa,1,100\nC,Avena sativa,1,50.25\n');
  assert.equal(renderReport(report, 'markdown'), [
    '| shelf | species | lots | grams |', '|---|---|---:|---:|', '| A\\|B | Avena sativa | 1 | 100 |',
    '| C | Avena sativa | 1 | 50.25 |', '| total |  | 2 | 150.25 |', ''].join('\n'));
  assert.throws(() => renderReport(report, 'pdf'), ReportError);
});
