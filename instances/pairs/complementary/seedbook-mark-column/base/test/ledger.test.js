import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ledger, LotError } from '../src/index.js';
import { smallLedger } from './helpers.js';

describe('lots', () => {
  test('fields are cleaned', () => {
    const lot = new Ledger().add({ id: ' oat-9 ', species: ' Avena   sativa ', grams: '12.50' });
    assert.deepEqual(lot, {
      id: 'OAT-9', species: 'Avena sativa', site: '', collected: '', grams: 12.5, status: 'stored', notes: '', marks: [],
    });
  });

  test('bad fields are refused', () => {
    const ledger = smallLedger();
    const good = { id: 'X', species: 'x', grams: 1 };
    for (const bad of [{ id: 'a b' }, { species: '' }, { grams: -1 }, { grams: 'much' }, { collected: '2026-02-30' },
      { status: 'eaten' }, { colour: 'red' }, { id: 'oat-1' }]) {
      assert.throws(() => ledger.add({ ...good, ...bad }), LotError, JSON.stringify(bad));
    }
    assert.equal(ledger.lots().length, 3);
  });

  test('taking seed leaves the rest, without dust', () => {
    const ledger = smallLedger();
    assert.equal(ledger.take('oat-2', '0.2').grams, 100.3);
    assert.equal(ledger.take('OAT-2', '100.3').status, 'spent');
    assert.throws(() => ledger.take('OAT-1', 251), LotError);
  });

  test('what comes out is a copy', () => {
    const ledger = smallLedger();
    ledger.get('OAT-1').marks.push('x');
    assert.deepEqual(ledger.get('OAT-1').marks, []);
  });
});

describe('marks', () => {
  test('they keep their order, each once', () => {
    const ledger = smallLedger();
    for (const mark of ['organic', ' frost hardy ', 'organic', 'a|b, "c"\\']) ledger.mark('OAT-1', mark);
    assert.deepEqual(ledger.get('OAT-1').marks, ['organic', 'frost hardy', 'a|b, "c"\\']);
    ledger.unmark('OAT-1', 'organic');
    assert.deepEqual(ledger.get('OAT-1').marks, ['frost hardy', 'a|b, "c"\\']);
    assert.throws(() => ledger.unmark('OAT-1', 'organic'), LotError);
  });

  test('bad marks are refused', () => {
    for (const mark of ['', '  ', 'two\nlines', 'x'.repeat(61), 7]) {
      assert.throws(() => smallLedger().mark('OAT-1', mark), LotError);
    }
  });

  test('they survive JSON', () => {
    const ledger = smallLedger();
    ledger.mark('OAT-2', 'organic');
    assert.deepEqual(Ledger.fromJSON(JSON.parse(JSON.stringify(ledger))).toJSON(), ledger.toJSON());
  });
});
