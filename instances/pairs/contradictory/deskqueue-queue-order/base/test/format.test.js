import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAsJson, renderBoard, renderHandover, renderList, renderSummary } from '../src/index.js';
import { deskAtNoon } from './helpers.js';

function filled() {
  const { queue, tick } = deskAtNoon();
  queue.add({ subject: 'Reset password', customer: 'acme', team: 'accounts' });
  queue.add({ subject: 'Router dead', customer: 'globex', team: 'network', priority: 'urgent' });
  queue.add({ subject: 'New chair' });
  tick(90);
  return queue;
}

test('the list is a table in queue order', () => {
  const lines = renderList(filled()).split('\n');
  const headings = lines[0].split(/ {2,}/);
  assert.equal(headings[0], 'POS');
  assert.equal(headings.at(-1), 'SUBJECT');
  assert.match(lines[1], /#2 .*urgent .*globex .*network .*1h 30m .*Router dead$/);
  assert.match(lines[3], /#3 .* - .*New chair$/);
});

test('an empty list says so', () => {
  assert.equal(renderList(deskAtNoon().queue), 'Nothing waits.\n');
});

test('the list as JSON', () => {
  const tickets = JSON.parse(listAsJson(filled(), { team: 'accounts' }));
  assert.equal(tickets.length, 1);
  assert.equal(tickets[0].number, 1);
  assert.equal(tickets[0].position, 2);
  assert.equal(tickets[0].history, undefined);
});

test('the board has a heading for each priority', () => {
  assert.equal(
    renderBoard(filled()),
    'URGENT (1)\n  #2 Router dead [globex]\nHIGH (0)\nNORMAL (2)\n  #1 Reset password [acme]\n  #3 New chair\nLOW (0)\n',
  );
});

test('the handover shows the first tickets of each team', () => {
  const queue = filled();
  queue.add({ subject: 'Locked out', team: 'accounts', priority: 'high' });
  queue.claim('agent-1');
  assert.equal(
    renderHandover(queue, { perTeam: 1 }),
    '(no team): 1 waiting, 0 in work\n  #3 New chair\naccounts: 2 waiting, 0 in work\n  #4 Locked out\nnetwork: 0 waiting, 1 in work\n',
  );
});

test('the summary in words', () => {
  assert.equal(
    renderSummary(filled().summary()),
    'waiting: 3 (1 urgent, 0 high, 2 normal, 0 low)\nin work: 0\n',
  );
});
