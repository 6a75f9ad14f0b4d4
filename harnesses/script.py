"""Replay scripts: what a scripted agent does in a lane, read from an instance's `replay/` folder.

A script is `replay/<lane>.json`, with the lane `a`, `b` or `both`:

    {"schema_version": 1,
     "turns": [{"steps": [{"run": "python -m pytest -q"},
                          {"write": {"path": "src/x.py", "text": "..."}},
                          {"apply": "references/a"}]}]}

`run` is a shell command line, `write` replaces a file, `apply` applies a patch of the instance by name (a patch that does not
apply changes nothing). A lane that is given more turns than its script has plays the last one again.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harnesses.base import ReplaySource
from sandboxes.errors import SetupError


class Tool(StrEnum):
    RUN = "run"
    WRITE = "write"
    APPLY = "apply"


@dataclass(frozen=True)
class ScriptStep:
    """One tool call: its shell command or file path or patch name in `target`, and what it is fed."""

    tool: Tool
    target: str
    content: bytes = b""


@dataclass(frozen=True)
class Script:
    """The steps of each turn; `origin` says where they come from."""

    turns: tuple[tuple[ScriptStep, ...], ...]
    origin: str

    def turn(self, number: int) -> tuple[ScriptStep, ...]:
        """The steps of a turn, 1 for the first; the last one stands for all that follow."""
        return self.turns[min(number, len(self.turns)) - 1]


def load_script(source: ReplaySource) -> Script:
    """The lane's script, or one that applies the lane's reference where the instance has none.

    Raises:
        SetupError: the script is not as its format says; the text names file and place.
    """
    if not source.script.is_file():
        step = ScriptStep(Tool.APPLY, source.reference, source.patch(source.reference))
        return Script(((step,),), origin=source.reference)
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


def _turn(turn: Any, source: ReplaySource, where: str) -> tuple[ScriptStep, ...]:
    if not isinstance(turn, dict) or set(turn) != {"steps"} or not isinstance(turn["steps"], list):
        raise SetupError(f"{where}: a turn holds a list of steps, nothing else")
    return tuple(_step(step, source, f"{where}, step {number}") for number, step in enumerate(turn["steps"], 1))


def _step(step: Any, source: ReplaySource, where: str) -> ScriptStep:
    if not isinstance(step, dict) or len(step) != 1 or next(iter(step)) not in set(Tool):
        raise SetupError(f"{where}: a step is one of {', '.join(Tool)}")
    tool, value = Tool(next(iter(step))), next(iter(step.values()))
    if tool is Tool.WRITE:
        if not isinstance(value, dict) or set(value) != {"path", "text"} or not all(map(_is_text, value.values())):
            raise SetupError(f"{where}: write holds path and text")
        return ScriptStep(tool, value["path"], value["text"].encode())
    if not _is_text(value):
        raise SetupError(f"{where}: {tool} holds a text")
    return ScriptStep(tool, value, source.patch(value) if tool is Tool.APPLY else b"")


def _is_text(value: object) -> bool:
    return isinstance(value, str)
