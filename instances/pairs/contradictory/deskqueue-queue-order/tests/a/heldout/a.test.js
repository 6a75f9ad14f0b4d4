// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  LEVELS, SettingError, TicketQueue, checkSettings, listAsJson, loadQueue, main, renderBoard, renderHandover, renderList,
  saveQueue,
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

test('a ticket rises by one level for every full day', () => {
  for (const [index, priority] of LEVELS.entries()) {
    for (const hours of [-49, -25, -1, 0, 1, 23.9, 24, 25, 47.9, 48, 71.9, 72, 96, 500]) {
      const { queue } = desk();
      queue.add({ subject: 'x', priority, openedAt: before(hours) });
      const expected = LEVELS[Math.min(index + Math.max(0, Math.floor(hours / 24)), 3)];
      assert.equal(queue.next().countsAs, expected, `${priority} after ${hours} hours`);
      assert.equal(queue.waiting()[0].countsAs, expected);
      assert.equal(queue.next().priority, priority);
    }
  }
});

test('the level it counts as decides the order', () => {
  const { queue } = desk();
  queue.add({ subject: 'new urgent', customer: 'a', priority: 'urgent' });
  queue.add({ subject: 'new high', customer: 'b', priority: 'high' });
  queue.add({ subject: 'low for two days', customer: 'c', priority: 'low', openedAt: before(50) });
  queue.add({ subject: 'low for five days', customer: 'd', priority: 'low', openedAt: before(120) });
  queue.add({ subject: 'normal for a day', customer: 'e', priority: 'normal', openedAt: before(30) });
  queue.add({ subject: 'normal today', customer: 'f', priority: 'normal', openedAt: before(20) });
  const expected = [4, 1, 3, 5, 2, 6];
  assert.deepEqual(numbers(queue.waiting()), expected);
  expected.forEach((number, index) => assert.equal(queue.position(number), index + 1));
  for (const number of expected) {
    assert.equal(queue.next().number, number);
    assert.equal(queue.claim(`agent-${number}`).number, number);
  }
});

test('time alone changes the order', () => {
  const { queue, pass } = desk();
  queue.add({ subject: 'old low', customer: 'a', priority: 'low', openedAt: before(10) });
  queue.add({ subject: 'normal', customer: 'b', priority: 'normal' });
  assert.deepEqual(numbers(queue.waiting()), [2, 1]);
  pass(13);
  assert.deepEqual(numbers(queue.waiting()), [2, 1]);
  pass(1);
  assert.deepEqual(numbers(queue.waiting()), [1, 2]);
  assert.equal(queue.position(1), 1);
  pass(10);
  assert.deepEqual(queue.waiting().map((ticket) => ticket.countsAs), ['high', 'normal']);
  assert.equal(queue.next().number, 2);
  pass(14);
  assert.equal(queue.claim('agent-1').number, 1);
});

test('time in work counts, and so does the old opening time after a release', () => {
  const { queue, pass } = desk();
  queue.add({ subject: 'low', customer: 'a', priority: 'low' });
  queue.claim('agent-1');
  pass(49);
  queue.add({ subject: 'normal', customer: 'b', priority: 'normal' });
  queue.release(1);
  assert.deepEqual(queue.waiting().map(({ number, countsAs }) => [number, countsAs]), [[1, 'high'], [2, 'normal']]);
});

test('a new priority rises by the same rule', () => {
  const { queue } = desk();
  queue.add({ subject: 'x', priority: 'high', openedAt: before(30) });
  assert.equal(queue.next().countsAs, 'urgent');
  queue.reprioritise(1, 'low');
  assert.equal(queue.next().countsAs, 'normal');
  assert.equal(queue.next().priority, 'low');
});

test('the setting says how many hours, and 0 means never', () => {
  for (const [agingHours, expected] of [[24, 'normal'], [12, 'high'], [0.5, 'urgent'], [48, 'low'], [0, 'low']]) {
    const { queue } = desk({ agingHours });
    queue.add({ subject: 'old', customer: 'a', priority: 'low', openedAt: before(26) });
    queue.add({ subject: 'new', customer: 'b', priority: 'normal' });
    const old = queue.waiting().find((ticket) => ticket.number === 1);
    assert.equal(old.countsAs, expected, `agingHours ${agingHours}`);
    assert.equal(queue.next().number, expected === 'low' ? 2 : 1);
  }
  const { queue } = desk();
  queue.add({ subject: 'old', customer: 'a', priority: 'low', openedAt: before(26) });
  queue.add({ subject: 'new', customer: 'b', priority: 'normal' });
  queue.set('agingHours', 0);
  assert.equal(queue.next().number, 2);
  queue.set('agingHours', 10);
  assert.equal(queue.next().number, 1);
});

test('bad settings are refused, the default is 24', () => {
  assert.equal(checkSettings().agingHours, 24);
  assert.equal(checkSettings({ agingHours: 0.5 }).agingHours, 0.5);
  for (const agingHours of [-1, -0.5, NaN, '24', null, true]) {
    assert.throws(() => checkSettings({ agingHours }), SettingError, String(agingHours));
  }
});

test('list, JSON and board show the level', () => {
  const { queue } = desk();
  queue.add({ subject: 'old', customer: 'a', priority: 'low', openedAt: before(49) });
  queue.add({ subject: 'new', customer: 'b', priority: 'normal' });
  queue.add({ subject: 'other', customer: 'c', priority: 'high', openedAt: before(25) });
  const rows = rowsOf(renderList(queue));
  assert.deepEqual(rows.map((row) => row.TICKET), ['#3', '#1', '#2']);
  assert.deepEqual(rows.map((row) => row.PRIORITY), ['high', 'low', 'normal']);
  assert.deepEqual(rows.map((row) => row['COUNTS AS']), ['urgent', 'high', 'normal']);
  const listed = JSON.parse(listAsJson(queue));
  assert.deepEqual(listed.map((ticket) => [ticket.number, ticket.countsAs, ticket.priority]),
    [[3, 'urgent', 'high'], [1, 'high', 'low'], [2, 'normal', 'normal']]);
  assert.deepEqual(sectionsOf(renderBoard(queue)), { URGENT: [3], HIGH: [1], NORMAL: [2], LOW: [] });
});

test('the handover picks by the same order', () => {
  const { queue } = desk();
  queue.add({ subject: 'new', customer: 'a', priority: 'normal', team: 'red' });
  queue.add({ subject: 'old', customer: 'b', priority: 'low', team: 'red', openedAt: before(60) });
  queue.add({ subject: 'old', customer: 'c', priority: 'low', team: 'blue', openedAt: before(60) });
  queue.add({ subject: 'new', customer: 'd', priority: 'urgent', team: 'blue' });
  assert.deepEqual(teamsOf(renderHandover(queue)), { red: [2, 1], blue: [4, 3] });
  assert.deepEqual(teamsOf(renderHandover(queue, { perTeam: 1 })), { red: [2], blue: [4] });
});

test('what is stored and summed up is the priority that was given', () => withFile((runAt, file) => {
  const { queue } = desk();
  queue.add({ subject: 'old', customer: 'a', priority: 'low', openedAt: before(49) });
  queue.add({ subject: 'new', customer: 'b', priority: 'normal' });
  assert.equal(queue.next().number, 1);
  assert.deepEqual(queue.summary().waiting, { low: 1, normal: 1, high: 0, urgent: 0 });
  saveQueue(file, queue);
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(stored.tickets.map((ticket) => ticket.priority), ['low', 'normal']);
  delete stored.settings;
  writeFileSync(file, JSON.stringify(stored));
  const again = loadQueue(file, { clock: () => START + 24 * HOUR });
  assert.equal(again.settings.agingHours, 24);
  assert.deepEqual(again.waiting().map((ticket) => [ticket.number, ticket.countsAs]), [[1, 'urgent'], [2, 'high']]);
}));

test('it works from the command line, over a weekend', () => withFile((runAt) => {
  runAt(0, 'add', 'Old', '--priority', 'low', '--customer', 'a');
  runAt(60, 'add', 'New', '--priority', 'normal', '--customer', 'b');
  assert.equal(runAt(60, 'next').out, '#1 low Old\n');
  assert.equal(runAt(60, 'position', '2').out, '2\n');
  assert.deepEqual(sectionsOf(runAt(60, 'board').out), { URGENT: [], HIGH: [1], NORMAL: [2], LOW: [] });
  assert.match(runAt(60, 'settings', 'agingHours').out, /^agingHours = 24$/m);
  assert.equal(runAt(60, 'settings', 'agingHours', '0').code, 0);
  assert.equal(runAt(60, 'next').out, '#2 normal New\n');
  assert.equal(runAt(60, 'settings', 'agingHours', '0.5').code, 0);
  assert.match(runAt(60, 'settings').out, /^agingHours = 0\.5$/m);
  assert.deepEqual(rowsOf(runAt(60.6, 'list').out).map((row) => row['COUNTS AS']), ['urgent', 'high']);
  assert.equal(runAt(60, 'settings', 'agingHours', '-1').code, 1);
  assert.equal(runAt(60, 'settings', 'agingHours', 'soon').code, 1);
  assert.match(runAt(60, 'settings').out, /^agingHours = 0\.5$/m);
  assert.equal(runAt(60, 'claim', 'agent-1').out, '#1 low Old\n');
}));
