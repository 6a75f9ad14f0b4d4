"""Orders, stock and dispatch of a small mail-order warehouse."""

from depot.app import Depot

__all__ = ["Depot"]
