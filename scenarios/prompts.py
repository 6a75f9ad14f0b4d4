"""Prompts, built from named blocks: one block a field of the scenario, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

from instances.model import Instance
from radio import phase_texts
from radio.policy import Limits
from scenarios.model import Channel, GoldTests, History, Listening, Protocol, Requirement, Scenario, Schedule

GOLD_FOLDER = "/gold"
GOVERNED_LIMITS = Limits(messages_per_minute=20, mentions_per_message=4, body_bytes=4096, lifetime_steps=60)

TASK = """You are a software engineer at a terminal, in the repository in the current folder.
Make the change that is asked for below, in the working tree. You may read and run anything in the repository, and
commit or not as you like: what counts is the files as you leave them. Keep the existing behaviour that you were not asked
to change. Nobody can answer questions; where something is left open, decide as a careful engineer would, and finish."""

AWARE = "Another engineer's agent is working on the same repository at the same time, on a request that you do not see."


@dataclass(frozen=True)
class PromptContext:
    """What a prompt is built from, beside the scenario.

    Attributes:
        instance: the pair.
        lane: `a`, `b`, or `both` for the one agent of a single schedule.
        first_side: the side whose requirement is given first where both are given.
        turn: 1 for the lane's first turn.
        gold_folder: where the lane finds the held-out tests, if it may read them.
    """

    instance: Instance
    lane: str
    first_side: str = "a"
    turn: int = 1
    gold_folder: str = GOLD_FOLDER


Block = Callable[[Scenario, PromptContext], str]


def build_prompt(scenario: Scenario, context: PromptContext) -> str:
    """The prompt of one turn: the blocks that are not empty, a blank line between."""
    texts = (block(scenario, context) for block in BLOCKS.values())
    return "\n\n".join(text for text in texts if text) + "\n"


def _task(scenario: Scenario, context: PromptContext) -> str:
    return TASK


def _requirement(scenario: Scenario, context: PromptContext) -> str:
    instance = context.instance
    if scenario.requirement is Requirement.OWN:
        return f"# The request\n\n{instance.requirement(context.lane)}"
    if scenario.schedule is Schedule.PARALLEL:
        other = "b" if context.lane == "a" else "a"
        return (
            f"# The request\n\n{instance.requirement(context.lane)}\n\n"
            f"# The request that the other engineer's agent was given\n\n{instance.requirement(other)}"
        )
    sides = ("a", "b") if context.first_side == "a" else ("b", "a")
    parts = [f"# Request {number}\n\n{instance.requirement(side)}" for number, side in enumerate(sides, 1)]
    return "Two people each ask for a change. Both requests must be met in full.\n\n" + "\n\n".join(parts)


def _history(scenario: Scenario, context: PromptContext) -> str:
    if scenario.schedule is not Schedule.SERIAL or scenario.history is not History.DIFFS:
        return ""
    return "The repository's git history shows what was changed before your turn, one commit a step."


def _resume_session(scenario: Scenario, context: PromptContext) -> str:
    if not scenario.resume_session or context.turn == 1:
        return ""
    return (
        "You worked on this request before; others may have changed the repository since. Look at it as it is now, and "
        "see to it that the request is met in full."
    )


def _delegate(scenario: Scenario, context: PromptContext) -> str:
    if not scenario.delegate:
        return ""
    return "Give each request to a subagent of its own, with that request only; then bring their work together yourself."


def _aware(scenario: Scenario, context: PromptContext) -> str:
    return AWARE if scenario.aware else ""


def _gold_tests(scenario: Scenario, context: PromptContext) -> str:
    if scenario.gold_tests is GoldTests.NONE:
        return ""
    return (
        f"The tests by which your work will be judged are in {context.gold_folder}, for reading only. "
        "They are laid over the repository's root when they run."
    )


def _channel(scenario: Scenario, context: PromptContext) -> str:
    names = {"lane": context.lane, "peers": ", ".join(lane for lane in scenario.lanes if lane != context.lane)}
    if scenario.channel is Channel.MESSAGE:
        return phase_texts.MESSAGE_CHANNEL.format(**names)
    if scenario.channel is Channel.SYNC:
        return phase_texts.SYNC_CHANNEL.format(**names)
    if scenario.channel is Channel.RADIO:
        return phase_texts.RADIO.format(**names)
    return ""


def _listening(scenario: Scenario, context: PromptContext) -> str:
    if scenario.channel is not Channel.RADIO or scenario.listening is Listening.NONE:
        return ""
    return phase_texts.LISTENING[scenario.listening]


def _radar(scenario: Scenario, context: PromptContext) -> str:
    return phase_texts.RADAR if scenario.radar else ""


def _envelope(scenario: Scenario, context: PromptContext) -> str:
    return phase_texts.ENVELOPE if scenario.envelope else ""


def _limits(scenario: Scenario, context: PromptContext) -> str:
    if not scenario.limits:
        return ""
    return phase_texts.LIMITS.format(
        rate=GOVERNED_LIMITS.messages_per_minute,
        size=GOVERNED_LIMITS.body_bytes,
        fan_out=GOVERNED_LIMITS.mentions_per_message,
        lifetime=GOVERNED_LIMITS.lifetime_steps,
    )


def _dispositions(scenario: Scenario, context: PromptContext) -> str:
    return phase_texts.DISPOSITIONS if scenario.dispositions else ""


def _drain_at_stop(scenario: Scenario, context: PromptContext) -> str:
    return phase_texts.DRAIN_AT_STOP if scenario.drain_at_stop else ""


def _protocol(scenario: Scenario, context: PromptContext) -> str:
    if scenario.protocol is Protocol.NONE:
        return ""
    return "\n\n".join(phase_texts.phase_blocks(context.lane, context.first_side, scenario.listening).values())


BLOCKS: dict[str, Block] = {
    "task": _task,
    "requirement": _requirement,
    "resume_session": _resume_session,
    "history": _history,
    "delegate": _delegate,
    "aware": _aware,
    "gold_tests": _gold_tests,
    "channel": _channel,
    "listening": _listening,
    "radar": _radar,
    "envelope": _envelope,
    "limits": _limits,
    "dispositions": _dispositions,
    "drain_at_stop": _drain_at_stop,
    "protocol": _protocol,
}
