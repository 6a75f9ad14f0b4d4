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

/** A processing function that writes down what it is told. */
function recorder() {
  const told = [];
  const parse = (value, previous, { source, name, flags, envVar, command }) => {
    told.push({ value, previous, source, name, flags, envVar, command });
    return value;
  };
  return { told, parse };
}

function read(command, argv, variables = {}) {
  command.action(() => {});
  withEnv(variables, () => command.parse(argv, { from: 'user' }));
}

test('an option on the command line', () => {
  const ways = [
    (command, parse) => command.option('-c, --cache-dir <path>', 'where', parse),
    (command, parse) => command.option('-c, --cache-dir <path>', 'where', parse, undefined),
    (command, parse) => command.requiredOption('-c, --cache-dir <path>', 'where', parse),
    (command, parse) => command.addOption(new Option('-c, --cache-dir <path>').argParser(parse)),
    (command, parse) => command.addOption(new Option('-c, --cache-dir <path>').env('TOOL_CACHE').argParser(parse)),
  ];
  for (const build of ways) {
    for (const argv of [['-c', 'x'], ['-cx'], ['--cache-dir', 'x'], ['--cache-dir=x']]) {
      const command = program();
      const { told, parse } = recorder();
      build(command, parse);
      read(command, argv);
      assert.deepEqual(told.map(({ command: _, ...rest }) => rest),
        [{ value: 'x', previous: undefined, source: 'cli', name: 'cacheDir', flags: '-c, --cache-dir <path>', envVar: undefined }]);
      assert.equal(told[0].command, command);
      assert.deepEqual(command.opts(), { cacheDir: 'x' });
    }
  }
});

test('names and flags of all forms', () => {
  for (const [flags, name, argv] of [
    ['-p <n>', 'p', ['-p', '1']], ['--port [n]', 'port', ['--port', '1']], ['--ws, --workspace <n>', 'workspace', ['--ws', '1']],
    ['--a-b-c <n>', 'aBC', ['--a-b-c', '1']], ['--name <x>', 'name', ['--name', '1']], ['--length <x>', 'length', ['--length', '1']], ['--Name <x>', 'Name', ['--Name', '1']],
  ]) {
    const command = program();
    const { told, parse } = recorder();
    command.addOption(new Option(flags).argParser(parse));
    read(command, argv);
    assert.deepEqual([told[0].name, told[0].flags, told[0].source], [name, flags, 'cli']);
  }
});

test('an option from the environment', () => {
  const command = program();
  const { told, parse } = recorder();
  command.addOption(new Option('-p, --port <n>').env('TOOL_PORT').default(80).argParser(parse));
  command.addOption(new Option('--host-name <n>').env('TOOL_HOST').argParser(parse));
  read(command, ['--host-name', 'typed'], { TOOL_PORT: '81', TOOL_HOST: 'ignored' });
  assert.deepEqual(told.map(({ command: _, ...rest }) => rest), [
    { value: 'typed', previous: undefined, source: 'cli', name: 'hostName', flags: '--host-name <n>', envVar: undefined },
    { value: '81', previous: 80, source: 'env', name: 'port', flags: '-p, --port <n>', envVar: 'TOOL_PORT' },
  ]);
  assert.ok(told.every((one) => one.command === command));
});

test('each of several values is told of for itself', () => {
  const command = program();
  const told = [];
  const collect = (value, previous, origin) => { told.push([value, origin.source, origin.name, origin.envVar]); return [...previous, value]; };
  command.addOption(new Option('-t, --tag <tag...>').default([]).env('TOOL_TAG').argParser(collect));
  command.addOption(new Option('-v, --verbose').default([]).env('TOOL_VERBOSE').argParser(collect));
  read(command, ['-t', 'a', 'b', '-t', 'c', '-v', '-v']);
  assert.deepEqual(told, [['a', 'cli', 'tag', undefined], ['b', 'cli', 'tag', undefined], ['c', 'cli', 'tag', undefined],
    [undefined, 'cli', 'verbose', undefined], [undefined, 'cli', 'verbose', undefined]]);
  assert.deepEqual(command.opts(), { tag: ['a', 'b', 'c'], verbose: [undefined, undefined] });
  told.length = 0;
  const fresh = program();
  fresh.addOption(new Option('-t, --tag <tag...>').default([]).env('TOOL_TAG').argParser(collect));
  read(fresh, [], { TOOL_TAG: 'e' });
  assert.deepEqual(told, [['e', 'env', 'tag', 'TOOL_TAG']]);
});

test('what was told stays as it was', () => {
  const kept = [];
  const keep = (value, previous, origin) => { kept.push(origin); return value; };
  const command = program();
  command.addOption(new Option('--one <x>').argParser(keep)).addOption(new Option('--two <x>').env('TOOL_TWO').argParser(keep)).argument('<file>', '', keep);
  read(command, ['--one', '1', 'f'], { TOOL_TWO: '2' });
  assert.deepEqual(kept.map(({ source, name, flags, envVar }) => [source, name, flags, envVar]),
    [['cli', 'one', '--one <x>', undefined], ['env', 'two', '--two <x>', 'TOOL_TWO'], ['cli', 'file', undefined, undefined]]);
});

test('command-arguments', () => {
  const ways = [
    (command, parse) => command.argument('<file>', 'a file', parse).argument('[copies...]', 'copies', parse),
    (command, parse) => command.addArgument(new Argument('<file>').argParser(parse)).addArgument(new Argument('[copies...]').argParser(parse)),
  ];
  for (const build of ways) {
    const command = program();
    const { told, parse } = recorder();
    build(command, parse);
    read(command, ['x', 'y', 'z']);
    assert.deepEqual(told.map(({ command: _, ...rest }) => rest), [
      { value: 'x', previous: undefined, source: 'cli', name: 'file', flags: undefined, envVar: undefined },
      { value: 'y', previous: undefined, source: 'cli', name: 'copies', flags: undefined, envVar: undefined },
      { value: 'z', previous: 'y', source: 'cli', name: 'copies', flags: undefined, envVar: undefined },
    ]);
    assert.ok(told.every((one) => one.command === command));
    assert.deepEqual(command.processedArgs, ['x', 'z']);
  }
});

test('subcommands tell of themselves', () => {
  const command = program();
  const { told, parse } = recorder();
  command.option('--global <x>', 'for all', parse);
  const start = command.command('start').argument('<name>', 'what', parse).option('--port <n>', 'where', parse).action(() => {});
  read(command, ['--global', 'g', 'start', '--port', '1', 'it']);
  assert.deepEqual(told.map(({ value, name, command: one }) => [value, name, one === start ? 'start' : one === command ? 'tool' : '?']),
    [['g', 'global', 'tool'], ['1', 'port', 'start'], ['it', 'name', 'start']]);
});

test('a message can be made of it', () => {
  const port = (value, previous, { source, envVar, flags }) => {
    if (/^\d+$/.test(value)) return Number(value);
    throw new InvalidArgumentError(source === 'env' ? `Look at ${envVar}.` : `You typed it after ${flags}.`);
  };
  for (const [argv, variables, said] of [[['--port', 'x'], {}, 'You typed it after --port <n>.'], [[], { TOOL_PORT: 'x' }, 'Look at TOOL_PORT.']]) {
    const command = program();
    command.addOption(new Option('--port <n>').env('TOOL_PORT').argParser(port));
    assert.throws(() => read(command, argv, variables), { code: 'commander.invalidArgument' });
    assert.ok(command.printed.join('').includes(said));
  }
});
