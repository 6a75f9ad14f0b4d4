"""The relay of one turn: its address and its key are good for that turn alone, and for asking a model alone."""

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from harnesses.base import Metering, Turn, Wire
from harnesses.endpoint import Endpoint
from harnesses.gateway.harness import metered_by
from harnesses.gateway.ledger import LedgerFile, read_ledger
from harnesses.gateway.tap import Exchange
from harnesses.relay.errand import Errand
from harnesses.relay.gate import Gate
from harnesses.relay.handler import Server
from harnesses.relay.route import Route
from sandboxes.folders import temporary_folder
from sandboxes.usage import Usage

_LOOK_SECONDS = 0.1
_END_SECONDS = 10.0


class Relay:
    """Serves a turn's program while `open_relay` lasts; see `Office`.

    Attributes:
        url: its address.
        endpoint: what the program is given in place of the provider's.
    """

    def __init__(self, upstream: Endpoint, vendors_address: str, folder: Path, gate: Gate | None) -> None:
        """Listen on loopback. Raises SetupError where the provider's address is none."""
        self.route, self.gate = Route.to(upstream.base_url or vendors_address), gate
        self.closing = threading.Event()
        self._upstream, self._key = upstream, f"sk-lane-{secrets.token_hex(32)}"
        self._lock = threading.Lock()  # of the ledger and of the errands
        self._errands: set[Errand] = set()
        self._path = folder / "wire.jsonl"
        self._ledger = LedgerFile(self._path)
        self._http = Server(self)
        self.url = self._http.url
        self.endpoint = replace(upstream, key=self._key, base_url=self.url)
        watch = threading.Thread(target=self._watch, name="relay-watch", daemon=True)
        serve = threading.Thread(target=self._http.serve_forever, args=(_LOOK_SECONDS,), name="relay", daemon=True)
        self._threads = (watch, serve)
        for one in self._threads:
            one.start()

    @property
    def held(self) -> bool:
        """The model has asked for a step too many, and the program does not know."""
        return self.gate is not None and self.gate.shut.is_set()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not get into any record."""
        return self._upstream.key, self._key

    @property
    def providers_key(self) -> str:
        """See `Office`."""
        return self._upstream.key

    def knows(self, key: str) -> bool:
        """See `Office`."""
        return not self.closing.is_set() and hmac.compare_digest(key.encode("utf-8", "replace"), self._key.encode())

    @contextmanager
    def errand(self, errand: Errand) -> Iterator[Errand]:
        """See `Office`."""
        with self._lock:
            self._errands.add(errand)
        try:
            yield errand
        finally:
            with self._lock:
                self._errands.discard(errand)

    def asked(self, protocol: str, model: str) -> int:
        """See `Office`."""
        with self._lock:
            return self._ledger.asked(protocol, model)

    def came(self, request: int, status: int | None, exchange: Exchange) -> None:
        """See `Office`."""
        with self._lock:
            self._ledger.came(request, status, exchange)

    def metered(self, turn: Turn) -> Turn:
        """A turn with this count of it, unless the provider's side has one itself. The relay is closed by that."""
        self.close()
        wire = read_ledger(self._path)
        if self.gate is not None:
            turn = replace(turn, metering=replace(turn.metering or Metering(turn.usage), held=self.gate.unseen))
        # A program of which no request came by has not used nothing: it has gone another way, or has told of itself alone.
        if self._upstream.counts or not wire.exchanges:
            return turn
        told = turn.metering.by_model if turn.metering and not wire.readable else _by_model(wire)
        return metered_by(turn, wire, told, "relay")

    def close(self) -> None:
        """End what is still asked; whoever has the key can do nothing with it any more."""
        if self.closing.is_set():
            return
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        for one in self._threads:
            one.join()
        deadline = time.monotonic() + _END_SECONDS
        while self._cut(lambda _: True) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS / 10)
        with self._lock:
            self._ledger.close()

    def _watch(self) -> None:
        """What a program does not wait for any more is not asked any longer either."""
        while not self.closing.wait(_LOOK_SECONDS):
            self._cut(lambda one: one.forsaken)

    def _cut(self, which: Callable[[Errand], bool]) -> int:
        """End some errands; how many were under way."""
        with self._lock:
            errands = list(self._errands)
        for one in errands:
            if which(one):
                one.cut()
        return len(errands)


@contextmanager
def open_relay(
    upstream: Endpoint, vendors_address: str, *, most_calls: int = 0, is_call: Callable[[Mapping[str, Any]], bool] | None = None
) -> Iterator[Relay]:
    """A relay to a provider, for one turn.

    Args:
        upstream: the provider's key and address.
        vendors_address: where requests go when no address is given.
        most_calls: of the turn, where `is_call` tells which events of a streamed answer begin one.
        is_call: see `Gate`.

    Raises:
        SetupError: the address is none.
    """
    with temporary_folder("relay") as folder:
        relay = Relay(upstream, vendors_address, folder, Gate(most_calls, is_call) if is_call else None)
        try:
            yield relay
        finally:
            relay.close()


def _by_model(wire: Wire) -> dict[str, Usage]:
    """The usage by the models' names in the requests."""
    names = {line["request"]: line["asked_for"] for line in wire.exchanges if "asked_for" in line}
    told: dict[str, Usage] = {}
    for line in wire.exchanges:
        if counts := line.get("usage"):
            name = names[line["request"]]
            usage = Usage(counts["input"], counts["cache_write"], counts["cache_read"], counts["output"])
            told[name] = told.get(name, Usage()) + usage
    return told
