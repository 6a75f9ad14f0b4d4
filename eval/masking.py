"""What must not get into any record."""

import os
import re

_SECRET = re.compile(r"(KEY|TOKEN|SECRET)$")


def operators_secrets(key_variable: str | None) -> list[str]:
    """The keys in this process's environment: that of the variable that was named, and what calls itself a key or a token."""
    return [value for name, value in os.environ.items() if name == key_variable or _SECRET.search(name)]
