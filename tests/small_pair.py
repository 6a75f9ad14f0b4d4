"""A small sound pair, written on the spot."""

import json
from pathlib import Path
from typing import Any

from instances.dataset import CANARY
from instances.load import PAIRS, load
from instances.model import Family, Instance
from sandboxes.gitstore import GitStore

# The small pair: a price label. A wants the currency behind it, B wants amounts below zero in parentheses. Contradictory: both
# write the one line anew. Non-interacting: B wants a discount in a file of its own.
BASE = {
    "shop/__init__.py": "",
    "shop/price.py": 'def label(cents):\n    """An amount for a price tag."""\n    return f"{cents / 100:.2f}"\n',
    "shop/discount.py": 'def cut(cents):\n    """The price after the usual cut."""\n    return cents - 5\n',
    "tests/test_price.py": "from shop.price import label\n\n\ndef test_label():\n    assert label(150).startswith('1.50')\n",
}
PRICE = 'def label(cents{sign}):\n    """An amount for a price tag."""\n{body}'
WITH_CURRENCY = {"shop/price.py": PRICE.format(sign=", currency='EUR'", body='    return f"{cents / 100:.2f} {currency}"\n')}
IN_PARENTHESES = {
    "shop/price.py": PRICE.format(
        sign="", body='    text = f"{abs(cents) / 100:.2f}"\n    return f"({text})" if cents < 0 else text\n'
    )
}
JOINT = {
    "shop/price.py": PRICE.format(
        sign=", currency='EUR'",
        body='    text = f"{abs(cents) / 100:.2f} {currency}"\n    return f"({text})" if cents < 0 else text\n',
    )
}
ALTERNATIVE = {
    "shop/price.py": PRICE.format(
        sign=", currency='EUR'",
        body='    inner = "%.2f %s" % (abs(cents) / 100, currency)\n    return inner if cents >= 0 else "(" + inner + ")"\n',
    )
}
HALF = {
    "shop/price.py": PRICE.format(
        sign=", currency='EUR', parentheses=False",
        body='    text = f"{cents / 100:.2f} {currency}"\n    return f"({text})" if parentheses else text\n',
    )
}
OTHER_HALF = {
    "shop/price.py": PRICE.format(
        sign=", currency='EUR'",
        body='    text = f"{abs(cents) / 100:.2f}"\n    return f"({text})" if cents < 0 else text + " EUR"\n',
    )
}
NO_CUT_BELOW = {"shop/discount.py": 'def cut(cents):\n    """Never below zero."""\n    return max(0, cents - 5)\n'}

TEST_A = "from shop.price import label\n\n\ndef test_currency():\n    assert label(150, currency='USD') == '1.50 USD'\n"
TEST_B = (
    "from shop.price import label\n\n\ndef test_below_zero():\n    text = label(-150)\n"
    "    assert text.startswith('(1.50') and text.endswith(')')\n"
)
TEST_B_APART = "from shop.discount import cut\n\n\ndef test_never_below_zero():\n    assert cut(3) == 0\n"
TEST_JOINT = "from shop.price import label\n\n\ndef test_both():\n    assert label(-150, 'USD') == '(1.50 USD)'\n"
TEST_JOINT_APART = (
    "from shop.discount import cut\nfrom shop.price import label\n\n\ndef test_both():\n"
    "    assert label(cut(2), 'USD') == '0.00 USD'\n"
)


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pair(folder: Path, family: Family) -> None:
    """Write the small pair of a family as an instance's folder."""
    apart = family is Family.NON_INTERACTING
    joint = {**WITH_CURRENCY, **NO_CUT_BELOW} if apart else JOINT
    half_b = {**NO_CUT_BELOW, "shop/price.py": HALF["shop/price.py"].replace("{currency}", "EUR")}
    edits = {
        "references/a": WITH_CURRENCY,
        "references/b": NO_CUT_BELOW if apart else IN_PARENTHESES,
        "references/joint": joint,
        "controls/half_a": HALF,
        "controls/half_b": half_b if apart else OTHER_HALF,
        "controls/alternative": {**ALTERNATIVE, **NO_CUT_BELOW} if apart else ALTERNATIVE,
    }
    held_out = {"a": TEST_A, "b": TEST_B_APART if apart else TEST_B, "joint": TEST_JOINT_APART if apart else TEST_JOINT}
    names = {
        "a": "test_currency",
        "b": "test_never_below_zero" if apart else "test_below_zero",
        "joint": "test_both",
    }
    write_files(folder / "base", BASE)
    store = GitStore(folder.parent / f".{folder.name}.store")
    base = store.import_directory(folder / "base")
    for name, files in edits.items():
        tree = store.overlay(base, [(path, text.encode(), False) for path, text in files.items()])
        write_files(folder, {f"{name}.patch": store.patch(base, tree).decode()})
    tests = {}
    for side, text in held_out.items():
        write_files(folder / "tests" / side, {f"heldout/test_{side}.py": f"# {CANARY}\n{text}"})
        tests[side] = {
            "overlay": f"tests/{side}",
            "command": ["pytest", f"heldout/test_{side}.py"],
            "fail_to_pass": [f"heldout/test_{side}.py::{names[side]}"],
            "pass_to_pass": [],
        }
    tests["base"] = {"command": ["pytest", "tests"], "pass_to_pass": ["tests/test_price.py::test_label"]}
    write_files(
        folder,
        {
            "requirement_a.md": "Price tags must name their currency: let the label take one, EUR where none is given.\n",
            "requirement_b.md": "Our books show amounts below zero without a minus. Please do as they do.\n",
            "environment.lock": next(PAIRS.glob("*/signoff-deputies/environment.lock")).read_text(encoding="utf-8"),
            "instance.json": json.dumps(
                {
                    "schema_version": 1,
                    "id": folder.name,
                    "family": family,
                    "title": "A price label",
                    "canary": CANARY,
                    "language": "python",
                    "principals": {"a": "shop keeper", "b": "accountant"},
                    "base": {"kind": "directory"},
                    "environment": {"interpreter": "python", "lock": "environment.lock", "import_check": ["shop"]},
                    "tests": tests,
                    "protected": ["tests/**"],
                },
                indent=1,
            ),
        },
    )


# Scripts with which the small pair's lanes talk: who hears in time takes the joint route.
SAY_A = {"say": {"to": "b", "thread": "design", "text": "I write the label; leave the line to me."}}
SAY_B = {"say": {"to": "a", "thread": "design", "text": "Amounts below zero lose their minus here."}}
LOOK = [{"run": "cat shop/price.py"}] * 8
A_DECIDES = {"when_heard": "lose their minus", "then": [{"apply": "references/joint"}], "else": [{"apply": "references/a"}]}
B_DECIDES = {"when_heard": "leave the line to me", "then": [{"run": "true"}], "else": [{"apply": "references/b"}]}


def write_scripts(pair: Instance, a: list[Any], b: list[Any]) -> Instance:
    for lane, steps in (("a", a), ("b", b)):
        pair.replay.mkdir(exist_ok=True)
        script = {"schema_version": 1, "turns": [{"steps": steps}]}
        (pair.replay / f"{lane}.json").write_text(json.dumps(script), encoding="utf-8")
    return load(pair.folder)


def talking(pair: Instance) -> Instance:
    listen = {"listen": "for the other lane"}
    return write_scripts(pair, [SAY_A, *LOOK, listen, A_DECIDES], [SAY_B, *LOOK, listen, B_DECIDES])
