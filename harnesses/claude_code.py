"""Claude Code, headless and unmodified, inside the lane's sandbox. Tried on version 2.1.197 (npm `@anthropic-ai/claude-code`).

The program has a private configuration folder, keeps nothing of the operator's, and does not load the task repository's own
settings, hooks, MCP servers, agents, skills or instruction files. It passes its environment on to the commands that its model
runs, so the key that it is given is the relay's, good for one turn.
"""

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from harnesses.base import Demands, Fitting, Lane, Limits, Turn
from harnesses.endpoint import Endpoint, EndpointSource, addressed
from harnesses.follower import Follower, Patience
from harnesses.gateway.vendors import VENDORS
from harnesses.programs import Program, find_file, need, version_of
from harnesses.relay.route import why_unreachable
from harnesses.relay.server import open_relay
from harnesses.script import silent_lanes
from harnesses.streams.claude_code import ClaudeCodeStream
from sandboxes.base import Mount
from sandboxes.errors import SetupError

PACKAGE = "@anthropic-ai/claude-code@2.1.197"
PROGRAM_FOLDER = "/opt/claude-code"
PRIVATE_FOLDER = "/home/agent/.claude"
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_URL = "ANTHROPIC_BASE_URL"
_EVENTS = ("PostToolUse", "PostToolUseFailure", "Stop")
_HOOK_SECONDS = 60
# Who can search the web can find a task's answer there.
_NOT_OFFERED = "WebFetch,WebSearch"
_OUTPUT_KEPT = 1 << 20
# Elsewhere than at its vendor's address the program offers its model other tools. The relay of a turn leads there.
_AT_ITS_VENDORS = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
_VARIABLES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",  # no update, no telemetry, no feedback
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "IS_SANDBOX": "1",  # lets the unisolated sandbox of a machine's root run it
}


def operators_endpoint(lane: Lane) -> Endpoint:
    """What the operator's environment says, the same for every lane.

    Raises:
        SetupError: there is no key.
    """
    for variable in _KEYS:
        if key := os.environ.get(variable):
            return Endpoint(key, variable, os.environ.get(_URL) or None)
    raise SetupError(f"Claude Code has no key: set one of {', '.join(_KEYS)}")


def find_claude_code() -> Program | None:
    """The program on this machine, with its version; `None` where there is none that runs.

    An npm that runs no install scripts leaves a placeholder; the program itself is in the package beside it.
    """
    path = find_file("claude")
    return None if path is None else _probed(path)


@lru_cache
def _probed(path: Path) -> Program | None:
    scope = next((parent for parent in path.parents if parent.name == "@anthropic-ai"), None)
    beside = sorted(scope.glob("claude-code-linux-*/claude")) if scope else []
    for candidate in (path, *beside):
        if version := version_of(candidate):
            return Program(candidate, version)
    return None


class ClaudeCode:
    """See `Harness`."""

    name = "claude-code"
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
            retries: how often it repeats a request that failed; its own default where not given.
            scripted: the endpoint plays scripts, and no model is called.
        """
        self.scripted = scripted
        self.model = model
        self._endpoint = endpoint
        self._patience = patience or Patience()
        self._retries = retries

    def refuses(self, scenario: Demands) -> str | None:
        """See `Harness.refuses`."""
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
        return why_unreachable(os.environ.get(_URL) or VENDORS["claude-code"].address)

    def fitting(self, private: Path) -> Fitting:
        """What the lane's sandbox must hold.

        Args:
            private: a folder of the lane's own that stays for all its turns; the sessions are kept in it.

        Raises:
            SetupError: the program is missing.
        """
        program = Mount(self._program().path.parent, PROGRAM_FOLDER)
        return Fitting((program, Mount(private, PRIVATE_FOLDER, writable=True)), network=True)

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """See `Harness.run`. The lane's sandbox must have been opened with `fitting`."""
        provider = self._endpoint(lane)
        with open_relay(provider, VENDORS["claude-code"].address) as relay:
            lane.sandbox.reach(relay.url)
            follower = Follower(lane, ClaudeCodeStream(), limits, self._patience, relay.secrets)
            result = lane.sandbox.run(
                self._argv(lane, session),
                # The prompt comes on stdin, which is closed behind it: an argument has a limit of its own.
                stdin=prompt.encode(),
                timeout=limits.max_minutes * 60,
                environment=self._environment(lane, relay.endpoint, at_its_vendors=provider.base_url is None),
                output_limit=_OUTPUT_KEPT,
                watch=follower,
            )
            return relay.metered(follower.turn(result, session))

    def _argv(self, lane: Lane, session: str | None) -> list[str]:
        folder = lane.sandbox.path_inside(PROGRAM_FOLDER)
        argv = [f"{folder}/{self._program().path.name}", "--print", "--verbose", "--output-format=stream-json"]
        argv += ["--include-partial-messages", "--permission-mode=bypassPermissions"]
        argv += ["--setting-sources", "", "--strict-mcp-config", "--settings", json.dumps(_settings(lane.hook))]
        argv.append(f"--disallowedTools={_NOT_OFFERED}")
        if self.model is not None:
            argv += ["--model", self.model]
        return argv if session is None else [*argv, "--resume", session]

    def _environment(self, lane: Lane, endpoint: Endpoint, *, at_its_vendors: bool) -> dict[str, str]:
        variables = dict(_VARIABLES)
        variables["CLAUDE_CONFIG_DIR"] = lane.sandbox.path_inside(PRIVATE_FOLDER)
        variables[endpoint.key_variable] = endpoint.key
        variables[_URL] = str(endpoint.base_url)
        if at_its_vendors:
            variables[_AT_ITS_VENDORS] = "1"
        if self._retries is not None:
            variables["CLAUDE_CODE_MAX_RETRIES"] = str(self._retries)
        return variables

    def _program(self) -> Program:
        return need(find_claude_code(), "Claude Code (`claude`)", PACKAGE)


def _settings(hook: str | None) -> dict[str, Any]:
    """The settings of a turn: the lane's hook after every tool call, failed ones too, and before the end."""
    if hook is None:
        return {}

    def entry(event: str) -> list[dict[str, Any]]:
        command = {"type": "command", "command": f"{hook} {event}", "timeout": _HOOK_SECONDS}
        return [{"hooks": [command]}]

    return {"hooks": {event: entry(event) for event in _EVENTS}}
