// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, TicketQueue, listAsJson, main, renderBoard, renderHandover, renderList } from '../src/index.js';

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

const HEADINGS = { urgent: 'URGENT', high: 'HIGH', normal: 'NORMAL', low: 'LOW' };

/** Both rules written down plainly: what waits at `now`, in order, each with countsAs and turn. */
function expected(tickets, now, { agingHours = 24, customerTurns = true } = {}) {
  const opened = (ticket) => Date.parse(ticket.openedAt);
  const ahead = (one, other) => opened(one) < opened(other) || (opened(one) === opened(other) && one.number < other.number);
  const levelOf = (ticket) => {
    const days = agingHours === 0 ? 0 : Math.floor((now - opened(ticket)) / (agingHours * HOUR));
    return Math.min(3, LEVELS.indexOf(ticket.priority) + Math.max(0, days));
  };
  const waiting = tickets.filter((ticket) => ticket.state === 'waiting');
  const turnOf = (ticket) => {
    if (!customerTurns) return null;
    if (ticket.customer === null) return 1;
    const his = tickets.filter((other) => other.customer === ticket.customer);
    const taken = his.filter((other) => other.state === 'in-work').length;
    return 1 + taken + his.filter((other) => other.state === 'waiting' && levelOf(other) === levelOf(ticket) && ahead(other, ticket)).length;
  };
  return waiting
    .map((ticket) => ({ ticket, level: levelOf(ticket), turn: turnOf(ticket) }))
    .sort((one, other) => other.level - one.level || one.turn - other.turn || (ahead(one.ticket, other.ticket) ? -1 : 1))
    .map(({ ticket, level, turn }) => ({ number: ticket.number, team: ticket.team, countsAs: LEVELS[level], turn }));
}

/** A small generator of numbers below `limit`, the same each time. */
function dice(seed) {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

function fillByDice(queue, roll, count) {
  for (let index = 0; index < count; index += 1) {
    queue.add({
      subject: `ticket ${index}`,
      customer: [null, 'a', 'a', 'a', 'b', 'b', 'c'][roll(7)],
      team: [null, 'red', 'blue'][roll(3)],
      priority: LEVELS[roll(4)],
      openedAt: before(roll(90)),
    });
  }
}

const SETTINGS = [{}, { agingHours: 7.5 }, { agingHours: 0 }, { customerTurns: false }, { agingHours: 36, customerTurns: false }];

const short = (tickets) => tickets.map(({ number, countsAs, turn }) => [number, countsAs, turn]);

test('a risen ticket takes its turn at the level it counts as', () => {
  const { queue } = desk();
  queue.add({ subject: 'x', customer: 'a', priority: 'low', openedAt: before(30) });
  queue.add({ subject: 'x', customer: 'a', priority: 'normal', openedAt: before(5) });
  queue.add({ subject: 'x', customer: 'b', priority: 'normal', openedAt: before(4) });
  queue.add({ subject: 'x', customer: 'a', priority: 'normal', openedAt: before(3) });
  queue.add({ subject: 'x', customer: 'a', priority: 'low', openedAt: before(2) });
  assert.deepEqual(short(queue.waiting()),
    [[1, 'normal', 1], [3, 'normal', 1], [2, 'normal', 2], [4, 'normal', 3], [5, 'low', 1]]);
});

test('leaving a level by rising frees a turn there', () => {
  const { queue, pass } = desk();
  queue.add({ subject: 'x', customer: 'a', priority: 'normal', openedAt: before(20) });
  queue.add({ subject: 'x', customer: 'a', priority: 'normal', openedAt: before(10) });
  queue.add({ subject: 'x', customer: 'b', priority: 'normal', openedAt: before(5) });
  assert.deepEqual(short(queue.waiting()), [[1, 'normal', 1], [3, 'normal', 1], [2, 'normal', 2]]);
  pass(6);
  assert.deepEqual(short(queue.waiting()), [[1, 'high', 1], [2, 'normal', 1], [3, 'normal', 1]]);
  pass(9);
  assert.deepEqual(short(queue.waiting()), [[1, 'high', 1], [2, 'high', 2], [3, 'normal', 1]]);
});

test('rules hold together for many queues, whatever the settings', () => {
  for (const settings of SETTINGS) {
    for (let seed = 1; seed <= 6; seed += 1) {
      const { queue, pass } = desk(settings);
      const roll = dice(seed);
      fillByDice(queue, roll, 24);
      for (let agent = 0; agent < 4; agent += 1) queue.claim(`agent-${agent}`);
      let now = START;
      for (let step = 0; step < 5; step += 1) {
        const want = expected(queue.toJSON().tickets, now, settings);
        const message = `${JSON.stringify(settings)}, seed ${seed}, step ${step}`;
        assert.deepEqual(short(queue.waiting()), short(want), message);
        assert.deepEqual(short([queue.next()]), short(want.slice(0, 1)), message);
        assert.deepEqual(want.map(({ number }) => queue.position(number)), want.map((_, index) => index + 1), message);
        const red = want.filter((ticket) => ticket.team === 'red');
        assert.deepEqual(short(queue.waiting({ team: 'red' })), short(red), message);
        now += 11 * HOUR;
        pass(11);
      }
    }
  }
});

test('claiming to the end follows both rules at each step', () => {
  for (const settings of SETTINGS) {
    const { queue, pass } = desk({ ...settings, maxPerAgent: 50 });
    const roll = dice(77);
    fillByDice(queue, roll, 30);
    let now = START;
    for (let step = 0; step < 60; step += 1) {
      const want = expected(queue.toJSON().tickets, now, settings);
      if (want.length === 0) break;
      const team = [undefined, 'red', undefined, 'blue'][step % 4];
      const first = want.find((ticket) => team === undefined || ticket.team === team);
      const got = queue.claim('agent-1', { team });
      assert.equal(got?.number, first?.number, `${JSON.stringify(settings)}, step ${step}`);
      const held = queue.inWork();
      if (roll(3) === 0 && held.length > 0) queue.close(held[roll(held.length)].number);
      if (roll(5) === 0 && queue.inWork().length > 0) queue.release(queue.inWork()[0].number);
      pass(3);
      now += 3 * HOUR;
    }
  }
});

test('list and JSON show both', () => {
  for (const settings of SETTINGS.slice(0, 3)) {
    const { queue, pass } = desk(settings);
    fillByDice(queue, dice(5), 15);
    queue.claim('agent-1');
    pass(4);
    const want = expected(queue.toJSON().tickets, START + 4 * HOUR, settings);
    assert.deepEqual(short(JSON.parse(listAsJson(queue))), short(want));
    const rows = rowsOf(renderList(queue));
    assert.deepEqual(rows.map((row) => [row.POS, row.TICKET, row['COUNTS AS'], row.TURN]),
      want.map(({ number, countsAs, turn }, index) => [String(index + 1), `#${number}`, countsAs, String(turn)]));
    assert.deepEqual(rows.map((row) => row.PRIORITY), want.map(({ number }) => queue.get(number).priority));
  }
});

test('the board has risen tickets in their turn under the new level', () => {
  for (const settings of SETTINGS) {
    const { queue, pass } = desk(settings);
    fillByDice(queue, dice(9), 20);
    queue.claim('agent-1');
    pass(8);
    const want = expected(queue.toJSON().tickets, START + 8 * HOUR, settings);
    for (const team of [undefined, 'blue']) {
      const sections = sectionsOf(renderBoard(queue, { team }));
      for (const level of LEVELS) {
        const here = want.filter((ticket) => ticket.countsAs === level && (team === undefined || ticket.team === team));
        assert.deepEqual(sections[HEADINGS[level]], numbers(here), `${JSON.stringify(settings)} ${level} ${team}`);
      }
    }
  }
});

test('the handover picks by both rules over the whole queue', () => {
  for (const settings of SETTINGS) {
    for (const perTeam of [1, 3, 100]) {
      const { queue, pass } = desk(settings);
      fillByDice(queue, dice(31 + perTeam), 20);
      queue.claim('agent-1');
      queue.claim('agent-2');
      pass(5);
      const want = expected(queue.toJSON().tickets, START + 5 * HOUR, settings);
      const teams = teamsOf(renderHandover(queue, { perTeam }));
      for (const team of ['red', 'blue']) {
        const here = want.filter((ticket) => ticket.team === team).slice(0, perTeam);
        assert.deepEqual(teams[team], numbers(here), `${JSON.stringify(settings)} ${team} ${perTeam}`);
      }
    }
  }
});

test('both settings on the command line, each for itself', () => withFile((runAt) => {
  runAt(0, 'add', 'One', '--customer', 'a', '--priority', 'low');
  runAt(20, 'add', 'Two', '--customer', 'a', '--priority', 'normal');
  runAt(21, 'add', 'Three', '--customer', 'b', '--priority', 'normal');
  const order = (hours) => rowsOf(runAt(hours, 'list').out).map((row) => row.TICKET).join(' ');
  assert.equal(order(22), '#2 #3 #1');
  assert.equal(order(25), '#1 #3 #2');
  assert.equal(runAt(25, 'next').out, '#1 low One\n');
  assert.equal(runAt(25, 'settings', 'customerTurns', 'off').code, 0);
  assert.equal(order(25), '#1 #2 #3');
  assert.equal(runAt(25, 'settings', 'agingHours', '0').code, 0);
  assert.equal(order(25), '#2 #3 #1');
  assert.equal(runAt(25, 'settings', 'customerTurns', 'on').code, 0);
  runAt(25, 'add', 'Four', '--customer', 'b', '--priority', 'normal');
  assert.equal(runAt(25, 'claim', 'agent-1').out, '#2 normal Two\n');
  assert.equal(order(26), '#3 #4 #1');
  assert.equal(runAt(26, 'settings', 'agingHours', '24').code, 0);
  assert.equal(order(26), '#3 #1 #4');
  assert.equal(runAt(26, 'claim', 'agent-2').out, '#3 normal Three\n');
  assert.equal(order(26), '#1 #4');
}));
