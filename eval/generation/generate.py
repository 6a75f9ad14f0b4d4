"""Asking a model for a pair, a bounded number of times; what was said and what it cost is kept in any case."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval.generation.answer import UnreadableProposalError, read_proposal
from eval.generation.build import build, faults_of
from eval.generation.prompt import again, first_messages
from eval.generation.source import Source
from instances.importers.rows import slug_of
from instances.model import Family, Instance
from reconcilers.transport import Completion, Finish, Message, Role, Transport, TransportError
from sandboxes.base import SandboxFactory
from sandboxes.folders import remove_tree
from sandboxes.usage import Usage

CONVERSATION = "generated/conversation.jsonl"
GIVEN_UP = "given-up"
_MOST_FAULTS = 20


@dataclass(frozen=True)
class Order:
    """What to make.

    Attributes:
        family: of the pair.
        attempts: how many proposals the model may make.
        examples: shipped pairs that it is shown.
        out: the folder of generated pairs.
    """

    family: Family
    attempts: int
    examples: Sequence[Instance]
    out: Path


@dataclass
class Talk:
    """What was said so far, and what it cost.

    Attributes:
        fence: the word around each file.
        attempts: proposals made.
        faults: of the newest one.
    """

    said: list[Message]
    fence: str
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    faults: list[str] = field(default_factory=list)

    def as_lines(self) -> str:
        return "".join(json.dumps({"role": one.role, "text": one.text}, ensure_ascii=False) + "\n" for one in self.said)


@dataclass(frozen=True)
class Generated:
    """What came of it.

    Attributes:
        folder: the pair's; `None` where it was given up.
        kept: where the conversation is.
        talk: the conversation.
    """

    folder: Path | None
    kept: Path
    talk: Talk


def generate(
    source: Source, order: Order, transport: Transport, sandboxes: SandboxFactory, tell: Callable[[str], None]
) -> Generated:
    """Ask for a pair until one is sound, or the attempts are used up.

    Args:
        tell: hears of each attempt.

    Raises:
        TransportError: the model gave no answer; the conversation until then is kept like one that was given up.
        SetupError, SandboxError: the machine, or the environment, broke.
    """
    fence = fence_of(source.requirement)
    slug = _free_slug(source, order.out)
    beside = order.out.absolute() / f".{slug}.generating"
    remove_tree(beside)
    beside.mkdir(parents=True)
    talk = Talk(first_messages(source, order.family, fence, order.examples), fence)
    try:
        while talk.attempts < order.attempts:
            if talk.faults:
                talk.said.append(again(talk.faults[:_MOST_FAULTS], fence))
            folder = beside / slug
            remove_tree(folder)
            answer = _asked(transport, talk, order.out, slug)
            talk.faults = _faults(answer, talk, (source, order, transport.model), sandboxes, folder)
            tell(f"attempt {talk.attempts}: {_told(talk.faults)}")
            if not talk.faults:
                target = order.out / order.family / slug
                target.parent.mkdir(parents=True, exist_ok=True)
                folder.rename(target)
                return Generated(target, target / CONVERSATION, talk)
    finally:
        remove_tree(beside)
    return Generated(None, _keep(talk, order.out, slug, transport.model), talk)


def fence_of(requirement: str) -> str:
    """The word around each file: the same for the same source, and no word of anybody's."""
    return f"FILE-{hashlib.sha256(requirement.encode()).hexdigest()[:8]}"


def _asked(transport: Transport, talk: Talk, out: Path, slug: str) -> Completion:
    try:
        completion = transport.complete(talk.said)
    except TransportError as error:
        talk.usage += error.usage
        kept = _keep(talk, out, slug, transport.model)
        raise TransportError(f"{error}; what was said is in {kept}", talk.usage, error.status, error.retry_after) from error
    talk.attempts += 1
    talk.usage += completion.usage
    talk.said.append(Message(Role.ASSISTANT, completion.text))
    return completion


def _faults(
    answer: Completion, talk: Talk, what: tuple[Source, Order, str], sandboxes: SandboxFactory, folder: Path
) -> list[str]:
    """What is wrong with a proposal, in words; where nothing is, its folder is whole, the conversation in it."""
    source, order, model = what
    if answer.finish is Finish.LENGTH:
        return ["the answer was cut off by the limit on its length: change fewer or smaller files"]
    try:
        proposal = read_proposal(answer.text, talk.fence, order.family)
    except UnreadableProposalError as error:
        return [str(error)]
    generated = {
        "model": model,
        "source": source.name,
        "attempts": talk.attempts,
        "effective_tokens": talk.usage.as_record()["effective_tokens"],
    }
    faults = build(source, proposal, order.family, folder, generated)
    if faults:
        return faults
    # Before the check: what is checked is the folder as it will be.
    (folder / CONVERSATION).parent.mkdir()
    (folder / CONVERSATION).write_text(talk.as_lines(), encoding="utf-8")
    return faults_of(folder, sandboxes)


def _told(faults: Sequence[str]) -> str:
    return f"{len(faults)} fault{'s' * (len(faults) != 1)}; the first: {faults[0]}" if faults else "sound"


def _keep(talk: Talk, out: Path, slug: str, model: str) -> Path:
    """Keep what was said where no pair came of it, with the last faults and what it cost."""
    folder = out / GIVEN_UP
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (folder / f"{slug}.{number}.jsonl").exists():
        number += 1
    path = folder / f"{slug}.{number}.jsonl"
    end = {"role": "end", "model": model, "attempts": talk.attempts, "faults": talk.faults, "usage": talk.usage.as_record()}
    path.write_text(talk.as_lines() + json.dumps(end, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _free_slug(source: Source, out: Path) -> str:
    number = 1
    while any(out.glob(f"*/{_slug(source, number)}")):
        number += 1
    return _slug(source, number)


def _slug(source: Source, number: int) -> str:
    return f"{slug_of('generated', source.name)[:70].strip('-')}-{number}"
