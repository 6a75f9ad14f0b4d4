import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TicketQueue, main } from '../src/index.js';

export const NOON = '2026-03-02T12:00:00Z';

/** A queue whose clock stands at noon until `tick` moves it on. */
export function deskAtNoon(settings = {}) {
  let now = Date.parse(NOON);
  const queue = new TicketQueue({ settings, clock: () => now });
  return { queue, tick: (minutes) => { now += minutes * 60_000; } };
}

export function numbers(tickets) {
  return tickets.map((ticket) => ticket.number);
}

/** Runs `use` with a command line bound to a fresh queue file. */
export function withDesk(use) {
  const folder = mkdtempSync(join(tmpdir(), 'deskqueue-'));
  const file = join(folder, 'desk.json');
  const run = (...argv) => {
    let out = '';
    let err = '';
    const code = main(['--file', file, '--now', NOON, ...argv], {
      out: (text) => { out += text; },
      err: (text) => { err += text; },
    });
    return { code, out, err };
  };
  try {
    return use(run, folder, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
