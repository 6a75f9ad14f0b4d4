import { UsageError } from '../errors.js';

/**
 * Splits arguments into words and options. `known` maps an option's name to "value" or "flag";
 * `--` ends the options.
 */
export function splitArguments(argv, known) {
  const words = [];
  const options = {};
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index];
    if (argument === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!argument.startsWith('--')) {
      words.push(argument);
      continue;
    }
    const [name, inline] = splitOnce(argument.slice(2));
    if (!Object.hasOwn(known, name)) throw new UsageError(`unknown option --${name}`);
    if (known[name] === 'flag') {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
      options[name] = true;
      continue;
    }
    const value = inline ?? argv[(index += 1)];
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    options[name] = value;
  }
  return { words, options };
}

function splitOnce(text) {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** A whole number from 1, such as a ticket's; "#12" is 12. */
export function wholeNumber(text, what) {
  const match = /^#?([1-9]\d*)$/.exec(text ?? '');
  if (!match) throw new UsageError(`${what}: a number is expected, not "${text ?? ''}"`);
  return Number(match[1]);
}
