"""Finding the conflicts in a file that git merged."""

import re

from reconcilers.base import Hunk


def conflict_hunks(path: str, text: bytes, labels: tuple[str, str], lanes: tuple[str, str]) -> list[Hunk]:
    """The conflicts of one file, from opening to closing marker, labelled with the lanes.

    Only a line with git's own label behind it is a marker: content that merely looks like one (a heading's
    underline, a file that was committed with a conflict in it) is not.

    Args:
        path: the file.
        text: its merged content.
        labels: what git wrote behind the opening and the closing marker.
        lanes: what to write there instead.
    """
    opening = re.compile(rb"(<{7,}) %s(:[^\r\n]*)?\r?" % re.escape(labels[0].encode()))
    closing = re.compile(rb"(>{7,}) %s(:[^\r\n]*)?\r?" % re.escape(labels[1].encode()))
    hunks: list[Hunk] = []
    begun: int | None = None
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        if begun is None and opening.fullmatch(line):
            begun = number
        elif begun is not None and closing.fullmatch(line):
            body = b"\n".join(lines[begun : number + 1]).decode("utf-8", "backslashreplace")
            for label, lane in zip(labels, lanes, strict=True):
                body = body.replace(label, lane)
            hunks.append(Hunk(path, begun + 1, body + "\n"))
            begun = None
    return hunks
