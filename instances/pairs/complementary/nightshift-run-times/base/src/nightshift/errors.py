"""Everything that Nightshift raises on purpose."""


class NightshiftError(Exception):
    """Base of all errors that a user can cause."""


class JobFileError(NightshiftError):
    """The job file, or a value in it, makes no sense."""


class HistoryError(NightshiftError):
    """A line of a history is no run record."""


class UnknownJob(NightshiftError):
    """There is no job of that name."""


class ActionFailed(NightshiftError):
    """An action did not do what it should; the message goes into the history."""
