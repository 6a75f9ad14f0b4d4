import { DeskError, UsageError } from '../errors.js';
import { loadQueue, saveQueue } from '../store.js';
import { parseTime } from '../time.js';
import { splitArguments } from './args.js';
import { COMMANDS } from './commands.js';

const COMMON = { file: 'value', now: 'value' };

function commandIn(argv) {
  // The first word that is no option and no option's value.
  for (let index = 0; index < argv.length; index += 1) {
    if (!argv[index].startsWith('--')) return argv[index];
    if (!argv[index].includes('=')) index += 1;
  }
  throw new UsageError(`a command is needed: ${Object.keys(COMMANDS).join(', ')}`);
}

function execute(argv) {
  const name = commandIn(argv);
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`unknown command "${name}"`);
  const command = COMMANDS[name];
  const { words, options } = splitArguments(argv, { ...COMMON, ...command.options });
  const { file, now, ...rest } = options;
  if (file === undefined) throw new UsageError('--file is needed');
  const given = words.slice(1);
  const [least, most] = command.words;
  if (given.length < least || given.length > most) throw new UsageError(`${name}: wrong number of arguments`);
  const fixed = now === undefined ? undefined : parseTime(now);
  const queue = loadQueue(file, { clock: fixed === undefined ? Date.now : () => fixed });
  const text = command.run(queue, given, rest);
  if (command.changes) saveQueue(file, queue);
  return text;
}

/** Runs one command; `io` has `out(text)` and `err(text)`. Returns the exit code. */
export function main(argv, io) {
  try {
    io.out(execute(argv));
    return 0;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    io.err(`deskqueue: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
