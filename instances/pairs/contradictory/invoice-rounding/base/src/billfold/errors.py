"""What can be wrong with what we are given."""


class BillfoldError(Exception):
    """The base of all errors that are reported to the user as one line."""


class DocumentError(BillfoldError):
    """An invoice document is not as it should be."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class SettingsError(BillfoldError):
    """A settings file is not as it should be."""


class CurrencyError(BillfoldError):
    """A currency is not known, or several were mixed."""
