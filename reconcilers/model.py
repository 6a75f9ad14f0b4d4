"""A model combines the edits; its answer is checked, sent back with the evidence where it fails, and counted every time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reconcilers.answer import read_answer
from reconcilers.base import Combined, CombineStatus, Edit, Hunk
from reconcilers.judge import Judge, Judgement
from reconcilers.prompt import Prompt, Shown, make_prompt
from reconcilers.transport import Completion, Message, PromptTooLongError, Role, Transport, TransportError
from reconcilers.versions import touched_files
from sandboxes.errors import SetupError
from sandboxes.gitstore import GitStore
from sandboxes.usage import Usage

_SHOWN_LINES = 50


@dataclass(frozen=True)
class _Attempt:
    completion: Completion
    judgement: Judgement


class Model:
    """Shows a model the base files, both diffs, and no more unless asked; takes only what passes every check."""

    name = "model"

    def __init__(self, transport: Transport, *, attempts: int = 3, shown: Shown = Shown.NOTHING) -> None:
        """Say which model.

        Args:
            transport: asks it.
            attempts: how many answers it may give.
            shown: what it sees besides the files and the diffs; the edits then have to bring it.

        Raises:
            SetupError: no attempt is allowed.
        """
        if attempts < 1:
            raise SetupError(f"the model reconciler needs at least 1 attempt, not {attempts}")
        self._transport = transport
        self._attempts = attempts
        self._shown = shown

    def combine(self, store: GitStore, base: str, first: Edit, second: Edit) -> Combined:
        """Combine two edits of the tree `base`.

        Raises:
            SandboxError: git, or a parser, itself broke.
            TransportError: the model gave no answer; it says what was used up until then.
            SetupError: there is no such model, or the edits lack what it is to see.
        """
        # The same prompt in whichever order the edits come.
        edits = sorted((first, second), key=lambda edit: (edit.lane, edit.tree))
        trees = [edit.tree for edit in edits]
        for tree, other in (trees, trees[::-1]):
            if other in (base, tree):
                return Combined(self.name, CombineStatus.CLEAN, tree, detail="one edit is all there is: no model was asked")
        judge = Judge(store, base, touched_files(store, base, trees))
        return self._ask(judge, make_prompt(judge.files, edits, self._shown))

    def _ask(self, judge: Judge, prompt: Prompt) -> Combined:
        done: list[_Attempt] = []
        said: list[Message] = list(prompt.messages)
        messages = prompt.messages
        while len(done) < self._attempts:
            used = sum((one.completion.usage for one in done), Usage())
            try:
                completion = self._transport.complete(messages)
            except PromptTooLongError as error:
                return self._outcome(done, said, judge, used + error.usage, too_long=str(error))
            except TransportError as error:
                raise TransportError(str(error), used + error.usage, error.status, error.retry_after) from error
            said.append(Message(Role.ASSISTANT, completion.text))
            judgement = judge.judge(read_answer(completion.text, prompt.fence), completion.finish)
            done.append(_Attempt(completion, judgement))
            if judgement.tree is not None:
                break
            messages = prompt.again(completion.text, judgement.faults)
            if len(done) < self._attempts:
                said.append(messages[-1])
        return self._outcome(done, said, judge, sum((one.completion.usage for one in done), Usage()))

    def _outcome(
        self, done: Sequence[_Attempt], said: Sequence[Message], judge: Judge, usage: Usage, *, too_long: str = ""
    ) -> Combined:
        last = done[-1].judgement if done else Judgement(None, ())
        status = CombineStatus.CONFLICT if last.tree is None else CombineStatus.CLEAN
        reason = ""
        if too_long:
            reason = f"the model does not take a prompt this long: {too_long}"
        elif last.tree is None:
            plural = "s" * (len(done) != 1)
            where = f"{last.faults[0].path}: " if last.faults[0].path else ""
            reason = f"no acceptable answer in {len(done)} attempt{plural}: {where}{last.faults[0].text.splitlines()[0]}"
        return Combined(
            self.name,
            status,
            last.tree,
            reason=reason,
            conflicts=tuple(Hunk(fault.path, None, fault.text) for fault in last.faults),
            detail="\n".join(self._details(done, judge)),
            usage=usage,
            transcript=tuple({"role": one.role.value, "text": one.text} for one in said),
        )

    def _details(self, done: Sequence[_Attempt], judge: Judge) -> Iterator[str]:
        yield f"model {self._transport.model}, {len(done)} of at most {self._attempts} attempts"
        for number, attempt in enumerate(done, start=1):
            for fault in attempt.judgement.faults:
                where = f"{fault.path}: " if fault.path else ""
                yield f"attempt {number} was not accepted: {where}{_shortened(fault.text.splitlines())}"
        if done and done[-1].judgement.tree is not None:
            last = done[-1].judgement
            for lost in last.dropped:
                yield f"{lost.path}: {lost.said}, as the model says itself: {_shortened(lost.lines)}"
            for path, lines in last.added.items():
                yield f"{path}: in neither edit: {_shortened(lines)}"
        yield from sorted(judge.parsers.skipped)


def _shortened(lines: Sequence[str]) -> str:
    more = [f"... {len(lines) - _SHOWN_LINES} more lines"] if len(lines) > _SHOWN_LINES else []
    return " | ".join([*lines[:_SHOWN_LINES], *more]) or "the file as a whole"
