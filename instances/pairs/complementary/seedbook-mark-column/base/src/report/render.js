import { formatGrams } from '../amounts.js';
import { formatCsv } from '../csv/format.js';
import { ReportError } from '../errors.js';

const EMPTY = '(empty)';

function linesOf({ by, groups, total }) {
  return {
    heading: [...by, 'lots', 'grams'],
    body: groups.map(({ keys, lots, grams }) => [...keys.map((key) => key || EMPTY), String(lots), formatGrams(grams)]),
    foot: ['total', ...by.slice(1).map(() => ''), String(total.lots), formatGrams(total.grams)],
  };
}

function asText(report) {
  const { heading, body, foot } = linesOf(report);
  const all = [heading, ...body, foot];
  const widths = heading.map((_, index) => Math.max(...all.map((line) => line[index].length)));
  const isNumber = (index) => index >= report.by.length;
  const show = (line) =>
    line.map((cell, index) => (isNumber(index) ? cell.padStart(widths[index]) : cell.padEnd(widths[index]))).join('  ').trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [show(heading), rule, ...body.map(show), rule, show(foot)].map((line) => `${line}\n`).join('');
}

function asCsv(report) {
  const { heading, body } = linesOf(report);
  return formatCsv([heading, ...body]);
}

function asMarkdown(report) {
  const { heading, body, foot } = linesOf(report);
  const show = (line) => `| ${line.map((cell) => cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|')).join(' | ')} |\n`;
  const rule = `|${heading.map((_, index) => (index < report.by.length ? '---' : '---:')).join('|')}|\n`;
  return show(heading) + rule + [...body, foot].map(show).join('');
}

const FORMATS = { text: asText, csv: asCsv, markdown: asMarkdown };

/** The report as text to be read, as CSV (without the total), or as a Markdown table. */
export function renderReport(report, format = 'text') {
  if (!Object.hasOwn(FORMATS, format)) {
    throw new ReportError(`unknown format "${format}"; there are ${Object.keys(FORMATS).join(', ')}`);
  }
  return FORMATS[format](report);
}
