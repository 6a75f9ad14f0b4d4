import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { listAsJson, renderBoard, renderHandover, renderList, renderSummary } from '../format.js';
import { importTickets } from '../intake.js';
import { parseSetting } from '../settings.js';
import { wholeNumber } from './args.js';

function filterOf(options) {
  return { team: options.team, customer: options.customer };
}

function oneLine(ticket) {
  return `#${ticket.number} ${ticket.priority} ${ticket.subject}\n`;
}

function settingsCommand(queue, [key, value]) {
  if (key !== undefined && value !== undefined) queue.set(key, parseSetting(key, value));
  const settings = queue.settings;
  if (key === undefined) {
    return Object.entries(settings).map(([name, current]) => `${name} = ${current}\n`).join('');
  }
  if (!Object.hasOwn(settings, key)) throw new UsageError(`unknown setting "${key}"`);
  return `${key} = ${settings[key]}\n`;
}

/** Name: what words it takes, its options, whether it changes the queue, and what it does. */
export const COMMANDS = {
  add: {
    words: [1, 1],
    options: { customer: 'value', priority: 'value', team: 'value' },
    changes: true,
    run: (queue, [subject], options) => oneLine(queue.add({ subject, ...options })),
  },
  list: {
    words: [0, 0],
    options: { team: 'value', customer: 'value', json: 'flag' },
    run: (queue, _, options) => (options.json ? listAsJson : renderList)(queue, filterOf(options)),
  },
  board: {
    words: [0, 0],
    options: { team: 'value' },
    run: (queue, _, options) => renderBoard(queue, filterOf(options)),
  },
  next: {
    words: [0, 0],
    options: { team: 'value' },
    run: (queue, _, options) => {
      const ticket = queue.next(filterOf(options));
      return ticket ? oneLine(ticket) : 'Nothing waits.\n';
    },
  },
  claim: {
    words: [1, 1],
    options: { team: 'value' },
    changes: true,
    run: (queue, [agent], options) => {
      const ticket = queue.claim(agent, filterOf(options));
      return ticket ? oneLine(ticket) : 'Nothing waits.\n';
    },
  },
  release: {
    words: [1, 1],
    options: {},
    changes: true,
    run: (queue, [number]) => oneLine(queue.release(wholeNumber(number, 'release'))),
  },
  close: {
    words: [1, 1],
    options: {},
    changes: true,
    run: (queue, [number]) => oneLine(queue.close(wholeNumber(number, 'close'))),
  },
  priority: {
    words: [2, 2],
    options: {},
    changes: true,
    run: (queue, [number, level]) => oneLine(queue.reprioritise(wholeNumber(number, 'priority'), level)),
  },
  position: {
    words: [1, 1],
    options: {},
    run: (queue, [number]) => `${queue.position(wholeNumber(number, 'position'))}\n`,
  },
  handover: {
    words: [0, 0],
    options: { 'per-team': 'value' },
    run: (queue, _, options) => {
      const perTeam = options['per-team'] === undefined ? 3 : wholeNumber(options['per-team'], '--per-team');
      return renderHandover(queue, { perTeam });
    },
  },
  summary: {
    words: [0, 0],
    options: {},
    run: (queue) => renderSummary(queue.summary()),
  },
  import: {
    words: [1, 1],
    options: {},
    changes: true,
    run: (queue, [path]) => `${importTickets(queue, readFileSync(path, 'utf8')).length} tickets opened\n`,
  },
  settings: {
    words: [0, 2],
    options: {},
    changes: true,
    run: settingsCommand,
  },
};
