import { addGrams, parseGrams } from '../amounts.js';
import { parseCsv } from '../csv/parse.js';
import { ReportError } from '../errors.js';
import { holds, parseCondition } from './conditions.js';
import { groupRows } from './groups.js';

function checkColumns(wanted, headings) {
  for (const column of wanted) {
    if (!headings.includes(column)) {
      throw new ReportError(`there is no column "${column}"; there are ${headings.join(', ')}`);
    }
  }
}

function weigh({ line, cells }) {
  const grams = parseGrams(cells.grams);
  if (grams === null) throw new ReportError(`line ${line}: not an amount in grams: "${cells.grams}"`);
  return { cells, grams };
}

/** A report on a CSV file: its lines grouped by the columns `by`, those only that meet every condition of `where`. */
export function reportCsv(text, { by, where = [] }) {
  if (!Array.isArray(by) || by.length === 0) throw new ReportError('by which column?');
  const { headings, rows } = parseCsv(text);
  const conditions = where.map(parseCondition);
  checkColumns(['grams', ...by, ...conditions.map((condition) => condition.column)], headings);
  const counted = rows.filter(({ cells }) => conditions.every((condition) => holds(condition, cells))).map(weigh);
  return {
    by: [...by],
    groups: groupRows(counted, by),
    total: { lots: counted.length, grams: counted.reduce((sum, { grams }) => addGrams(sum, grams), 0) },
  };
}
