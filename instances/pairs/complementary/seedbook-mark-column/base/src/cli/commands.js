import { readFileSync, writeFileSync } from 'node:fs';
import { formatGrams } from '../amounts.js';
import { SeedbookError, UsageError } from '../errors.js';
import { exportCsv, exportTemplate } from '../exchange/export.js';
import { importCsv } from '../exchange/import.js';
import { renderReport } from '../report/render.js';
import { reportCsv } from '../report/report.js';

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SeedbookError(`${path} cannot be read: ${error.code}`);
  }
}

function oneLine(lot) {
  return `${lot.id} ${lot.species}, ${formatGrams(lot.grams)} g, ${lot.status}\n`;
}

function showLot(lot) {
  const parts = [oneLine(lot)];
  if (lot.site) parts.push(`  site: ${lot.site}\n`);
  if (lot.collected) parts.push(`  collected: ${lot.collected}\n`);
  if (lot.notes) parts.push(`  notes: ${lot.notes}\n`);
  for (const mark of lot.marks) parts.push(`  mark: ${mark}\n`);
  return parts.join('');
}

function exportCommand(ledger, _, options) {
  const text = exportCsv(ledger);
  if (options.to === undefined) return text;
  writeFileSync(options.to, text);
  return `${ledger.lots().length} lots exported\n`;
}

function importCommand(ledger, [path], options) {
  const { added, updated } = importCsv(ledger, readText(path), { update: options.update ?? false });
  return `${added} added, ${updated} updated\n`;
}

function reportCommand(_, [path], options) {
  if (options.by === undefined) throw new UsageError('report: --by is needed');
  const by = options.by.split(',').map((column) => column.trim());
  return renderReport(reportCsv(readText(path), { by, where: options.where ?? [] }), options.format);
}

/** Name: how many words it takes, its options, whether it needs and changes the ledger, and what it does. */
export const COMMANDS = {
  add: {
    words: 3,
    options: { site: 'value', collected: 'value', notes: 'value' },
    changes: true,
    run: (ledger, [id, species, grams], options) => oneLine(ledger.add({ id, species, grams, ...options })),
  },
  take: { words: 2, options: {}, changes: true, run: (ledger, [id, grams]) => oneLine(ledger.take(id, grams)) },
  status: { words: 2, options: {}, changes: true, run: (ledger, [id, status]) => oneLine(ledger.setStatus(id, status)) },
  mark: { words: 2, options: {}, changes: true, run: (ledger, [id, text]) => showLot(ledger.mark(id, text)) },
  unmark: { words: 2, options: {}, changes: true, run: (ledger, [id, text]) => showLot(ledger.unmark(id, text)) },
  show: { words: 1, options: {}, run: (ledger, [id]) => showLot(ledger.get(id)) },
  list: { words: 0, options: {}, run: (ledger) => ledger.lots().map(oneLine).join('') },
  export: { words: 0, options: { to: 'value' }, run: exportCommand },
  template: { words: 0, options: {}, alone: true, run: () => exportTemplate() },
  import: { words: 1, options: { update: 'flag' }, changes: true, run: importCommand },
  report: {
    words: 1,
    options: { by: 'value', where: 'many', format: 'value' },
    alone: true,
    run: reportCommand,
  },
};
