import { TicketError } from './errors.js';
import { openTicket } from './ticket.js';

/** The fields that other help desks use for ours. */
const FOREIGN = { title: 'subject', summary: 'subject', account: 'customer', client: 'customer', severity: 'priority', group: 'team' };

const KNOWN = ['subject', 'customer', 'priority', 'team', 'openedAt'];

function translate(record, line) {
  const fields = {};
  for (const [key, value] of Object.entries(record)) {
    const name = FOREIGN[key] ?? key;
    if (!KNOWN.includes(name)) throw new TicketError(`line ${line}: unknown field "${key}"`);
    if (Object.hasOwn(fields, name)) throw new TicketError(`line ${line}: ${name} is there twice`);
    fields[name] = value;
  }
  return fields;
}

function parseLine(text, line) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    throw new TicketError(`line ${line}: not JSON`);
  }
  if (record === null || typeof record !== 'object' || Array.isArray(record)) {
    throw new TicketError(`line ${line}: an object is expected`);
  }
  return translate(record, line);
}

/**
 * Opens a ticket for each line of `text`, all or none.
 * Returns the new tickets.
 */
export function importTickets(queue, text) {
  const all = [];
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '') return;
    const line = index + 1;
    const fields = parseLine(content, line);
    try {
      openTicket(1, fields, { now: queue.now(), defaultPriority: 'normal' });
    } catch (error) {
      throw new TicketError(`line ${line}: ${error.message}`);
    }
    all.push(fields);
  });
  return all.map((fields) => queue.add(fields));
}
