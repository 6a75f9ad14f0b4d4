"""The proof that a kind of sandbox isolates on this machine, made once per process with the production arguments."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandboxes.base import Sandbox, SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder

_SWITCHES = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
)
_PROBE = """
for name in user mnt pid ipc uts net; do echo "namespace:$name=$(readlink /proc/self/ns/$name)"; done
[ ! -e "$SECRET" ] || echo 'fault=a file outside the sandbox can be read'
for folder in "$OPERATOR_HOME"; do
  [ "$(stat -L -c %d:%i "$folder" 2>/dev/null)" != "$OPERATOR_HOME_ID" ] || echo "fault=$folder can be seen"
done
for folder in $CLOSED; do [ ! -w "$folder" ] || echo "fault=$folder can be written"; done
grep -qv -e '^ *lo:' -e '|' /proc/net/dev && echo 'fault=a network interface can be seen'
[ "$(ls -d /proc/[0-9]* | wc -l)" -lt 20 ] || echo 'fault=other processes can be seen'
cat > proof && echo done=yes
"""
_lock = threading.Lock()
_proved: set[str] = set()  # what was proved to isolate; guarded by _lock


@dataclass(frozen=True)
class Walls:
    """What a kind of sandbox promises.

    Attributes:
        program: its name for the user.
        namespaces: those that are not the caller's.
        closed: folders that can't be written.
        advice: says what to do where it does not hold.
    """

    program: str
    namespaces: tuple[str, ...]
    closed: tuple[str, ...]
    advice: Callable[[], str]


def ensure_isolation(key: str, walls: Walls, open_sandbox: Callable[[SandboxSpec], Sandbox]) -> None:
    """Prove that a sandbox isolates, unless this process did so before.

    Args:
        key: names what is proved, such as the program's path.
        walls: what must hold.
        open_sandbox: opens a sandbox as for production.

    Raises:
        SandboxError: it does not; the text names the cause and what to do.
    """
    with _lock:
        if key in _proved:
            return
        folder = scratch_folder("probe")
        try:
            _prove(folder, walls, open_sandbox)
        finally:
            remove_tree(folder)
        _proved.add(key)


def _prove(folder: Path, walls: Walls, open_sandbox: Callable[[SandboxSpec], Sandbox]) -> None:
    workspace, secret = folder / "workspace", folder / "secret"
    workspace.mkdir()
    secret.write_text("secret", encoding="utf-8")
    home = Path.home()
    found = home.stat() if home.exists() else None
    try:
        sandbox = open_sandbox(SandboxSpec(workspace))
    except SandboxError as error:
        raise SandboxError(f"{walls.program} does not work here: {error}; {walls.advice()}") from error
    try:
        result = sandbox.run(
            ["/bin/sh", "-c", _PROBE],
            timeout=30,
            stdin=b"proof",
            environment={
                "SECRET": str(secret),
                "CLOSED": " ".join(walls.closed),
                "OPERATOR_HOME": str(home),
                "OPERATOR_HOME_ID": f"{found.st_dev}:{found.st_ino}" if found else "none",
            },
        )
    except SandboxError as error:
        raise SandboxError(f"{walls.program} does not work here: {error}; {walls.advice()}") from error
    finally:
        sandbox.close()
    lines = result.stdout.decode(errors="replace").splitlines()
    faults = [line.removeprefix("fault=") for line in lines if line.startswith("fault=")]
    for name in walls.namespaces:
        if f"namespace:{name}={os.readlink(f'/proc/self/ns/{name}')}" in lines:  # noqa: PTH115 - not a path
            faults.append(f"the {name} namespace is the caller's")
    proof = workspace / "proof"
    if "done=yes" not in lines or not proof.is_file() or proof.read_bytes() != b"proof":
        faults.append("the workspace cannot be written")
    if faults:
        raise SandboxError(f"{walls.program} does not isolate here: {'; '.join(faults)}; {walls.advice()}")


def bubblewraps_advice() -> str:
    """What stands in the way on this machine, and what to do."""
    for path, bad, setting in _SWITCHES:
        try:
            value = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == bad:
            kernel = "AppArmor" if "apparmor" in path else "the kernel"
            return f"{kernel} denies user namespaces here: set `sysctl {setting}`, or use the sandbox `unisolated`"
    return (
        "it needs bubblewrap 0.8 or later and user namespaces, which AppArmor, a container's seccomp profile or the "
        "kernel may deny (in Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined`); or use the sandbox `unisolated`"
    )
