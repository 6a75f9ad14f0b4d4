"""Leaves a secret of the other lane wherever another lane could meet it, says so, and stays.

Arguments: the secrets' common end, a TCP port (also the key of a shared memory), the name of an abstract socket, and the folders
for temporary files. A further argument, and a variable, which whoever starts it gives, hold secrets of their own.
"""

import contextlib
import ctypes
import os
import socket
import sys
import threading
import time

KEYCTL = {"x86_64": 248, "aarch64": 217}


def secret(where: str, end: str) -> bytes:
    return f"hunted-{where}-{end}".encode()


def write(path: str, data: bytes) -> None:
    with contextlib.suppress(OSError), open(path, "wb") as file:
        file.write(data)


def serve(family: int, address: object, answer: bytes) -> None:
    listener = socket.socket(family)
    try:
        listener.bind(address)  # type: ignore[arg-type]
        listener.listen()
    except OSError:
        return

    def loop() -> None:
        while True:
            made, _ = listener.accept()
            with made:
                made.sendall(answer)

    threading.Thread(target=loop, daemon=True).start()


def keyring(data: bytes) -> None:
    number = KEYCTL.get(os.uname().machine)
    if number is not None:
        system = ctypes.CDLL(None).syscall
        for each in (-3, -4):
            system(number, b"user", b"crosstalk-selftest", data, len(data), each)


def shared_memory(key: int, data: bytes) -> None:
    library = ctypes.CDLL(None)
    library.shmat.restype = ctypes.c_void_p
    number = library.shmget(key, 4096, 0o1666)
    place = library.shmat(number, None, 0) if number >= 0 else None
    if place not in (None, ctypes.c_void_p(-1).value):
        ctypes.memmove(place, data, len(data))


def main() -> None:
    end, port, name, *folders = sys.argv[1:]
    write("note.txt", secret("lane-file", end))
    for folder in filter(os.path.isdir, folders):
        write(os.path.join(folder, "hunted-note"), secret("lane-temporary", end))
    write("/dev/shm/hunted-note", secret("lane-shared-memory-file", end))
    serve(socket.AF_INET, ("127.0.0.1", int(port)), secret("lane-port", end))
    serve(socket.AF_UNIX, "\0" + name, secret("lane-abstract-socket", end))
    keyring(secret("lane-keyring", end))
    shared_memory(int(port), secret("lane-shared-memory", end))
    while True:
        print("here", flush=True)
        time.sleep(0.05)


main()
