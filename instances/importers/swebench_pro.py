"""SWE-bench Pro's rows: each is one requirement; a file beside them has the second one of each that is to be a pair."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instances.importers.patches import sections
from instances.importers.raw import RawBase, RawPair, RawSide, RawTask
from instances.importers.rejects import Code, RejectedError
from instances.importers.rows import FieldMap, field, held_out, slug_of, strings

_COMMIT = re.compile(r"[0-9a-f]{40}")
_IN_ID = re.compile(r"-([0-9a-f]{40})(?:-v(?:[0-9a-f]{40}|nan))?$")
_TEST_FILE = re.compile(r"(?!-)(.*/)?(test_[^/]*|[^/]*_test)\.py")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
IMAGES = "jefzda/sweap-images"
IMAGE_FOLDER = "/app"
_MOST_TAG = 128


@dataclass(frozen=True)
class Place:
    """Where rows' repositories and run scripts are.

    Attributes:
        scripts: the folder of `run_scripts`, by instance id; `None` where the rows hold them.
        repositories: a folder of clones, `owner__name` or `owner/name`; `None` for GitHub's.
        images: repositories and environments are taken from the rows' container images.
    """

    scripts: Path | None = None
    repositories: Path | None = None
    images: bool = False


def row_id(row: FieldMap, number: int) -> str:
    """What a row is called in what is told."""
    return field(row, "instance_id", needed=False) or f"row {number}"


def read_row(row: FieldMap, second: FieldMap | None, place: Place) -> RawTask:
    """One row, and the second requirement that goes with it, as a task with one pair.

    Raises:
        RejectedError: it cannot be taken over.
    """
    name = field(row, "instance_id")
    base = base_of(row, place)
    first = first_side(row, place)
    if second is None:
        raise RejectedError(Code.SECOND_REQUIREMENT_MISSING, "the row holds one requirement; give the other in --second")
    other = RawSide(
        "B", field(second, "requirement"), field(second, "reference").encode(), held_out(second.get("tests"), "tests of B")
    )
    solution = _IN_ID.search(name)
    for side in (first, other):
        if solution and solution[1][:12] in side.requirement:
            raise RejectedError(Code.LEAK, f"the requirement of {side.name} names the commit of the solution")
    joint, joint_tests = second.get("joint"), second.get("joint_tests")
    digest = hashlib.sha256(json.dumps([dict(row), dict(second)], sort_keys=True, default=str).encode()).hexdigest()
    repository = field(row, "repo")
    slug = slug_of("swebench-pro", repository.rpartition("/")[2], hashlib.sha256(name.encode()).hexdigest()[:10])
    pair = RawPair(
        label=name,
        slug=slug,
        a="a",
        b="b",
        title=f"{repository}, two requirements",
        principals={
            "a": field(second, "principal_a", needed=False) or "first",
            "b": field(second, "principal_b", needed=False) or "second",
        },
        family=field(second, "family", needed=False),
        joint=joint.encode() if isinstance(joint, str) and joint.strip() else None,
        joint_tests=held_out(joint_tests, "joint tests") if joint_tests else None,
    )
    return RawTask("swebench-pro", name, base, {"a": first, "b": other}, (pair,), files={"row": digest}, notes=_notes(row))


def first_side(row: FieldMap, place: Place) -> RawSide:
    """A row's own requirement, with its reference and tests.

    Raises:
        RejectedError: a field or a run script is missing, or a patch is none.
    """
    tool = _tool(row, place)
    reference, tests = (field(row, name).encode() for name in ("patch", "test_patch"))
    sections(reference, "A's reference")
    parts = sections(tests, "A's tests")
    files = [part.paths[-1] for part in parts]
    listed = strings(row, "selected_test_files_to_run")
    command: tuple[str, ...] = ()
    if tool == "pytest" and listed:
        # Rows also list files that hold no tests, which stand beside them.
        named = [*(one.partition("::")[0] for one in listed), *files]
        command = ("pytest", *dict.fromkeys(one for one in named if _TEST_FILE.fullmatch(one)))
    return RawSide("A", _requirement(row), reference, tests, command if len(command) > 1 else ())


def base_of(row: FieldMap, place: Place) -> RawBase:
    """Where a row's repository is.

    Raises:
        RejectedError: the row does not say, or says what cannot be.
    """
    repository, commit = field(row, "repo"), field(row, "base_commit")
    if not _REPOSITORY.fullmatch(repository):
        raise RejectedError(Code.BAD_BASE, f"repo is {repository!r}, not owner/name")
    if not _COMMIT.fullmatch(commit):
        raise RejectedError(Code.BAD_BASE, f"base_commit is {commit!r}, not 40 hexadecimal digits")
    solution = _IN_ID.search(field(row, "instance_id"))
    if solution and solution[1] == commit:
        raise RejectedError(Code.BAD_BASE, "base_commit is the commit of the solution")
    python = _tool(row, place) == "pytest"
    language, interpreter = ("python", "python") if python else ("go", "go")
    if place.images:
        image = _image(row, repository)
        entry = {"kind": "image", "image": image, "folder": IMAGE_FOLDER}
        return RawBase(entry, interpreter, language, environment={"interpreter": interpreter, "image": {"name": image}})
    return RawBase({"kind": "git", "url": _url(repository, place), "commit": commit}, interpreter, language)


def _url(repository: str, place: Place) -> str:
    if place.repositories is None:
        return f"https://github.com/{repository}"
    tried = [place.repositories.absolute() / repository.replace("/", "__"), place.repositories.absolute() / repository]
    found = next((path for path in tried if path.is_dir()), None)
    if found is None:
        raise RejectedError(Code.BAD_BASE, f"no clone of {repository} in {place.repositories}")
    return str(found)


def _image(row: FieldMap, repository: str) -> str:
    tag = field(row, "dockerhub_tag", needed=False)
    if not tag:
        owner, _, name = repository.lower().partition("/")
        rest = field(row, "instance_id").removeprefix("instance_").removesuffix("-vnan")
        tag = f"{owner}.{name}-{rest}"[:_MOST_TAG]
    return f"{IMAGES}:{tag}"


def _tool(row: FieldMap, place: Place) -> str:
    """The runner of a row's run script: its image has it too, and it is the one word on how the tests are run."""
    script = _script(row, place, "run_script.sh", "run_script")
    _script(row, place, "parser.py", "parsing_script")
    if re.search(r"\bpytest\b|ansible-test units", script):
        return "pytest"
    if re.search(r"\bgo test\b", script):
        return "go-test"
    raise RejectedError(Code.UNSUPPORTED_LANGUAGE, "the run script starts neither pytest nor go test")


def _script(row: FieldMap, place: Place, file: str, name: str) -> str:
    if place.scripts is None:
        return field(row, name)
    path = place.scripts / field(row, "instance_id") / file
    if not path.resolve().is_relative_to(place.scripts.resolve()):
        raise RejectedError(Code.MISSING_FILE, f"{file}: the instance's id leads out of the scripts' folder")
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RejectedError(Code.MISSING_FILE, f"{file}: {error.strerror}") from error


def _requirement(row: FieldMap) -> str:
    parts = [field(row, "problem_statement").strip()]
    for title, name in (("Requirements", "requirements"), ("New interfaces introduced", "interface")):
        if text := field(row, name, needed=False).strip():
            parts.append(f"{title}:\n{text}")
    return "\n\n".join(parts)


def _notes(row: FieldMap) -> tuple[str, ...]:
    """What the row says of its tests, which is not taken on trust."""
    told: Mapping[str, int] = {name: len(strings(row, name)) for name in ("fail_to_pass", "pass_to_pass")}
    said = ", ".join(f"{count} {name}" for name, count in told.items())
    return (f"the row lists {said}; what is in tests.a was found by running instead",)
