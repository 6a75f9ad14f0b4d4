import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDesk } from './helpers.js';

test('a ticket from the desk to the end', () => withDesk((run) => {
  assert.equal(run('add', 'Router dead', '--priority', 'p1', '--team=network').out, '#1 urgent Router dead\n');
  assert.equal(run('next', '--team', 'network').out, '#1 urgent Router dead\n');
  assert.equal(run('claim', 'agent-1').out, '#1 urgent Router dead\n');
  assert.equal(run('claim', 'agent-1').out, 'Nothing waits.\n');
  assert.equal(run('release', '#1').code, 0);
  assert.equal(run('position', '1').out, '1\n');
  assert.equal(run('close', '1').code, 0);
  assert.match(run('summary').out, /^waiting: 0 /);
}));

test('refusals and wrong usage have their exit codes', () => withDesk((run) => {
  assert.equal(run('close', '4').code, 1);
  assert.equal(run('close', 'four').code, 2);
  assert.equal(run('dance').code, 2);
  assert.equal(run('list', '--colour').code, 2);
  assert.equal(run('settings', 'colour', 'red').code, 1);
  assert.match(run('close', '4').err, /no ticket 4/);
}));

test('settings are kept in the file', () => withDesk((run) => {
  assert.equal(run('settings', 'maxPerAgent').out, 'maxPerAgent = 3\n');
  assert.equal(run('settings', 'maxPerAgent', '1').out, 'maxPerAgent = 1\n');
  run('settings', 'defaultPriority', 'high');
  assert.equal(run('add', 'One').out, '#1 high One\n');
  run('add', 'Two');
  run('claim', 'agent-1');
  assert.equal(run('claim', 'agent-1').code, 1);
}));

test('an import is all or nothing', () => withDesk((run, folder) => {
  const path = join(folder, 'in.jsonl');
  writeFileSync(path, '{"title": "One", "severity": "p2"}\n\n{"subject": ""}\n');
  assert.equal(run('import', path).code, 1);
  assert.equal(run('list').out, 'Nothing waits.\n');
  writeFileSync(path, '{"title": "One", "severity": "p2"}\n{"subject": "Two", "account": "ACME"}\n');
  assert.equal(run('import', path).out, '2 tickets opened\n');
  assert.deepEqual(JSON.parse(run('list', '--json').out).map((ticket) => ticket.customer), [null, 'acme']);
}));

test('a priority changed on the command line counts', () => withDesk((run) => {
  run('add', 'One');
  run('add', 'Two');
  assert.equal(run('priority', '2', 'urgent').out, '#2 urgent Two\n');
  assert.match(run('board').out, /^URGENT \(1\)\n {2}#2 Two\n/);
  assert.match(run('handover', '--per-team', '1').out, /#2 Two\n$/);
}));
