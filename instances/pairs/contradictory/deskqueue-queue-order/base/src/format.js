import { compareTickets } from './order.js';
import { LEVELS } from './priorities.js';
import { formatWait } from './time.js';

const EMPTY = '-';

const LIST_COLUMNS = [
  { heading: 'POS', cell: (ticket) => String(ticket.position) },
  { heading: 'TICKET', cell: (ticket) => `#${ticket.number}` },
  { heading: 'PRIORITY', cell: (ticket) => ticket.priority },
  { heading: 'CUSTOMER', cell: (ticket) => ticket.customer ?? EMPTY },
  { heading: 'TEAM', cell: (ticket) => ticket.team ?? EMPTY },
  { heading: 'WAITED', cell: (ticket) => ticket.waited },
  { heading: 'SUBJECT', cell: (ticket) => ticket.subject },
];

function table(columns, rows) {
  const lines = [columns.map((column) => column.heading), ...rows.map((row) => columns.map((column) => column.cell(row)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  return lines
    .map((line) => line.map((cell, index) => cell.padEnd(widths[index])).join('  ').trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function forList(queue, filter) {
  const now = queue.now();
  return queue.waiting(filter).map((ticket) => ({
    ...ticket,
    position: queue.position(ticket.number),
    waited: formatWait(now - Date.parse(ticket.openedAt)),
  }));
}

/** The queue as a table, two spaces or more between the columns. */
export function renderList(queue, filter = {}) {
  const tickets = forList(queue, filter);
  return tickets.length === 0 ? 'Nothing waits.\n' : table(LIST_COLUMNS, tickets);
}

/** The queue as JSON, one object a ticket, without the histories. */
export function listAsJson(queue, filter = {}) {
  const tickets = forList(queue, filter).map(({ history, ...rest }) => rest);
  return `${JSON.stringify(tickets, null, 2)}\n`;
}

function oneLine(ticket) {
  const customer = ticket.customer ? ` [${ticket.customer}]` : '';
  return `  #${ticket.number} ${ticket.subject}${customer}\n`;
}

/** The queue under one heading for each priority, the most pressing first. */
export function renderBoard(queue, filter = {}) {
  const tickets = queue.waiting(filter);
  let text = '';
  for (const level of [...LEVELS].reverse()) {
    const here = tickets.filter((ticket) => ticket.priority === level);
    text += `${level.toUpperCase()} (${here.length})\n${here.map(oneLine).join('')}`;
  }
  return text;
}

/** For the change of shift: each team's state and its first tickets. */
export function renderHandover(queue, { perTeam = 3 } = {}) {
  const teams = new Map();
  const teamOf = (ticket) => {
    const name = ticket.team ?? '(no team)';
    if (!teams.has(name)) teams.set(name, { waiting: [], inWork: 0 });
    return teams.get(name);
  };
  for (const ticket of queue.waiting()) teamOf(ticket).waiting.push(ticket);
  for (const ticket of queue.inWork()) teamOf(ticket).inWork += 1;
  let text = '';
  for (const name of [...teams.keys()].sort()) {
    const { waiting, inWork } = teams.get(name);
    const first = waiting.sort(compareTickets).slice(0, perTeam);
    text += `${name}: ${waiting.length} waiting, ${inWork} in work\n${first.map(oneLine).join('')}`;
  }
  return text === '' ? 'Nothing to hand over.\n' : text;
}

export function renderSummary(summary) {
  const total = Object.values(summary.waiting).reduce((sum, count) => sum + count, 0);
  const parts = [...LEVELS].reverse().map((level) => `${summary.waiting[level]} ${level}`);
  let text = `waiting: ${total} (${parts.join(', ')})\nin work: ${summary.inWork}\n`;
  if (summary.closed !== undefined) text += `closed: ${summary.closed}\n`;
  return text;
}
