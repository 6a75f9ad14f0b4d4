"""What a model is asked: the base and one side, what a sound pair is, and shipped pairs as examples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from eval.generation.answer import wanted
from eval.generation.source import Source
from instances.load import load_all
from instances.model import Family, Instance
from reconcilers.transport import Message, Role

_MOST_BASE_BYTES = 120_000
_MOST_EXAMPLE_BYTES = 60_000

_RULES = {
    Family.CONTRADICTORY: (
        "The two requests contradict each other at one place: no textual combination of the two references meets both, in "
        "either order, and git's merge of them does not either; yet one well-thought joint design honours both in full."
    ),
    Family.COMPLEMENTARY: (
        "The two requests fit, and both references concatenated or merged by git meet everything; but B's change relies on a "
        "contract that A's brings (or the reverse), which neither request spells out for the other: controls/divergent does one "
        "side well with another contract, passes that side's tests, merges cleanly, and fails the joint tests."
    ),
    Family.NON_INTERACTING: (
        "The two requests have nothing to do with each other: both references concatenated, in either order, or merged by git, "
        "meet everything."
    ),
}

_TASK = Path(__file__).parent / "task.md"


def first_messages(source: Source, family: Family, fence: str, examples: Sequence[Instance]) -> list[Message]:
    """The prompt of the first attempt."""
    complementary = family is Family.COMPLEMENTARY
    task = _TASK.read_text(encoding="utf-8").format(
        family=family,
        rule=_RULES[family],
        divergent=', "divergent_side": "a or b"' if complementary else "",
        more="controls/divergent/...  one side, done well with another contract\n" if complementary else "",
        runner=source.base_command[0],
        fence=fence,
    )
    parts = [*_examples(examples, family), "# The repository", *_base(source), "# A's request", source.requirement]
    parts += ["# A's reference", source.patch.decode(errors="replace"), "# A's tests", *_shown(source.tests)]
    parts += [f"# The repository's own tests\n\n{' '.join(source.base_command)}", "Now propose B's side."]
    return [Message(Role.SYSTEM, task), Message(Role.USER, "\n\n".join(parts))]


def again(findings: Sequence[str], fence: str) -> Message:
    """What goes back with a proposal that failed: the evidence."""
    listed = "\n".join(f"- {one}" for one in findings)
    said = f"Your proposal was checked by running it. What does not hold:\n\n{listed}\n\n"
    return Message(Role.USER, f"{said}Give all files again, mended, in the same form ({fence} BEGIN ... {fence} END).")


def examples_of(family: Family, language: str, wanted_number: int, besides: str) -> list[Instance]:
    """The smallest shipped pairs of a family, of the same language first.

    Raises:
        InstanceError: a shipped pair cannot be read.
    """
    fitting = [one for one in load_all() if one.family is family and one.id != besides and one.generated is None]
    return sorted(fitting, key=lambda one: (one.language != language, _weight(one), one.id))[:wanted_number]


def _weight(instance: Instance) -> int:
    return sum(path.stat().st_size for path in instance.folder.rglob("*") if path.is_file() and "base" not in path.parts)


def _examples(examples: Sequence[Instance], family: Family) -> Iterator[str]:
    for number, one in enumerate(examples, start=1):
        texts = [f"requirement of {side.upper()}:\n{one.requirement(side)}" for side in ("a", "b")]
        names = ("references/a", *wanted(family))
        texts += [f"{name}:\n{one.patch(name).decode(errors='replace')}" for name in names if one.has_patch(name)]
        for suite in ("a", "b", "joint"):
            files = {path: file.read_bytes() for path, file in one.tests[suite].overlay_files()}
            texts.append(f"tests of {suite}:\n" + "\n".join(_shown(files)))
        yield f"# Example {number}: {one.title}\n\n" + "\n\n".join(texts)[:_MOST_EXAMPLE_BYTES]


def _base(source: Source) -> Iterator[str]:
    """The files of the base, all where they are few; else those near A's change, and the names of the others."""
    store, tree = source.bench.store, source.bench.base
    paths = store.paths(tree)
    near = {path.rpartition("/")[0] for path in store.changed_paths(tree, source.tree)}
    ordered = sorted(paths, key=lambda path: (path.rpartition("/")[0] not in near, path))
    left, shown = _MOST_BASE_BYTES, {}
    for path in ordered:
        content = store.read_file(tree, path) or b""
        if b"\0" not in content and len(content) <= left:
            shown[path] = content
            left -= len(content)
    yield from _shown(shown)
    if others := [path for path in paths if path not in shown]:
        yield "Files that are not shown: " + ", ".join(others)


def _shown(files: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> list[str]:
    return [f"--- {path}\n{content.decode(errors='replace')}" for path, content in dict(files).items()]
