import { addGrams, parseGrams } from './amounts.js';
import { LotError } from './errors.js';
import { cleanFields, cleanId, cleanMark, cleanStatus, newLot } from './lot.js';

function copy(lot) {
  return { ...lot, marks: [...lot.marks] };
}

export class Ledger {
  #lots = new Map();

  /** A ledger out of what `toJSON` gave. */
  static fromJSON(data) {
    if (data === null || typeof data !== 'object' || !Array.isArray(data.lots)) {
      throw new LotError('not a ledger: a list of lots is missing');
    }
    const ledger = new Ledger();
    for (const { marks = [], ...fields } of data.lots) {
      const { id } = ledger.add(fields);
      for (const mark of marks) ledger.mark(id, mark);
    }
    return ledger;
  }

  toJSON() {
    return { format: 'seedbook/1', lots: this.lots() };
  }

  /** Copies of all lots, in the order of their ids. */
  lots() {
    return [...this.#lots.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).map(copy);
  }

  has(id) {
    return this.#lots.has(cleanId(id));
  }

  get(id) {
    return copy(this.#find(id));
  }

  add(fields) {
    const lot = newLot(fields);
    if (this.#lots.has(lot.id)) throw new LotError(`lot ${lot.id} is there already`);
    this.#lots.set(lot.id, lot);
    return copy(lot);
  }

  /** Replaces some fields of a lot; its id stays. */
  change(id, fields) {
    const lot = this.#find(id);
    const { id: named, ...changes } = cleanFields(fields);
    if (named !== undefined && named !== lot.id) throw new LotError(`lot ${lot.id} cannot become ${named}`);
    Object.assign(lot, changes);
    return copy(lot);
  }

  /** Takes seed out of the bag; an empty bag is spent. */
  take(id, amount) {
    const lot = this.#find(id);
    const grams = parseGrams(amount);
    if (grams === null || grams === 0) throw new LotError(`not an amount in grams: "${amount}"`);
    if (grams > lot.grams) throw new LotError(`lot ${lot.id} has ${lot.grams} g only`);
    lot.grams = addGrams(lot.grams, -grams);
    if (lot.grams === 0) lot.status = 'spent';
    return copy(lot);
  }

  setStatus(id, status) {
    const lot = this.#find(id);
    lot.status = cleanStatus(status);
    return copy(lot);
  }

  /** Puts a mark on a lot, after those it has; no change when it carries that mark. */
  mark(id, text) {
    const lot = this.#find(id);
    const mark = cleanMark(text);
    if (!lot.marks.includes(mark)) lot.marks.push(mark);
    return copy(lot);
  }

  unmark(id, text) {
    const lot = this.#find(id);
    const index = lot.marks.indexOf(cleanMark(text));
    if (index < 0) throw new LotError(`lot ${lot.id} does not carry that mark`);
    lot.marks.splice(index, 1);
    return copy(lot);
  }

  clone() {
    return Ledger.fromJSON(this.toJSON());
  }

  /** Becomes what `other` is. */
  adopt(other) {
    this.#lots = new Map(other.lots().map((lot) => [lot.id, lot]));
  }

  #find(id) {
    const lot = this.#lots.get(cleanId(id));
    if (!lot) throw new LotError(`there is no lot ${cleanId(id)}`);
    return lot;
  }
}
