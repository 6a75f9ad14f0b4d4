import { formatCsv } from '../csv/format.js';
import { COLUMNS, HEADINGS } from './columns.js';

/** All lots as CSV, one line a lot. */
export function exportCsv(ledger) {
  return formatCsv([HEADINGS, ...ledger.lots().map((lot) => COLUMNS.map((column) => column.write(lot)))]);
}

/** The heading line alone. */
export function exportTemplate() {
  return formatCsv([HEADINGS]);
}
