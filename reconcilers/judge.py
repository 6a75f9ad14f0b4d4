"""Whether a model's answer may stand: what it makes of each file, and every reason against it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from reconcilers.accounting import Account, Lost, account
from reconcilers.answer import Answer, Decision, apply_hunks, without_code_fence
from reconcilers.parsing import Parsers
from reconcilers.transport import Finish
from reconcilers.versions import EDITS, File, Side, Version, written
from sandboxes.git_objects import path_bytes
from sandboxes.gitstore import GitStore

_MARKER = re.compile(r"(<{7}|>{7}|={7}|\|{7})(\s.*)?")


@dataclass(frozen=True)
class Fault:
    """One reason why an answer may not stand; `path` is empty where it is about the answer as a whole."""

    path: str
    text: str


@dataclass(frozen=True)
class Judgement:
    """What became of one answer.

    Attributes:
        tree: the combined tree; `None` where there are faults.
        faults: why it may not stand.
        dropped: what of the edits it left out and named.
        added: by path, the lines that neither edit has.
    """

    tree: str | None
    faults: tuple[Fault, ...]
    dropped: tuple[Lost, ...] = ()
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Judge:
    """Holds answers against the files that either edit touches."""

    store: GitStore
    base: str
    files: Mapping[str, File]
    parsers: Parsers = field(default_factory=Parsers)

    def judge(self, answer: Answer, finish: Finish) -> Judgement:
        """Look at an answer from all sides.

        Raises:
            SandboxError: git or a parser itself broke.
        """
        faults = list(_faults_of_form(answer, finish))
        if faults:
            # What was cut off or garbled says nothing about the files.
            return Judgement(None, tuple(faults))
        faults += self._outside(answer)
        results: dict[str, Version] = {}
        for path, file in self.files.items():
            result, problems = self._result(file, answer.decisions.get(path))
            results[path] = result
            faults += [Fault(path, problem) for problem in problems]
        if faults:
            return Judgement(None, tuple(faults))
        sums = account(self.files.values(), results)
        dropped = tuple(lost for lost in sums.lost if _is_named(lost, answer))
        faults += [Fault(one.path, _as_fault(one, answer)) for one in sums.lost if one not in dropped]
        faults += _leftover_markers(sums)
        faults += self._unparsable(results, answer)
        entries = dict(self.store.entries(self.base))
        for path, result in results.items():
            entries.pop(path_bytes(path), None)
            if result.entry is not None:
                entries[path_bytes(path)] = result.entry
        faults += _in_the_way(results, frozenset(entries))
        tree = None if faults else self.store.write_tree(entries)
        return Judgement(tree, tuple(faults), dropped, sums.added)

    def _outside(self, answer: Answer) -> Iterator[Fault]:
        for path in answer.decisions:
            if path not in self.files:
                yield Fault(path, "edits outside both patches: neither edit touches this file, so it must stay as it is")

    def _result(self, file: File, decision: Decision | None) -> tuple[Version, list[str]]:
        """What a file becomes, and what is wrong with what was said of it."""
        settled = file.settled
        if decision is None:
            unsaid = [] if settled else ["both edits change this file, and the answer does not say what becomes of it"]
            return settled or file.versions[Side.BASE], unsaid
        base = file.versions[Side.BASE]
        if not decision.is_single:
            return base, ["the answer says several things of this file at once"]
        if decision.deleted:
            return Version(None), []
        begun = file.versions[decision.taken or Side.BASE]
        if decision.whole is None and decision.taken and not decision.hunks and not begun.lines:
            return begun, []
        if decision.whole is not None:
            if not all(version.is_comparable for version in file.versions.values()):
                return base, ["this is no text in every version: it can only be taken from an edit, or deleted"]
            return written(self.store, file, _unfenced(file, decision.whole)), []
        if begun.lines is None:
            return base, ["there is no text here that hunks could apply to"]
        lines, problems = apply_hunks(begun, decision.hunks)
        return written(self.store, file, lines), problems

    def _unparsable(self, results: Mapping[str, Version], answer: Answer) -> Iterator[Fault]:
        for path in answer.decisions:
            file, result = self.files[path], results[path]
            if result.entry is None or result.lines is None:
                continue
            made_from = [file.versions[side] for side in EDITS if file.versions[side].exists]
            # Where an edit itself broke the file, the model need not mend it.
            if made_from and not any(self._problem(path, version) for version in made_from):
                problem = self._problem(path, result)
                if problem:
                    yield Fault(path, f"the file parses in both edits, and no longer does: {problem}")

    def _problem(self, path: str, version: Version) -> str:
        return self.parsers.problem(path, self.store.read_blob(version.entry.blob)) if version.entry else ""


def _faults_of_form(answer: Answer, finish: Finish) -> Iterator[Fault]:
    if finish is Finish.LENGTH:
        yield Fault("", "the answer was cut off by the limit on its length: answer in fewer words, with hunks for large files")
    elif finish is Finish.OTHER:
        yield Fault("", "the provider ended the answer before it was complete")
    elif not answer.is_complete:
        yield Fault("", "the answer does not end with DONE: it is cut off, or not in the form that was asked for")
    for text in answer.faults:
        yield Fault("", text)


def _unfenced(file: File, lines: tuple[str, ...]) -> tuple[str, ...]:
    is_usual = any(version.lines and version.lines[0].startswith("```") for version in file.versions.values())
    return lines if is_usual else without_code_fence(lines)


def _is_named(lost: Lost, answer: Answer) -> bool:
    named = answer.dropped.get((lost.side, lost.path))
    if named is None:
        return False
    return all(line[1:].strip() in named for line in lost.lines)


def _as_fault(lost: Lost, answer: Answer) -> str:
    named = answer.dropped.get((lost.side, lost.path), set())
    lines = [line for line in lost.lines if line[1:].strip() not in named]
    return "\n".join([f"{lost.said}, and not named under DROPPED {lost.side}", *lines])


def _leftover_markers(sums: Account) -> Iterator[Fault]:
    for path, lines in sums.added.items():
        if left := [line for line in lines if _MARKER.fullmatch(line)]:
            yield Fault(path, "\n".join(["conflict markers are left", *left]))


def _in_the_way(results: Mapping[str, Version], paths: frozenset[bytes]) -> Iterator[Fault]:
    for path, result in results.items():
        folder = path_bytes(path)
        while result.exists and b"/" in folder:
            folder = folder.rpartition(b"/")[0]
            if folder in paths:
                yield Fault(path, "a file stands where this path needs a folder")
