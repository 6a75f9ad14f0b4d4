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

function run(build, argv, variables = {}) {
  const command = program();
  build(command);
  command.action(() => {});
  const result = { command };
  withEnv(variables, () => {
    try {
      command.parse(argv, { from: 'user' });
    } catch (error) {
      result.error = error;
    }
  });
  result.printed = command.printed.join('');
  return result;
}

/** Written by somebody who knows the kit's way only. */
const port = (value, previous, refuse) => (/^\d+$/.test(value) ? Number(value) : refuse('Not a port.'));
/** Written by somebody who knows the origin only. */
const labelled = (value, previous, { source, name, flags, envVar }) => [source, name, flags, envVar, value];
/** Uses both. */
const both = (value, previous, third) => {
  const { source, name, flags, envVar, command } = third;
  if (value === 'bad') third(`${source} ${name} ${flags} ${envVar} ${command.name()}.`);
  return value;
};

test('functions of either kind side by side', () => {
  const build = (command) => command.option('-p, --port <n>', 'a port', port)
    .addOption(new Option('-n, --name <x>').env('TOOL_NAME').argParser(labelled)).argument('<first>', 'one', port).argument('[rest...]', 'more', labelled);
  const good = run(build, ['-p', '80', '81', 'z'], { TOOL_NAME: 'x' });
  assert.equal(good.error, undefined);
  assert.deepEqual(good.command.opts(), { port: 80, name: ['env', 'name', '-n, --name <x>', 'TOOL_NAME', 'x'] });
  assert.deepEqual(good.command.processedArgs, [81, ['cli', 'rest', undefined, undefined, 'z']]);
  assert.match(run(build, ['-p', 'x', '81']).printed, /argument 'x' is invalid\. Not a port\.\n$/);
  assert.match(run(build, ['-p', '80', 'y']).printed, /value 'y' is invalid for argument 'first'\. Not a port\.\n$/);
});

test('a refusal that tells where the value comes from', () => {
  const build = (command) => command.addOption(new Option('-n, --name <x>').env('TOOL_NAME').argParser(both)).argument('[file...]', 'files', both);
  for (const [argv, variables, said] of [
    [['-n', 'bad'], {}, 'cli name -n, --name <x> undefined tool.'],
    [['-n', 'ok', '-n', 'bad'], {}, 'cli name -n, --name <x> undefined tool.'],
    [[], { TOOL_NAME: 'bad' }, 'env name -n, --name <x> TOOL_NAME tool.'],
    [['ok', 'bad'], {}, 'cli file undefined undefined tool.'],
  ]) {
    const { error, printed } = run(build, argv, variables);
    assert.equal(error.code, 'commander.invalidArgument');
    assert.equal(error.exitCode, 1);
    assert.ok(printed.endsWith(` is invalid. ${said}\n`) || printed.endsWith(` is invalid for argument 'file'. ${said}\n`), printed);
  }
  assert.equal(run(build, ['-n', 'ok', 'x', 'y']).error, undefined);
});

test('only what comes from the environment is refused', () => {
  const typed = (value, previous, third) => (third.source === 'env' ? third(`Type it instead of setting ${third.envVar}.`) : value);
  const build = (command) => command.addOption(new Option('--token <t>').env('TOOL_TOKEN').argParser(typed));
  assert.equal(run(build, ['--token', 'x'], { TOOL_TOKEN: 'y' }).command.opts().token, 'x');
  assert.match(run(build, [], { TOOL_TOKEN: 'y' }).printed, /from env 'TOOL_TOKEN' is invalid\. Type it instead of setting TOOL_TOKEN\.\n$/);
});

test('a refusal stands when it is caught, and tells of its own call', () => {
  const caught = (value, previous, third) => { try { return both(value, previous, third); } catch { return third.name; } };
  const build = (command) => command.option('--length <x>', '', caught).option('--tags <x...>', '', caught).argument('[name]', '', caught);
  assert.match(run(build, ['--length', 'bad']).printed, /is invalid\. cli length --length <x> undefined tool\.\n$/);
  assert.match(run(build, ['--tags', 'a', 'bad', 'c']).printed, /is invalid\. cli tags --tags <x\.\.\.> undefined tool\.\n$/);
  assert.match(run(build, ['bad']).printed, /for argument 'name'\. cli name undefined undefined tool\.\n$/);
  assert.equal(run(build, ['--length', '1', '--tags', 'a', 'b', '--', 'n']).error, undefined);
});

test('in a subcommand', () => {
  const command = program();
  const start = command.command('start').option('--port <n>', 'a port', both).action(() => {});
  let seen;
  start.argument('[file]', 'a file', (value, previous, third) => { seen = third.command; return value; });
  command.parse(['start', 'f'], { from: 'user' });
  assert.equal(seen, start);
  assert.throws(() => command.parse(['start', '--port', 'bad'], { from: 'user' }), { code: 'commander.invalidArgument', message: /cli port --port <n> undefined start\.$/ });
});
