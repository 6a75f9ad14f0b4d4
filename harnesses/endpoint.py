"""Where a lane's program finds its model, and the secrets that must not get into any record."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from harnesses.base import Lane
from harnesses.script import load_script
from harnesses.scripted_model.server import ScriptedModelServer

MASK = b"[secret]"
_SHORTEST_SECRET = 8


@dataclass(frozen=True)
class Endpoint:
    """What a program is given to reach its model.

    Attributes:
        key: the credential.
        key_variable: the variable by which the program takes it.
        base_url: the address, where it is not the program's own default.
        counts: who is there counts the tokens itself, as the gateway does.
    """

    key: str = field(repr=False)
    key_variable: str
    base_url: str | None = None
    counts: bool = False


EndpointSource = Callable[[Lane], Endpoint]


def scripted_endpoint(server: ScriptedModelServer, key_variable: str) -> EndpointSource:
    """Each turn of a lane gets a key of its own, under which the server plays the lane's script for that turn."""

    def endpoint(lane: Lane) -> Endpoint:
        actions = load_script(lane.replay).actions(lane.turn)
        key = server.add_lane(lane.name, actions, watches=lane.listening == "watcher", company=lane.company)
        return Endpoint(key, key_variable, server.url)

    return endpoint


def addressed(*variables: str) -> dict[str, str]:
    """Where the operator's environment sends a program's requests, as a version that is frozen in the run.

    A resumed run that went elsewhere would mix two providers' answers under one name. What may be secret in an address stays out.
    """
    for variable in variables:
        if url := os.environ.get(variable):
            parts = urlsplit(url)
            return {"endpoint": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")}
    return {"endpoint": "the provider's own"}


def masked(content: bytes, secrets: Iterable[str]) -> bytes:
    """Bytes without the secrets. A very short one is no secret, and masking it would garble everything."""
    # The longest first: one may be the beginning of another.
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            content = content.replace(secret.encode(), MASK)
    return content
