"""The engine's side of a hub: start it, hand out credentials, bring it back when it dies, read its counters, end it."""

import contextlib
import json
import os
import secrets
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radio.client import Address, RadioClient
from radio.config import HubConfig, LaneConfig
from radio.errors import HubUnreachable, Refused
from radio.policy import Limits, Policy
from sandboxes import exec as processes
from sandboxes.errors import BenchError, SandboxError
from sandboxes.folders import remove_tree, scratch_folder

_LONGEST_SOCKET_PATH = 100
_START_SECONDS = 20.0
_STOP_SECONDS = 10.0
_RESTARTS = 200
_RESTARTS_IN_SECONDS = 600.0
COMMANDS = Path(__file__).parent / "commands"


@dataclass(frozen=True)
class LaneCredentials:
    """What one lane needs. Of the hub's files a lane is given `directory`, in it `own`, and the socket's folder; nothing else.

    Attributes:
        directory: the lane's folder: mailbox, auth, own. To be seen read-only, as the socket's folder.
        own: what the lane writes itself, in `directory`.
        auth: the token as a curl configuration file, so that it stands in no command line.
        steps: a file that grows by one byte at each step boundary.
    """

    name: str
    token: str = field(repr=False)
    socket: Path
    directory: Path
    own: Path
    mailbox: Path
    auth: Path
    steps: Path

    def environment(self, *, socket: str | None = None, directory: str | None = None) -> dict[str, str]:
        """The variables that the shell commands read; with the paths as the lane sees them, where they differ."""
        place = directory or str(self.directory)
        return {
            "CROSSTALK_RADIO_SOCKET": socket or str(self.socket),
            "CROSSTALK_RADIO_AUTH": f"{place}/{self.auth.name}",
            "CROSSTALK_RADIO_MAILBOX": f"{place}/{self.mailbox.name}",
            "CROSSTALK_RADIO_STEPS": f"{place}/{self.own.name}/{self.steps.name}",
        }

    def client(self) -> RadioClient:
        """A client of the lane's own, for one thread at a time; to be closed by who asked for it."""
        return RadioClient(Address(str(self.socket)), self.token)


@dataclass
class Budget:
    """At most so many starts within any so many seconds."""

    most: int
    seconds: float
    _times: deque[float] = field(default_factory=deque)

    def pause(self, now: float) -> float:
        """Take a start, and say how many seconds it must wait."""
        while self._times and self._times[0] <= now - self.seconds:
            self._times.popleft()
        pause = self._times.popleft() + self.seconds - now if len(self._times) >= self.most else 0.0
        self._times.append(now + pause)
        return pause


class HubProcess:
    """One cell's hub as a process of its own, brought back when it dies. Use it with `with`."""

    def __init__(  # noqa: PLR0913 - all but the first four have a default that fits most cells
        self,
        directory: Path,
        run: str,
        cell: str,
        lanes: Sequence[str],
        *,
        store: str = "sqlite",
        limits: Limits = Limits(),  # noqa: B008 - frozen
        policy: Policy = Policy(),  # noqa: B008 - frozen
        real: bool = False,
        mcp: bool = False,
        tcp: str | None = None,
        lifetime: float = 24 * 3600,
        forget: bool = False,
        counted: bool = False,
    ) -> None:
        """Prepare a hub.

        Args:
            directory: a folder for the hub's files, outside of every lane.
            store: `sqlite` or `file` (in that folder), or a Redis address.
            real: a run that counts: a Redis that could lose messages is refused.
            forget: an orderly stop removes the cell's keys from a Redis; `events` has it all.
            counted: each step of a lane adds a byte to its file of steps, from the first on.
            lifetime: the hub is ended after this many seconds, whatever happens.
        """
        self.directory = directory
        self.events = directory / "events.jsonl"
        self._lifetime = lifetime
        self._forget = forget
        self._scratch: Path | None = None
        socket = directory / "socket" / "hub.sock"
        if len(os.fsencode(socket)) > _LONGEST_SOCKET_PATH:
            self._scratch = scratch_folder("radio")
            socket = self._scratch / "hub.sock"
        self.socket = socket
        self.lanes = {name: self._credentials(name) for name in lanes}
        address = store if ":" in store else f"{store}:{directory / 'store' / ('radio.' + store)}"
        self.config = HubConfig(
            run=run,
            cell=cell,
            store=address,
            events=str(self.events),
            lanes=tuple(LaneConfig(lane.name, lane.token, str(lane.mailbox), str(lane.steps)) for lane in self.lanes.values()),
            admin_token=secrets.token_urlsafe(24),
            socket=str(socket),
            tcp=tcp,
            parent=os.getpid(),
            real=real,
            mcp=mcp,
            ready=str(directory / "ready.json"),
            counted=counted,
            limits=limits,
            policy=policy,
        )
        self.starts = 0
        self._budget = Budget(_RESTARTS, _RESTARTS_IN_SECONDS)
        self._stopping = threading.Event()
        self._failure = ""
        self._thread = threading.Thread(target=self._keep_running, name=f"hub of {cell}", daemon=True)
        self._admin = RadioClient(Address(str(socket)), self.config.admin_token)
        self._clients: list[RadioClient] = []
        self._lock = threading.Lock()  # guards the admin client, which is for one thread at a time

    def _credentials(self, name: str) -> LaneCredentials:
        place = self.directory / "lanes" / name
        return LaneCredentials(
            name=name,
            token=secrets.token_urlsafe(24),
            socket=self.socket,
            directory=place,
            own=place / "own",
            mailbox=place / "mailbox",
            auth=place / "auth",
            steps=place / "own" / "steps",
        )

    def make_lane_folders(self) -> None:
        """Make each lane's own folder, with an empty mailbox and no steps. What is there already stays."""
        for lane in self.lanes.values():
            lane.own.mkdir(parents=True, exist_ok=True)
            lane.steps.touch()
            lane.mailbox.touch()

    def write_tokens(self) -> None:
        """Give each lane its token. Only when the store is this hub's: until then another one's tokens may hold."""
        for lane in self.lanes.values():
            lane.auth.touch(mode=0o600)
            lane.auth.write_text(f'header = "Authorization: Bearer {lane.token}"\n')

    def start(self) -> "HubProcess":
        """Start the hub and wait until it listens.

        Raises:
            SandboxError: it did not start; the text says why.
        """
        try:
            self.make_lane_folders()
        except OSError as error:
            self.remove_scratch()
            raise SandboxError(f"the radio's hub cannot keep its files: {error}") from error
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._listening():
            if self._failure or time.monotonic() > deadline:
                self.stop()
                raise SandboxError(f"the radio's hub did not start: {self._failure or 'it does not answer'}")
            time.sleep(0.005)
        self.write_tokens()
        return self

    def _listening(self) -> dict[str, Any]:
        """Where this hub listens and as which process; nothing where it does not yet, or the folder is another hub's."""
        try:
            said: dict[str, Any] = json.loads(Path(self.config.ready or "").read_text())
        except (OSError, ValueError):
            return {}
        return said if said.get("hub") == self.config.mark else {}

    def __enter__(self) -> "HubProcess":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _keep_running(self) -> None:
        """Run the hub; when it dies without having been asked to, run it again: its store has all it promised."""
        root = str(Path(__file__).parent.parent)
        environment = {**processes.clean_environment(), "PYTHONPATH": root}
        ends = time.monotonic() + self._lifetime
        try:
            while not self._stopping.is_set() and time.monotonic() < ends:
                # A hub that dies over and over gets its next start when an earlier one is long past.
                self._stopping.wait(self._budget.pause(time.monotonic()))
                if self._stopping.is_set():
                    break
                self.starts += 1
                result = processes.run(
                    [sys.executable, "-m", "radio.serve"],
                    timeout=max(1.0, ends - time.monotonic()),
                    stdin=self.config.encode(),
                    environment=environment,
                    output_limit=1 << 16,
                )
                self._failure = result.stderr.decode(errors="replace").strip()[-2000:]
                if result.returncode == 2:  # it can't be started as asked; to try again is of no use
                    return
        except BenchError as error:
            self._failure = str(error)
        if not self._stopping.is_set():
            self._failure = self._failure or "the hub ended"

    @property
    def restarts(self) -> int:
        """How often the hub died unasked and was brought back."""
        return max(0, self.starts - 1)

    @property
    def pid(self) -> int:
        """The process of the hub that listened last."""
        number: int = self._listening()["process"]
        return number

    @property
    def url(self) -> str | None:
        """The TCP address, where one was asked for."""
        address: str | None = self._listening().get("url")
        return address

    def client(self, lane: str) -> RadioClient:
        """A new client with a lane's token, for one thread at a time; closed when the hub stops."""
        client = self.lanes[lane].client()
        self._clients.append(client)
        return client

    def admin(self, operation: str, fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask the hub something as the engine.

        Raises:
            Refused: the hub said no.
            HubUnreachable: the hub does not come back.
        """
        try:
            with self._lock:
                return self._admin.call(operation, fields)
        except HubUnreachable as error:
            raise HubUnreachable(f"{error}; it ended with: {self._failure}" if self._failure else str(error)) from error

    def finish(self, lane: str, reason: str = "ended") -> None:
        """The lane's agent has ended: what it did not see expires, and nothing more is sent to it."""
        self.admin("finish", {"lane": lane, "reason": reason})

    def cancel(self, lane: str, reason: str) -> None:
        """Tell a lane, in the run's name and apart from any peer's words, to stop."""
        self.admin("signal", {"lane": lane, "kind": "cancel", "text": f"stop now: {reason}"})

    def canary(self, lane: str) -> None:
        """Put a delivery check into a lane's mailbox; the lane's `canary` counter says whether it was shown."""
        text = "delivery check of the radio; there is nothing to do"
        self.admin("signal", {"lane": lane, "kind": "canary", "text": text})

    def counters(self) -> dict[str, dict[str, Any]]:
        """What is counted for each lane: sent, shown, unread, expired, refused, listening_steps, canary, ..."""
        lanes: dict[str, dict[str, Any]] = self.admin("state")["lanes"]
        return lanes

    def stop(self) -> None:
        """End the hub in order, or by force when it does not answer. Its files stay."""
        self._stopping.set()
        self._admin.patience = 0
        deadline = time.monotonic() + _STOP_SECONDS
        while self._thread.is_alive() and time.monotonic() < deadline:
            # More than once: it may be just coming back from a death, and not listen yet.
            with contextlib.suppress(HubUnreachable, Refused), self._lock:  # refused by another hub, where the folder is its
                self._admin.call("shutdown", {"forget": self._forget}, timeout=5)
            self._thread.join(0.2)
        if self._thread.is_alive():
            self._kill()
            self._thread.join(_STOP_SECONDS)
        for client in (self._admin, *self._clients):
            client.close()
        self.remove_scratch()

    def remove_scratch(self) -> None:
        """Remove the folder of a socket whose path in `directory` would be too long for the kernel."""
        if self._scratch is not None:
            remove_tree(self._scratch)

    def _kill(self) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
        except (OSError, KeyError):
            return  # it has not listened yet, or is gone: the thread's own deadline ends it
