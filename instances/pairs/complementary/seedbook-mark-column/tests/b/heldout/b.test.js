// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReportError, formatCsv, main, parseCsv, renderReport, reportCsv } from '../src/index.js';

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

const FILE = formatCsv([
  ['id', 'species', 'mark_list', 'grams', 'shelf'],
  ['1', 'Avena sativa', 'organic|frost hardy', '100', 'A|B'],
  ['2', 'Avena sativa', 'organic', '50.25', 'A'],
  ['3', 'Linum usitatissimum', '', '7', 'A|B'],
  ['4', 'Linum usitatissimum', 'frost hardy', '0.1', 'C'],
  ['5', 'Linum usitatissimum', 'late|organic|frost hardy', '0.2', 'C'],
]);

/** The groups as { key: [lots, grams] }; several keys are joined by " / ". */
const byKey = (report) => Object.fromEntries(report.groups.map(({ keys, lots, grams }) => [keys.join(' / '), [lots, grams]]));

/** The keys of a report by marks on one lot with that cell. */
function keysFor(cell) {
  const report = reportCsv(formatCsv([['grams', 'mark_list'], ['5', cell]]), { by: ['mark_list'] });
  assert.deepEqual(report.total, { lots: 1, grams: 5 });
  for (const group of report.groups) assert.deepEqual([group.lots, group.grams], [1, 5]);
  return report.groups.map((group) => group.keys[0]).sort();
}

const lotsWhere = (...where) => reportCsv(FILE, { by: ['id'], where }).groups.map((group) => group.keys[0]).join('');

test('a lot is counted for each of its marks', () => {
  assert.deepEqual(byKey(reportCsv(FILE, { by: ['mark_list'] })), {
    organic: [3, 150.45],
    'frost hardy': [3, 100.3],
    late: [1, 0.2],
    '(unmarked)': [1, 7],
  });
});

test('the total counts every lot once', () => {
  assert.deepEqual(reportCsv(FILE, { by: ['mark_list'] }).total, { lots: 5, grams: 157.55 });
  assert.deepEqual(reportCsv(FILE, { by: ['species', 'mark_list'] }).total, { lots: 5, grams: 157.55 });
  assert.deepEqual(reportCsv(FILE, { by: ['mark_list'], where: ['mark_list=organic'] }).total, { lots: 3, grams: 150.45 });
});

test('together with other columns, before or after', () => {
  assert.deepEqual(byKey(reportCsv(FILE, { by: ['species', 'mark_list'] })), {
    'Avena sativa / organic': [2, 150.25],
    'Avena sativa / frost hardy': [1, 100],
    'Linum usitatissimum / (unmarked)': [1, 7],
    'Linum usitatissimum / frost hardy': [2, 0.3],
    'Linum usitatissimum / late': [1, 0.2],
    'Linum usitatissimum / organic': [1, 0.2],
  });
  assert.deepEqual(byKey(reportCsv(FILE, { by: ['mark_list', 'shelf'] })), {
    'organic / A|B': [1, 100],
    'frost hardy / A|B': [1, 100],
    'organic / A': [1, 50.25],
    '(unmarked) / A|B': [1, 7],
    'frost hardy / C': [2, 0.3],
    'late / C': [1, 0.2],
    'organic / C': [1, 0.2],
  });
});

test('escapes', () => {
  for (const [cell, ...marks] of [
    ['a\\|b', 'a|b'],
    ['a\\|b|c', 'a|b', 'c'],
    ['a\\\\|b', 'a\\', 'b'],
    ['a\\\\\\|b', 'a\\|b'],
    ['a\\\\\\\\|b', 'a\\\\', 'b'],
    ['\\||\\\\', '\\', '|'],
    ['\\a\\,|b', 'a,', 'b'],
    ['x\\\\y', 'x\\y'],
    ['"a", b|c;d', '"a", b', 'c;d'],
  ]) {
    assert.deepEqual(keysFor(cell), marks.sort(), cell);
  }
});

test('spaces, empty pieces and repeated marks', () => {
  assert.deepEqual(keysFor(' a | b c |a'), ['a', 'b c']);
  assert.deepEqual(keysFor('||a||b|'), ['a', 'b']);
  assert.deepEqual(keysFor('a|a| a '), ['a']);
  assert.deepEqual(keysFor('A|a'), ['A', 'a']);
  for (const cell of ['', '  ', '|', ' | | ']) assert.deepEqual(keysFor(cell), ['(unmarked)'], JSON.stringify(cell));
});

test('conditions look for one mark among those of the lot', () => {
  assert.equal(lotsWhere('mark_list=organic'), '125');
  assert.equal(lotsWhere('mark_list!=organic'), '34');
  assert.equal(lotsWhere('mark_list = frost hardy '), '145');
  assert.equal(lotsWhere('mark_list=frost'), '');
  assert.equal(lotsWhere('mark_list!=frost'), '12345');
  assert.equal(lotsWhere('mark_list=organic|frost hardy'), '');
  assert.equal(lotsWhere('mark_list=organic', 'mark_list=frost hardy'), '15');
  assert.equal(lotsWhere('mark_list=organic', 'mark_list!=late', 'species=Avena sativa'), '12');
});

test('conditions without a value look for lots without marks', () => {
  assert.equal(lotsWhere('mark_list='), '3');
  assert.equal(lotsWhere('mark_list!='), '1245');
});

test('the value of a condition is the mark itself', () => {
  const text = formatCsv([['grams', 'mark_list', 'id'], ['1', 'a\\|b', 'x'], ['2', 'a|b', 'y'], ['3', 'c\\\\', 'z']]);
  const lots = (where) => reportCsv(text, { by: ['id'], where: [where] }).groups.map((group) => group.keys[0]).join('');
  assert.equal(lots('mark_list=a|b'), 'x');
  assert.equal(lots('mark_list!=a|b'), 'yz');
  assert.equal(lots('mark_list=a'), 'y');
  assert.equal(lots('mark_list=c\\'), 'z');
  assert.equal(lots('mark_list=c\\\\'), '');
});

test('every other column is taken whole', () => {
  assert.deepEqual(byKey(reportCsv(FILE, { by: ['shelf'] })), { 'A|B': [2, 107], A: [1, 50.25], C: [2, 0.3] });
  assert.equal(lotsWhere('shelf=A|B'), '13');
  assert.equal(lotsWhere('shelf!=A'), '1345');
});

test('a file without the column is refused', () => {
  for (const options of [{ by: ['mark_list'] }, { by: ['id'], where: ['mark_list=organic'] }]) {
    assert.throws(() => reportCsv('id,grams\n1,5\n', options), ReportError);
  }
});

test('the three formats show the marks', () => {
  const text = formatCsv([['mark_list', 'grams'], ['a\\|b, c|plain', '2'], ['', '3'], ['plain', '4']]);
  const report = reportCsv(text, { by: ['mark_list'] });
  const { headings, rows } = parseCsv(renderReport(report, 'csv'));
  assert.deepEqual(headings, ['mark_list', 'lots', 'grams']);
  const cells = rows.map((row) => Object.values(row.cells).join(' ')).sort();
  assert.deepEqual(cells, ['(unmarked) 1 3', 'a|b, c 1 2', 'plain 2 6']);
  assert.match(renderReport(report, 'text'), /^a\|b, c +1 +2$/m);
  assert.match(renderReport(report, 'text'), /^\(unmarked\) +1 +3$/m);
  assert.match(renderReport(report, 'text'), /^total +3 +9$/m);
  assert.match(renderReport(report, 'markdown'), /^\| a\\\|b, c \| 1 \| 2 \|$/m);
  assert.match(renderReport(report, 'markdown'), /^\| total \| 3 \| 9 \|$/m);
});

test('the command follows', () => withBank((run, folder) => {
  const path = join(folder, 'scan.csv');
  writeFileSync(path, FILE);
  const lines = (...options) => run('report', path, '--format', 'csv', ...options).out.trimEnd().split('\n').slice(1).sort();
  assert.deepEqual(lines('--by', 'mark_list'), ['(unmarked),1,7', 'frost hardy,3,100.3', 'late,1,0.2', 'organic,3,150.45']);
  assert.deepEqual(lines('--by', 'species', '--where', 'mark_list=organic'), ['Avena sativa,2,150.25', 'Linum usitatissimum,1,0.2']);
  assert.deepEqual(lines('--by', 'mark_list,species', '--where', 'mark_list!=organic', '--where=mark_list!='),
    ['frost hardy,Linum usitatissimum,1,0.1']);
}));
