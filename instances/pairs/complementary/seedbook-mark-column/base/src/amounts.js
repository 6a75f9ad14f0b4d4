/** Grams as a number, or null when the text is none. A hundredth is the finest that the scales show. */
export function parseGrams(text) {
  const match = /^\s*(\d+)(?:\.(\d{1,2}))?\s*$/.exec(String(text));
  return match ? Number(`${match[1]}.${match[2] ?? '0'}`) : null;
}

/** Adds without the dust of binary fractions. */
export function addGrams(one, other) {
  return Math.round((one + other) * 100) / 100;
}

export function formatGrams(grams) {
  return Number.isInteger(grams) ? String(grams) : grams.toFixed(2).replace(/0$/, '');
}
