"""Rows with two requirements each, on the small repository."""

import json
from pathlib import Path
from typing import Any

from foreign_tasks import Repository
from small_pair import IN_PARENTHESES, NO_CUT_BELOW, WITH_CURRENCY

SOLUTION = "ab" * 20
PRO = f"instance_shop__shop-{SOLUTION}-vnan"


def pro_row(repository: Repository, **more: str) -> dict[str, str]:
    return {
        "instance_id": PRO,
        "repo": "shop/shop",
        "base_commit": repository.commit,
        "patch": repository.patch(WITH_CURRENCY).decode(),
        "test_patch": repository.tests("currency").decode(),
        "problem_statement": "Price tags must name their currency.",
        "requirements": "- EUR where none is given",
        "interface": "",
        "FAIL_TO_PASS": "['tests/test_price.py::test_currency']",
        "pass_to_pass": "[]",
        "selected_test_files_to_run": '["tests/test_price.py"]',
        "run_script": 'pytest -v "$@"',
        "parsing_script": "import sys",
        **more,
    }


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
