import { TicketError } from './errors.js';

/** From the least to the most pressing. */
export const LEVELS = Object.freeze(['low', 'normal', 'high', 'urgent']);

const ALIASES = { p1: 'urgent', p2: 'high', p3: 'normal', p4: 'low', critical: 'urgent', medium: 'normal' };

/** The level that a person meant: a name or an alias, in any case. */
export function parsePriority(text) {
  const word = String(text).trim().toLowerCase();
  const level = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  if (!LEVELS.includes(level)) {
    throw new TicketError(`unknown priority "${text}"; one of ${LEVELS.join(', ')} is expected`);
  }
  return level;
}

/** 0 for the least pressing level. */
export function rankOf(level) {
  const rank = LEVELS.indexOf(level);
  if (rank < 0) throw new TicketError(`unknown priority "${level}"`);
  return rank;
}
