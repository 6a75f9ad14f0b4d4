"""Replay scripts: what a scripted agent does in a lane, read from an instance's `replay/` folder.

A script is `replay/<lane>.json`, with the lane `a`, `b` or `both`:

    {"schema_version": 1,
     "turns": [{"steps": [{"run": "python -m pytest -q"},
                          {"write": {"path": "src/x.py", "text": "..."}},
                          {"apply": "references/a"}]}]}

`run` is a shell command line, `write` replaces a file, `apply` applies a patch of the instance by name (a patch that does not
apply changes nothing). A lane that is given more turns than its script has plays the last one again. Further actions:

    {"say": {"to": "b", "thread": "contract", "text": "...", "kind": "interface", "claim": "..."}}
    {"listen": "for the contract"}      {"wait": "for the approval"}
    {"respond": {"verdict": "accepted", "reason": "...", "paths": "src/x.py"}}
    {"when_heard": "regular expression", "then": [...], "else": [...]}
    {"delegate": {"task": "...", "steps": [...]}}

`say` and `listen` are what the scenario's channel makes of them: nothing without a channel; at a point of synchronisation,
posting and waiting in one; `listen` is a step where the agent must listen itself (pull, foreground), and none where messages
come by themselves; `wait` is a step in either case. `say` opens a thread of that name, or posts `in` one by its id; `kind`
and `claim` go on the envelope where the scenario has one. `respond` answers the newest message, where the scenario has
dispositions. `when_heard` looks, when it is reached, at all that the agent was given so far: prompt, what tools gave back,
and what surfaced at step boundaries. `delegate` hands steps to a subagent, where the agent program has subagents.
"""

import json
import re
import shlex
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from harnesses.base import Demands, ReplaySource
from sandboxes.errors import SetupError


class Tool(StrEnum):
    RUN = "run"
    WRITE = "write"
    APPLY = "apply"
    SAY = "say"
    LISTEN = "listen"


@dataclass(frozen=True)
class ScriptStep:
    """One tool call: its shell command or file path or patch name in `target`, and what it is fed.

    `say` and `listen` are shell commands too. One that `waits` for another lane does so for $CROSSTALK_PATIENCE seconds.
    """

    tool: Tool
    target: str
    content: bytes = b""
    waits: bool = False


@dataclass(frozen=True)
class WhenHeard:
    """A choice by what the agent was given before."""

    pattern: re.Pattern[str]
    then: tuple["Action", ...]
    otherwise: tuple["Action", ...]


@dataclass(frozen=True)
class Delegate:
    """One call of the program's own subagent tool, and what the subagent does."""

    task: str
    actions: tuple["Action", ...]


Action = ScriptStep | WhenHeard | Delegate
# The one agent puts two sides' work together anew: what a contradictory pair's sides leave in one tree is of no use.
_START_OVER = ScriptStep(Tool.RUN, "git checkout -q -- . && git clean -fdq")


@dataclass(frozen=True)
class Script:
    """The actions of each turn; `origin` says where they come from."""

    turns: tuple[tuple[Action, ...], ...]
    origin: str

    def actions(self, number: int) -> tuple[Action, ...]:
        """The actions of a turn, 1 for the first; the last one stands for all that follow."""
        return self.turns[min(number, len(self.turns)) - 1]

    def turn(self, number: int) -> tuple[ScriptStep, ...]:
        """The actions of a turn that only has plain steps.

        Raises:
            SetupError: it has others.
        """
        actions = self.actions(number)
        steps = tuple(action for action in actions if isinstance(action, ScriptStep))
        if len(steps) != len(actions):
            raise SetupError(f"{self.origin}: turn {number} holds actions that cannot be played as plain steps")
        return steps


def next_action(actions: Sequence[Action], visible: Sequence[str]) -> ScriptStep | Delegate | None:
    """What an agent does next; `None` when its script is at its end.

    Args:
        actions: the turn's.
        visible: all that the agent had been given before each call that it has made, and, last, before this one.
    """
    waiting = deque(actions)
    made = 0
    while waiting:
        action = waiting.popleft()
        if isinstance(action, WhenHeard):
            branch = action.then if action.pattern.search(visible[made]) else action.otherwise
            waiting.extendleft(reversed(branch))
        elif made == len(visible) - 1:
            return action
        else:
            made += 1
    return None


def newest_message(visible: str) -> str:
    """The id of the newest message of a peer in what an agent was given; empty where there is none."""
    return next(reversed(_MESSAGE.findall(visible)), "")


def load_script(source: ReplaySource) -> Script:
    """The lane's script, or one that applies the lane's reference where the instance has none.

    Where the scenario delegates, one without a script gives each side's script to a subagent, and then puts the two sides'
    work together by the reference of both.

    Raises:
        SetupError: the script is not as its format says; the text names file and place.
    """
    if not source.script.is_file():
        step = ScriptStep(Tool.APPLY, source.reference, source.patch(source.reference))
        before = (_side(source, "a"), _side(source, "b"), _START_OVER) if source.delegates else ()
        return Script(((*before, step),), origin=source.reference)
    path = source.script
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SetupError(f"{path}: not readable as JSON: {error}") from error
    if not isinstance(data, dict) or data.get("schema_version") != 1 or set(data) != {"schema_version", "turns"}:
        raise SetupError(f"{path}: a script holds schema_version 1 and turns, nothing else")
    turns = data["turns"]
    if not isinstance(turns, list) or not turns:
        raise SetupError(f"{path}: turns is a list with at least one turn")
    return Script(
        tuple(_turn(turn, source, f"{path}: turn {number}") for number, turn in enumerate(turns, 1)),
        origin=f"replay/{path.name}",
    )


def _side(source: ReplaySource, side: str) -> Delegate:
    """A subagent that meets one side's request, as that side's agent would."""
    own = replace(source, script=source.script.with_name(f"{side}.json"), reference=f"references/{side}", delegates=False)
    return Delegate(f"Meet the request of principal {side.upper()}, and that one only.", load_script(own).actions(1))


def _turn(turn: Any, source: ReplaySource, where: str) -> tuple[Action, ...]:
    if not isinstance(turn, dict) or set(turn) != {"steps"} or not isinstance(turn["steps"], list):
        raise SetupError(f"{where}: a turn holds a list of steps, nothing else")
    return _actions(turn["steps"], source, where)


def _actions(steps: Any, source: ReplaySource, where: str) -> tuple[Action, ...]:
    if not isinstance(steps, list):
        raise SetupError(f"{where}: steps are a list")
    actions = (_action(step, source, f"{where}, step {number}") for number, step in enumerate(steps, 1))
    return tuple(action for action in actions if action is not None)


def _action(step: Any, source: ReplaySource, where: str) -> Action | None:
    if isinstance(step, dict) and len(step) == 1 and set(step) <= {"say", "listen", "wait", "respond"}:
        return _radio_step(*next(iter(step.items())), source, where)
    if isinstance(step, dict) and "when_heard" in step:
        if set(step) - {"when_heard", "then", "else"} or not _is_text(step["when_heard"]):
            raise SetupError(f"{where}: when_heard holds a text, with then and else beside it, nothing else")
        try:
            pattern = re.compile(step["when_heard"], re.MULTILINE)
        except re.error as error:
            raise SetupError(f"{where}: when_heard is not a regular expression: {error}") from error
        then = _actions(step.get("then", []), source, f"{where}, then")
        return WhenHeard(pattern, then, _actions(step.get("else", []), source, f"{where}, else"))
    if isinstance(step, dict) and set(step) == {"delegate"}:
        value = step["delegate"]
        if not isinstance(value, dict) or set(value) != {"task", "steps"} or not _is_text(value["task"]):
            raise SetupError(f"{where}: delegate holds task and steps")
        return Delegate(value["task"], _actions(value["steps"], source, f"{where}, delegate"))
    return _step(step, source, where)


def _step(step: Any, source: ReplaySource, where: str) -> ScriptStep:
    if not isinstance(step, dict) or len(step) != 1 or next(iter(step)) not in set(Tool):
        raise SetupError(f"{where}: a step is one of {', '.join(Tool)}, wait, when_heard, delegate")
    tool, value = Tool(next(iter(step))), next(iter(step.values()))
    if tool is Tool.WRITE:
        if not isinstance(value, dict) or set(value) != {"path", "text"} or not all(map(_is_text, value.values())):
            raise SetupError(f"{where}: write holds path and text")
        return ScriptStep(tool, value["path"], value["text"].encode())
    if not _is_text(value):
        raise SetupError(f"{where}: {tool} holds a text")
    return ScriptStep(tool, value, source.patch(value) if tool is Tool.APPLY else b"")


HEARD = '"$CROSSTALK_HEARD"'  # in a command: the id of the newest message that the agent was given
_MESSAGE = re.compile(r"^\[radio\] message (m\d+) from the agent", re.MULTILINE)
_PATIENCE = '--timeout "${CROSSTALK_PATIENCE:-60}"'
_SAY_FIELDS = {"to", "thread", "in", "text", "kind", "claim"}


def _radio_step(name: str, value: Any, source: ReplaySource, where: str) -> ScriptStep | None:
    """What a scenario's channel makes of `say`, `listen` and `wait`; `None` where it is no step at all."""
    if name == "say":
        if not isinstance(value, dict) or set(value) - _SAY_FIELDS or not all(map(_is_text, value.values())):
            raise SetupError(f"{where}: say holds texts: {', '.join(sorted(_SAY_FIELDS))}")
        if "text" not in value or "to" not in value or ("thread" in value) == ("in" in value):
            raise SetupError(f"{where}: say holds to, text, and either thread or in")
        return _say(value, source)
    if name == "respond":
        if not isinstance(value, dict) or set(value) != {"verdict", "reason", "paths"} or not all(map(_is_text, value.values())):
            raise SetupError(f"{where}: respond holds texts: paths, reason, verdict")
        options = f"--reason {shlex.quote(value['reason'])} --paths {shlex.quote(value['paths'])}"
        command = f"radio-respond {HEARD} {shlex.quote(value['verdict'])} {options}"
        return ScriptStep(Tool.SAY, command) if source.dispositions else None
    if not _is_text(value):
        raise SetupError(f"{where}: {name} holds a text that says what for")
    if source.channel == "radio" and (name == "wait" or source.listening == "foreground"):
        return ScriptStep(Tool.LISTEN, f"radio-wait {_PATIENCE}", waits=True)
    if source.channel in ("radio", "message") and source.listening == "pull":
        return ScriptStep(Tool.LISTEN, "radio-inbox")
    return None


def _say(value: dict[str, str], source: ReplaySource) -> ScriptStep | None:
    text = f"printf %s {shlex.quote(value['text'])}"
    if source.channel == "sync" and "thread" in value:
        return ScriptStep(Tool.LISTEN, f"{text} | radio-sync {shlex.quote(value['thread'])} {_PATIENCE} -", waits=True)
    if source.channel not in ("radio", "message"):
        return None
    thread = shlex.quote(value["in"]) if "in" in value else f'"$(radio-create-thread {shlex.quote(value["thread"])})"'
    options = f"--mention {shlex.quote(value['to'])}"
    if source.envelope:
        options += (
            f" --kind {shlex.quote(value.get('kind', 'finding'))} --claim {shlex.quote(value.get('claim', value['text'][:80]))}"
        )
    return ScriptStep(Tool.SAY, f"{text} | radio-send {thread} {options} -")


def _is_text(value: object) -> bool:
    """A text that a command line can carry: without NUL."""
    return isinstance(value, str) and "\0" not in value


def script_name(lane: str, protocol: str) -> str:
    """The name of a lane's script: a protocol has scripts of its own."""
    return lane if protocol == "none" else f"{lane}.{protocol}"


def silent_lanes(scenario: Demands, replay: Path) -> str | None:
    """Why scripted agents have nothing to say under a scenario with a channel; `None` where they have, or need not."""
    if scenario.channel == "none":
        return None
    missing = [lane for lane in ("a", "b") if not _speaks(replay / f"{script_name(lane, scenario.protocol)}.json")]
    return f"no script that speaks for lane {' and '.join(missing)}" if missing else None


def _speaks(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        return '"say"' in json.dumps(json.loads(path.read_bytes()))
    except ValueError:
        return True  # its fault is told, with the place, when it is played
