"""A key a turn of a lane, without a list of them: the gateway knows its own by their seal."""

import hashlib
import hmac

_PREFIX = "sk-lane-"


def key_of(account: str, secret: str) -> str:
    """The key of an account; who has one can make no other's of it."""
    return _PREFIX + hmac.new(secret.encode(), account.encode(), hashlib.sha256).hexdigest()


def opens(key: str, account: str, secret: str) -> bool:
    """Whether a key is this account's."""
    return hmac.compare_digest(key.encode("utf-8", "replace"), key_of(account, secret).encode())
