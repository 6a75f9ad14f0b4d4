"""What one hub process is told when it starts: as JSON on its stdin, because tokens belong in no command line."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from radio.policy import Limits, Policy, limits_from, policy_from, to_json
from sandboxes.errors import SetupError


@dataclass(frozen=True)
class LaneConfig:
    """One lane: its name, its secret, where its mailbox file is kept, and the file that grows by a byte at each step."""

    name: str
    token: str = field(repr=False)
    mailbox: str | None = None
    steps: str | None = None


@dataclass(frozen=True)
class HubConfig:
    """One cell's hub.

    Attributes:
        run, cell: the namespace in the store.
        store: `sqlite:PATH`, `file:PATH`, `redis://...` or `unix:///...`.
        events: path of the event log.
        lanes: who may speak.
        admin_token: for the engine: finish, cancel, state, events, shutdown.
        socket: path of the unix socket, or None.
        tcp: `HOST:PORT` to listen on as well, or None. Port 0 takes a free one.
        parent: end when this process is not the hub's parent any more; None to run on one's own.
        real: a run that counts: a store that could lose messages is refused.
        mcp: serve the operations as an MCP server at `/mcp` too.
        ready: a file to write the addresses to, once the hub listens.
        counted: someone counts the lanes' steps from the first on, so that an empty file of steps means none, not unknown.
    """

    run: str
    cell: str
    store: str
    events: str
    lanes: tuple[LaneConfig, ...]
    admin_token: str = field(repr=False)
    socket: str | None = None
    tcp: str | None = None
    parent: int | None = None
    real: bool = False
    mcp: bool = False
    ready: str | None = None
    counted: bool = False
    limits: Limits = Limits()
    policy: Policy = Policy()

    @property
    def mark(self) -> str:
        """Tells what this hub has written from what another in the same folder has, and gives no token away."""
        return hashlib.sha256(f"mark of {self.admin_token}".encode()).hexdigest()[:16]

    def encode(self) -> bytes:
        plain = {name: getattr(self, name) for name in _PLAIN}
        lanes = [vars(lane) for lane in self.lanes]
        return json.dumps({**plain, "lanes": lanes, "limits": to_json(self.limits), "policy": to_json(self.policy)}).encode()


_PLAIN = ("run", "cell", "store", "events", "admin_token", "socket", "tcp", "parent", "real", "mcp", "ready", "counted")


def decode_config(text: bytes) -> HubConfig:
    """Raises SetupError when the text is no hub's configuration."""
    try:
        data: Mapping[str, Any] = json.loads(text)
        unknown = sorted(set(data) - {*_PLAIN, "lanes", "limits", "policy"})
        if unknown:
            raise SetupError(f"hub configuration: unknown field {unknown[0]!r}")
        return HubConfig(
            **{name: data[name] for name in _PLAIN if name in data},
            lanes=tuple(LaneConfig(**lane) for lane in data["lanes"]),
            limits=limits_from(data.get("limits", {})),
            policy=policy_from(data.get("policy", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SetupError(f"hub configuration: {error}") from error
