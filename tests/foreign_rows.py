"""Rows with two requirements each, on the small repository."""

import json
from pathlib import Path
from typing import Any

from foreign_tasks import Repository
from small_pair import IN_PARENTHESES, NO_CUT_BELOW, WITH_CURRENCY


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def own_row(repository: Repository, b: str, name: str = "tags", **more: Any) -> dict[str, Any]:
    change, tests = {"below": (IN_PARENTHESES, "below"), "cut": (NO_CUT_BELOW, "cut")}[b]
    asks = [
        {
            "text": "Name the currency.",
            "patch": repository.patch(WITH_CURRENCY).decode(),
            "tests": repository.tests("currency").decode(),
        },
        {"text": "As our books do.", "patch": repository.patch(change).decode(), "tests": repository.tests(tests).decode()},
    ]
    return {"name": name, "asks": asks, "repo": str(repository.path), "commit": repository.commit, **more}
