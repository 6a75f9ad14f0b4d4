"""Everything that Signoff raises on purpose."""


class SignoffError(Exception):
    """Base of all errors that a user can cause."""


class NotFound(SignoffError):
    """There is no such person or document."""


class Forbidden(SignoffError):
    """The person is known, but may not do this."""


class WrongState(SignoffError):
    """The action does not exist in the document's present state."""


class Invalid(SignoffError):
    """A value that was given makes no sense."""
