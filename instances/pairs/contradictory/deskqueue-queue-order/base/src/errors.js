/** Everything that deskqueue refuses is a DeskError; anything else is a bug. */
export class DeskError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** A ticket's content is not acceptable. */
export class TicketError extends DeskError {}

/** There is no ticket with that number. */
export class NotFoundError extends DeskError {}

/** The ticket, or the agent, is not in a state that allows this. */
export class StateError extends DeskError {}

/** A setting is unknown, or its value is of the wrong kind. */
export class SettingError extends DeskError {}

/** The command line makes no sense. */
export class UsageError extends DeskError {}
