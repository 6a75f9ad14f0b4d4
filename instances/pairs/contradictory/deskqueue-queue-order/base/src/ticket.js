import { TicketError } from './errors.js';
import { parsePriority } from './priorities.js';
import { formatTime, parseTime } from './time.js';

export const STATES = Object.freeze(['waiting', 'in-work', 'closed']);

function optionalName(value, what) {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new TicketError(`${what} must be text`);
  const name = value.trim().toLowerCase();
  return name === '' ? null : name;
}

function cleanSubject(value) {
  if (typeof value !== 'string' || value.trim() === '') throw new TicketError('a ticket needs a subject');
  return value.trim().replace(/\s+/g, ' ');
}

/** A new waiting ticket out of what somebody typed or sent. */
export function openTicket(number, fields, { now, defaultPriority }) {
  const given = fields.priority;
  const hasPriority = given !== undefined && given !== null && String(given).trim() !== '';
  const openedAt = fields.openedAt === undefined ? formatTime(now) : formatTime(parseTime(fields.openedAt));
  return {
    number,
    subject: cleanSubject(fields.subject),
    customer: optionalName(fields.customer, 'customer'),
    team: optionalName(fields.team, 'team'),
    priority: hasPriority ? parsePriority(given) : defaultPriority,
    openedAt,
    state: 'waiting',
    agent: null,
    history: [{ at: formatTime(now), event: 'opened' }],
  };
}

/** A ticket read back from a file, checked. */
export function restoreTicket(record) {
  if (record === null || typeof record !== 'object') throw new TicketError('a stored ticket must be an object');
  if (!Number.isInteger(record.number) || record.number < 1) throw new TicketError('a stored ticket needs a number');
  if (!STATES.includes(record.state)) throw new TicketError(`ticket ${record.number}: unknown state "${record.state}"`);
  return {
    number: record.number,
    subject: cleanSubject(record.subject),
    customer: optionalName(record.customer, 'customer'),
    team: optionalName(record.team, 'team'),
    priority: parsePriority(record.priority),
    openedAt: formatTime(parseTime(record.openedAt)),
    state: record.state,
    agent: record.agent ?? null,
    history: Array.isArray(record.history) ? record.history.map((entry) => ({ ...entry })) : [],
  };
}

/** A copy for the outside. */
export function copyTicket(ticket) {
  return { ...ticket, history: ticket.history.map((entry) => ({ ...entry })) };
}

export function noteEvent(ticket, now, event, by) {
  const entry = { at: formatTime(now), event };
  if (by !== undefined) entry.by = by;
  ticket.history.push(entry);
}
