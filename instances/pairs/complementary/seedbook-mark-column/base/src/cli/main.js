import { SeedbookError, UsageError } from '../errors.js';
import { loadLedger, saveLedger } from '../store.js';
import { splitArguments } from './args.js';
import { COMMANDS } from './commands.js';

function takeFile(argv) {
  if (argv[0] === '--file') return { file: argv[1], rest: argv.slice(2) };
  if (argv[0]?.startsWith('--file=')) return { file: argv[0].slice('--file='.length), rest: argv.slice(1) };
  return { file: undefined, rest: argv };
}

function execute(argv) {
  const { file, rest } = takeFile(argv);
  const [name, ...given] = rest;
  if (name === undefined || !Object.hasOwn(COMMANDS, name)) {
    throw new UsageError(`a command is needed: ${Object.keys(COMMANDS).join(', ')}`);
  }
  const command = COMMANDS[name];
  const { words, options } = splitArguments(given, command.options);
  if (words.length !== command.words) throw new UsageError(`${name}: ${command.words} arguments are expected`);
  if (command.alone) return command.run(null, words, options);
  if (file === undefined) throw new UsageError('--file is needed');
  const ledger = loadLedger(file);
  const text = command.run(ledger, words, options);
  if (command.changes) saveLedger(file, ledger);
  return text;
}

/** Runs one command; `io` has `out(text)` and `err(text)`. Returns the exit code. */
export function main(argv, io) {
  try {
    io.out(execute(argv));
    return 0;
  } catch (error) {
    if (!(error instanceof SeedbookError)) throw error;
    io.err(`seedbook: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
