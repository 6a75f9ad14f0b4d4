function quoteWhereNeeded(cell) {
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lists of cells as CSV, each line ended by a line feed. */
export function formatCsv(lines) {
  return lines.map((cells) => `${cells.map(quoteWhereNeeded).join(',')}\n`).join('');
}
