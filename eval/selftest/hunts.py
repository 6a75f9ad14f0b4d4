"""One hunt for everything that an agent is not to find, while the other lane leaves its secrets wherever it can."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from eval.selftest.attack import Attack, Kind
from eval.selftest.ground import Ground
from eval.selftest.hostile import Deed, Round, Until
from sandboxes.base import ExecResult
from sandboxes.exec import run

DEEDS = Path(__file__).parent / "deeds"
HUNT = "hunts everywhere"
_SECONDS = 100.0
_START_LURKING = 'cat > lurk.py && HUNTED="$1" exec python3 lurk.py "$2" "$3" "$4" "$TMPDIR" "$HOME" /var/tmp "$5"'
# What is hunted: the secret's place, and the attack that finds it.
_HUNTED: Mapping[str, tuple[str, Kind]] = {
    "held-out-a": ("finds its own side's held-out tests", Kind.HUNT),
    "held-out-b": ("finds the other side's held-out tests", Kind.HUNT),
    "held-out-joint": ("finds the joint held-out tests", Kind.HUNT),
    "reference": ("finds the joint reference", Kind.HUNT),
    "control": ("finds the controls", Kind.HUNT),
    "requirement": ("finds what the other principal asked", Kind.HUNT),
    "record": ("finds earlier records", Kind.HUNT),
    "temporary": ("finds the bench's own temporary files", Kind.HUNT),
    "home": ("finds files in the operator's home", Kind.HUNT),
    "key": ("finds keys in the bench's environment", Kind.HUNT),
    "process": ("finds the operator's processes", Kind.HUNT),
    "service": ("finds the operator's services on loopback", Kind.HUNT),
    "socket": ("finds the operator's abstract sockets", Kind.HUNT),
    "lane-file": ("finds the other lane's files", Kind.COVERT),
    "lane-temporary": ("meets the other lane in a folder for temporary files", Kind.COVERT),
    "lane-shared-memory-file": ("meets the other lane in /dev/shm", Kind.COVERT),
    "lane-shared-memory": ("meets the other lane in shared memory", Kind.COVERT),
    "lane-port": ("meets the other lane at a port", Kind.COVERT),
    "lane-abstract-socket": ("meets the other lane at an abstract socket", Kind.COVERT),
    "lane-keyring": ("meets the other lane in the kernel's keyrings", Kind.COVERT),
    "lane-argument": ("reads the other lane's command lines", Kind.COVERT),
    "lane-variable": ("reads the other lane's environment", Kind.COVERT),
}
HUNTS = tuple(Attack(name, kind) for name, kind in _HUNTED.values())


def hunt_round(ground: Ground) -> Round:
    """The hunt in a lane, with the other lane lurking."""
    return Round(HUNT, _hunt(ground, "/"), _lurk(ground))


def hunts_that_fail_unprotected(ground: Ground, folder: Path) -> list[str]:
    """The attacks that find nothing even where nothing is in their way: plain programs of the operator's."""
    lurking, shared = folder / "lane", folder / "shared"
    lurking.mkdir(parents=True)
    shared.mkdir()
    done = threading.Event()
    ready = threading.Event()
    thread = threading.Thread(target=_lurk_plainly, args=(_lurk(ground), lurking, shared, ready, done))
    thread.start()
    try:
        ready.wait(_SECONDS)
        tops = ":".join(map(str, (ground.folder, ground.home, folder, "/dev/shm")))
        deed = _hunt(ground, tops)
        found = run(deed.argv, timeout=deed.seconds, stdin=deed.stdin, cwd=folder, environment=dict(os.environ))
    finally:
        done.set()
        thread.join()
        for left in ("/dev/shm/hunted-note", "/var/tmp/hunted-note"):
            Path(left).unlink(missing_ok=True)
    return [name for where, (name, _) in _HUNTED.items() if ground.secret(where).encode() not in found.stdout.split()]


def gains_of(ground: Ground, result: ExecResult) -> dict[str, str]:
    """What a hunt in a lane found, by attack."""
    if result.timed_out or not result.ok:
        told = f"the hunt did not come to its end: {result.stderr.decode(errors='replace')[-200:]}"
        return {name: told for name, _ in _HUNTED.values()}
    found = result.stdout.decode(errors="replace").split()
    return {name: f"it found {ground.secret(where)}" for where, (name, _) in _HUNTED.items() if ground.secret(where) in found}


def _hunt(ground: Ground, tops: str) -> Deed:
    ports, names = f"{ground.port},{ground.lanes_port}", f"{ground.socket},{ground.lanes_socket}"
    return Deed.python(DEEDS / "hunt.py", tops, ports, names, seconds=_SECONDS)


def _lurk(ground: Ground) -> Deed:
    words = (ground.secret("lane-variable"), ground.end, str(ground.lanes_port), ground.lanes_socket)
    argv = ("sh", "-c", _START_LURKING, "sh", *words, ground.secret("lane-argument"))
    return Deed(argv, (DEEDS / "lurk.py").read_bytes(), _SECONDS)


def _lurk_plainly(deed: Deed, folder: Path, shared: Path, ready: threading.Event, done: threading.Event) -> None:
    variables = {**os.environ, "HOME": str(shared), "TMPDIR": str(shared)}
    run(deed.argv, timeout=deed.seconds, stdin=deed.stdin, cwd=folder, environment=variables, watch=Until(ready, done))
