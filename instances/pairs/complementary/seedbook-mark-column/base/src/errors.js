/** Everything that seedbook refuses is a SeedbookError; anything else is a bug. */
export class SeedbookError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** A lot, or what shall be done with it, is not acceptable. */
export class LotError extends SeedbookError {}

/** The text is not CSV. */
export class CsvError extends SeedbookError {}

/** A CSV file cannot be taken into the ledger. */
export class ImportError extends SeedbookError {}

/** A report cannot be made. */
export class ReportError extends SeedbookError {}

/** The command line makes no sense. */
export class UsageError extends SeedbookError {}
