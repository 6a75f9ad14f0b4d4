"""The counts in docs/dataset.md, made from the pairs themselves."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from email.parser import Parser
from pathlib import Path
from typing import Any

from instances.dataset import DATASET_VERSION
from instances.difficulty import Difficulty
from instances.errors import InstanceError
from instances.ledger import recorded_difficulty
from instances.model import Family, Instance

BEGIN = "<!-- from here on written by `crosstalk instances datasheet --write docs/dataset.md` -->"
END = "<!-- up to here -->"
_OWN_LICENCE = "MIT, as the whole project"
_UNKNOWN = "unknown"


def datasheet(instances: Sequence[Instance]) -> str:
    """The generated part, in Markdown, without its two marks.

    Raises:
        InstanceError: a base cannot be fetched.
    """
    return "\n".join(
        [
            f"Version {DATASET_VERSION}: {len(instances)} pairs, {_published(instances)} of them on published code.\n",
            "### By family and language\n",
            *_crossed(instances),
            "",
            "### By kind\n",
            *_table(["family", "kind", "pairs"], _kinds(instances)),
            "",
            "### Bases and their licences\n",
            *_table(["base", "kind", "licence", "pairs"], _bases(instances)),
            "",
            "### Difficulty, as counted by `check`\n",
            *_table(
                ["pair", "label", "files", "hunks", "lines", "overlap", "git merges", "half a", "half b"],
                map(_counted, instances),
            ),
            "",
        ]
    )


def written_into(page: str, part: str) -> str:
    """A page with the generated part put between its two marks.

    Raises:
        InstanceError: the page has not each mark once, in order.
    """
    found = re.fullmatch(f"(.*{re.escape(BEGIN)}\n).*({re.escape(END)}\n.*)", page, re.DOTALL)
    if not found or page.count(BEGIN) != 1 or page.count(END) != 1:
        raise InstanceError(f"the page needs a line {BEGIN!r}, and behind it a line {END!r}, each once")
    return f"{found[1]}\n{part}\n{found[2]}"


def licence_of(instance: Instance) -> str:
    """What a base says of its licence in its own metadata; `unknown` where it says nothing there."""
    if instance.base.kind == "directory":
        return _OWN_LICENCE
    root = instance.base_directory()
    return _node_licence(root / "package.json") or _python_licence(root / "PKG-INFO") or _first_line(root) or _UNKNOWN


def _node_licence(path: Path) -> str:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    licence = data.get("license", "") if isinstance(data, dict) else ""
    return licence if isinstance(licence, str) else ""


def _python_licence(path: Path) -> str:
    if not path.is_file():
        return ""
    said = Parser().parsestr(path.read_text(encoding="utf-8", errors="replace"), headersonly=True)
    classifiers = [one for one in said.get_all("Classifier", []) if one.startswith("License :: OSI Approved :: ")]
    named = said.get("License-Expression") or next(iter(classifiers), "").rpartition(" :: ")[2] or said.get("License", "")
    return str(named).strip().partition("\n")[0]


def _first_line(root: Path) -> str:
    for path in sorted([*root.glob("LICENSE*"), *root.glob("LICENCE*"), *root.glob("COPYING*")]):
        lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        if lines:
            return lines[0]
    return ""


def _published(instances: Iterable[Instance]) -> int:
    return sum(one.base.kind != "directory" for one in instances)


def _crossed(instances: Sequence[Instance]) -> list[str]:
    languages = sorted({one.language for one in instances})
    counts = Counter((one.family, one.language) for one in instances)
    rows = [[family, *_cells(counts, family, languages)] for family in Family]
    totals = [sum(one.language == language for one in instances) for language in languages]
    return _table(["", *languages, "all"], [*rows, ["all", *map(str, totals), str(len(instances))]])


def _cells(counts: Counter[tuple[Family, str]], family: Family, languages: Sequence[str]) -> list[str]:
    numbers = [counts[family, language] for language in languages]
    return [*map(str, numbers), str(sum(numbers))]


def _kinds(instances: Iterable[Instance]) -> list[list[str]]:
    counts = Counter((one.family.value, one.conflict_kind or _UNKNOWN) for one in instances)
    return [[family, kind, str(count)] for (family, kind), count in sorted(counts.items())]


def _bases(instances: Iterable[Instance]) -> list[list[str]]:
    """Published ones first."""
    found: dict[tuple[bool, str, str, str], list[str]] = {}
    for one in instances:
        kind = one.base.kind
        found.setdefault((kind == "directory", one.base.describe(), kind, licence_of(one)), []).append(one.id)
    return [[*base[1:], ", ".join(sorted(names))] for base, names in sorted(found.items())]


def _counted(instance: Instance) -> list[str]:
    counted: Difficulty | None = recorded_difficulty(instance)
    if counted is None:
        return [instance.id, *["?"] * 8]
    numbers = [counted.files, counted.hunks, counted.lines, counted.overlap]
    halves = ["?" if half is None else str(half) for half in (counted.half_a, counted.half_b)]
    return [instance.id, counted.label, *map(str, numbers), "yes" if counted.merges else "no", *halves]


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [headers, ["---"] * len(headers), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines]
