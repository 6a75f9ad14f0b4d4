"""What a model answers is believed only as far as it was checked, and paid for in any case."""

import dataclasses
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from canned_model import KEY, Canned, serving

from reconcilers.base import Combined, CombineStatus, Edit
from reconcilers.http_transport import HttpTransport
from reconcilers.model import Model
from reconcilers.prompt import Shown
from reconcilers.transport import Retries, TransportError
from sandboxes.errors import SetupError
from sandboxes.git_objects import FILE_MODE, LINK_MODE, PROGRAM_MODE, Entry
from sandboxes.gitstore import GitStore
from sandboxes.usage import UNKNOWN_USAGE, Usage

Files = Mapping[str, bytes | tuple[str, bytes]]
NO_WAIT = Retries(2, 0.0)
BASE = b"def price(n):\n    total = n * 2\n    return total\n\n\ndef label(n):\n    return str(n)\n"
OURS = BASE.replace(b"    return total\n", b"    total = round(total)\n    return total\n")
THEIRS = BASE.replace(b"    total = n * 2\n    return total\n", b"    total = n * 3\n    return float(total)\n")
BOTH = """def price(n):
    total = n * 3
    total = round(total)
    return float(total)


def label(n):
    return str(n)
"""
NAMED = "@@@ DROPPED A shop.py\n+    return total\n@@@ END\n"
GOOD = f"Here it is.\n@@@ FILE shop.py\n{BOTH}@@@ END\n@@@ DONE\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GitStore:
    return GitStore(tmp_path_factory.mktemp("store") / "git")


def tree_of(store: GitStore, files: Files) -> str:
    entries = {}
    for path, content in files.items():
        mode, data = content if isinstance(content, tuple) else (FILE_MODE, content)
        entries[path.encode("utf-8", "surrogateescape")] = Entry(mode, store.writer.blob(data))
    return store.write_tree(entries)


def edits_of(store: GitStore, base: Files, ours: Files, theirs: Files) -> tuple[str, Edit, Edit]:
    root = tree_of(store, base)
    trees = tree_of(store, ours), tree_of(store, theirs)
    first, second = (Edit(lane, tree, store.patch(root, tree)) for lane, tree in zip("ab", trees, strict=True))
    return root, first, second


def answered(
    store: GitStore,
    answers: Sequence[Canned | str],
    base: Files,
    ours: Files,
    theirs: Files,
    attempts: int | None = None,
) -> Combined:
    """Combine with a model that gives these answers, each once, in both orders of the edits."""
    canned = [Canned(answer) if isinstance(answer, str) else answer for answer in answers]
    with serving(canned, again=True) as endpoint:
        model = Model(HttpTransport(endpoint.url, "canned", retries=NO_WAIT), attempts=attempts or len(canned))
        root, first, second = edits_of(store, base, ours, theirs)
        combined = model.combine(store, root, first, second)
        asked = list(endpoint.requests)
        assert model.combine(store, root, second, first) == combined
        assert endpoint.requests == asked * 2
    assert (combined.tree is None) == (combined.status is CombineStatus.CONFLICT) == bool(combined.reason)
    return combined


def shop(store: GitStore, *answers: Canned | str, attempts: int | None = None) -> Combined:
    return answered(store, answers, {"shop.py": BASE}, {"shop.py": OURS}, {"shop.py": THEIRS}, attempts)


def refused(combined: Combined) -> str:
    """All that was said against the last answer."""
    assert combined.status is CombineStatus.CONFLICT
    return "\n".join(f"{hunk.path}: {hunk.text}" for hunk in combined.conflicts)


def whole(content: bytes | str, path: str = "shop.py") -> str:
    text = content if isinstance(content, str) else content.decode()
    return f"@@@ FILE {path}\n{text}@@@ END\n@@@ DONE\n"


# --- what is taken


def test_a_whole_file_that_honours_both_is_taken(store: GitStore) -> None:
    combined = shop(store, GOOD)
    assert combined.tree == tree_of(store, {"shop.py": BOTH.encode()})
    assert combined.usage == Usage(100, 0, 0, 10)
    assert [one["role"] for one in combined.transcript] == ["system", "user", "assistant"]


def test_hunks_apply_to_the_base_or_to_the_version_that_was_taken(store: GitStore) -> None:
    on_base = "@@@ HUNK shop.py\n    total = n * 2\n    return total\n@@@ WITH\n    total = n * 3\n    total = round(total)\n"
    on_base += "    return float(total)\n@@@ END\n@@@ DONE"
    on_theirs = "@@@ TAKE B shop.py\n@@@ HUNK shop.py\n    total = n * 3\n@@@ WITH\n    total = n * 3\n"
    on_theirs += "    total = round(total)\n@@@ END\n@@@ DONE"
    for answer in (on_base, on_theirs):
        assert shop(store, answer).tree == tree_of(store, {"shop.py": BOTH.encode()})


def test_files_that_one_edit_touches_need_no_word(store: GitStore) -> None:
    base: Files = {"shop.py": BASE, "run": b"#!/bin/sh\n", "gone": b"x\n", "pic": b"\0\1"}
    ours: Files = {**base, "shop.py": OURS, "run": (PROGRAM_MODE, b"#!/bin/sh\n"), "pic": b"\0\2"}
    theirs: Files = {"shop.py": THEIRS, "run": b"#!/bin/sh\n", "pic": b"\0\1", "link": (LINK_MODE, b"x"), "new/\n\udcff": b"\xff"}
    combined = answered(store, [GOOD], base, ours, theirs)
    expected: Files = {
        "shop.py": BOTH.encode(),
        "run": (PROGRAM_MODE, b"#!/bin/sh\n"),
        "pic": b"\0\2",
        "link": (LINK_MODE, b"x"),
        "new/\n\udcff": b"\xff",
    }
    assert combined.tree == tree_of(store, expected)


def test_no_model_is_asked_about_a_single_edit(store: GitStore) -> None:
    root, first, none = edits_of(store, {"f": b"1\n"}, {"f": b"2\n"}, {"f": b"1\n"})
    with serving([]) as endpoint:
        model = Model(HttpTransport(endpoint.url, "canned"))
        assert model.combine(store, root, first, none).tree == first.tree
        assert model.combine(store, root, none, first).tree == first.tree
        assert model.combine(store, root, first, dataclasses.replace(first, lane="b")).tree == first.tree
        assert endpoint.requests == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_marks_modes_and_the_last_newline_are_kept(store: GitStore, end: str, mark: bytes) -> None:
    """The model never sees them; a change to one is merged as git would."""

    def shaped(text: str) -> bytes:
        return mark + text.replace("\n", end).encode()

    combined = answered(
        store,
        [whole("one\ntwo a\nthree b\n", "f")],
        {"f": shaped("one\ntwo\nthree\n")},
        {"f": (PROGRAM_MODE, shaped("one\ntwo a\nthree\n"))},
        {"f": shaped("one\ntwo\nthree b")},
    )
    assert combined.tree == tree_of(store, {"f": (PROGRAM_MODE, shaped("one\ntwo a\nthree b"))})


def test_text_around_blocks_and_code_fences_in_them_do_no_harm(store: GitStore) -> None:
    answer = f"Sure!\n```\n@@@ FILE `shop.py`\n```python\n{BOTH}```\n@@@ END\n```\n@@@ done  \nBye.\n@@@ FILE x\n"
    assert shop(store, answer.replace("\n", "\r\n")).tree == tree_of(store, {"shop.py": BOTH.encode()})


def test_a_marker_is_nothing_that_the_files_hold(store: GitStore) -> None:
    base = b"a\n@@@ END\n@@@@ END\nb\n"
    answer = whole("A\n@@@ END\n@@@@ END\nB\n", "f").replace("@@@ FILE", "@@@@@ FILE")
    answer = answer.replace("B\n@@@ END\n@@@ DONE", "B\n@@@@@ END\n@@@@@ DONE")
    combined = answered(store, [answer], {"f": base}, {"f": base.replace(b"a", b"A")}, {"f": base.replace(b"b\n", b"B\n")})
    assert combined.tree == tree_of(store, {"f": b"A\n@@@ END\n@@@@ END\nB\n"})


# --- what is not


def test_only_one_side_is_refused_and_the_lost_lines_are_named(store: GitStore) -> None:
    said = refused(shop(store, whole(OURS)))
    assert "part of edit B" in said
    assert "+    total = n * 3" in said
    assert "+    return float(total)" in said
    assert "-    total = n * 2" in said
    assert "edit A" not in said


def test_a_taken_side_is_held_to_the_same(store: GitStore) -> None:
    assert "+    total = round(total)" in refused(shop(store, "@@@ TAKE B shop.py\n@@@ DONE"))


@pytest.mark.parametrize(
    "left", ["<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n", "||||||| base\n"], ids=["opening", "middle", "closing", "base"]
)
def test_leftover_markers_are_refused(store: GitStore, left: str) -> None:
    combined = answered(
        store, [whole("one a\n" + left + "two b\n", "f")], {"f": b"one\ntwo\n"}, {"f": b"one a\ntwo\n"}, {"f": b"one\ntwo b\n"}
    )
    assert "conflict markers are left\n" + left.rstrip() in refused(combined)


def test_markers_that_an_edit_brings_are_no_leftovers(store: GitStore) -> None:
    combined = answered(
        store,
        [whole("Title\n=======\ntwo b\n", "f")],
        {"f": b"one\ntwo\n"},
        {"f": b"Title\n=======\ntwo\n"},
        {"f": b"one\ntwo b\n"},
    )
    assert combined.status is CombineStatus.CLEAN


def test_half_a_file_is_refused_even_where_it_parses(store: GitStore) -> None:
    said = refused(shop(store, whole(BOTH.partition("\n\n\n")[0] + "\n")))
    assert "lines of the base are gone" in said
    assert "-def label(n):" in said


def test_an_answer_that_no_longer_parses_is_refused(store: GitStore) -> None:
    said = refused(shop(store, whole(BOTH.replace("def label(n):", "def label(n):\n    ("))))
    assert "shop.py: the file parses in both edits, and no longer does: SyntaxError" in said


@pytest.mark.parametrize(
    ("path", "one", "broken"),
    [
        ("f.json", b'{\n"a": 1,\n"b": 2\n}\n', '{\n"a": 10\n"b": 20\n}\n'),
        ("f.toml", b"a = 1\nb = 2\n", "a = 10\nb = 20\n[\n"),
        pytest.param("f.mjs", b'import "x"\na = 1\nb = 2\n', 'import "x"\na = 10\nb = 20\n(\n', marks=pytest.mark.needs("node")),
        pytest.param(
            "f.js", b'require("x")\na = 1\nb = 2\n', 'require("x")\na = 10\nb = 20\n(\n', marks=pytest.mark.needs("node")
        ),
    ],
)
def test_other_kinds_are_parsed_too(store: GitStore, path: str, one: bytes, broken: str) -> None:
    def lane(number: bytes) -> Files:
        return {path: one.replace(number, number + b"0")}

    named = f'@@@ DROPPED A {path}\n+"a": 10,\n@@@ END\n'
    combined = answered(store, [named + whole(broken, path)], {path: one}, lane(b"1"), lane(b"2"))
    assert "no longer does: " in refused(combined)
    good = one.replace(b"1", b"10").replace(b"2", b"20")
    assert answered(store, [whole(good, path)], {path: one}, lane(b"1"), lane(b"2")).tree == tree_of(store, {path: good})


def test_without_node_it_is_said_that_javascript_was_not_parsed(
    store: GitStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = shutil.which("git")
    assert git
    (tmp_path / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path))
    combined = answered(
        store,
        [whole("a = 10\nb = 20\n(\n", "f.js")],
        {"f.js": b"a = 1\nb = 2\n"},
        {"f.js": b"a = 10\nb = 2\n"},
        {"f.js": b"a = 1\nb = 20\n"},
    )
    assert combined.status is CombineStatus.CLEAN
    assert "JavaScript was not parsed: node is missing" in combined.detail


def test_what_an_edit_broke_itself_need_not_parse(store: GitStore) -> None:
    combined = answered(
        store,
        [whole("a = (\nb = 20\n", "f.py")],
        {"f.py": b"a = 1\nb = 2\n"},
        {"f.py": b"a = (\nb = 2\n"},
        {"f.py": b"a = 1\nb = 20\n"},
    )
    assert combined.status is CombineStatus.CLEAN


@pytest.mark.parametrize("path", ["other.py", "new.py", "../up", "/etc/passwd", ".git/hooks/x", "shop.py/x", ""])
@pytest.mark.parametrize(
    "block", ["@@@ FILE {}\nx\n@@@ END\n", "@@@ DELETE {}\n", "@@@ TAKE A {}\n", "@@@ HUNK {}\nx\n@@@ WITH\n@@@ END\n"]
)
def test_an_edit_outside_both_patches_is_refused_and_recorded(store: GitStore, path: str, block: str) -> None:
    base: Files = {"shop.py": BASE, "other.py": b"x\n"}
    combined = answered(store, [block.format(path) + GOOD], base, {**base, "shop.py": OURS}, {**base, "shop.py": THEIRS})
    assert f"{path}: edits outside both patches" in refused(combined)
    assert "edits outside both patches" in combined.detail


def test_lines_that_neither_edit_has_are_recorded(store: GitStore) -> None:
    combined = shop(store, whole(BOTH.replace("def label", "BOTH_DONE = True\n\n\ndef label")))
    assert combined.status is CombineStatus.CLEAN
    assert "shop.py: in neither edit: BOTH_DONE = True" in combined.detail


def test_an_answer_cut_off_by_its_limit_is_refused_though_it_looks_whole(store: GitStore) -> None:
    combined = shop(store, Canned(GOOD, finish="length"))
    assert "cut off by the limit" in combined.reason
    assert combined.usage == Usage(100, 0, 0, 10)


@pytest.mark.parametrize("finish", ["stop", None])
@pytest.mark.parametrize("length", [0, 20, len(GOOD) - 20])
def test_an_answer_without_its_last_line_is_refused_whatever_the_provider_says(
    store: GitStore, finish: str | None, length: int
) -> None:
    assert "does not end with DONE" in shop(store, Canned(GOOD[:length], finish=finish)).reason


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("@@@ DONE", "does not say what becomes of it"),
        (GOOD.replace("@@@ END\n", ""), "the block FILE shop.py has no END"),
        ("@@@ FILE shop.py\nx\n@@@ END\n" + GOOD, "shop.py is given twice"),
        ("@@@ DELETE shop.py\n" + GOOD, "several things"),
        ("@@@ TAKE A shop.py\n@@@ TAKE B shop.py\n@@@ DONE", "taken from both"),
        ("@@@ TAKE C shop.py\n@@@ DONE", "'C' where one of A, B"),
        ("@@@ PATCH shop.py\n" + GOOD, "PATCH where a block should begin"),
        ("@@@ HUNK shop.py\nnot there\n@@@ WITH\nx\n@@@ END\n@@@ DONE", "do not stand there: not there"),
        ("@@@ HUNK shop.py\n\n@@@ WITH\nx\n@@@ END\n@@@ DONE", "stand there 2 times"),
        ("@@@ HUNK shop.py\n@@@ WITH\nx\n@@@ END\n@@@ DONE", "do not stand there: (none)"),
        (
            "@@@ HUNK shop.py\ndef price(n):\n    total = n * 2\n@@@ WITH\nx\n@@@ END\n"
            "@@@ HUNK shop.py\n    total = n * 2\n    return total\n@@@ WITH\nx\n@@@ END\n@@@ DONE",
            "two hunks overlap",
        ),
        ("@@@ DELETE shop.py\n@@@ DONE", "the file is gone that neither edit deletes"),
    ],
)
def test_an_answer_that_cannot_be_read_one_way_only_is_refused(store: GitStore, answer: str, said: str) -> None:
    assert said in refused(shop(store, answer))


# --- what is left out must be named


def test_what_is_left_out_and_named_is_taken_and_recorded(store: GitStore) -> None:
    kept = OURS.decode().replace("n * 2", "n * 3")
    named = "@@@ DROPPED B shop.py\n+    return float(total)\n-    return total\n@@@ END\n"
    assert refused(shop(store, whole(kept)))
    combined = shop(store, named + whole(kept))
    assert combined.tree == tree_of(store, {"shop.py": kept.encode()})
    assert "part of edit B is not in the result, as the model says itself: +    return float(total)" in combined.detail


def test_naming_some_does_not_cover_the_rest(store: GitStore) -> None:
    said = refused(shop(store, "@@@ DROPPED B shop.py\n+    return float(total)\n@@@ END\n" + whole(OURS)))
    assert "+    total = n * 3" in said
    assert "float" not in said


def test_a_line_with_another_indentation_is_there_unless_that_is_the_edit(store: GitStore) -> None:
    base, ours = {"f": b"top\nx\nend\n"}, {"f": b"top\nnew\nx\nend\n"}
    theirs = {"f": b"if top:\n  x\nend\n"}
    wrapped = "if top:\n  new\n  x\nend\n"
    assert answered(store, [whole(wrapped, "f")], base, ours, theirs).tree == tree_of(store, {"f": wrapped.encode()})
    assert "+  x" in refused(answered(store, [whole("if top:\n  new\nx\nend\n", "f")], base, ours, theirs))


def test_an_addition_may_move_to_another_file_of_the_edits(store: GitStore) -> None:
    """One renames, the other adds to the file under its old name."""
    base, ours, theirs = {"old": b"1\n2\n"}, {"new": b"1\n2\n"}, {"old": b"1\n2\n3\n"}
    moved = "@@@ DELETE old\n" + whole("1\n2\n3\n", "new")
    assert answered(store, [moved], base, ours, theirs).tree == tree_of(store, {"new": b"1\n2\n3\n"})
    lost = "@@@ DELETE old\n@@@ DONE"
    assert "+3" in refused(answered(store, [lost], base, ours, theirs))


def test_a_deletion_that_is_undone_must_be_named(store: GitStore) -> None:
    base, ours, theirs = {"f": b"1\n", "g": b"1\n"}, {"g": b"1\n"}, {"f": b"1\n2\n", "g": b"1\n"}
    assert "edit A deletes the file" in refused(answered(store, ["@@@ TAKE B f\n@@@ DONE"], base, ours, theirs))
    combined = answered(store, ["@@@ TAKE B f\n@@@ DROPPED A f\n@@@ END\n@@@ DONE"], base, ours, theirs)
    assert combined.tree == tree_of(store, {"f": b"1\n2\n", "g": b"1\n"})


def test_of_files_that_are_no_text_one_is_taken_and_the_other_named(store: GitStore) -> None:
    base, ours, theirs = {"f": b"\0"}, {"f": b"\0a"}, {"f": b"\0b"}
    assert "edit B of a file" in refused(answered(store, ["@@@ TAKE A f\n@@@ DONE"], base, ours, theirs))
    assert "no text" in refused(answered(store, [whole("a\n", "f")], base, ours, theirs))
    combined = answered(store, ["@@@ TAKE A f\n@@@ DROPPED B f\n@@@ END\n@@@ DONE"], base, ours, theirs)
    assert combined.tree == tree_of(store, ours)


def test_a_file_in_the_way_of_a_folder_is_refused(store: GitStore) -> None:
    assert "needs a folder" in refused(
        answered(store, ["@@@ DONE"], {"k": b"1\n"}, {"k": b"1\n", "f": b"1\n"}, {"k": b"1\n", "f/g": b"2\n"})
    )


# --- attempts, and what they cost


def test_evidence_goes_back_and_every_answer_is_paid_for(store: GitStore) -> None:
    bad = Canned(whole(OURS), {"prompt_tokens": 1000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 400}})
    cut = Canned(GOOD, {"prompt_tokens": 2000, "completion_tokens": 50}, finish="length")
    answers = [bad, cut, Canned(GOOD, {"prompt_tokens": 3000, "completion_tokens": 60})]
    with serving(answers) as endpoint:
        root, first, second = edits_of(store, {"shop.py": BASE}, {"shop.py": OURS}, {"shop.py": THEIRS})
        combined = Model(HttpTransport(endpoint.url, "canned")).combine(store, root, first, second)
    assert combined.tree == tree_of(store, {"shop.py": BOTH.encode()})
    assert combined.usage == Usage(input=5600, cache_read=400, output=117)
    sent = [[one["content"] for one in request["messages"]] for request in endpoint.requests]
    assert [len(one) for one in sent] == [2, 4, 4]
    assert sent[1][:2] == sent[2][:2] == sent[0]
    assert sent[1][2] == bad.text
    assert "+    total = n * 3" in sent[1][3]
    assert "cut off" in sent[2][3]
    assert "attempt 1 was not accepted: shop.py: part of edit B" in combined.detail
    assert "attempt 2 was not accepted: the answer was cut off" in combined.detail


def test_attempts_are_bounded(store: GitStore) -> None:
    combined = shop(store, *[whole(OURS)] * 3, attempts=3)
    assert combined.reason.startswith("no acceptable answer in 3 attempts: shop.py: part of edit B")
    assert combined.usage == Usage(300, 0, 0, 30)
    with serving([Canned("")] * 9) as endpoint:
        root, first, second = edits_of(store, {"shop.py": BASE}, {"shop.py": OURS}, {"shop.py": THEIRS})
        Model(HttpTransport(endpoint.url, "canned")).combine(store, root, first, second)
        assert len(endpoint.requests) == 3
        assert endpoint.requests[1]["messages"][2]["content"]
    with pytest.raises(SetupError, match="at least 1"):
        Model(HttpTransport(endpoint.url, "canned"), attempts=0)


def test_one_answer_without_usage_makes_the_sum_unknown(store: GitStore) -> None:
    combined = shop(store, whole(OURS), Canned(GOOD, usage=None))
    assert combined.status is CombineStatus.CLEAN
    assert combined.usage == UNKNOWN_USAGE
    assert combined.usage.effective_tokens is None


def test_what_was_used_is_not_forgotten_when_the_provider_fails(store: GitStore) -> None:
    with serving([Canned(whole(OURS)), Canned(f"bad key {KEY}", status=401)]) as endpoint:
        root, first, second = edits_of(store, {"shop.py": BASE}, {"shop.py": OURS}, {"shop.py": THEIRS})
        with pytest.raises(TransportError, match="status 401: bad key") as raised:
            Model(HttpTransport(endpoint.url, "canned", KEY)).combine(store, root, first, second)
    assert raised.value.usage == Usage(100, 0, 0, 10)
    assert raised.value.status == 401
    assert KEY not in str(raised.value)


def test_a_prompt_that_is_too_long_is_the_models_failure_not_the_machines(store: GitStore) -> None:
    combined = shop(store, Canned("This model's maximum context length is 5 tokens", status=400))
    assert combined.status is CombineStatus.CONFLICT
    assert "prompt this long" in combined.reason
    assert combined.usage == Usage()


# --- what the model sees


def prompt_of(store: GitStore, shown: Shown, base: Files, ours: Files, theirs: Files) -> str:
    root, first, second = edits_of(store, base, ours, theirs)
    first = dataclasses.replace(first, requirement="A wants round.", summary="A rounded.")
    second = dataclasses.replace(second, requirement="B wants 3.", summary="B tripled.")
    with serving([Canned("@@@ DONE")]) as endpoint:
        Model(HttpTransport(endpoint.url, "canned"), attempts=1, shown=shown).combine(store, root, first, second)
    return "\n".join(one["content"] for one in endpoint.requests[0]["messages"])


def test_the_model_sees_the_touched_base_files_both_diffs_and_no_more(store: GitStore) -> None:
    base: Files = {"shop.py": BASE, "other.py": b"SECRET\n", "pic": b"\0"}
    prompt = prompt_of(store, Shown.NOTHING, base, {**base, "shop.py": OURS, "pic": b"\0" * 99}, {**base, "shop.py": THEIRS})
    assert BASE.decode() in prompt
    assert "+    total = round(total)" in prompt
    assert "+    return float(total)" in prompt
    assert "(binary content, left out)" in prompt
    for absent in ("SECRET", "other.py", "wants", "rounded", "GIT binary patch"):
        assert absent not in prompt


@pytest.mark.parametrize(
    ("shown", "seen", "unseen"),
    [(Shown.REQUIREMENTS, "B wants 3.", "B tripled."), (Shown.SUMMARIES, "B tripled.", "B wants 3.")],
)
def test_requirements_or_summaries_are_shown_only_if_asked(store: GitStore, shown: Shown, seen: str, unseen: str) -> None:
    prompt = prompt_of(store, shown, {"shop.py": BASE}, {"shop.py": OURS}, {"shop.py": THEIRS})
    assert seen in prompt
    assert unseen not in prompt


def test_asking_for_what_was_not_given_is_a_mistake(store: GitStore) -> None:
    root, first, second = edits_of(store, {"f": b"1\n"}, {"f": b"2\n"}, {"f": b"3\n"})
    with serving([]) as endpoint, pytest.raises(SetupError, match="requirements"):
        Model(HttpTransport(endpoint.url, "canned"), shown=Shown.REQUIREMENTS).combine(store, root, first, second)
