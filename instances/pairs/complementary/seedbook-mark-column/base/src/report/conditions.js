import { ReportError } from '../errors.js';

/** `column=value` or `column!=value` as `{ column, negated, value }`. */
export function parseCondition(text) {
  const match = /^([^=!]+)(!?=)(.*)$/s.exec(text);
  if (!match) throw new ReportError(`not a condition: "${text}"; column=value or column!=value is expected`);
  return { column: match[1].trim(), negated: match[2] === '!=', value: match[3].trim() };
}

/** Whether a row's cells meet the condition. */
export function holds({ column, negated, value }, cells) {
  return (cells[column].trim() === value) !== negated;
}
