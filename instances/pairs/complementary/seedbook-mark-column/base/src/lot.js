import { parseGrams } from './amounts.js';
import { LotError } from './errors.js';

export const STATUSES = Object.freeze(['stored', 'reserved', 'spent']);

const LONGEST_MARK = 60;

function text(value, what) {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new LotError(`${what} must be text`);
  return value.trim();
}

/** An id as it is kept: upper case. */
export function cleanId(value) {
  const id = text(value, 'id').toUpperCase();
  if (!/^[A-Z0-9]+(-[A-Z0-9]+)*$/.test(id)) throw new LotError(`not an id: "${value}"`);
  return id;
}

function date(value) {
  const given = text(value, 'collected');
  if (given === '') return '';
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(given);
  const day = match && new Date(`${given}T00:00:00Z`);
  if (!day || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== given) {
    throw new LotError(`not a date: "${given}"`);
  }
  return given;
}

function grams(value) {
  const amount = parseGrams(value);
  if (amount === null) throw new LotError(`not an amount in grams: "${value}"`);
  return amount;
}

function species(value) {
  const name = text(value, 'species').replace(/\s+/g, ' ');
  if (name === '') throw new LotError('a lot needs a species');
  return name;
}

export function cleanStatus(value) {
  const status = text(value, 'status').toLowerCase() || 'stored';
  if (!STATUSES.includes(status)) throw new LotError(`unknown status "${value}"; there are ${STATUSES.join(', ')}`);
  return status;
}

/** A mark as it is kept. */
export function cleanMark(value) {
  const mark = text(value, 'a mark');
  if (mark === '') throw new LotError('a mark cannot be empty');
  if (/[\r\n]/.test(mark)) throw new LotError('a mark cannot have line breaks');
  if (mark.length > LONGEST_MARK) throw new LotError(`a mark has at most ${LONGEST_MARK} characters`);
  return mark;
}

const CLEANERS = {
  id: cleanId,
  species,
  site: (value) => text(value, 'site'),
  collected: date,
  grams,
  status: cleanStatus,
  notes: (value) => text(value, 'notes'),
};

export const FIELDS = Object.freeze(Object.keys(CLEANERS));

/** The given fields, each checked; unknown ones are refused. */
export function cleanFields(fields) {
  const clean = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(CLEANERS, name)) throw new LotError(`unknown field "${name}"`);
    clean[name] = CLEANERS[name](value);
  }
  return clean;
}

/** A whole lot, without marks. */
export function newLot(fields) {
  const all = Object.fromEntries(FIELDS.map((name) => [name, fields[name]]));
  return { ...cleanFields({ ...fields, ...all }), marks: [] };
}
