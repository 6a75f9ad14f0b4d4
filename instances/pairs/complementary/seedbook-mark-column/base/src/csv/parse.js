import { CsvError } from '../errors.js';

/** The cells of each line, with the number of the line that it began on. */
function* records(text) {
  let cells = [];
  let cell = '';
  let quoted = false;
  let closed = false;
  let line = 1;
  let began = 1;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '"' && text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else if (character === '"') {
        quoted = false;
        closed = true;
      } else {
        if (character === '\n') line += 1;
        cell += character;
      }
    } else if (character === '"' && cell === '' && !closed) {
      quoted = true;
    } else if (character === ',') {
      cells.push(cell);
      cell = '';
      closed = false;
    } else if (character === '\n' || (character === '\r' && text[index + 1] === '\n')) {
      if (character === '\r') index += 1;
      cells.push(cell);
      yield { cells, line: began };
      cells = [];
      cell = '';
      closed = false;
      line += 1;
      began = line;
    } else if (closed) {
      throw new CsvError(`line ${line}: text after a closing quote`);
    } else {
      cell += character;
    }
  }
  if (quoted) throw new CsvError(`line ${began}: a quote is never closed`);
  if (cell !== '' || closed || cells.length > 0) yield { cells: [...cells, cell], line: began };
}

/**
 * Reads CSV with a heading line.
 * Returns `{ headings, rows }`; a row is `{ line, cells }`, its cells by heading. Blank lines are skipped.
 */
export function parseCsv(text) {
  let headings = null;
  const rows = [];
  for (const { cells, line } of records(text.replace(/^\uFEFF/, ''))) {
    if (cells.length === 1 && cells[0].trim() === '') continue;
    if (headings === null) {
      headings = cells.map((cell) => cell.trim());
      const twice = headings.find((heading, index) => headings.indexOf(heading) !== index);
      if (twice !== undefined) throw new CsvError(`column "${twice}" is there twice`);
      continue;
    }
    if (cells.length !== headings.length) {
      throw new CsvError(`line ${line}: ${cells.length} cells, but there are ${headings.length} columns`);
    }
    rows.push({ line, cells: Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])) });
  }
  if (headings === null) throw new CsvError('there is no heading line');
  return { headings, rows };
}
