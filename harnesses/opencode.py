"""OpenCode, headless and unmodified, inside the lane's sandbox. Tried on version 1.18.33 (npm `opencode-ai`).

The program's settings are in its environment, its one plugin is mounted read-only, and it fetches nothing when it runs. It sees
nothing of the operator's, and does not load the task repository's own settings, plugins, agents, skills and instruction files. It
speaks chat completions with one provider, the lane's, whose key is taken out of the environment before any command runs.
"""

import json
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from harnesses.base import Demands, Ended, Fitting, Lane, Limits, Metering, Turn
from harnesses.endpoint import Endpoint, EndpointSource
from harnesses.follower import Follower, Patience
from harnesses.programs import Program, find_file, need, version_of
from harnesses.script import silent_lanes
from harnesses.streams.opencode import OpenCodeStream
from sandboxes.base import Mount
from sandboxes.errors import HarnessError, SetupError
from sandboxes.folders import remove_tree
from sandboxes.usage import Usage

PACKAGE = "opencode-ai@1.18.33"
PROGRAM_FOLDER = "/opt/opencode"
SETTINGS_FOLDER = "/home/agent/.opencode-settings"
DATA_FOLDER = "/home/agent/.opencode-data"
PROVIDER = "lane"
_PLUGIN = "plugin.js"
_TITLE = "lane"  # a session without one has a model make it up
_OUTPUT_KEPT = 1 << 20
_FILE_SECONDS = 60.0
_HOOK_SECONDS = 60.0
_MOST_DRAINS = 3
# What an agent may have left to be read by its next turn goes; the sessions stay.
_CLEAR = '[ ! -d "$1/opencode" ] || find "$1/opencode" -mindepth 1 -maxdepth 1 ! -name "opencode.db*" -exec rm -rf {} +'
_SWITCHED_OFF = (
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_SHARE",
)
# The program would fetch this for the folder of its settings if it were not noted there.
_LIBRARY = {"@opencode-ai/plugin": PACKAGE.partition("@")[2]}


def no_endpoint(lane: Lane) -> Endpoint:
    """Raises SetupError: the program has no provider of its own."""
    raise SetupError("opencode has no model of its own: name one with --model, as LiteLLM does, or --model scripted")


def find_opencode() -> Program | None:
    """The program on this machine, with its version; `None` where there is none that runs.

    An npm that runs no install scripts leaves a placeholder; the program itself is in a package beside it.
    """
    path = find_file("opencode")
    return None if path is None else _probed(path)


@lru_cache
def _probed(path: Path) -> Program | None:
    package = next((parent for parent in path.parents if parent.name == "opencode-ai"), None)
    beside = sorted(package.parent.glob("opencode-linux-*/bin/opencode")) if package else []
    for candidate in (path, *beside):
        if version := version_of(candidate):
            return Program(candidate, version)
    return None


class OpenCode:
    """See `Harness`."""

    name = "opencode"
    stepwise = False

    def __init__(
        self,
        model: str | None = None,
        *,
        endpoint: EndpointSource = no_endpoint,
        patience: Patience | None = None,
        scripted: bool = False,
    ) -> None:
        """A configuration of the program.

        Args:
            model: as the endpoint names it.
            endpoint: gives each lane's credential, and the address of what speaks chat completions.
            patience: how long the program may keep silent.
            scripted: the endpoint plays scripts, and no model is called.
        """
        self.scripted = scripted
        self.model = model
        self._endpoint = endpoint
        self._patience = patience or Patience()

    def refuses(self, scenario: Demands) -> str | None:
        """See `Harness.refuses`."""
        return "OpenCode has no background commands" if scenario.listening == "watcher" else None

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        """See `Harness.lacks`."""
        return silent_lanes(scenario, replay) if self.scripted else None

    def versions(self) -> dict[str, str]:
        """Raises SetupError when the program is missing."""
        return {self.name: self._program().version}

    def fitting(self, private: Path) -> Fitting:
        """What the lane's sandbox must hold.

        Args:
            private: a folder of the lane's own that stays for all its turns; the sessions are kept in it.

        Raises:
            SetupError: the program is missing.
        """
        program = Mount(self._program().path.parent, PROGRAM_FOLDER)
        data = private / "data"
        data.mkdir(exist_ok=True)
        settings = Mount(_put_settings(private / "settings"), SETTINGS_FOLDER)
        return Fitting((program, settings, Mount(data, DATA_FOLDER, writable=True)), network=True)

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """See `Harness.run`. The lane's sandbox must have been opened with `fitting`."""
        endpoint = self._endpoint(lane)
        assert endpoint.base_url is not None
        lane.sandbox.reach(endpoint.base_url)
        until = time.monotonic() + 60 * limits.max_minutes
        turn = self._once(lane, endpoint, prompt, limits, session)
        for _ in range(_MOST_DRAINS):
            # The program itself asks nobody before it stops; what came in the end is said to the session that has just ended.
            left = Limits(limits.max_steps - turn.steps, (until - time.monotonic()) / 60)
            if turn.ended is not Ended.COMPLETED or left.max_minutes <= 0 or not (words := _last_words(lane)):
                break
            turn = _joined(turn, self._once(lane, endpoint, words, left, turn.session), limits)
        return turn

    def _once(self, lane: Lane, endpoint: Endpoint, prompt: str, limits: Limits, session: str | None) -> Turn:
        data = lane.sandbox.path_inside(DATA_FOLDER)
        cleared = lane.sandbox.run(["sh", "-c", _CLEAR, "sh", data], timeout=_FILE_SECONDS)
        if not cleared.ok:
            raise HarnessError(f"OpenCode's data could not be cleared: {cleared.stderr.decode('utf-8', 'replace').strip()}")
        follower = Follower(lane, OpenCodeStream(), limits, self._patience, (endpoint.key,))
        result = lane.sandbox.run(
            self._argv(lane, session),
            # The prompt comes on stdin, which is closed behind it: an argument has a limit of its own.
            stdin=prompt.encode(),
            timeout=limits.max_minutes * 60,
            environment=self._environment(lane, endpoint, data),
            output_limit=_OUTPUT_KEPT,
            watch=follower,
        )
        return follower.turn(result, session)

    def _argv(self, lane: Lane, session: str | None) -> list[str]:
        program = f"{lane.sandbox.path_inside(PROGRAM_FOLDER)}/{self._program().path.name}"
        argv = [program, "run", "--format", "json", "--auto", "--model", f"{PROVIDER}/{self.model}"]
        return [*argv, "--title", _TITLE] if session is None else [*argv, "--session", session]

    def _environment(self, lane: Lane, endpoint: Endpoint, data: str) -> dict[str, str]:
        settings = lane.sandbox.path_inside(SETTINGS_FOLDER)
        model = f"{PROVIDER}/{self.model}"
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": PROVIDER,
            "options": {"baseURL": endpoint.base_url},
            "models": {self.model: {"name": self.model}},
        }
        told = {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "tools": {"webfetch": False},  # nor is there a search without a flag: what is asked for is in the repository
            "enabled_providers": [PROVIDER],
            "model": model,
            "small_model": model,
            "plugin": [f"file://{settings}/{_PLUGIN}"],
            "provider": {PROVIDER: provider},
        }
        variables = dict.fromkeys(_SWITCHED_OFF, "1")
        variables["OPENCODE_CONFIG_CONTENT"] = json.dumps(told)
        # Without an entry here the plugin is not asked for the provider's credential. The real one is known to the plugin alone.
        variables["OPENCODE_AUTH_CONTENT"] = json.dumps({PROVIDER: {"type": "api", "key": "-"}})
        variables |= {"XDG_CONFIG_HOME": settings, "XDG_DATA_HOME": data, "CROSSTALK_MODEL_KEY": endpoint.key}
        return variables if lane.hook is None else {**variables, "CROSSTALK_HOOK": lane.hook}

    def _program(self) -> Program:
        return need(find_opencode(), "OpenCode (`opencode`)", PACKAGE)


def _put_settings(folder: Path) -> Path:
    """Write the folder of the program's settings anew: the plugin, and what keeps the program from fetching anything."""
    if folder.exists():
        remove_tree(folder)
    own = folder / "opencode"
    (own / "node_modules").mkdir(parents=True)
    (own / ".gitignore").write_text("*\n", encoding="utf-8")
    (own / "package.json").write_text(json.dumps({"dependencies": _LIBRARY}), encoding="utf-8")
    locked = {"lockfileVersion": 3, "packages": {"": {"dependencies": _LIBRARY}}}
    (own / "package-lock.json").write_text(json.dumps(locked), encoding="utf-8")
    (folder / _PLUGIN).write_bytes(Path(__file__).with_name("opencode_plugin.js").read_bytes())
    return folder


def _last_words(lane: Lane) -> str:
    """What the lane's hook has for an agent that is about to stop; empty for nothing."""
    if lane.hook is None:
        return ""
    given = json.dumps({"hook_event_name": "Stop"}).encode()
    result = lane.sandbox.run(["sh", "-c", f"{lane.hook} Stop"], stdin=given, timeout=_HOOK_SECONDS)
    try:
        told = json.loads(result.stdout) if result.ok else {}
    except ValueError:
        told = {}
    return str(told.get("reason", "")) if isinstance(told, dict) and told.get("decision") == "block" else ""


def _joined(first: Turn, then: Turn, limits: Limits) -> Turn:
    """One turn of two runs of the program in the same session."""
    steps = first.steps + then.steps
    by_steps = then.ended is Ended.LIMIT and then.reason.endswith(" steps")
    return replace(
        then,
        reason=f"{limits.max_steps} steps" if by_steps else then.reason,
        usage=first.usage + then.usage,
        steps=steps,
        transcript=(*first.transcript, *then.transcript),
        metering=_both(first.metering, then.metering),
        labels=(*first.labels, *then.labels),
        subagents=first.subagents + then.subagents,
        summary=then.summary or first.summary,
    )


def _both(one: Metering | None, other: Metering | None) -> Metering | None:
    if one is None or other is None:
        return one or other
    return Metering(
        one.responses + other.responses,
        _sum(one.closing, other.closing),
        one.abandoned + other.abandoned,
        lower_bound=one.lower_bound or other.lower_bound,
        notes=(*one.notes, *other.notes),
    )


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    return None if one is None or other is None else one + other
