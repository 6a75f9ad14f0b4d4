"""What the scripted model does beside its script: subagents are waited for, a watcher is kept, lanes begin together."""

import json
from pathlib import Path
from threading import Thread

import pytest

from harnesses.base import Company, ReplaySource
from harnesses.script import HEARD, Delegate, ScriptStep, Tool, load_script
from harnesses.scripted_model.conversation import Part, Request, Role, ToolCall
from harnesses.scripted_model.lanes import LaneBook, ServedLane
from harnesses.scripted_model.play import LaneScript, answer
from sandboxes.errors import HarnessError

CODEX = frozenset({"exec_command", "multi_agent_v1.spawn_agent", "multi_agent_v1.wait_agent"})
CLAUDE_CODE = frozenset({"Bash", "Agent"})


class Talk:
    """A conversation of a program with the scripted model."""

    def __init__(self, tools: frozenset[str], *actions: ScriptStep | Delegate, watches: bool = False) -> None:
        self.tools, self.lane = tools, LaneScript("a", "call_1", actions, watches)
        self.parts = [Part(Role.HEARD, "Please do it.")]

    def next(self) -> ToolCall | None:
        call = answer(self.lane, Request("m", True, self.tools, tuple(self.parts)), "msg").call
        if call is not None:
            self.parts.append(Part(Role.SAID, json.dumps(call.arguments), call.id))
        return call

    def hear(self, text: str) -> None:
        self.parts.append(Part(Role.HEARD, text))

    def commands(self, *answers: str) -> list[str]:
        """The commands that are asked for, each answered in turn, and the one after the last answer."""
        asked = []
        for text in (*answers, None):
            call = self.next()
            asked.append(call.arguments.get("command", "") if call else "the end")
            if text is not None:
                self.hear(text)
        return asked


def run(command: str) -> ScriptStep:
    return ScriptStep(Tool.RUN, command)


def notice(call: ToolCall) -> str:
    return f"<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>{call.id}</tool-use-id>\n</task-notification>"


def test_a_subagent_that_works_beside_its_parent_is_waited_for_until_it_has_ended() -> None:
    talk = Talk(CODEX, Delegate("Look.", (run("inside"),)), run("after"))
    spawned = talk.next()
    assert spawned
    assert spawned.name == "multi_agent_v1.spawn_agent"
    talk.hear('{"agent_id":"id-7","nickname":"N"}')
    for timed_out in ("true", "true", "false"):
        waited = talk.next()
        assert waited
        assert (waited.name, waited.arguments["targets"]) == ("multi_agent_v1.wait_agent", ["id-7"])
        talk.hear(f'{{"status":{{}},"timed_out":{timed_out}}}')
    after = talk.next()
    assert after
    assert after.arguments["cmd"] == "after"
    talk.hear("ok")
    assert talk.next() is None


def test_a_subagent_that_was_not_started_is_no_work_done() -> None:
    talk = Talk(CODEX, Delegate("Look.", (run("inside"),)), run("after"))
    talk.next()
    talk.hear("agent thread limit reached")
    with pytest.raises(HarnessError, match="agent thread limit reached"):
        talk.next()


def test_a_watcher_is_started_first_read_when_it_has_ended_and_started_again() -> None:
    talk = Talk(CLAUDE_CODE, run("one"), run("two"), run("three"), watches=True)
    watch = talk.next()
    assert watch
    assert (watch.arguments["command"], watch.arguments["run_in_background"]) == ("radio-watch", True)
    talk.hear("Command running in background")
    assert talk.commands(f"ok\n{notice(watch)}", "[radio] message m4 from the agent of lane b", "Running", "ok") == [
        "one",
        "radio-inbox",
        "radio-watch",
        "two",
        "three",
    ]


def test_only_the_watchers_own_end_is_a_notice() -> None:
    talk = Talk(CLAUDE_CODE, run("one"), run("two"), watches=True)
    watch = talk.next()
    assert watch
    other = ToolCall("call_other", "Bash", {})
    assert talk.commands("Running", notice(other), f"what was said: {watch.id}") == ["one", "two", "the end", "the end"]


def test_a_watcher_in_a_program_without_background_commands_is_an_error() -> None:
    with pytest.raises(HarnessError, match="no background commands"):
        Talk(CODEX, run("one"), watches=True).next()


@pytest.mark.parametrize(
    ("heard", "answered"),
    [
        ("[radio] message m4 from the agent of lane b\n| x\n[radio] message m12 from the agent of lane b", "m12"),
        ("nothing", "''"),
    ],
)
def test_the_newest_message_is_answered(heard: str, answered: str) -> None:
    talk = Talk(CLAUDE_CODE, run("look"), ScriptStep(Tool.SAY, f"radio-respond {HEARD} accepted"))
    assert talk.commands(heard) == ["look", f"radio-respond {answered} accepted"]


def test_without_a_script_each_side_is_delegated_and_the_parent_starts_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"schema_version": 1, "turns": [{"steps": [{"run": "look"}, {"listen": "for b"}]}]}')
    source = ReplaySource(tmp_path / "both.json", lambda name: name.encode(), "references/joint", delegates=True)
    first, second, over, joint = load_script(source).actions(1)
    assert isinstance(first, Delegate)
    assert isinstance(second, Delegate)
    assert first.actions == (run("look"),)
    assert second.actions == (ScriptStep(Tool.APPLY, "references/b", b"references/b"),)
    assert first.task != second.task
    assert isinstance(over, ScriptStep)
    assert joint == ScriptStep(Tool.APPLY, "references/joint", b"references/joint")


def test_lanes_of_a_company_get_their_first_answers_together() -> None:
    book = LaneBook()
    company = Company("cell-1", 2)
    lanes = [book.of(book.add(name, (), company=company)) for name in "ab"]
    alone = book.of(book.add("both", ()))
    assert alone
    book.meet(alone)
    begun: list[str] = []

    def begin(lane: ServedLane | None) -> None:
        assert lane
        book.meet(lane)
        begun.append(lane.script.name)

    first = Thread(target=begin, args=(lanes[0],))
    first.start()
    first.join(0.2)
    assert begun == []
    begin(lanes[1])
    first.join(10)
    assert sorted(begun) == ["a", "b"]
