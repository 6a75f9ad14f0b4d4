"""A radio that believes whatever it is told: the unprotected control of attacks on the hub."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def naive_hub(path: Path) -> Iterator[list[dict[str, Any]]]:
    """Serves on a unix socket; gives the list of what it has taken for true: an operation, and the fields as they came."""
    done: list[dict[str, Any]] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(32)
        thread = threading.Thread(target=_serve, args=(listener, done), daemon=True)
        thread.start()
        yield done
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _serve(listener: socket.socket, done: list[dict[str, Any]]) -> None:
    with contextlib.suppress(OSError):
        while True:
            made, _ = listener.accept()
            with made, made.makefile("rb") as lines, contextlib.suppress(OSError, ValueError, IndexError):
                operation = lines.readline().split()[1].decode().rpartition("/")[2]
                length = 0
                while line := lines.readline().strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                done.append({"operation": operation, **json.loads(lines.read(length))})
                answer = json.dumps({"thread": "t1", "said": [one.get("content") for one in done]}).encode()
                made.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
