import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withBank } from './helpers.js';

test('a lot from the field to the last gram', () => withBank((run) => {
  assert.equal(run('add', 'oat-1', 'Avena sativa', '250', '--site', 'river').out, 'OAT-1 Avena sativa, 250 g, stored\n');
  run('mark', 'oat-1', 'organic');
  assert.equal(run('show', 'OAT-1').out, 'OAT-1 Avena sativa, 250 g, stored\n  site: river\n  mark: organic\n');
  assert.equal(run('status', 'OAT-1', 'reserved').code, 0);
  assert.equal(run('take', 'OAT-1', '250').out, 'OAT-1 Avena sativa, 0 g, spent\n');
  assert.equal(run('unmark', 'OAT-1', 'organic').code, 0);
}));

test('export, import and report go together', () => withBank((run, folder) => {
  const path = join(folder, 'out.csv');
  run('add', 'oat-1', 'Avena sativa', '250', '--site=river');
  run('add', 'oat-2', 'Avena sativa', '50');
  assert.equal(run('export', '--to', path).out, '2 lots exported\n');
  assert.equal(run('import', path).code, 1);
  assert.equal(run('import', path, '--update').out, '0 added, 2 updated\n');
  assert.equal(run('report', path, '--by', 'species', '--where', 'site!=river', '--format', 'csv').out,
    'species,lots,grams\nAvena sativa,1,50\n');
}));

test('the template', () => withBank((run) => {
  assert.match(run('template').out, /^id,species,site,collected,grams,status,notes/);
}));

test('refusals and wrong usage have their exit codes', () => withBank((run, folder) => {
  assert.equal(run('show', 'OAT-1').code, 1);
  assert.equal(run('report', join(folder, 'none.csv'), '--by', 'x').code, 1);
  writeFileSync(join(folder, 'bad.csv'), 'id,species\n');
  assert.equal(run('import', join(folder, 'bad.csv')).code, 1);
  assert.equal(run('report', join(folder, 'bad.csv')).code, 2);
  assert.equal(run('dance').code, 2);
  assert.equal(run('show').code, 2);
  assert.equal(run('list', '--colour').code, 2);
}));
