import { SettingError } from './errors.js';
import { parsePriority } from './priorities.js';

const DEFINITIONS = {
  defaultPriority: { kind: 'level', default: 'normal' },
  maxPerAgent: { kind: 'count', default: 3 },
  showClosed: { kind: 'switch', default: false },
};

const CHECKS = {
  level(value) {
    return parsePriority(value);
  },
  count(value) {
    if (!Number.isInteger(value) || value < 1) throw new Error('a whole number from 1 is expected');
    return value;
  },
  switch(value) {
    if (typeof value !== 'boolean') throw new Error('true or false is expected');
    return value;
  },
};

const WORDS = {
  level: (text) => text,
  count: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  switch: (text) => ({ true: true, on: true, yes: true, false: false, off: false, no: false })[text.toLowerCase()],
};

export const DEFAULT_SETTINGS = Object.freeze(
  Object.fromEntries(Object.entries(DEFINITIONS).map(([key, definition]) => [key, definition.default])),
);

function definitionOf(key) {
  if (!Object.hasOwn(DEFINITIONS, key)) {
    throw new SettingError(`unknown setting "${key}"; there are ${Object.keys(DEFINITIONS).join(', ')}`);
  }
  return DEFINITIONS[key];
}

function checkOne(key, value) {
  const { kind } = definitionOf(key);
  try {
    return CHECKS[kind](value);
  } catch (error) {
    throw new SettingError(`${key}: ${error.message}`);
  }
}

/** Complete settings: the given ones, checked, over the defaults. */
export function checkSettings(given = {}) {
  const settings = { ...DEFAULT_SETTINGS };
  for (const [key, value] of Object.entries(given)) settings[key] = checkOne(key, value);
  return settings;
}

/** The value of a setting as typed on the command line. */
export function parseSetting(key, text) {
  const { kind } = definitionOf(key);
  return checkOne(key, WORDS[kind](text.trim()));
}
