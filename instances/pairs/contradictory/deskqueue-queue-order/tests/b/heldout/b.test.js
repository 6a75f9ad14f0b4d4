// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  SettingError, TicketQueue, checkSettings, listAsJson, loadQueue, main, renderBoard, renderHandover, renderList, saveQueue,
} from '../src/index.js';

const START = Date.parse('2026-03-02T12:00:00Z');
const HOUR = 3_600_000;

/** A queue whose clock starts at noon; `pass` lets hours go by. */
function desk(settings = {}) {
  let now = START;
  const queue = new TicketQueue({ settings, clock: () => now });
  return { queue, pass: (hours) => { now += hours * HOUR; } };
}

/** The time so many hours before noon. */
const before = (hours) => new Date(START - hours * HOUR).toISOString();

const numbers = (tickets) => tickets.map((ticket) => ticket.number);

/** Runs `use` with a command line bound to a fresh queue file; `runAt` takes the hours after noon first. */
function withFile(use) {
  const folder = mkdtempSync(join(tmpdir(), 'desk-'));
  const file = join(folder, 'desk.json');
  const runAt = (hours, ...argv) => {
    const io = { text: '', error: '' };
    const code = main(['--file', file, '--now', new Date(START + hours * HOUR).toISOString(), ...argv], {
      out: (text) => { io.text += text; },
      err: (text) => { io.error += text; },
    });
    return { code, out: io.text, err: io.error };
  };
  try {
    return use(runAt, file, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rows of a table as objects by heading; every cell must be filled and without two spaces in a row. */
function rowsOf(text) {
  const [head, ...lines] = text.trimEnd().split('\n').map((line) => line.trim().split(/ {2,}/));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index], cell])));
}

/** The ticket numbers under each heading of the board. */
function sectionsOf(board) {
  const sections = {};
  let current;
  for (const line of board.trimEnd().split('\n')) {
    const heading = /^(\w+) \((\d+)\)$/.exec(line);
    if (heading) {
      current = sections[heading[1]] = [];
      current.announced = Number(heading[2]);
    } else {
      current.push(Number(/^ {2}#(\d+) /.exec(line)[1]));
    }
  }
  for (const [level, found] of Object.entries(sections)) {
    assert.equal(found.announced, found.length, level);
    sections[level] = [...found];
  }
  return sections;
}

/** The ticket numbers shown for each team. */
function teamsOf(handover) {
  const teams = {};
  let current;
  for (const line of handover.trimEnd().split('\n')) {
    const ticket = /^ {2}#(\d+) /.exec(line);
    if (ticket) current.push(Number(ticket[1]));
    else current = teams[/^(.+): \d+ waiting, \d+ in work$/.exec(line)[1]] = [];
  }
  return teams;
}

/** Opens tickets at noon, one for each letter of `customers`; "-" is no customer. */
function file(queue, customers, fields = {}) {
  for (const letter of customers) {
    queue.add({ subject: `for ${letter}`, customer: letter === '-' ? undefined : letter, ...fields });
  }
}

const turns = (tickets) => tickets.map(({ number, turn }) => [number, turn]);

test('customers take turns', () => {
  for (const [customers, expected] of [
    ['aaab', [1, 4, 2, 3]],
    ['aabbc', [1, 3, 5, 2, 4]],
    ['aaaa', [1, 2, 3, 4]],
    ['abab', [1, 2, 3, 4]],
    ['aabab', [1, 3, 2, 5, 4]],
    ['aaaabbbcc', [1, 5, 8, 2, 6, 9, 3, 7, 4]],
  ]) {
    const { queue } = desk();
    file(queue, customers);
    assert.deepEqual(numbers(queue.waiting()), expected, customers);
    assert.equal(queue.next().number, expected[0]);
    expected.forEach((number, index) => assert.equal(queue.position(number), index + 1, customers));
  }
});

test('the turn is shown with the ticket', () => {
  const { queue } = desk();
  file(queue, 'aaab');
  assert.deepEqual(turns(queue.waiting()), [[1, 1], [4, 1], [2, 2], [3, 3]]);
  assert.equal(queue.next().turn, 1);
  assert.deepEqual(turns(JSON.parse(listAsJson(queue))), [[1, 1], [4, 1], [2, 2], [3, 3]]);
  const rows = rowsOf(renderList(queue));
  assert.deepEqual(rows.map((row) => [row.TICKET, row.TURN]), [['#1', '1'], ['#4', '1'], ['#2', '2'], ['#3', '3']]);
});

test('a customer\'s own tickets go by age, not by number', () => {
  const { queue } = desk();
  queue.add({ subject: 'x', customer: 'a', openedAt: before(1) });
  queue.add({ subject: 'x', customer: 'A ', openedAt: before(3) });
  queue.add({ subject: 'x', customer: 'b', openedAt: before(2) });
  queue.add({ subject: 'x', customer: 'a', openedAt: before(3) });
  assert.deepEqual(turns(queue.waiting()), [[2, 1], [3, 1], [4, 2], [1, 3]]);
});

test('priority comes before turns, and each priority has its own', () => {
  const { queue } = desk();
  file(queue, 'aa', { priority: 'normal' });
  file(queue, 'aab', { priority: 'high' });
  file(queue, 'aaa', { priority: 'urgent' });
  file(queue, 'b', { priority: 'normal' });
  assert.deepEqual(turns(queue.waiting()), [[6, 1], [7, 2], [8, 3], [3, 1], [5, 1], [4, 2], [1, 1], [9, 1], [2, 2]]);
});

test('tickets in work are turns taken', () => {
  const { queue } = desk();
  file(queue, 'aaabb');
  queue.claim('agent-1');
  assert.deepEqual(turns(queue.waiting()), [[4, 1], [2, 2], [5, 2], [3, 3]]);
  assert.equal(queue.claim('agent-2').number, 4);
  assert.equal(queue.claim('agent-3').number, 2);
  assert.equal(queue.claim('agent-4').number, 5);
  assert.equal(queue.claim('agent-5').number, 3);
  assert.equal(queue.claim('agent-6'), null);
});

test('work of any priority and team counts', () => {
  const { queue } = desk();
  file(queue, 'aa', { priority: 'urgent', team: 'red' });
  file(queue, 'a', { priority: 'normal', team: 'blue' });
  file(queue, 'bb', { priority: 'normal', team: 'blue' });
  assert.deepEqual(numbers(queue.waiting()), [1, 2, 3, 4, 5]);
  queue.claim('agent-1', { team: 'red' });
  queue.claim('agent-1', { team: 'red' });
  assert.deepEqual(turns(queue.waiting()), [[4, 1], [5, 2], [3, 3]]);
});

test('closing and releasing change the turns at once', () => {
  const { queue } = desk();
  file(queue, 'aab');
  queue.claim('agent-1');
  assert.deepEqual(turns(queue.waiting()), [[3, 1], [2, 2]]);
  queue.release(1);
  assert.deepEqual(turns(queue.waiting()), [[1, 1], [3, 1], [2, 2]]);
  queue.claim('agent-1');
  queue.close(1);
  assert.deepEqual(turns(queue.waiting()), [[2, 1], [3, 1]]);
  file(queue, 'a');
  queue.close(2);
  assert.deepEqual(turns(queue.waiting()), [[3, 1], [4, 1]]);
  queue.reprioritise(4, 'high');
  assert.deepEqual(turns(queue.waiting()), [[4, 1], [3, 1]]);
});

test('without a customer it is always turn 1', () => {
  const { queue } = desk();
  file(queue, 'aa--b');
  assert.deepEqual(turns(queue.waiting()), [[1, 1], [3, 1], [4, 1], [5, 1], [2, 2]]);
  queue.claim('agent-1');
  queue.claim('agent-2');
  assert.deepEqual(turns(queue.waiting()), [[4, 1], [5, 1], [2, 2]]);
});

test('a view is the whole queue with the others left out', () => {
  const { queue } = desk();
  file(queue, 'aa', { team: 'red' });
  file(queue, 'ab', { team: 'blue' });
  assert.deepEqual(turns(queue.waiting({ team: 'blue' })), [[4, 1], [3, 3]]);
  assert.equal(queue.next({ team: 'blue' }).number, 4);
  assert.deepEqual(turns(queue.waiting({ customer: 'a' })), [[1, 1], [2, 2], [3, 3]]);
  assert.deepEqual(teamsOf(renderHandover(queue)), { red: [1, 2], blue: [4, 3] });
  assert.deepEqual(teamsOf(renderHandover(queue, { perTeam: 1 })), { red: [1], blue: [4] });
  assert.deepEqual(sectionsOf(renderBoard(queue, { team: 'blue' })), { URGENT: [], HIGH: [], NORMAL: [4, 3], LOW: [] });
  assert.equal(queue.claim('agent-1', { team: 'blue' }).number, 4);
});

test('board and handover are in the new order', () => {
  const { queue } = desk();
  file(queue, 'aab', { priority: 'low', team: 'red' });
  file(queue, 'ccd', { priority: 'high', team: 'red' });
  assert.deepEqual(sectionsOf(renderBoard(queue)), { URGENT: [], HIGH: [4, 6, 5], NORMAL: [], LOW: [1, 3, 2] });
  assert.deepEqual(teamsOf(renderHandover(queue, { perTeam: 5 })), { red: [4, 6, 5, 1, 3] });
});

test('it can be switched off', () => {
  const { queue } = desk({ customerTurns: false });
  file(queue, 'aaab');
  assert.deepEqual(turns(queue.waiting()), [[1, null], [2, null], [3, null], [4, null]]);
  assert.equal(queue.next().turn, null);
  assert.deepEqual(sectionsOf(renderBoard(queue)).NORMAL, [1, 2, 3, 4]);
  queue.set('customerTurns', true);
  assert.deepEqual(numbers(queue.waiting()), [1, 4, 2, 3]);
  assert.equal(checkSettings().customerTurns, true);
  for (const customerTurns of ['on', 1, 0, null, 'false']) {
    assert.throws(() => checkSettings({ customerTurns }), SettingError, String(customerTurns));
  }
});

test('it works from the command line and with an old file', () => withFile((runAt, path) => {
  const { queue } = desk();
  file(queue, 'aab');
  saveQueue(path, queue);
  const stored = JSON.parse(readFileSync(path, 'utf8'));
  delete stored.settings;
  writeFileSync(path, JSON.stringify(stored));
  assert.deepEqual(numbers(loadQueue(path).waiting()), [1, 3, 2]);
  assert.equal(runAt(1, 'position', '3').out, '2\n');
  assert.equal(runAt(1, 'claim', 'agent-1').out, '#1 normal for a\n');
  assert.equal(runAt(1, 'next').out, '#3 normal for b\n');
  assert.deepEqual(rowsOf(runAt(1, 'list').out).map((row) => [row.TICKET, row.TURN]), [['#3', '1'], ['#2', '2']]);
  assert.equal(runAt(1, 'settings', 'customerTurns', 'off').out, 'customerTurns = false\n');
  assert.equal(runAt(1, 'next').out, '#2 normal for a\n');
  assert.deepEqual(JSON.parse(runAt(1, 'list', '--json').out).map((ticket) => ticket.turn), [null, null]);
  assert.equal(runAt(1, 'settings', 'customerTurns', 'sometimes').code, 1);
}));
