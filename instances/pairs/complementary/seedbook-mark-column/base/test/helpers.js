import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger, main } from '../src/index.js';

export function smallLedger() {
  const ledger = new Ledger();
  ledger.add({ id: 'OAT-1', species: 'Avena sativa', grams: 250, site: 'north field', collected: '2026-05-14' });
  ledger.add({ id: 'OAT-2', species: 'Avena sativa', grams: '100.5', site: 'river' });
  ledger.add({ id: 'FLAX-1', species: 'Linum usitatissimum', grams: 80, site: 'river', notes: 'pale, "blue"' });
  return ledger;
}

/** Runs `use` with a command line bound to a fresh ledger file. */
export function withBank(use) {
  const folder = mkdtempSync(join(tmpdir(), 'seedbook-'));
  const run = (...argv) => {
    let out = '';
    let err = '';
    const code = main(['--file', join(folder, 'bank.json'), ...argv], {
      out: (text) => { out += text; },
      err: (text) => { err += text; },
    });
    return { code, out, err };
  };
  try {
    return use(run, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
