"""Soundness: what must hold of a pair before its results mean anything. DESIGN: three rounds with equal verdicts."""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from eval.bench import open_instance
from eval.examination import Examination, Finding
from eval.imported_examination import ImportedExamination
from eval.soundness_difficulty import counted
from eval.storage import write_text
from harnesses.base import Limits
from instances.dataset import CANARY
from instances.difficulty import Difficulty
from instances.files import digest_of
from instances.leaks import leaks
from instances.ledger import LEDGER, evidence_folder, notes
from instances.load import PAIRS
from instances.model import Instance
from sandboxes.base import SandboxFactory
from sandboxes.folders import remove_tree
from sandboxes.stopping import no_programs

__all__ = ["LEDGER", "ROUNDS", "RULES", "Soundness", "check", "check_all", "evidence_folder", "known_sound", "record_in_ledger"]

ROUNDS = 3
SUITE_SECONDS = 5.0
# What `check` demands, as a number: raised with each new demand, so that what was found before is not taken for sound.
RULES = 2


@dataclass
class Soundness:
    """What was found of one instance.

    Attributes:
        mechanical: how concatenation and git merge of the two references came out, and which sides each half passes.
        provenance: of an imported or generated one, what it lacks.
        difficulty: what was counted in it; `None` where a reference is missing or does not apply.
    """

    instance: str
    digest: str
    rounds: int
    findings: list[Finding] = field(default_factory=list)
    mechanical: dict[str, str] = field(default_factory=dict)
    provenance: str = ""
    difficulty: Difficulty | None = None

    @property
    def sound(self) -> bool:
        return all(one.ok for one in self.findings)

    @property
    def problems(self) -> list[Finding]:
        return [one for one in self.findings if not one.ok]


def check_all(
    instances: Sequence[Instance], sandboxes: SandboxFactory, jobs: int, rounds: int, tell: Callable[[Soundness], None]
) -> list[Soundness]:
    """Check instances in parallel and keep the evidence; `tell` hears of each in order.

    Raises:
        BenchError: the machine or the sandbox broke; nothing is said about the pairs.
    """
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="check")
    try:
        found = []
        for one in pool.map(lambda instance: check(instance, sandboxes, rounds), instances):
            tell(one)
            found.append(one)
    except BaseException:
        with no_programs():
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return found


def check(instance: Instance, sandboxes: SandboxFactory, rounds: int = ROUNDS) -> Soundness:
    """Check one instance; its evidence stands in `evidence_folder(instance)` afterwards."""
    found = Soundness(instance.id, instance.digest, rounds, provenance=instance.provenance)
    folder = evidence_folder(instance)
    work = folder.with_name(f".{folder.name}.work")
    remove_tree(work)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _check_texts(instance, found)
        outcomes = []
        for number in range(1, rounds + 1):
            pair = open_instance(instance, sandboxes, work, folder / f"round-{number}", Limits())
            examination = ImportedExamination(pair) if instance.imported else Examination(pair)
            examination.run()
            outcomes.append(examination)
        found.findings += outcomes[0].findings
        found.mechanical = outcomes[0].mechanical
        found.difficulty = counted(outcomes[0])
        _check_rounds(outcomes, found, slow_too=instance.imported is None)
    finally:
        remove_tree(work)
    # What was saved during the check belongs to another state than the one that is noted.
    same = digest_of(instance.folder) == instance.digest
    found.findings.append(Finding("no file changed during the check", same, "" if same else "run it again"))
    folder.mkdir(parents=True, exist_ok=True)
    summary = {**asdict(found), "sound": found.sound, "rules": RULES}
    write_text(folder / "soundness.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    return found


def known_sound(instance: Instance) -> bool:
    """Whether this very state of the instance was checked and found sound, by the data set's makers or on this machine."""
    return any(_proves(note) for note in notes(instance))


def _proves(note: Mapping[str, Any]) -> bool:
    """Whether what was noted of a state says that it meets all of today's demands."""
    return note.get("rules") == RULES and note.get("sound") is True and note.get("rounds", 0) >= ROUNDS


def record_in_ledger(found: Sequence[Soundness]) -> None:
    """Note in the data set's ledger which of its pairs, in which state, were found sound."""
    ledger = json.loads(LEDGER.read_text(encoding="utf-8")) if LEDGER.is_file() else {}
    for one in found:
        ledger[one.instance] = {
            "digest": one.digest,
            "sound": one.sound,
            "rounds": one.rounds,
            "rules": RULES,
            "mechanical": one.mechanical,
            "difficulty": one.difficulty.as_data() if one.difficulty else None,
        }
    write_text(LEDGER, json.dumps(dict(sorted(ledger.items())), indent=1) + "\n")


def _check_texts(instance: Instance, found: Soundness) -> None:
    if instance.imported:
        return  # texts and tests of other people's: what is odd about them is among the import's notes
    given_away = leaks(instance)
    found.findings.append(
        Finding("neither requirement gives the other away", not given_away, "; ".join(given_away), "requirement_a.md")
    )
    if PAIRS in instance.folder.parents:
        ok = instance.canary == CANARY
        found.findings.append(Finding("the canary is the data set's", ok, "" if ok else f"write {CANARY!r}", "instance.json"))
    bare = []
    for suite in instance.tests.values():
        for _, path in suite.overlay_files():
            if instance.canary.encode() not in path.read_bytes():
                bare.append(path.relative_to(instance.folder).as_posix())
    found.findings.append(
        Finding(
            "the canary stands in every held-out file",
            not bare,
            f"missing in {', '.join(bare)}" if bare else "",
            bare[0] if bare else "",
        )
    )


def _check_rounds(rounds: Sequence[Examination], found: Soundness, *, slow_too: bool) -> None:
    first = rounds[0]
    unequal = []
    for key, verdict in first.verdicts.items():
        others = [one.verdicts.get(key) for one in rounds[1:]]
        if any(other is None or other.statuses != verdict.statuses or other.passed != verdict.passed for other in others):
            unequal.append(f"tests.{key[1]} on tree {key[0][:10]}")
    found.findings.append(
        Finding(f"{len(rounds)} rounds give equal verdicts", not unequal, f"flaky: {', '.join(unequal)}" if unequal else "")
    )
    if not slow_too:
        return
    slow = []
    most = SUITE_SECONDS * _crowding()
    for key in first.verdicts:
        seconds = [one.verdicts[key].duration_seconds for one in rounds if key in one.verdicts]
        if min(seconds) > most:
            slow.append(f"tests.{key[1]} took {min(seconds):.1f} s")
    found.findings.append(Finding(f"a suite takes {SUITE_SECONDS:.0f} s at most", not slow, ", ".join(sorted(set(slow)))))


def _crowding() -> float:
    """How many programs have had to share a processor in the last minute, 1 or more: by as much a suite takes longer."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
