"""Codex, headless and unmodified, inside the lane's sandbox. Tried on version 0.171.0 (npm `@openai/codex`).

The program has a private configuration folder and keeps nothing of the operator's. The task repository is untrusted to it: the
repository's own settings, hooks, MCP servers, rules and instruction files are not loaded. The key in its environment is the
relay's, good for one turn, and is not passed on to the commands that it runs.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from harnesses.base import Demands, Fitting, Lane, Limits, Turn
from harnesses.endpoint import Endpoint, EndpointSource, addressed
from harnesses.follower import Follower, Patience
from harnesses.gateway.vendors import VENDORS
from harnesses.programs import Program, find_file, need, version_of
from harnesses.relay.route import why_unreachable
from harnesses.relay.server import Relay, open_relay
from harnesses.script import silent_lanes
from harnesses.streams.codex import CodexStream, begins_step
from harnesses.streams.codex_log import SessionLog
from sandboxes.base import Mount, Sandbox
from sandboxes.errors import HarnessError, SetupError

PACKAGE = "@openai/codex@0.171.0"
PROGRAM_FOLDER = "/opt/codex"
PRIVATE_FOLDER = "/home/agent/.codex"  # not in /tmp, where the program would not make its helpers
PROVIDER = "lane"
_KEYS = ("OPENAI_API_KEY", "CODEX_API_KEY")
_URL = "OPENAI_BASE_URL"
_EVENTS = ("PostToolUse", "Stop")  # the program has no event of its own for a tool that failed
_HOOK_SECONDS = 60
_OUTPUT_KEPT = 1 << 20
_FILE_SECONDS = 60.0
_USAGE_SECONDS = 5.0
_CALL_SECONDS = 1.0
_LOOK_SECONDS = 0.05
# What an agent may have left to be read by its next turn goes; the sessions stay.
_PUT_FILES = (
    'cd "$1" && rm -rf config.toml hooks.json AGENTS.md AGENTS.override.md rules skills agents prompts '
    '&& printf %s "$2" >config.toml && printf %s "$3" >hooks.json'
)
_PRINT_LOGS = (
    '[ ! -d "$1" ] || find "$1" -type f -name "rollout-*.jsonl" -exec sh -c \'for file; do cat "$file"; echo; done\' sh {} +'
)


def operators_endpoint(lane: Lane) -> Endpoint:
    """What the operator's environment says, the same for every lane.

    Raises:
        SetupError: there is no key.
    """
    for variable in _KEYS:
        if key := os.environ.get(variable):
            return Endpoint(key, variable, os.environ.get(_URL) or None)
    raise SetupError(f"Codex has no key: set one of {', '.join(_KEYS)}")


def find_codex() -> Program | None:
    """The program on this machine, with its version; `None` where there is none that runs.

    What npm puts on PATH is a launcher for node; the program itself is in the package beside it, and needs nothing else.
    """
    path = find_file("codex")
    return None if path is None else _probed(path)


@lru_cache
def _probed(path: Path) -> Program | None:
    scope = next((parent for parent in path.parents if parent.name == "@openai"), None)
    beside = sorted(scope.glob("**/codex-linux-*/vendor/*/bin/codex")) if scope else []
    for candidate in (*beside, path):
        if candidate.suffix != ".js" and (version := version_of(candidate)):
            return Program(candidate, version.removeprefix("codex-cli "))
    return None


class Codex:
    """See `Harness`."""

    name = "codex"
    stepwise = False

    def __init__(
        self,
        model: str | None = None,
        *,
        endpoint: EndpointSource = operators_endpoint,
        patience: Patience | None = None,
        retries: int | None = None,
        scripted: bool = False,
    ) -> None:
        """A configuration of the program.

        Args:
            model: as the program's `--model` takes it; its own default where there is none.
            endpoint: gives each lane's credential and address.
            patience: how long it may keep silent.
            retries: how often it repeats a request that failed, and an answer that broke off; its own default where not given.
            scripted: the endpoint plays scripts, and no model is called.
        """
        self.scripted = scripted
        self.model = model
        self._endpoint = endpoint
        self._patience = patience or Patience()
        self._retries = retries

    def refuses(self, scenario: Demands) -> str | None:
        """See `Harness.refuses`."""
        if scenario.listening == "watcher":
            return "Codex does not tell its model that a background command has ended"
        return None

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        """See `Harness.lacks`."""
        return silent_lanes(scenario, replay) if self.scripted else None

    def versions(self) -> dict[str, str]:
        """The program's, and where its requests go. Raises SetupError when it is missing."""
        where = addressed(_URL) if self._endpoint is operators_endpoint else {}
        return {self.name: self._program().version, **where}

    def unreachable(self) -> str:
        """See `AsksAProvider`."""
        if self._endpoint is not operators_endpoint:
            return ""
        return why_unreachable(os.environ.get(_URL) or VENDORS["codex"].address)

    def fitting(self, private: Path) -> Fitting:
        """What the lane's sandbox must hold.

        Args:
            private: a folder of the lane's own that stays for all its turns; the sessions are kept in it.

        Raises:
            SetupError: the program is missing.
        """
        program = Mount(_folder(self._program()), PROGRAM_FOLDER)
        return Fitting((program, Mount(private, PRIVATE_FOLDER, writable=True)), network=True)

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """See `Harness.run`. The lane's sandbox must have been opened with `fitting`."""
        # The program shows a call when it is being made, so its limit is held where the model's answers come by.
        with open_relay(
            self._endpoint(lane), VENDORS["codex"].address, most_calls=limits.max_steps, is_call=begins_step
        ) as relay:
            lane.sandbox.reach(relay.url)
            return relay.metered(self._play(lane, prompt, limits, session, relay))

    def _play(self, lane: Lane, prompt: str, limits: Limits, session: str | None, relay: Relay) -> Turn:
        """A turn as the program counts it."""
        endpoint = relay.endpoint
        self._put_files(lane, endpoint)
        earlier = _read_logs(lane.sandbox)
        stream = CodexStream(
            limits.max_steps,
            resumed=session is not None,
            overstepped=lambda: _await_usage(lane.sandbox, earlier, limits.max_steps),
        )
        follower = Follower(lane, stream, limits, self._patience, relay.secrets, held=lambda: relay.held)
        result = lane.sandbox.run(
            self._argv(lane, session),
            # The prompt comes on stdin, which is closed behind it: the program waits for its end in any case.
            stdin=prompt.encode(),
            timeout=limits.max_minutes * 60,
            environment={"CODEX_HOME": lane.sandbox.path_inside(PRIVATE_FOLDER), endpoint.key_variable: endpoint.key},
            output_limit=_OUTPUT_KEPT,
            watch=follower,
        )
        stream.log, stream.earlier = _read_logs(lane.sandbox), earlier
        turn = follower.turn(result, session)
        return replace(turn, steps=turn.steps + stream.subagents_calls)

    def _argv(self, lane: Lane, session: str | None) -> list[str]:
        program = self._program().path
        inside = program.relative_to(_folder(self._program()))
        argv = [f"{lane.sandbox.path_inside(PROGRAM_FOLDER)}/{inside}", "exec", "--json", "--skip-git-repo-check"]
        argv += ["--dangerously-bypass-approvals-and-sandbox", "--ignore-rules"]  # the lane's sandbox is what confines it
        if lane.hook is not None:
            argv.append("--dangerously-bypass-hook-trust")  # for this call only, and the repository's own hooks are not loaded
        return [*argv, "-"] if session is None else [*argv, "resume", session, "-"]

    def _put_files(self, lane: Lane, endpoint: Endpoint) -> None:
        """Write the settings of a turn, anew each time: the agent can write where they are.

        Raises:
            HarnessError: they could not be written.
        """
        folder = lane.sandbox.path_inside(PRIVATE_FOLDER)
        # Untrusted or not, a repository's skills are loaded if they are not named one by one.
        skills = [{"path": path, "enabled": False} for path in _skills(lane.sandbox)]
        settings = toml(self._settings(lane, endpoint) | {"skills": {"config": skills}})
        argv = ["sh", "-c", _PUT_FILES, "sh", folder, settings, json.dumps(_hooks(lane.hook))]
        result = lane.sandbox.run(argv, timeout=_FILE_SECONDS)
        if not result.ok:
            raise HarnessError(f"Codex's settings could not be written: {result.stderr.decode('utf-8', 'replace').strip()}")

    def _settings(self, lane: Lane, endpoint: Endpoint) -> dict[str, object]:
        provider: dict[str, object] = {
            "name": PROVIDER,
            "base_url": endpoint.base_url,
            "env_key": endpoint.key_variable,
            "wire_api": "responses",
        }
        if self._retries is not None:
            provider |= {"request_max_retries": self._retries, "stream_max_retries": self._retries}
        settings: dict[str, object] = {} if self.model is None else {"model": self.model}
        return settings | {
            "model_provider": PROVIDER,
            "check_for_update_on_startup": False,
            # A login shell would set PATH anew.
            "allow_login_shell": False,
            # In this version the instruction files of an untrusted repository are not read anyway.
            "project_doc_max_bytes": 0,
            "history": {"persistence": "none"},
            "analytics": {"enabled": False},
            "feedback": {"enabled": False},
            # Who can search the web can find a task's answer there.
            "web_search": "disabled",
            "features": {"apps": False, "plugins": False, "remote_plugin": False},
            "projects": {lane.sandbox.workspace: {"trust_level": "untrusted"}},
            # By default the program hides from its commands what sounds secret, and so the radio's token too.
            "shell_environment_policy": {"ignore_default_excludes": True, "exclude": [*_KEYS, endpoint.key_variable]},
            "model_providers": {PROVIDER: provider},
        }

    def _program(self) -> Program:
        return need(find_codex(), "Codex (`codex`)", PACKAGE)


def toml(settings: Mapping[str, object]) -> str:
    """Settings as TOML: JSON's texts and numbers are TOML's too, and a mapping is an inline table."""

    def value(of: object) -> str:
        if isinstance(of, Mapping):
            return "{" + ", ".join(f"{value(str(key))} = {value(item)}" for key, item in of.items()) + "}"
        if isinstance(of, list):
            return "[" + ", ".join(value(item) for item in of) + "]"
        return json.dumps(of, ensure_ascii=False)

    return "".join(f"{value(key)} = {value(of)}\n" for key, of in settings.items())


def _folder(program: Program) -> Path:
    """What of the program's installation is mounted: the package with its helpers, or the folder of a program that is alone."""
    package = program.path.parent.parent
    return package if (package / "codex-package.json").is_file() else program.path.parent


def _hooks(hook: str | None) -> Mapping[str, object]:
    """The lane's hook after every tool call and before the end."""
    if hook is None:
        return {}
    commands = {event: {"type": "command", "command": f"{hook} {event}", "timeout": _HOOK_SECONDS} for event in _EVENTS}
    return {"hooks": {event: [{"hooks": [command]}] for event, command in commands.items()}}


def _skills(sandbox: Sandbox) -> list[str]:
    """The skills that the task repository brings."""
    folders = [f"{sandbox.workspace}/{name}/skills" for name in (".agents", ".codex")]
    result = sandbox.run(["find", "-L", *folders, "-name", "SKILL.md", "-print0"], timeout=_FILE_SECONDS)
    return [path for path in result.stdout.decode("utf-8", "replace").split("\0") if path]


def _read_logs(sandbox: Sandbox) -> SessionLog:
    """The session files so far. They are read inside: the agent can write where they are."""
    log = SessionLog()
    folder = f"{sandbox.path_inside(PRIVATE_FOLDER)}/sessions"
    sandbox.run(["sh", "-c", _PRINT_LOGS, "sh", folder], timeout=_FILE_SECONDS, watch=log)
    return log.end()


def _await_usage(sandbox: Sandbox, earlier: SessionLog, calls: int) -> None:
    """Wait until the answer with the newest call is noted with its usage; the stream shows a call before its answer is over.

    A call that is over by then has made the program ask again, which costs as well: that answer is waited for too.
    """
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < _USAGE_SECONDS:
        turns = [turn for turns in _read_logs(sandbox).without(earlier).values() for turn in turns]
        # Where the model makes its calls by a program of its own, fewer are noted than were begun.
        noted = sum(turn.calls for turn in turns) > calls or waited > _CALL_SECONDS
        if noted and not any(turn.under_way for turn in turns):
            return
        time.sleep(_LOOK_SECONDS)
