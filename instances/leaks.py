"""Whether one requirement gives the other away: words of code that only the other's change brings, or whole shared phrases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instances.files import own_paths
from instances.model import Instance

SHARED_WORDS = 12
_WORD = re.compile(r"[A-Za-z0-9_']+")
_CODE = re.compile(r"`([^`\n]+)`|\b(\w*[a-z0-9]_\w+|[a-z]+[A-Z]\w*|--[a-z][a-z-]+)\b")
_TEXT_LIMIT = 1 << 20


@dataclass(frozen=True)
class Leak:
    """What gives one side's request away in the other's.

    Attributes:
        side: whose requirement says it.
        word: what it says, or how the phrase begins.
        said: the whole finding, in words.
    """

    side: str
    word: str
    said: str


def leaks(instance: Instance) -> list[str]:
    """What gives one side's request away in the other's; empty where nothing does.

    Raises:
        InstanceError: a requirement or the base cannot be read.
    """
    texts = {side: instance.requirement(side) for side in ("a", "b")}
    return [leak.said for leak in find_leaks(texts, base_text(instance.base_directory()))]


def find_leaks(texts: Mapping[str, str], base: str) -> list[Leak]:
    """The same of two texts, by side, and a base's text."""
    found = []
    for side, other in (("a", "b"), ("b", "a")):
        own_words = {word for word in code_words(texts[other]) if not all(part in base for part in word.split())}
        mentioned = sorted(word for word in own_words if mentions(texts[side], word))
        if mentioned:
            said = f"requirement_{side}.md mentions {', '.join(mentioned)}, which requirement_{other}.md introduces"
            found.append(Leak(side, mentioned[0], said))
    if shared := _shared_phrase(texts["a"], texts["b"]):
        found.append(Leak("a", shared, f"both requirements say {shared!r}"))
    return found


def code_words(text: str) -> set[str]:
    """What a requirement writes as code: text in backticks, and words that look like identifiers or options."""
    return {quoted or bare for quoted, bare in _CODE.findall(text) if len(quoted or bare) > 3}


def mentions(text: str, word: str) -> bool:
    """Whether a text has a word, as a whole one."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _shared_phrase(one: str, other: str) -> str:
    words = _WORD.findall(one.lower())
    others = " ".join(_WORD.findall(other.lower()))
    for start in range(len(words) - SHARED_WORDS + 1):
        phrase = " ".join(words[start : start + SHARED_WORDS])
        if f" {phrase} " in f" {others} ":
            return phrase
    return ""


def base_text(root: Path) -> str:
    """All that a base's files say, and their paths."""
    parts = []
    for path in own_paths(root):
        parts.append(path.relative_to(root).as_posix())
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _TEXT_LIMIT:
            parts.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(parts)
