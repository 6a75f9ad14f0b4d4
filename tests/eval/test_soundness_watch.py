"""`crosstalk check --watch`, from a pair that is not written yet to a sound one, as an author sees it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eval.soundness import known_sound
from instances.difficulty import Difficulty
from instances.ledger import difficulty_of
from instances.load import load
from instances.model import Instance
from sandboxes.environments import cache_folder

ROOT = Path(__file__).parents[2]
WORDS = "The tags on the shelves are read by people who come in from the street, and so I ask for this before the season begins. "
ASKED = {
    "a": f"Let `label` take a `currency`, EUR where none is given, and show it behind the amount, as in 1.50 EUR. {WORDS}\n",
    "b": "Our books write amounts below zero in round brackets and without a minus. Let the label do as the books do, for I have "
    "to explain in each quarter that the two papers mean the same money, and they never believe it.\n",
}
SECONDS = 240


class Watched:
    """A watch in a process of its own, and what it said so far."""

    def __init__(self, process: subprocess.Popen[str], out: Path) -> None:
        self.process, self._out = process, out

    def said(self, text: str, times: int = 1) -> str:
        """Wait until a text was said so often; all that was said."""
        until = time.monotonic() + SECONDS
        while (heard := self._out.read_text(encoding="utf-8")).count(text) < times:
            assert self.process.poll() is None, heard
            assert time.monotonic() < until, f"no {text!r} in: {heard}"
            time.sleep(0.1)
        return heard

    def interrupt(self) -> str:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        return self._out.read_text(encoding="utf-8")


@contextmanager
def watching(folder: Path, out: Path) -> Iterator[Watched]:
    with out.open("w", encoding="utf-8") as file:
        command = [sys.executable, "-u", "-m", "eval.main", "check", str(folder), "--watch"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, text=True, env=os.environ)
        try:
            yield Watched(process, out)
        finally:
            process.kill()
            process.wait()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = cache_folder() / "environments"
    shared.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "environments").symlink_to(shared)
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))


@pytest.mark.needs("bwrap")
def test_from_the_first_fault_to_sound(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    folder = make_pair().folder
    reference = folder / "references" / "a.patch"
    good = reference.read_text(encoding="utf-8")
    with watching(folder, tmp_path / "out") as watched:
        heard = watched.said("NEXT: requirement_a.md")
        assert "words are too few" in heard
        reference.write_text(good.replace("{currency}", "EUR"), encoding="utf-8")
        for side, text in ASKED.items():
            (folder / f"requirement_{side}.md").write_text(text, encoding="utf-8")
        heard = watched.said("NEXT: references/a.patch")
        assert "rule: reference a passes its own side" in heard
        assert "rounds ..." not in heard
        (folder / "instance.json").write_text((folder / "instance.json").read_text(encoding="utf-8") + "}", encoding="utf-8")
        assert "not readable as JSON" in watched.said("NEXT: this first")
        text = (folder / "instance.json").read_text(encoding="utf-8")
        (folder / "instance.json").write_text(text.removesuffix("}"), encoding="utf-8")
        reference.write_text(good, encoding="utf-8")
        heard = watched.said("SOUND")
        assert "one round found nothing wrong; 3 rounds ..." in heard
        assert watched.interrupt().splitlines()[-1].startswith("stopped; price-label: SOUND")
        assert watched.process.returncode == 0
    assert known_sound(load(folder))
    assert difficulty_of(load(folder)) == Difficulty(files=1, hunks=1, lines=5, overlap=1, merges=False, half_a=1, half_b=1)


def test_an_interrupt_says_what_is_wrong_by_its_status(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    folder = make_pair().folder
    with watching(folder, tmp_path / "out") as watched:
        watched.said("NEXT: requirement_a.md")
        assert watched.interrupt().splitlines()[-1].startswith("stopped; price-label: requirement_a.md: ")
        assert watched.process.returncode == 1


@pytest.mark.parametrize(
    "arguments", [["--watch"], ["signoff-deputies", "attic-file-names", "--watch"], ["x", "--watch", "--record"]]
)
def test_it_looks_at_one_pair(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "eval.main", "check", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "--watch looks at one pair" in done.stderr) == (2, True)
