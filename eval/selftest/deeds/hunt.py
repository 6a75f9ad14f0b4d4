"""Looks for hidden texts wherever a program can look, and prints each that it finds.

Arguments: folders to search, joined by colons; TCP ports to try, joined by commas; names of abstract sockets likewise.
"""

import ctypes
import os
import re
import socket
import stat
import sys
import time

SECRET = re.compile(rb"hunted-[a-z-]+-[0-9a-f]{16}")
LARGEST = 4 << 20
# Where only names, and what is quite new, are worth a look.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt")
NEW_SECONDS = 900
KEYCTL = {"x86_64": (250, 249), "aarch64": (219, 218)}
found: set[bytes] = set()


def look(data: bytes) -> None:
    for each in SECRET.findall(data):
        if each not in found:
            found.add(each)
            print(each.decode(), flush=True)


def read(path: str, limit: int = LARGEST) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        look(os.read(descriptor, limit))
    except OSError:
        pass
    finally:
        os.close(descriptor)


def search(top: str) -> None:
    now = time.time()
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys")]
        look(os.fsencode(folder))
        for name in files:
            path = os.path.join(folder, name)
            look(os.fsencode(name))
            try:
                facts = os.stat(path)
            except OSError:
                continue
            if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
                continue
            if not path.startswith(SYSTEM) or now - facts.st_mtime < NEW_SECONDS:
                read(path)


def processes(folders: bool) -> None:
    for number in filter(str.isdigit, os.listdir("/proc")):
        for part in ("cmdline", "environ", "comm", "mountinfo"):
            read(f"/proc/{number}/{part}", 1 << 20)
        for part in ("cwd", "root") if folders else ():
            try:
                if not os.path.samestat(os.stat(f"/proc/{number}/{part}"), os.stat(f"/proc/self/{part}")):
                    search(f"/proc/{number}/{part}/.")
            except OSError:
                pass
        try:
            for one in os.listdir(f"/proc/{number}/fd"):
                look(os.fsencode(os.readlink(f"/proc/{number}/fd/{one}")))
        except OSError:
            pass


def ask(family: int, address: object) -> None:
    with socket.socket(family) as asking:
        asking.settimeout(2)
        try:
            asking.connect(address)  # type: ignore[arg-type]
            look(asking.recv(4096))
        except OSError:
            pass


def network(ports: list[int], names: list[str]) -> None:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as lines:
                ports += [int(line.split()[1].rpartition(":")[2], 16) for line in list(lines)[1:] if line.split()[3] == "0A"]
        except OSError:
            pass
    for port in sorted(set(ports)):
        ask(socket.AF_INET, ("127.0.0.1", port))
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as lines:
            names += [line.split()[-1] for line in lines if "hunted" in line]
    except OSError:
        pass
    for name in sorted(set(names)):
        ask(socket.AF_UNIX, "\0" + name.lstrip("@"))


def keyrings() -> None:
    numbers = KEYCTL.get(os.uname().machine)
    if numbers is None:
        return
    system = ctypes.CDLL(None).syscall
    for keyring in (-3, -4, -5):
        key = system(numbers[0], 10, keyring, b"user", b"crosstalk-selftest", 0)
        space = ctypes.create_string_buffer(4096)
        if key > 0 and system(numbers[0], 11, key, space, 4096, 0) > 0:
            look(space.raw)


def shared_memory(keys: list[int]) -> None:
    library = ctypes.CDLL(None)
    library.shmat.restype = ctypes.c_void_p
    for key in keys:
        number = library.shmget(key, 0, 0)
        place = library.shmat(number, None, 0o10000) if number >= 0 else None
        if place not in (None, ctypes.c_void_p(-1).value):
            look(ctypes.string_at(place, 4096))
            library.shmctl(number, 0, None)  # gone with its last user


def main() -> None:
    tops, ports, names = sys.argv[1:]
    look(repr(dict(os.environ)).encode())
    for top in tops.split(":"):
        search(top)
    # On a whole machine the folders of all its processes would be too many.
    processes(folders=tops == "/")
    network([int(port) for port in ports.split(",")], names.split(","))
    keyrings()
    shared_memory([int(port) for port in ports.split(",")])


main()
