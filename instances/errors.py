"""The one error of this room."""


class InstanceError(Exception):
    """An instance is wrong or cannot be had; the text is one line: what, where, and what to do."""
