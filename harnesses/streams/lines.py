"""Lines out of pieces of bytes, in bounded memory."""

from collections.abc import Iterator

LINE_LIMIT = 64 << 20


class Lines:
    """Splits a stream; a line over the limit is left out and counted.

    Attributes:
        left_out: how many lines were too long.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self.left_out = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The lines that a piece completes."""
        *complete, rest = piece.split(b"\n")
        for part in complete:
            self._keep(part)
            if line := self._take():
                yield line
        self._keep(rest)

    def end(self) -> Iterator[bytes]:
        """The last line, if it was not ended."""
        if line := self._take():
            yield line

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._pieces.clear()
        elif part:
            self._pieces.append(part)

    def _take(self) -> bytes:
        line = b"".join(self._pieces)
        if self._size > self._limit:
            self.left_out += 1
        self._pieces.clear()
        self._size = 0
        return line.strip()
