// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ledger, exportCsv, exportTemplate, importCsv, main, parseCsv, renderReport, reportCsv } from '../src/index.js';

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

const LOTS = [
  ['OAT-1', 'Avena sativa', 'river', 250, ['organic', 'frost hardy']],
  ['OAT-2', 'Avena sativa', 'north', 100.5, ['organic']],
  ['FLAX-1', 'Linum usitatissimum', 'river', 80, []],
  ['FLAX-2', 'Linum usitatissimum', 'north', 0.1, ['late | early', 'frost hardy', 'a\\b']],
  ['RYE-1', 'Secale cereale', '', 0.2, ['frost hardy', 'organic', 'late | early']],
];

function bank(lots = LOTS) {
  const ledger = new Ledger();
  for (const [id, species, site, grams, marks] of lots) {
    ledger.add({ id, species, site, grams });
    for (const mark of marks) ledger.mark(id, mark);
  }
  return ledger;
}

const byKey = (report) => Object.fromEntries(report.groups.map(({ keys, lots, grams }) => [keys.join(' / '), [lots, grams]]));

test('an export can be reported on by mark', () => {
  const report = reportCsv(exportCsv(bank()), { by: ['mark_list'] });
  assert.deepEqual(byKey(report), {
    organic: [3, 350.7],
    'frost hardy': [3, 250.3],
    'late | early': [2, 0.3],
    'a\\b': [1, 0.1],
    '(unmarked)': [1, 80],
  });
  assert.deepEqual(report.total, { lots: 5, grams: 430.8 });
});

test('by mark and another column of the export', () => {
  const text = exportCsv(bank());
  assert.deepEqual(byKey(reportCsv(text, { by: ['species', 'mark_list'], where: ['site!='] })), {
    'Avena sativa / organic': [2, 350.5],
    'Avena sativa / frost hardy': [1, 250],
    'Linum usitatissimum / (unmarked)': [1, 80],
    'Linum usitatissimum / late | early': [1, 0.1],
    'Linum usitatissimum / frost hardy': [1, 0.1],
    'Linum usitatissimum / a\\b': [1, 0.1],
  });
});

test('conditions on the marks of an export', () => {
  const text = exportCsv(bank());
  const lots = (...where) => reportCsv(text, { by: ['id'], where }).groups.map((group) => group.keys[0]);
  assert.deepEqual(lots('mark_list=organic'), ['OAT-1', 'OAT-2', 'RYE-1']);
  assert.deepEqual(lots('mark_list!=organic'), ['FLAX-1', 'FLAX-2']);
  assert.deepEqual(lots('mark_list=late | early'), ['FLAX-2', 'RYE-1']);
  assert.deepEqual(lots('mark_list=a\\b'), ['FLAX-2']);
  assert.deepEqual(lots('mark_list='), ['FLAX-1']);
  assert.deepEqual(lots('mark_list!=', 'site=north'), ['FLAX-2', 'OAT-2']);
});

test('any mark of the ledger is a key of the report, unchanged', () => {
  for (const [index, mark] of NASTY.entries()) {
    for (const marks of [[mark], [mark, 'plain'], ['plain', mark, NASTY[(index + 11) % NASTY.length]]]) {
      const text = exportCsv(bank([['X', 'x', '', 3, marks], ['Y', 'y', '', 4, []]]));
      const report = reportCsv(text, { by: ['mark_list'] });
      const expected = Object.fromEntries([...marks.map((one) => [one, [1, 3]]), ['(unmarked)', [1, 4]]]);
      assert.deepEqual(byKey(report), expected, JSON.stringify(marks));
      assert.deepEqual(report.total, { lots: 2, grams: 7 });
      const found = reportCsv(text, { by: ['id'], where: [`mark_list=${mark}`] });
      assert.deepEqual(found.groups.map((group) => group.keys), [['X']], JSON.stringify(mark));
    }
  }
});

test('many marks on many lots', () => {
  const lots = NASTY.map((_, index) => [`L-${index}`, 'x', '', index + 1, NASTY.filter((__, at) => (at * 7 + index) % 3 === 0)]);
  const expected = {};
  for (const [, , , grams, marks] of lots) {
    for (const mark of marks) expected[mark] = [(expected[mark]?.[0] ?? 0) + 1, (expected[mark]?.[1] ?? 0) + grams];
  }
  assert.deepEqual(byKey(reportCsv(exportCsv(bank(lots)), { by: ['mark_list'] })), expected);
});

test('a ledger that went through CSV gives the same report', () => {
  const first = bank();
  const second = new Ledger();
  importCsv(second, exportCsv(first));
  assert.deepEqual(second.toJSON(), first.toJSON());
  for (const by of [['mark_list'], ['mark_list', 'site'], ['species', 'mark_list']]) {
    assert.deepEqual(reportCsv(exportCsv(second), { by }), reportCsv(exportCsv(first), { by }));
  }
  assert.equal(byKey(reportCsv(exportCsv(second), { by: ['mark_list'] }))['late | early'][0], 2);
});

test('the template can be reported on', () => {
  assert.ok(parseCsv(exportTemplate()).headings.includes('mark_list'));
  assert.deepEqual(reportCsv(exportTemplate(), { by: ['mark_list'] }), { by: ['mark_list'], groups: [], total: { lots: 0, grams: 0 } });
});

test('a change of marks shows in the next report', () => {
  const ledger = bank();
  ledger.unmark('OAT-1', 'organic');
  ledger.mark('FLAX-1', 'organic');
  const text = renderReport(reportCsv(exportCsv(ledger), { by: ['mark_list'] }), 'csv');
  assert.match(text, /^organic,3,180\.7$/m);
  assert.doesNotMatch(text, /unmarked/);
});

test('from the command line', () => withBank((run, folder) => {
  const path = join(folder, 'out.csv');
  for (const [id, species, site, grams, marks] of LOTS) {
    run('add', id, species, String(grams), '--site', site);
    for (const mark of marks) run('mark', id, mark);
  }
  assert.equal(run('export', '--to', path).code, 0);
  const lines = (...options) => run('report', path, '--format', 'csv', ...options).out.trimEnd().split('\n').slice(1).sort();
  assert.deepEqual(lines('--by', 'mark_list'),
    ['(unmarked),1,80', 'a\\b,1,0.1', 'frost hardy,3,250.3', 'late | early,2,0.3', 'organic,3,350.7']);
  assert.deepEqual(lines('--by', 'species', '--where', 'mark_list=late | early'), ['Linum usitatissimum,1,0.1', 'Secale cereale,1,0.2']);
  assert.match(run('report', path, '--by', 'mark_list').out, /^total +5 +430\.8$/m);
  rmSync(join(folder, 'bank.json'));
  assert.equal(run('import', path).code, 0);
  assert.match(run('show', 'rye-1').out, / {2}mark: frost hardy\n {2}mark: organic\n {2}mark: late \| early\n$/);
}));
