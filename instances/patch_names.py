"""Names of files in a patch's headers, in quotes as git puts them where they would not be read right otherwise."""

import re

_ESCAPED = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
_MEANT = {letter: bytes([code]) for code, letter in _ESCAPED.items()}
_PLAIN = re.compile(rb"[^\x00- \x7f\"\\]+")
_SPECIAL = re.compile(rb"[\x00-\x1f\x7f\"\\]")
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


def quoted(name: bytes) -> bytes:
    """A name as `git apply` reads it: as it is where that is safe, else in quotes."""
    if _PLAIN.fullmatch(name):
        return name
    return b'"' + _SPECIAL.sub(lambda one: b"\\" + (_ESCAPED.get(one[0][0]) or b"%03o" % one[0][0]), name) + b'"'


def unquoted(text: bytes) -> bytes:
    """The name in the rest of a header line: one in quotes, or all up to a tab or the line's end."""
    text = text.rstrip(b"\n")
    if not text.startswith(b'"'):
        return text.partition(b"\t")[0]
    inner = text[1 : text.rindex(b'"')]
    return _ESCAPE.sub(lambda one: _MEANT.get(one[1]) or (bytes([int(one[1], 8)]) if len(one[1]) == 3 else one[1]), inner)
