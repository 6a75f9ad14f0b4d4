"""The catalogue is what the design lists, and a user's own scenarios are held to the same fields."""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

import pytest

from instances.model import Instance
from radio.policy import Limits
from sandboxes.errors import SetupError
from scenarios.catalog import CATALOG, by_name, select
from scenarios.model import Group, Scenario, Schedule, differing_fields
from scenarios.own import load_scenarios, scenario_of_record
from scenarios.prompts import AWARE, BLOCKS, GOVERNED_LIMITS, PromptContext, build_prompt


def test_groups_are_as_designed() -> None:
    assert Counter(scenario.group for scenario in CATALOG) == {
        Group.ONE_AGENT: 2,
        Group.SERIAL: 8,
        Group.PARALLEL: 7,
        Group.GOLD_TESTS: 2,
        Group.RADIO: 3,
        Group.PROTOCOL: 3,
        Group.CONTROL: 2,
    }
    assert len({scenario.name for scenario in CATALOG}) == len(CATALOG)
    parallact = {Group.ONE_AGENT, Group.SERIAL, Group.PARALLEL, Group.GOLD_TESTS}
    assert sum(scenario.group in parallact for scenario in CATALOG) == 19


@pytest.mark.parametrize(
    ("one", "other", "fields"),
    [
        ("parallel-unaware", "parallel-aware", {"aware"}),
        ("sequential-ab-repo", "sequential-ab-hist", {"history"}),
        ("sequential-ab-repo", "sequential-ba-repo", {"order"}),
        ("sequential-ab-repo", "reentrant-abab-repo", {"order", "resume_session"}),
        ("radio-watcher", "radio-passive", {"listening"}),
        ("radio-protocol-blocking", "radio-protocol-watcher", {"listening"}),
        ("radio-passive", "radio-protocol-passive", {"protocol"}),
        ("radio-passive", "radio-radar", {"radar"}),
        ("radio-passive", "radio-governed", {"envelope", "limits", "dispositions", "drain_at_stop"}),
        ("parallel-message-file", "parallel-message-redis", {"store"}),
        ("oracle", "oracle-gold", {"gold_tests", "contradictory_only"}),
    ],
)
def test_two_scenarios_differ_in_named_fields_only(one: str, other: str, fields: set[str]) -> None:
    assert {field for field, _, _ in differing_fields(by_name(one), by_name(other))} == fields


def test_a_record_gives_back_its_scenario() -> None:
    import json

    for scenario in CATALOG:
        assert scenario_of_record(json.loads(json.dumps(scenario.as_record()))) == scenario


def test_select_by_name_group_and_all() -> None:
    assert [one.name for one in select(["parallel-unaware", "oracle", "oracle"])] == ["oracle", "parallel-unaware"]
    assert len(select(["serial"])) == 8
    assert select([]) == select(["all"]) == list(CATALOG)


def test_the_prompt_says_every_limit_that_the_hub_keeps(make_pair: Callable[..., Instance]) -> None:
    prompt = BLOCKS["limits"](by_name("radio-governed"), PromptContext(make_pair(), "a"))
    tighter = {field.name: getattr(GOVERNED_LIMITS, field.name) for field in fields(Limits)}
    tighter = {name: value for name, value in tighter.items() if value != getattr(Limits(), name)}
    assert tighter
    assert all(str(value) in prompt.replace("\n", " ").split() for value in tighter.values()), tighter
    docs = (Path(__file__).parents[2] / "docs" / "add-a-scenario.md").read_text()
    row = next(line for line in docs.splitlines() if line.startswith("| `limits`"))
    assert all(f" {value:,} " in row for value in tighter.values()), tighter


def test_the_docs_list_every_field_and_value_of_a_scenario() -> None:
    text = (Path(__file__).parents[2] / "docs" / "add-a-scenario.md").read_text()
    rows = {row.split("|")[1].strip().strip("`"): row for row in text.splitlines() if row.startswith("| `")}
    assert rows.keys() == {field.name for field in fields(Scenario)} - {"group"}
    for field in fields(Scenario):
        if isinstance(field.type, type) and issubclass(field.type, StrEnum) and field.name != "group":
            assert [value for value in field.type if f"`{value}`" not in rows[field.name]] == []


def test_a_lane_with_its_own_requirement_sees_nothing_of_the_others(make_pair: Callable[..., Instance]) -> None:
    pair = make_pair()
    for scenario in CATALOG:
        for lane in scenario.lanes:
            prompt = build_prompt(scenario, PromptContext(pair, lane))
            seen = {side for side in ("a", "b") if pair.requirement(side) in prompt}
            assert seen == ({"a", "b"} if scenario.requirement == "both" else {lane})
            assert pair.canary not in prompt
            assert all(role not in prompt for role in pair.principals.values())


def test_the_oracle_is_given_both_in_the_drawn_order(make_pair: Callable[..., Instance]) -> None:
    pair = make_pair()
    first, second = (build_prompt(by_name("oracle"), PromptContext(pair, "both", first_side=side)) for side in ("a", "b"))
    assert first.index(pair.requirement("a")) < first.index(pair.requirement("b"))
    assert second.index(pair.requirement("b")) < second.index(pair.requirement("a"))


def test_prompts_differ_by_the_fields_block_only(make_pair: Callable[..., Instance]) -> None:
    context = PromptContext(make_pair(), "a")
    unaware, aware = (build_prompt(by_name(name), context) for name in ("parallel-unaware", "parallel-aware"))
    assert aware == unaware.rstrip("\n") + f"\n\n{AWARE}\n"


def test_every_block_is_named_after_a_field() -> None:
    assert set(BLOCKS) - {"task"} <= set(Scenario.__dataclass_fields__)


def test_own_scenarios_from_yaml(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("- {name: quiet, extends: parallel-unaware, aware: true}\n- {name: back, schedule: serial, order: [b, a]}\n")
    quiet, back = load_scenarios(path, CATALOG)
    assert {field for field, _, _ in differing_fields(quiet, by_name("parallel-unaware"))} == {"aware"}
    assert (back.schedule, back.order, back.group) == (Schedule.SERIAL, ("b", "a"), Group.OWN)
    assert [one.name for one in select(["oracle", str(path)])] == ["oracle", "quiet", "back"]
    assert by_name(f"{path}:back") == back
    with pytest.raises(SetupError, match="holds no scenario 'forth'; it holds quiet, back"):
        select([f"{path}:forth"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: oracle\nextends: oracle\n", "is a shipped scenario's name"),
        ("name: x\nextends: nothing\n", "which is no shipped scenario"),
        ("name: x\n", "needs `extends` or `schedule`"),
        ("name: x\nextends: oracle\nawre: true\n", "unknown field 'awre'"),
        ("name: x\nextends: oracle\naware: 'yes'\n", "aware is a bool"),
        ("name: x\nextends: oracle\nlistening: ears\n", "listening is one of"),
        ("name: x\nschedule: serial\n", "a serial schedule, and no other, has an order"),
        ("name: x\nschedule: serial\norder: [a, a]\n", "at least one turn"),
        ("name: x\nschedule: serial\norder: [c]\n", "order is a list of sides"),
        ("name: x\nschedule: single\n", "given both requirements"),
        ("name: x\nextends: oracle\nchannel: radio\nstore: sqlite\n", "only parallel lanes can talk"),
        ("name: x\nextends: parallel-unaware\nchannel: radio\n", "go together"),
        ("name: x\nextends: parallel-unaware\ndelegate: true\n", "can delegate"),
        ("name: x\nextends: oracle\naware: true\n", "aware is a sentence for parallel lanes"),
        ("name: x\nextends: parallel-unaware\nhistory: diffs\n", "have a history"),
        ("name: x\nextends: parallel-unaware\nresume_session: true\n", "resume a session"),
        ("name: x\nextends: parallel-unaware\nlistening: hook\n", "listening needs a channel"),
        ("name: x\nextends: parallel-message-file\nlistening: hook\n", "listening: pull"),
        ("name: x\nextends: parallel-sync-file\nlistening: hook\n", "listening: foreground"),
        ("name: x\nextends: parallel-unaware\nradar: true\n", "radar needs channel: radio"),
        ("name: x\nextends: parallel-message-file\nenvelope: true\n", "envelope needs channel: radio"),
        ("name: x\nextends: radio-watcher\ndrain_at_stop: true\n", "drain_at_stop needs listening: hook"),
        ("name: x\nextends: radio-protocol-passive\nlistening: none\n", "the protocol five-phase needs"),
        ("name: x\nextends: parallel-unaware\nprotocol: five-phase\n", "the protocol five-phase needs"),
        ("name: ../evil\nextends: oracle\n", "is no name for a scenario"),
        ("name: a.1\nextends: oracle\n", "is no name for a scenario"),
        ("name: x\nschedule: serial\norder: [a, [b]]\n", "order is a list of sides"),
        ("name: x\nextends: oracle\nname: y\n", "the key 'name' stands twice"),
        ("just text", "a mapping with a `name`"),
        ("[]", "holds no scenario"),
        ("a: [", "cannot read scenarios"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(SetupError, match=re_escape(said)) as caught:
        load_scenarios(path, CATALOG)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_shipped_scenario_keeps_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    for scenario in CATALOG:
        path.write_text(f"{{name: own-{scenario.name}, extends: {scenario.name}}}")
        assert load_scenarios(path, CATALOG)[0].lanes == scenario.lanes


def re_escape(text: str) -> str:
    import re

    return re.escape(text)
