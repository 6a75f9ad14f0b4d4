import { parseCsv } from '../csv/parse.js';
import { ImportError, SeedbookError } from '../errors.js';
import { COLUMNS } from './columns.js';

function knownColumns(headings) {
  for (const { heading, required } of COLUMNS) {
    if (required && !headings.includes(heading)) throw new ImportError(`column "${heading}" is missing`);
  }
  return COLUMNS.filter(({ heading }) => headings.includes(heading));
}

function takeRow(ledger, fields, update) {
  if (!ledger.has(fields.id)) {
    ledger.add(fields);
    return 'added';
  }
  if (!update) throw new ImportError(`lot ${fields.id} is there already`);
  ledger.change(fields.id, fields);
  return 'updated';
}

/** Takes the lots of a CSV file into the ledger, all or none. Returns how many were added and updated. */
export function importCsv(ledger, text, { update = false } = {}) {
  const { headings, rows } = parseCsv(text);
  const columns = knownColumns(headings);
  const result = { added: 0, updated: 0 };
  const draft = ledger.clone();
  const seen = new Set();
  for (const { line, cells } of rows) {
    const fields = Object.fromEntries(columns.map(({ heading }) => [heading, cells[heading]]));
    try {
      const id = fields.id.trim().toUpperCase();
      if (seen.has(id)) throw new ImportError(`lot ${id} is in the file twice`);
      seen.add(id);
      result[takeRow(draft, fields, update)] += 1;
    } catch (error) {
      if (!(error instanceof SeedbookError)) throw error;
      throw new ImportError(`line ${line}: ${error.message}`);
    }
  }
  ledger.adopt(draft);
  return result;
}
