import { formatGrams } from '../amounts.js';

/** The columns of our CSV files, in their order: the heading is the field's name. */
export const COLUMNS = Object.freeze([
  { heading: 'id', required: true, write: (lot) => lot.id },
  { heading: 'species', required: true, write: (lot) => lot.species },
  { heading: 'site', write: (lot) => lot.site },
  { heading: 'collected', write: (lot) => lot.collected },
  { heading: 'grams', required: true, write: (lot) => formatGrams(lot.grams) },
  { heading: 'status', write: (lot) => lot.status },
  { heading: 'notes', write: (lot) => lot.notes },
]);

export const HEADINGS = Object.freeze(COLUMNS.map((column) => column.heading));
