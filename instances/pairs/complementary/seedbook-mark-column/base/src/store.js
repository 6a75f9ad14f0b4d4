import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SeedbookError } from './errors.js';
import { Ledger } from './ledger.js';

/** The ledger in `path`; an empty one when there is no such file. */
export function loadLedger(path) {
  if (!existsSync(path)) return new Ledger();
  let data;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SeedbookError(`${path} cannot be read: ${error.message}`);
  }
  return Ledger.fromJSON(data);
}

/** Written beside and renamed, so that a crash leaves the old file. */
export function saveLedger(path, ledger) {
  const beside = `${path}.new`;
  writeFileSync(beside, `${JSON.stringify(ledger, null, 2)}\n`);
  renameSync(beside, path);
}
