// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ImportError, Ledger, exportCsv, exportTemplate, formatCsv, importCsv, main, parseCsv } from '../src/index.js';

const PRESENT = ['id', 'species', 'site', 'collected', 'grams', 'status', 'notes'];

/** Marks that a careless format would tear apart, join or change. */
const NASTY = [
  'a,b', 'a;b', 'a|b', '|', '||', '|a', 'a|', '\\', '\\\\', 'a\\', '\\a', '\\|', '|\\', 'a\\|b', 'a\\\\|b', '"', '"a"', 'a"b', '""',
  '","', '[a]', '["a","b"]', '{"a": 1}', 'a / b', 'a & b', 'a+b', 'a=b', '!=', '%7C', '&#124;', '\\u007c', 'a  b', 'a\tb',
  '\\n', 'null', 'true', '0', '-', '#', 'ä ö é', '種', '🌱|🌱', 'x'.repeat(60), '|'.repeat(60), '\\'.repeat(60),
];

/** Runs `use` with a command line bound to a fresh ledger file, and the folder it is in. */
function withBank(use) {
  const folder = mkdtempSync(join(tmpdir(), 'bank-'));
  const run = (...argv) => {
    const io = { out: '', err: '' };
    const code = main(['--file', join(folder, 'bank.json'), ...argv], {
      out: (text) => { io.out += text; },
      err: (text) => { io.err += text; },
    });
    return { code, ...io };
  };
  try {
    return use(run, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A ledger with a lot for each list of marks: L-1, L-2, ... */
function ledgerWith(...lists) {
  const ledger = new Ledger();
  lists.forEach((marks, index) => {
    ledger.add({ id: `L-${index + 1}`, species: 'Avena sativa', grams: 10, notes: 'a, "b"' });
    for (const mark of marks) ledger.mark(`L-${index + 1}`, mark);
  });
  return ledger;
}

const marksOf = (ledger) => ledger.lots().map((lot) => lot.marks);

function roundTrip(ledger) {
  const fresh = new Ledger();
  importCsv(fresh, exportCsv(ledger));
  return fresh;
}

test('marks survive the way out and back in', () => {
  const lists = [['organic'], [], ['frost hardy', 'organic', 'early'], ['early', 'organic', 'frost hardy']];
  const ledger = ledgerWith(...lists);
  const fresh = roundTrip(ledger);
  assert.deepEqual(marksOf(fresh), lists);
  assert.deepEqual(fresh.toJSON(), ledger.toJSON());
});

test('any mark comes back the same, alone', () => {
  for (const mark of NASTY) assert.deepEqual(marksOf(roundTrip(ledgerWith([mark]))), [[mark]], JSON.stringify(mark));
});

test('any two marks come back as two', () => {
  const lists = NASTY.flatMap((mark, index) => [[mark, 'plain'], ['plain', mark], [mark, NASTY[(index + 7) % NASTY.length]]]);
  lists.forEach((list) => assert.deepEqual(marksOf(roundTrip(ledgerWith(list))), [list], JSON.stringify(list)));
});

test('many marks on one lot', () => {
  assert.deepEqual(marksOf(roundTrip(ledgerWith(NASTY, [...NASTY].reverse()))), [NASTY, [...NASTY].reverse()]);
});

test('there is one more column, after the present ones', () => {
  for (const ledger of [new Ledger(), ledgerWith([]), ledgerWith(['organic', 'a,b', 'x'], ['early'])]) {
    const { headings, rows } = parseCsv(exportCsv(ledger));
    assert.deepEqual(headings.slice(0, 7), PRESENT);
    assert.equal(headings.length, 8);
    assert.deepEqual(parseCsv(exportTemplate()).headings, headings);
    assert.equal(rows.length, ledger.lots().length);
  }
});

test('a lot stays one line of the file', () => {
  const text = exportCsv(ledgerWith(NASTY, [], NASTY));
  assert.equal(text.trimEnd().split('\n').length, 4);
});

test('the present columns are as they were', () => {
  const rows = parseCsv(exportCsv(ledgerWith(['organic', 'a,b'], []))).rows;
  assert.deepEqual(rows.map(({ cells }) => PRESENT.map((heading) => cells[heading])), [
    ['L-1', 'Avena sativa', '', '', '10', 'stored', 'a, "b"'],
    ['L-2', 'Avena sativa', '', '', '10', 'stored', 'a, "b"'],
  ]);
});

test('an update replaces the marks', () => {
  const file = exportCsv(ledgerWith(['b', 'a'], [], ['new, one'], ['same']));
  const ledger = ledgerWith(['a', 'b', 'c'], ['gone', 'too'], [], ['same']);
  ledger.add({ id: 'OTHER', species: 'Vicia faba', grams: 1 });
  ledger.mark('OTHER', 'stays');
  assert.deepEqual(importCsv(ledger, file, { update: true }), { added: 0, updated: 4 });
  assert.deepEqual(marksOf(ledger), [['b', 'a'], [], ['new, one'], ['same'], ['stays']]);
});

test('an empty cell means no marks', () => {
  const { headings } = parseCsv(exportTemplate());
  assert.equal(headings.length, 8);
  const given = { id: 'L-1', species: 'Avena nuda', grams: '7' };
  const file = exportTemplate() + formatCsv([headings.map((heading) => given[heading] ?? '')]);
  const fresh = new Ledger();
  importCsv(fresh, file);
  assert.deepEqual(fresh.get('L-1').marks, []);
  const ledger = ledgerWith(['organic', 'early']);
  importCsv(ledger, file, { update: true });
  assert.deepEqual(ledger.get('L-1').marks, []);
  assert.equal(ledger.get('L-1').species, 'Avena nuda');
});

test('a file without the column leaves the marks alone', () => {
  const ledger = ledgerWith(['organic', 'a|b']);
  importCsv(ledger, 'id,species,grams\nL-1,Avena nuda,7\nL-2,Vicia faba,1\n', { update: true });
  assert.deepEqual(marksOf(ledger), [['organic', 'a|b'], []]);
});

test('columns may come in any order', () => {
  const { headings, rows } = parseCsv(exportCsv(ledgerWith(['organic', 'a,b'], [], ['x|y'])));
  const turned = [...headings].reverse();
  const fresh = new Ledger();
  importCsv(fresh, formatCsv([turned, ...rows.map(({ cells }) => turned.map((heading) => cells[heading]))]));
  assert.deepEqual(marksOf(fresh), [['organic', 'a,b'], [], ['x|y']]);
});

test('all or nothing, with the marks', () => {
  const { headings, rows } = parseCsv(exportCsv(ledgerWith(['new'], ['newer'], ['newest'])));
  rows[2].cells.grams = 'much';
  const file = formatCsv([headings, ...rows.map(({ cells }) => headings.map((heading) => cells[heading]))]);
  const ledger = ledgerWith(['old'], [], ['older']);
  const before = ledger.toJSON();
  assert.throws(() => importCsv(ledger, file, { update: true }), ImportError);
  assert.deepEqual(ledger.toJSON(), before);
  rows[2].cells.grams = '10';
  importCsv(ledger, formatCsv([headings, ...rows.map(({ cells }) => headings.map((heading) => cells[heading]))]), { update: true });
  assert.deepEqual(marksOf(ledger), [['new'], ['newer'], ['newest']]);
});

test('the commands do the same', () => withBank((run, folder) => {
  const path = join(folder, 'out.csv');
  run('add', 'oat-1', 'Avena sativa', '250');
  run('mark', 'oat-1', 'organic, certified');
  run('mark', 'oat-1', 'a|b\\');
  assert.equal(run('export', '--to', path).code, 0);
  assert.equal(run('export').out, readFileSync(path, 'utf8'));
  assert.equal(run('template').out, exportTemplate());
  assert.equal(parseCsv(run('template').out).headings.length, 8);
  run('unmark', 'oat-1', 'organic, certified');
  run('mark', 'oat-1', 'wrong');
  assert.equal(run('import', path, '--update').out, '0 added, 1 updated\n');
  assert.match(run('show', 'oat-1').out, /\n {2}mark: organic, certified\n {2}mark: a\|b\\\n$/);
  rmSync(join(folder, 'bank.json'));
  assert.equal(run('import', path).out, '1 added, 0 updated\n');
  assert.match(run('show', 'oat-1').out, /\n {2}mark: organic, certified\n {2}mark: a\|b\\\n$/);
  writeFileSync(path, 'id,species,grams\noat-1,Avena nuda,5\n');
  assert.equal(run('import', path, '--update').code, 0);
  assert.match(run('show', 'oat-1').out, /^OAT-1 Avena nuda, 5 g, stored\n {2}mark: organic, certified\n/);
}));
