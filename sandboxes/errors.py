"""The errors of the bench. A failed test, a conflict or a bad patch is a value, never one of these."""


class BenchError(Exception):
    """Something of the bench or the machine is wrong; its text is one line for the user."""


class SetupError(BenchError):
    """What the user asked for cannot be done as asked: the text says what, where, and what to do."""


class SandboxError(BenchError):
    """The sandbox or the machine broke; nothing is said about the agent's work."""


class HarnessError(BenchError):
    """The agent program could not be driven; nothing is said about the agent's work."""
