"""Reading which tests a task's runner starts, in the shapes that runners have: fixed files, loops, patterns, continued lines."""

from pathlib import Path

import pytest
from command import crosstalk
from foreign_tasks import LOCK, RUNNER, Repository, rows_of, write_task
from small_pair import NO_CUT_BELOW, WITH_CURRENCY

from instances.importers.rejects import RejectedError
from instances.importers.runner_scripts import RunnerScript, installed, without_comments
from instances.load import load_all

FIXED = 'timeout 300 python -m pytest "tests/test_a.py" tests/test_b.py -v --tb=short\n'
LISTED = """if [[ -n "$FEATURE_PATCH" ]]; then
    SPEC="tests/test_a1.py tests/test_a2.py"
    IFS=' ' read -ra TEST_FILES <<< "$SPEC"
    for file in "${TEST_FILES[@]}"; do
        if [[ -e "$file" ]]; then
            python -m pytest "$file" -v
        fi
    done
fi
"""
OF_THE_PATCH = r"""TARGETS=$(grep -oE '^\+\+\+ b/.*' "/patches/$TEST_PATCH" 2>/dev/null | sed 's|^+++ b/||' | sort -u)
for file in $TARGETS; do
    timeout 300 python -m pytest "$file" -v || exit $?
done
"""
EITHER = """if compgen -G "tests/test_feature*.py" > /dev/null; then
    UNIT_TEST_SPEC="tests/test_feature*.py"
else
    UNIT_TEST_SPEC="tests/"
fi
python -m pytest $UNIT_TEST_SPEC -v
"""
CONTINUED = """TEST_PATH="tests/io/test_x.py"
timeout 300 python -m pytest "$TEST_PATH" -v \\
    --deselect "tests/io/test_x.py::test_red_everywhere"
"""
TALKATIVE = """# Run pytest - a fault while it ends is none
python -m pytest tests/test_a.py -v 2>&1 | tee /tmp/pytest_output.log
PYTEST_EXIT=${PIPESTATUS[0]}  # what pytest, not tee, said
# pytest has run by now
"""


@pytest.mark.parametrize(
    ("text", "tests", "command"),
    [
        (FIXED, ["tests/test_b.py"], "tests/test_a.py tests/test_b.py"),
        (FIXED + LISTED, ["tests/test_b.py"], "tests/test_a.py tests/test_b.py"),
        (FIXED + LISTED, ["tests/test_a2.py", "tests/test_a3.py"], "tests/test_a.py tests/test_b.py tests/test_a2.py"),
        (FIXED + OF_THE_PATCH, ["tests/test_a3.py", "tests/data.json"], "tests/test_a.py tests/test_b.py tests/test_a3.py"),
        (FIXED + LISTED + OF_THE_PATCH, ["src/test_a3.py"], "tests/test_a.py tests/test_b.py src/test_a3.py"),
        (OF_THE_PATCH, ["tests/test_a.py", "tests/test_c.py"], "tests/test_a.py tests/test_c.py"),
        (EITHER, ["tests/test_feature3.py", "tests/test_more.py"], "tests/test_feature3.py"),
        (EITHER, ["tests/test_more.py"], "tests"),
        (CONTINUED, ["tests/io/test_x.py"], "tests/io/test_x.py"),
        (TALKATIVE, ["tests/test_a.py"], "tests/test_a.py"),
    ],
)
def test_what_a_runner_starts_for_a_feature_is_read_off_it(text: str, tests: list[str], command: str) -> None:
    assert RunnerScript.of(text).command(tests) == ("pytest", *command.split())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('for file in $(ls); do python -m pytest "$file"; done\n', "tests-not-run"),
        ("python -m pytest -q\n", "tests-not-run"),
        ("# python -m pytest tests/test_a.py\npnpm test\n", "unsupported-language"),
        ("cargo test -p typst-tests -- name\n", "unsupported-language"),
    ],
)
def test_a_runner_that_cannot_be_read_is_rejected(text: str, code: str) -> None:
    with pytest.raises(RejectedError) as caught:
        RunnerScript.of(text)
    assert caught.value.rejection.code == code


def test_lines_of_installation_that_go_on_or_are_comments_are_read_as_a_shell_does() -> None:
    text = '# pip install nothing\nuv pip install --system \\\n    "numpy<2.0" \\\n    pillow  # for pictures\n'
    text += 'pip install -e ".[dev]" || true\n'
    text += "uv pip install -r pyproject.toml || pip install -r requirements/tests.txt\n"
    assert installed(without_comments(text)) == (("numpy<2.0", "pillow"), ("dev",), ("requirements/tests.txt",))


@pytest.mark.needs("bwrap")
def test_files_of_their_own_that_only_a_loop_of_the_runner_starts_are_each_feature_s_tests(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    own = {
        1: "from shop.price import label\n\n\ndef test_currency():\n    assert label(150, currency='USD') == '1.50 USD'\n",
        3: "from shop.discount import cut\n\n\ndef test_never_below_zero():\n    assert cut(3) == 0\n",
    }
    changes = {1: WITH_CURRENCY, 3: NO_CUT_BELOW}
    write_task(task, repository, {n: (changes[n], repository.patch({f"tests/test_own{n}.py": own[n]})) for n in own})
    (task / "runner.sh").write_text(RUNNER + OF_THE_PATCH, encoding="utf-8")
    done = crosstalk("import", "cooperbench", task, "--out", out, "--lock", LOCK)
    assert done.returncode == 0, done.stdout
    (row,) = rows_of(out).values()
    assert row["mechanical"] == dict.fromkeys(("concat", "merge", "union"), "clean, a:pass b:pass")
    (pair,) = load_all(out)
    assert pair.tests["a"].command == ("pytest", "tests/test_price.py", "tests/test_own1.py")
    assert any("test_own3" in one for one in pair.tests["b"].fail_to_pass)
