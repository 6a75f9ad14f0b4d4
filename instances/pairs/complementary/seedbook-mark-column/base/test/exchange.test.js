import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportError, Ledger, exportCsv, exportTemplate, importCsv, parseCsv } from '../src/index.js';
import { smallLedger } from './helpers.js';

test('an export has one line a lot, in the order of ids', () => {
  const { headings, rows } = parseCsv(exportCsv(smallLedger()));
  assert.deepEqual(headings.slice(0, 7), ['id', 'species', 'site', 'collected', 'grams', 'status', 'notes']);
  assert.deepEqual(rows.map(({ cells }) => cells.id), ['FLAX-1', 'OAT-1', 'OAT-2']);
  assert.equal(rows[0].cells.notes, 'pale, "blue"');
  assert.equal(rows[2].cells.grams, '100.5');
});

test('what was exported can be imported', () => {
  const ledger = new Ledger();
  assert.deepEqual(importCsv(ledger, exportCsv(smallLedger())), { added: 3, updated: 0 });
  assert.deepEqual(ledger.lots(), smallLedger().lots());
});

test('columns in any order, unknown ones left alone', () => {
  const ledger = new Ledger();
  importCsv(ledger, 'grams,shelf,id,species\n5,B4,x-1,Vicia faba\n');
  assert.equal(ledger.get('X-1').grams, 5);
});

test('an update replaces what the file has', () => {
  const ledger = smallLedger();
  ledger.mark('OAT-1', 'organic');
  assert.deepEqual(importCsv(ledger, 'id,species,grams\noat-1,Avena nuda,7\nRYE-1,Secale cereale,9\n', { update: true }),
    { added: 1, updated: 1 });
  assert.deepEqual(ledger.get('OAT-1'), { ...smallLedger().get('OAT-1'), species: 'Avena nuda', grams: 7, marks: ['organic'] });
});

test('an import is all or nothing', () => {
  const ledger = smallLedger();
  for (const text of ['id,species,grams\nRYE-1,Secale cereale,9\nOAT-1,Avena sativa,1\n',
    'id,species,grams\nRYE-1,Secale cereale,9\nRYE-2,,1\n', 'id,species,grams\nRYE-1,x,9\nrye-1,x,9\n', 'id,species\nRYE-1,x\n']) {
    assert.throws(() => importCsv(ledger, text), ImportError, text);
  }
  assert.deepEqual(ledger.lots(), smallLedger().lots());
});

test('the template is a heading line', () => {
  const { headings, rows } = parseCsv(exportTemplate());
  assert.deepEqual(headings, parseCsv(exportCsv(smallLedger())).headings);
  assert.deepEqual(rows, []);
});
