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

const readBy = (command, ...argv) => command.action(() => {}).parse(argv, { from: 'user' });

test('options of all kinds', () => {
  const command = program().option('-a, --all').option('-n, --number <n>', 'a number', parseFloat).option('--no-color').option('-x, --extra [x]');
  assert.deepEqual(readBy(command, '-a', '-n', '1.5', '--extra').opts(), { all: true, number: 1.5, color: true, extra: true });
});

test('values are collected', () => {
  const command = program().option('-c, --collect <x>', '', (value, previous) => previous.concat([value]), []).option('-v, --verbose', '', (_, previous) => previous + 1, 0);
  assert.deepEqual(readBy(command, '-c', 'a', '-vv', '-c', 'b').opts(), { collect: ['a', 'b'], verbose: 2 });
});

test('values from the environment', () => {
  const build = () => program().addOption(new Option('--port <n>').env('TOOL_PORT').argParser(Number));
  const command = build();
  withEnv({ TOOL_PORT: '8' }, () => readBy(command));
  assert.deepEqual([command.opts().port, command.getOptionValueSource('port')], [8, 'env']);
  const other = build();
  withEnv({ TOOL_PORT: '8' }, () => readBy(other, '--port', '9'));
  assert.deepEqual([other.opts().port, other.getOptionValueSource('port')], [9, 'cli']);
});

test('choices', () => {
  const build = () => program().addOption(new Option('--size <s>').choices(['s', 'm'])).addArgument(new Argument('[colour]').choices(['red']));
  assert.deepEqual(readBy(build(), '--size', 's', 'red').processedArgs, ['red']);
  assert.throws(() => readBy(build(), '--size', 'x'), { code: 'commander.invalidArgument', message: /Allowed choices are s, m\.$/ });
  assert.throws(() => readBy(build(), 'blue'), { code: 'commander.invalidArgument', message: /for argument 'colour'\. Allowed choices are red\.$/ });
});

test('arguments are processed', () => {
  const command = program().argument('<n>', '', Number).argument('[more...]', '', (value, previous) => previous + Number(value), 0);
  assert.deepEqual(readBy(command, '1', '2', '3').processedArgs, [1, 5]);
});

test('processing functions may throw', () => {
  const own = new Error('mine');
  for (const [error, want] of [[own, (got) => got === own], [new InvalidArgumentError('No.'), { code: 'commander.invalidArgument', exitCode: 1, message: /is invalid\. No\.$/ }]]) {
    assert.throws(() => readBy(program().option('-x <x>', '', () => { throw error; }), '-x', '1'), want);
  }
});

test('subcommands', () => {
  const command = program();
  let got;
  command.command('start <name>').option('--fast').action((name, options) => { got = [name, options]; });
  command.parse(['start', 'it', '--fast'], { from: 'user' });
  assert.deepEqual(got, ['it', { fast: true }]);
  assert.throws(() => command.parse(['stop'], { from: 'user' }), { code: 'commander.unknownCommand' });
});

test('help', () => {
  const command = program().option('-p, --port <n>', 'a port', Number, 80).argument('<file>', 'a file');
  assert.throws(() => command.parse(['--help'], { from: 'user' }), { code: 'commander.helpDisplayed' });
  assert.match(command.printed.join(''), /-p, --port <n> +a port \(default: 80\)/);
});
