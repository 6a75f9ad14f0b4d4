// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Argument, Command, InvalidArgumentError, Option } = require('../index.js');

/** A program that neither exits nor prints, and what it would have printed. */
function program() {
  const out = [];
  const command = new Command('tool');
  command.exitOverride().configureOutput({ writeErr: (text) => out.push(text), writeOut: (text) => out.push(text) });
  command.printed = out;
  return command;
}

/** Runs with variables in the environment. */
function withEnv(variables, run) {
  Object.assign(process.env, variables);
  try {
    return run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

/** How parsing ends: the values, or the error with all that is printed. */
function outcome(build, argv, variables = {}) {
  const command = program();
  let acted = false;
  build(command);
  for (const one of [command, ...command.commands]) one.action(() => { acted = true; });
  return withEnv(variables, () => {
    try {
      command.parse(argv, { from: 'user' });
      return { acted, options: command.opts(), args: command.processedArgs };
    } catch (error) {
      return { acted, name: error.name, code: error.code, exitCode: error.exitCode, message: error.message, printed: command.printed.join('') };
    }
  });
}

const MESSAGES = [['Not a port.'], [''], []];

/** The ways to hand over a processing function, and command lines on which it meets the value 'bad'. */
const WAYS = {
  option: [(command, parse) => command.option('-p, --port <n>', 'a port', parse), ['--port', 'bad']],
  'option with a default': [(command, parse) => command.option('-p, --port <n>', 'a port', parse, 7), ['-p', 'bad']],
  'optional value': [(command, parse) => command.option('--port [n]', 'a port', parse), ['--port=bad']],
  requiredOption: [(command, parse) => command.requiredOption('-p, --port <n>', 'a port', parse), ['-pbad']],
  'argParser of an option': [(command, parse) => command.addOption(new Option('--port <n>').argParser(parse)), ['--port', 'bad']],
  'variadic option': [(command, parse) => command.option('--port <n...>', 'ports', parse), ['--port', '1', 'bad', '3']],
  'repeated option': [(command, parse) => command.option('--port <n>', 'ports', parse), ['--port', '1', '--port', 'bad']],
  'a variable': [(command, parse) => command.addOption(new Option('--port <n>').env('TOOL_PORT').argParser(parse)), [], { TOOL_PORT: 'bad' }],
  preset: [(command, parse) => command.addOption(new Option('--port [n]').preset('bad').argParser(parse)), ['--port']],
  argument: [(command, parse) => command.argument('<port>', 'a port', parse), ['bad']],
  'optional argument': [(command, parse) => command.argument('[port]', 'a port', parse, 7), ['bad']],
  'argParser of an argument': [(command, parse) => command.addArgument(new Argument('<port>').argParser(parse)), ['bad']],
  'variadic argument': [(command, parse) => command.argument('<ports...>', 'ports', parse), ['1', 'bad', '3']],
  subcommand: [(command, parse) => command.command('start').option('--port <n>', 'a port', parse), ['start', '--port', 'bad']],
};

for (const [way, [build, argv, variables]] of Object.entries(WAYS)) {
  test(`a refusal is an invalid argument: ${way}`, () => {
    for (const message of MESSAGES) {
      const got = outcome((command) => build(command, (value, previous, refuse) => (value === 'bad' ? refuse(...message) : value)), argv, variables);
      const want = outcome((command) => build(command, (value) => { if (value === 'bad') throw new InvalidArgumentError(...message); return value; }), argv, variables);
      assert.equal(want.code, 'commander.invalidArgument');
      assert.deepEqual(got, want);
      assert.equal(got.acted, false);
    }
  });

  test(`a refusal does not return, and stands when it is caught: ${way}`, () => {
    const want = outcome((command) => build(command, (value) => { if (value === 'bad') throw new InvalidArgumentError('First.'); return value; }), argv, variables);
    let after = 0;
    const careful = {
      falls: (value, previous, refuse) => { if (value === 'bad') { refuse('First.'); after += 1; } return value; },
      'returns a fallback': (value, previous, refuse) => { try { if (value === 'bad') refuse('First.'); return value; } catch { return 0; } },
      'throws something else': (value, previous, refuse) => { try { if (value === 'bad') refuse('First.'); return value; } catch { throw new TypeError('what?'); } },
      'refuses again': (value, previous, refuse) => { try { if (value === 'bad') refuse('First.'); return value; } catch { return refuse('Second.'); } },
      'throws the error of the library': (value, previous, refuse) => {
        try { if (value === 'bad') refuse('First.'); return value; } catch { throw new InvalidArgumentError('Third.'); }
      },
      'finally returns': (value, previous, refuse) => { try { if (value === 'bad') refuse('First.'); } finally { return value; } }, // eslint-disable-line no-unsafe-finally
    };
    for (const [what, parse] of Object.entries(careful)) {
      assert.deepEqual(outcome((command) => build(command, parse), argv, variables), want, what);
    }
    assert.equal(after, 0);
  });
}

test('the message as the user sees it', () => {
  const port = (value, previous, refuse) => (/^\d+$/.test(value) ? Number(value) : refuse('Not a port.'));
  assert.match(outcome((command) => command.option('-p, --port <n>', '', port), ['--port', 'x']).printed,
    /^error: option '-p, --port <n>' argument 'x' is invalid\. Not a port\.\n$/);
  assert.match(outcome((command) => command.addOption(new Option('--port <n>').env('TOOL_PORT').argParser(port)), [], { TOOL_PORT: 'y' }).printed,
    /value 'y' from env 'TOOL_PORT' is invalid\. Not a port\.\n$/);
  assert.match(outcome((command) => command.argument('<port>', '', port), ['z']).printed, /value 'z' is invalid for argument 'port'\. Not a port\.\n$/);
});

test('what is not refused is taken as before', () => {
  const sum = (value, previous, refuse) => (value === 'bad' ? refuse('Bad.') : previous + Number(value));
  const build = (command) => command.option('-a, --add <n>', 'add', sum, 100).argument('[more...]', 'more', sum, 1000);
  assert.deepEqual(outcome(build, ['-a', '1', '5', '-a', '2', '6']), { acted: true, options: { add: 103 }, args: [1011] });
  assert.deepEqual(outcome(build, []), { acted: true, options: { add: 100 }, args: [1000] });
  assert.equal(outcome(build, ['-a', '1', '-a', 'bad']).code, 'commander.invalidArgument');
});

test('one refusal does not spoil the next reading', () => {
  const command = program();
  command.option('--port <n>', 'a port', (value, previous, refuse) => (value === 'bad' ? refuse('Bad.') : value)).action(() => {});
  assert.throws(() => command.parse(['--port', 'bad'], { from: 'user' }), { code: 'commander.invalidArgument' });
  command.parse(['--port', 'good'], { from: 'user' });
  assert.equal(command.opts().port, 'good');
});

test('errors that are thrown work as they did, with a refusal at hand', () => {
  const other = new RangeError('mine');
  const throwing = (error) => (value, previous, refuse) => { assert.equal(typeof refuse, 'function'); throw error; };
  for (const [build, argv] of [
    [(command, parse) => command.option('--port <n>', '', parse), ['--port', '1']],
    [(command, parse) => command.argument('<port>', '', parse), ['1']],
  ]) {
    const command = program();
    build(command, throwing(other)).action(() => {});
    assert.throws(() => command.parse(argv, { from: 'user' }), (error) => error === other);
    assert.match(outcome((one) => build(one, throwing(new InvalidArgumentError('Thrown.'))), argv).printed, /is invalid.* Thrown\.\n$/);
  }
});
