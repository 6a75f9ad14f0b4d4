"""Files and links of an attack as an archive that a lane's shell unpacks."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path


def packed(files: Mapping[str, str], links: Mapping[str, str] | None = None) -> bytes:
    """A tar archive. A text that begins with `#!` becomes a program.

    Args:
        files: texts by path.
        links: targets of symbolic links by path.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            content = text.encode()
            entry.size, entry.mode = len(content), 0o755 if text.startswith("#!") else 0o644
            archive.addfile(entry, io.BytesIO(content))
        for path, target in (links or {}).items():
            entry = tarfile.TarInfo(path)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return buffer.getvalue()


def write_links(folder: Path, links: Mapping[str, str]) -> None:
    """Make symbolic links below a folder, by their paths."""
    for path, target in links.items():
        link = folder / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
