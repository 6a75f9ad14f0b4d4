import { addGrams } from '../amounts.js';

function compareKeys(one, other) {
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return one[index] < other[index] ? -1 : 1;
  }
  return 0;
}

/** What a row is filed under in a report by the columns `by`. */
function keysOf(cells, by) {
  return by.map((column) => cells[column].trim());
}

/** Counts and sums the rows, each with `cells` and `grams`, by the columns `by`. Sorted by keys. */
export function groupRows(rows, by) {
  const groups = new Map();
  for (const { cells, grams } of rows) {
    const keys = keysOf(cells, by);
    const name = JSON.stringify(keys);
    if (!groups.has(name)) groups.set(name, { keys, lots: 0, grams: 0 });
    const group = groups.get(name);
    group.lots += 1;
    group.grams = addGrams(group.grams, grams);
  }
  return [...groups.values()].sort((one, other) => compareKeys(one.keys, other.keys));
}
