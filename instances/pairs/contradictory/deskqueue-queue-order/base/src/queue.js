import { NotFoundError, StateError, TicketError } from './errors.js';
import { insertInOrder, takeOut } from './order.js';
import { LEVELS, parsePriority } from './priorities.js';
import { checkSettings } from './settings.js';
import { copyTicket, noteEvent, openTicket, restoreTicket } from './ticket.js';

function sameName(name, wanted) {
  return wanted === undefined || wanted === null || name === String(wanted).trim().toLowerCase();
}

function matches(ticket, { team, customer } = {}) {
  return sameName(ticket.team, team) && sameName(ticket.customer, customer);
}

export class TicketQueue {
  #tickets = new Map();
  // Those that wait, always kept in queue order.
  #waiting = [];
  #lastNumber = 0;
  #settings;
  #clock;

  constructor({ settings = {}, clock = Date.now } = {}) {
    this.#settings = checkSettings(settings);
    this.#clock = clock;
  }

  /** A queue out of what `toJSON` gave. */
  static fromJSON(data, { clock = Date.now } = {}) {
    if (data === null || typeof data !== 'object' || !Array.isArray(data.tickets)) {
      throw new TicketError('not a queue: a list of tickets is missing');
    }
    const queue = new TicketQueue({ settings: data.settings ?? {}, clock });
    for (const record of data.tickets) queue.#restore(restoreTicket(record));
    queue.#lastNumber = Math.max(queue.#lastNumber, data.lastNumber ?? 0);
    return queue;
  }

  #restore(ticket) {
    if (this.#tickets.has(ticket.number)) throw new TicketError(`ticket ${ticket.number} is there twice`);
    this.#tickets.set(ticket.number, ticket);
    if (ticket.state === 'waiting') insertInOrder(this.#waiting, ticket);
    this.#lastNumber = Math.max(this.#lastNumber, ticket.number);
  }

  toJSON() {
    return {
      format: 'deskqueue/1',
      lastNumber: this.#lastNumber,
      settings: { ...this.#settings },
      tickets: [...this.#tickets.values()].sort((left, right) => left.number - right.number).map(copyTicket),
    };
  }

  get settings() {
    return { ...this.#settings };
  }

  set(key, value) {
    this.#settings = checkSettings({ ...this.#settings, [key]: value });
  }

  now() {
    return this.#clock();
  }

  /** Opens a ticket; `openedAt` may be given for tickets that waited elsewhere before. */
  add(fields) {
    const ticket = openTicket(this.#lastNumber + 1, fields, {
      now: this.now(),
      defaultPriority: this.#settings.defaultPriority,
    });
    this.#lastNumber = ticket.number;
    this.#tickets.set(ticket.number, ticket);
    insertInOrder(this.#waiting, ticket);
    return copyTicket(ticket);
  }

  get(number) {
    return copyTicket(this.#find(number));
  }

  /** All that wait, in queue order. */
  waiting(filter = {}) {
    return this.#waiting.filter((ticket) => matches(ticket, filter)).map(copyTicket);
  }

  /** The ticket that `claim` would hand out, or null. */
  next(filter = {}) {
    const ticket = this.#first(filter);
    return ticket ? copyTicket(ticket) : null;
  }

  /** Gives the next ticket to `agent`; null when nothing waits. */
  claim(agent, filter = {}) {
    if (typeof agent !== 'string' || agent.trim() === '') throw new TicketError('who claims? an agent is needed');
    const name = agent.trim();
    const held = this.inWork().filter((ticket) => ticket.agent === name).length;
    if (held >= this.#settings.maxPerAgent) {
      throw new StateError(`${name} has ${held} tickets in work, more are not allowed`);
    }
    const ticket = this.#first(filter);
    if (!ticket) return null;
    takeOut(this.#waiting, ticket.number);
    ticket.state = 'in-work';
    ticket.agent = name;
    noteEvent(ticket, this.now(), 'claimed', name);
    return copyTicket(ticket);
  }

  /** Back into the queue. */
  release(number) {
    const ticket = this.#inState(number, 'in-work');
    const by = ticket.agent;
    ticket.state = 'waiting';
    ticket.agent = null;
    noteEvent(ticket, this.now(), 'released', by);
    insertInOrder(this.#waiting, ticket);
    return copyTicket(ticket);
  }

  close(number) {
    const ticket = this.#find(number);
    if (ticket.state === 'closed') throw new StateError(`ticket ${number} is closed already`);
    takeOut(this.#waiting, number);
    const by = ticket.agent ?? undefined;
    ticket.state = 'closed';
    ticket.agent = null;
    noteEvent(ticket, this.now(), 'closed', by);
    return copyTicket(ticket);
  }

  /** Gives a ticket another priority; a waiting one finds its new place. */
  reprioritise(number, level) {
    const ticket = this.#find(number);
    if (ticket.state === 'closed') throw new StateError(`ticket ${number} is closed`);
    takeOut(this.#waiting, number);
    ticket.priority = parsePriority(level);
    noteEvent(ticket, this.now(), `priority ${ticket.priority}`);
    if (ticket.state === 'waiting') insertInOrder(this.#waiting, ticket);
    return copyTicket(ticket);
  }

  /** The place of a waiting ticket in the whole queue, from 1. */
  position(number) {
    this.#inState(number, 'waiting');
    return this.#waiting.findIndex((ticket) => ticket.number === number) + 1;
  }

  /** Those in work, in the order of their numbers. */
  inWork(filter = {}) {
    return [...this.#tickets.values()]
      .filter((ticket) => ticket.state === 'in-work' && matches(ticket, filter))
      .sort((left, right) => left.number - right.number)
      .map(copyTicket);
  }

  summary() {
    const waiting = Object.fromEntries(LEVELS.map((level) => [level, 0]));
    let closed = 0;
    for (const ticket of this.#tickets.values()) {
      if (ticket.state === 'waiting') waiting[ticket.priority] += 1;
      if (ticket.state === 'closed') closed += 1;
    }
    const result = { waiting, inWork: this.inWork().length };
    if (this.#settings.showClosed) result.closed = closed;
    return result;
  }

  #first(filter) {
    return this.#waiting.find((ticket) => matches(ticket, filter));
  }

  #find(number) {
    const ticket = this.#tickets.get(number);
    if (!ticket) throw new NotFoundError(`there is no ticket ${number}`);
    return ticket;
  }

  #inState(number, state) {
    const ticket = this.#find(number);
    if (ticket.state !== state) throw new StateError(`ticket ${number} is ${ticket.state}, not ${state}`);
    return ticket;
  }
}
