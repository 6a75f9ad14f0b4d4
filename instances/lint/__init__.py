"""`crosstalk instances lint`: faults of a pair that can be seen without running anything."""

from instances.lint.finding import Finding, Level
from instances.lint.run import Scope, lint

__all__ = ["Finding", "Level", "Scope", "lint"]
