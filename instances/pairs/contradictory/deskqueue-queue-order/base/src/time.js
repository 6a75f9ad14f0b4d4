import { TicketError } from './errors.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Milliseconds since 1970 of an ISO 8601 time. */
export function parseTime(text) {
  const value = typeof text === 'string' && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(value)) throw new TicketError(`not a time: ${JSON.stringify(text)}`);
  return value;
}

export function formatTime(milliseconds) {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** A wait as people say it: the largest two units, "2d 3h", "45m". */
export function formatWait(milliseconds) {
  const rest = Math.max(0, milliseconds);
  const days = Math.floor(rest / DAY);
  const hours = Math.floor((rest % DAY) / HOUR);
  const minutes = Math.floor((rest % HOUR) / MINUTE);
  if (days > 0) return hours > 0 ? `${days}d ${hours}h` : `${days}d`;
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`;
  return `${minutes}m`;
}
