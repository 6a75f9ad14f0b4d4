"""Generated pairs, from a canned model on loopback: a good proposal, a repaired one, one that is given up."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from canned_model import Canned, serving
from command import crosstalk
from foreign_rows import PRO, pro_row, write
from foreign_tasks import LOCK, Repository
from hypothesis import given
from hypothesis import strategies as st
from small_pair import ALTERNATIVE, HALF, IN_PARENTHESES, JOINT, OTHER_HALF, TEST_B, TEST_JOINT, WITH_CURRENCY

from eval.generation.answer import UnreadableProposalError, read_proposal
from eval.generation.generate import fence_of
from instances.dataset import CANARY
from instances.load import load_all
from instances.model import Family, Instance

REQUIREMENT_B = (
    "Our books show amounts below zero without a minus: they stand in parentheses instead, so that minus one and a half is "
    "printed as `(1.50)`. Please let the labels in the shop do as the books do, and leave amounts above zero as they are today."
)
ABOUT = '{"title": "Labels below zero", "principal_b": "accountant", "conflict_kind": "same expression"}'
GOOD: dict[str, Mapping[str, str] | str] = {
    "requirement_b.md": REQUIREMENT_B,
    "about.json": ABOUT,
    "references/b": IN_PARENTHESES,
    "references/joint": JOINT,
    "controls/half_a": HALF,
    "controls/half_b": OTHER_HALF,
    "controls/alternative": ALTERNATIVE,
    "tests/b": {"heldout/test_b.py": TEST_B},
    "tests/joint": {"heldout/test_joint.py": TEST_JOINT},
}
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}


def answer(fence: str, **changes: Mapping[str, str] | str) -> Canned:
    """A proposal in the form that is asked for; `references__b=...` stands for `references/b`."""
    parts = {**GOOD, **{name.replace("__", "/"): value for name, value in changes.items()}}
    files: dict[str, str] = {}
    for name, content in parts.items():
        files |= {name: content} if isinstance(content, str) else {f"{name}/{path}": text for path, text in content.items()}
    text = "".join(f"{fence} BEGIN {path}\n{content.rstrip()}\n{fence} END\n" for path, content in files.items())
    return Canned(f"Here it is.\n{text}", usage=USAGE)


@pytest.mark.needs("bwrap")
def test_what_fails_goes_back_with_the_evidence_until_it_is_mended(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    source, out = make_pair(), tmp_path / "generated"
    fence = fence_of(source.requirement("a"))
    proposals = [
        Canned("I can't.", usage=USAGE),
        answer(fence, references__b={"shop/price.py": "def label(cents):\n    return str(cents)\n"}),
        answer(fence, controls__half_a=JOINT),
        answer(fence),
    ]
    with serving(proposals) as endpoint:
        done = crosstalk("generate", "--from", source.folder, "--model", "m", "--model-url", endpoint.url, "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 attempt(s), 6,000 effective tokens" in done.stdout
    asked = endpoint.requests[0]["messages"]
    assert source.requirement("a") in asked[-1]["content"]
    assert "# Example 2" in asked[-1]["content"]
    told = [request["messages"][-1]["content"] for request in endpoint.requests[1:]]
    assert "there is no file" in told[0]
    assert "tests/b" in told[1]
    assert "test_below_zero" in told[1]
    assert "controls/half_a is not solved: NO" in told[2]
    (pair,) = load_all(out)
    assert pair.generated is not None
    assert pair.generated.attempts == 4
    kept = [json.loads(line) for line in (pair.folder / "generated/conversation.jsonl").read_text().splitlines()]
    assert [one["text"] for one in kept[:2]] == [one["content"] for one in asked]
    assert len(kept) == 9
    assert not list(out.glob(".*"))


@pytest.mark.needs("bwrap")
def test_a_pair_that_never_gets_sound_is_given_up_and_what_was_said_is_kept(
    make_pair: Callable[..., Instance], tmp_path: Path
) -> None:
    source, out = make_pair(), tmp_path / "generated"
    leaking = answer(fence_of(source.requirement("a")), **{"requirement_b.md": "Take `currency_sign` and our books' way."})
    arguments = ("generate", "--from", source.folder, "--model", "m", "--out", out, "--attempts", 2, "--examples", 0)
    same = answer(fence_of(source.requirement("a")), references__joint=WITH_CURRENCY)
    with serving([same, same]) as endpoint:
        done = crosstalk(*arguments, "--model-url", endpoint.url)
    assert done.returncode == 1
    assert load_all(out) == []
    (kept,) = (out / "given-up").iterdir()
    end = json.loads(kept.read_text(encoding="utf-8").splitlines()[-1])
    assert (end["attempts"], end["usage"]["effective_tokens"]) == (2, 3000)
    assert any("joint" in fault for fault in end["faults"])
    with serving([Canned("no", status=400), leaking]) as endpoint:
        done = crosstalk(*arguments, "--model-url", endpoint.url)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert len(list((out / "given-up").iterdir())) == 2


@pytest.mark.needs("bwrap")
def test_a_good_proposal_for_a_pro_row_becomes_a_pair_that_is_marked(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "clones" / "shop__shop")
    rows, out = write(tmp_path / "rows.jsonl", pro_row(repository)), tmp_path / "generated"
    arguments = ("--row", PRO, "--repositories", repository.path.parent, "--lock", LOCK, "--examples", 0)
    requirement = "Price tags must name their currency.\n\nRequirements:\n- EUR where none is given"
    with serving([answer(fence_of(requirement))]) as endpoint:
        done = crosstalk("generate", "--from", rows, "--model", "m", "--model-url", endpoint.url, "--out", out, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    (pair,) = load_all(out)
    assert "1 attempt(s), 1,500 effective tokens" in done.stdout
    assert pair.base.commit == repository.commit
    assert (pair.requirement("a"), pair.requirement("b")) == (requirement, REQUIREMENT_B)
    assert pair.generated is not None
    assert (pair.generated.model, pair.generated.source, pair.generated.attempts) == ("m", PRO, 1)
    assert pair.generated.effective_tokens == 1500
    assert CANARY.encode() in (pair.folder / "tests/b/heldout/test_b.py").read_bytes()
    played = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--out", tmp_path / "run")
    assert played.returncode == 0, played.stderr
    assert f"NOT MADE BY HAND, generated by m from {PRO}" in played.stdout


@pytest.mark.parametrize(
    "arguments",
    [("--from", "no-such-pair"), ("--from", "contradictory"), ("--from", "none.jsonl", "--row", "x")],
)
def test_a_source_that_is_none_is_one_line(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = crosstalk("generate", *arguments, "--model", "m", "--model-url", "http://127.0.0.1:9/v1", "--out", tmp_path / "out")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (tmp_path / "out").exists()


FENCE = "FILE-1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("references/b/shop", "references/b/../../shop"), "leaves its place"),
        (lambda text: text.replace("references/b/shop", "references/c/shop"), "no such place"),
        (lambda text: text.replace("references/b/shop", "references/b/.git/shop"), "leaves its place"),
        (lambda text: text.rstrip().removesuffix(f"{FENCE} END"), "does not end"),
        (lambda text: text + text, "is given twice"),
        (lambda text: text.replace(ABOUT, "{"), "about.json is missing or no JSON"),
        (lambda text: text.replace("references/joint/shop", "references/b/more"), "nothing was given for references/joint"),
    ],
)
def test_an_answer_that_is_not_in_form_says_why(change: Callable[[str], str], said: str) -> None:
    with pytest.raises(UnreadableProposalError, match=said):
        read_proposal(change(answer(FENCE).text), FENCE, Family.CONTRADICTORY)


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    for whole in (text, f"{FENCE} BEGIN {text}", f"{FENCE} BEGIN about.json\n{text}\n{FENCE} END\n"):
        with pytest.raises(UnreadableProposalError):
            read_proposal(whole, FENCE, Family.COMPLEMENTARY)
