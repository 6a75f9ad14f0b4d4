"""The requirements: each a person's request, of a fair length, that neither knows of the bench nor gives the other away."""

import re
from collections.abc import Iterator

from instances.leaks import Leak, code_words, find_leaks, mentions
from instances.lint.finding import Finding, Level, line_of, text_of
from instances.model import Instance
from instances.scaffold_marks import MARK
from instances.source_text import tokens

FEWEST_WORDS, FEW_WORDS, MANY_WORDS, MOST_WORDS = 25, 60, 450, 700
# What only somebody who knows of the bench says; the second lot is said by others too.
_BENCH_WORDS = re.compile(
    r"\b(crosstalk|benchmark(?:ed|s)?|held[- ]out|hidden tests?|grader|canary|(?:requirement|principal|agent|side|patch) [ab]\b|"
    r"(?:the )?other (?:agent|principal|requirement|lane)|joint (?:tests?|success|reference)|"
    r"reference (?:solution|patch)|fail_to_pass|pass_to_pass)",
    re.IGNORECASE,
)
_DOUBTFUL_WORDS = re.compile(
    r"\b(your agent|(?:this|the) requirement|will be (?:graded|tested)|(?:the|my) tests? (?:will|expects?|checks?)|"
    r"merge conflicts?|contradict\w*|(?:someone|somebody) else(?:'s)? (?:is|change|patch))\b",
    re.IGNORECASE,
)


def requirements(instance: Instance) -> Iterator[Finding]:
    """Length, voice, and what the scaffold left."""
    for side in ("a", "b"):
        file = f"requirement_{side}.md"
        text = text_of(instance.folder / file)
        if MARK in text:
            continue  # what stands there is not the author's yet
        yield from _length(file, len(text.split()))
        for pattern, level in ((_BENCH_WORDS, Level.ERROR), (_DOUBTFUL_WORDS, Level.WARNING)):
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                what = f"{found[0]!r} is said to a reader who knows of the bench"
                yield Finding(
                    level, "voice", file, line, what, "let it be a person's request to their own agent, and nothing else"
                )
        if "<!--" in text:
            what = "a comment, which the agent would be shown"
            yield Finding(Level.ERROR, "voice", file, line_of(text, "<!--"), what, "take it out")


def _length(file: str, words: int) -> Iterator[Finding]:
    if words < FEW_WORDS:
        level = Level.ERROR if words < FEWEST_WORDS else Level.WARNING
        yield Finding(
            level,
            "length",
            file,
            None,
            f"{words} words are too few to be met by somebody who has nothing else",
            "say all that the tests demand",
        )
    elif words > MANY_WORDS:
        level = Level.ERROR if words > MOST_WORDS else Level.WARNING
        yield Finding(
            level, "length", file, None, f"{words} words are more than a person writes", "ask for less, or say it shorter"
        )


def leftovers(instance: Instance) -> Iterator[Finding]:
    """Marks of `crosstalk new` that still stand somewhere."""
    base = instance.folder / "base"
    for path in sorted(instance.folder.rglob("*")):
        if path.is_file() and base not in path.parents and MARK in (text := text_of(path)):
            file = path.relative_to(instance.folder).as_posix()
            yield Finding(
                Level.ERROR,
                "unfinished",
                file,
                line_of(text, MARK),
                f"{MARK} still stands here",
                "write what it asks for, and take it out",
            )


def given_away(instance: Instance, base: str) -> Iterator[Finding]:
    """What one requirement, or a side's tests, gives away of the other."""
    texts = {side: instance.requirement(side) for side in ("a", "b")}
    if any(MARK in text for text in texts.values()):
        return
    for leak in find_leaks(texts, base):
        yield _leak(instance, leak)
    for side, other in (("a", "b"), ("b", "a")):
        own = {word for word in code_words(texts[other]) if not all(part in base for part in word.split())}
        yield from _others_words(instance, side, other, {word for word in own if not mentions(texts[side], word)})


def _leak(instance: Instance, leak: Leak) -> Finding:
    file = f"requirement_{leak.side}.md"
    line = line_of(text_of(instance.folder / file), leak.word)
    return Finding(
        Level.ERROR, "leak", file, line, leak.said, "say it in other words, or leave it to the one whose request it is"
    )


def _others_words(instance: Instance, side: str, other: str, words: set[str]) -> Iterator[Finding]:
    """The tests of a side that know what only the other requirement brings."""
    for _, path in instance.tests[side].overlay_files():
        file = path.relative_to(instance.folder).as_posix()
        for token in tokens(path.name, text_of(path)):
            said = token.text if token.kind == "name" else token.text[1:-1] if token.kind == "string" else ""
            if said in words:
                # A plain word may be meant as such; one that is written as code is not.
                plain = said.isalpha() and said.islower()
                what = f"{said!r} is brought by requirement_{other}.md alone, and tests.{side} know of it"
                fix = f"test only what requirement_{side}.md asks for; what needs both belongs into tests.joint"
                yield Finding(Level.WARNING if plain else Level.ERROR, "leak", file, token.line, what, fix)
                words = words - {said}
