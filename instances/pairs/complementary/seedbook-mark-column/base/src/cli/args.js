import { UsageError } from '../errors.js';

/**
 * Splits arguments into words and options. `known` maps an option's name to "value", "flag", or "many"
 * (may be given several times, a list); `--` ends the options.
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
    const at = argument.indexOf('=');
    const name = at < 0 ? argument.slice(2) : argument.slice(2, at);
    if (!Object.hasOwn(known, name)) throw new UsageError(`unknown option --${name}`);
    if (known[name] === 'flag') {
      if (at >= 0) throw new UsageError(`--${name} takes no value`);
      options[name] = true;
      continue;
    }
    const value = at < 0 ? argv[(index += 1)] : argument.slice(at + 1);
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    if (known[name] === 'many') options[name] = [...(options[name] ?? []), value];
    else options[name] = value;
  }
  return { words, options };
}
