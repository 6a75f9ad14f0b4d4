"""Reading what `git merge-tree --write-tree -z` says."""

from collections.abc import Iterator
from dataclasses import dataclass

from sandboxes.errors import SandboxError
from sandboxes.git_objects import path_text

# Kinds of message that say what went well.
_NO_CONFLICT = ("Auto-merging",)


@dataclass(frozen=True)
class _Message:
    paths: tuple[str, ...]
    kind: str
    text: str


@dataclass(frozen=True)
class MergeReport:
    """A merge's outcome.

    Attributes:
        tree: of the result, with conflict markers where there are conflicts.
        paths: in conflict, in git's order.
        reasons: git's lines on each path in conflict.
        message: all of git's lines on conflicts.
    """

    tree: str
    paths: tuple[str, ...]
    reasons: dict[str, tuple[str, ...]]
    message: str


def parse_merge_report(output: bytes) -> MergeReport:
    """Read the report: the tree, the conflicted stages, an empty field, the messages.

    Raises:
        SandboxError: it is not of that form.
    """
    fields = output.split(b"\0")
    try:
        tree = fields[0].decode("ascii")
        position = 1
        paths: dict[str, None] = {}
        while position < len(fields) and fields[position]:
            paths[path_text(fields[position].split(b"\t", 1)[1])] = None
            position += 1
        messages = list(_messages(fields[position + 1 :]))
    except (IndexError, ValueError) as error:
        raise SandboxError("git merge-tree gave a report that can't be read") from error
    conflicts = [message for message in messages if message.kind not in _NO_CONFLICT]
    if not paths:  # a conflict of which no stage is left, such as where a renamed folder's new file belongs
        paths = dict.fromkeys(path for message in conflicts for path in message.paths)
    reasons = {path: tuple(each.text for each in conflicts if path in each.paths) for path in paths}
    return MergeReport(tree, tuple(paths), reasons, "\n".join(message.text for message in conflicts))


def _messages(fields: list[bytes]) -> Iterator[_Message]:
    """Each is a number, so many paths, a kind and a text that ends with a newline."""
    position = 0
    while position < len(fields) and fields[position]:
        count = int(fields[position])
        paths = tuple(path_text(path) for path in fields[position + 1 : position + 1 + count])
        kind, text = fields[position + 1 + count], fields[position + 2 + count]
        yield _Message(paths, kind.decode("ascii"), text.decode("utf-8", "backslashreplace").strip())
        position += 3 + count
