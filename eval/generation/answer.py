"""A model's proposal, read: whole files under the names that a pair's folder has for them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from instances.model import Family

DESIGNS = ("references/b", "references/joint", "controls/half_a", "controls/half_b", "controls/alternative")
DIVERGENT = "controls/divergent"
REQUIREMENT = "requirement_b.md"
ABOUT = "about.json"
TESTS = ("tests/b", "tests/joint")
_MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Proposal:
    """What a model proposes.

    Attributes:
        requirement: B's.
        title, principal, conflict_kind: in a few words.
        divergent_side: of a complementary pair.
        designs: by name, the files that each changes.
        tests: of `tests/b` and `tests/joint`, the held-out files.
    """

    requirement: str
    title: str
    principal: str
    conflict_kind: str
    divergent_side: str
    designs: Mapping[str, Mapping[str, bytes]]
    tests: Mapping[str, Mapping[str, bytes]]


class UnreadableProposalError(Exception):
    """The answer is not in the form that was asked for; the text says what is wrong."""


def wanted(family: Family) -> tuple[str, ...]:
    """The designs that a family asks for."""
    return (*DESIGNS, DIVERGENT) if family is Family.COMPLEMENTARY else DESIGNS


def read_proposal(text: str, fence: str, family: Family) -> Proposal:
    """Read an answer.

    Args:
        fence: the word that begins and ends each file.

    Raises:
        UnreadableProposalError: a file is missing, stands where none may, or the answer is cut off.
    """
    files = _files(text, fence)
    about = _about(files)
    designs, tests = {name: dict[str, bytes]() for name in wanted(family)}, {name: dict[str, bytes]() for name in TESTS}
    for path, content in files.items():
        if path in (REQUIREMENT, ABOUT):
            continue
        group = next((name for name in (*designs, *tests) if path.startswith(f"{name}/")), None)
        if group is None:
            raise UnreadableProposalError(f"{path}: no such place; files stand below {', '.join((*designs, *tests))}")
        (designs if group in designs else tests)[group][_inside(path, group)] = content
    missing = [name for name, found in {**designs, **tests}.items() if not found]
    missing += [name for name in (REQUIREMENT,) if not files.get(name, b"").strip()]
    if missing:
        raise UnreadableProposalError(f"nothing was given for {', '.join(missing)}")
    side = str(about.get("divergent_side") or "b")
    if side not in ("a", "b"):
        raise UnreadableProposalError(f"{ABOUT}: divergent_side is {side!r}, not a or b")
    return Proposal(
        requirement=files[REQUIREMENT].decode().strip(),
        title=str(about.get("title") or "").strip(),
        principal=str(about.get("principal_b") or "").strip(),
        conflict_kind=str(about.get("conflict_kind") or "").strip(),
        divergent_side=side,
        designs=designs,
        tests=tests,
    )


def _files(text: str, fence: str) -> dict[str, bytes]:
    pattern = re.compile(rf"^{re.escape(fence)} BEGIN (\S+)[ \t]*\n(.*?)^{re.escape(fence)} END[ \t]*$", re.MULTILINE | re.DOTALL)
    found: dict[str, bytes] = {}
    for path, content in pattern.findall(text):
        if path in found:
            raise UnreadableProposalError(f"{path} is given twice")
        found[path] = content.encode()
    if len(found) != len(re.findall(rf"^{re.escape(fence)} BEGIN ", text, re.MULTILINE)):
        raise UnreadableProposalError(f"a file does not end: each begins with `{fence} BEGIN path` and ends with `{fence} END`")
    if not found:
        raise UnreadableProposalError(f"there is no file: each begins with `{fence} BEGIN path` and ends with `{fence} END`")
    if sum(map(len, found.values())) > _MOST_BYTES:
        raise UnreadableProposalError(f"the files are over {_MOST_BYTES >> 20} MB together")
    return found


def _about(files: Mapping[str, bytes]) -> Mapping[str, object]:
    try:
        about = json.loads(files.get(ABOUT, b""))
    except ValueError as error:
        raise UnreadableProposalError(f"{ABOUT} is missing or no JSON: {error}") from error
    if (
        not isinstance(about, dict)
        or not str(about.get("title") or "").strip()
        or not str(about.get("principal_b") or "").strip()
    ):
        raise UnreadableProposalError(f"{ABOUT} must be an object with a title and principal_b")
    return about


def _inside(path: str, group: str) -> str:
    name = path.removeprefix(f"{group}/")
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or {"..", ".git"}.intersection(part.lower() for part in parts):
        raise UnreadableProposalError(f"{path} leaves its place")
    return PurePosixPath(name).as_posix()
