"""What a lane's place costs, beside the bare commands that do the same, in one run: medians of interleaved pairs.

Containers: from nothing to the first command's end (a workspace, a container, `/bin/true` in it) against `docker run --rm` of
the same image and command; and each further `/bin/true` against one shell that is kept open through `docker exec -i`.
Workspaces: a lane's workspace on a base of 20,000 files against `git worktree add`, `git clone` and `cp -r`, and the capture of
an edit in it against `git add --all` and `git diff --cached`.
"""

import argparse
import statistics
import subprocess  # noqa: TID251 - one shell is kept open, which the helper does not do
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from sandboxes.base import SandboxSpec
from sandboxes.docker import DockerSandboxFactory
from sandboxes.docker_engine import DEFAULT_IMAGE
from sandboxes.exec import run
from sandboxes.folders import remove_tree
from sandboxes.gitstore import GitStore
from sandboxes.recorder import Recorder

FOLDERS, FILES_EACH = 200, 100
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "core.hooksPath=/dev/null")
COMMANDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=30, help="interleaved pairs of measurements")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        containers(folder, pairs)
        workspaces(folder, max(3, pairs // 6))


def containers(folder: Path, pairs: int) -> None:
    base = folder / "small"
    base.mkdir()
    (base / "a.py").write_text("x = 1\n", encoding="utf-8")
    store = GitStore(folder / "store")
    tree = store.import_directory(base)
    factory = DockerSandboxFactory()
    factory.prove()
    starts: list[tuple[float, float]] = []
    commands: list[tuple[float, float]] = []
    shell = [*("docker", "run", "--rm", "-i", "--network", "none", "--entrypoint", "sleep", "--detach"), DEFAULT_IMAGE, "86400"]
    kept = checked(shell).strip()
    argv = ["docker", "exec", "-i", kept, "sh"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        for number in range(pairs + 1):
            workspace = folder / f"workspace-{number}"
            begun = time.perf_counter()
            store.prepare_workspace(workspace, [tree])
            with closing(factory.open(SandboxSpec(workspace))) as sandbox:
                assert sandbox.run(["/bin/true"], timeout=60).ok
                first = time.perf_counter() - begun
                ours = timed(lambda: sandbox.run(["/bin/true"], timeout=60))
            remove_tree(workspace)
            begun = time.perf_counter()
            checked(["docker", "run", "--rm", "--network", "none", DEFAULT_IMAGE, "/bin/true"])
            starts.append((first, time.perf_counter() - begun))
            commands.append((ours, timed(lambda: through(process))))
        assert process.stdin is not None
        process.stdin.close()
    checked(["docker", "rm", "--force", kept])
    say("a container, to the first command's end", starts[1:], "docker run")
    say("each command", commands[1:], "a shell kept open by docker exec -i")


def timed(command: Callable[[], object]) -> float:
    begun = time.perf_counter()
    for _ in range(COMMANDS):
        command()
    return (time.perf_counter() - begun) / COMMANDS


def through(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"/bin/true; echo done\n")
    assert process.stdout.readline() == b"done\n"


def workspaces(folder: Path, rounds: int) -> None:
    source = folder / "large"
    for number in range(FOLDERS):
        (source / f"d{number}").mkdir(parents=True)
        for one in range(FILES_EACH):
            (source / f"d{number}" / f"f{one}.py").write_text(f"x = {number * one}\n" * 20, encoding="utf-8")
    store = GitStore(folder / "large-store")
    tree = store.import_directory(source)
    store.prepared_checkout([tree])
    checked([*GIT, "-C", str(source), "init", "-q"])
    checked([*GIT, "-C", str(source), "add", "--all"])
    checked([*GIT, "-C", str(source), "commit", "-q", "-m", "base"])
    ways: dict[str, Callable[[Path], object]] = {
        "workspace": lambda at: store.prepare_workspace(at, [tree]),
        "git worktree": lambda at: checked([*GIT, "-C", str(source), "worktree", "add", "-q", "--detach", str(at)]),
        "git clone": lambda at: checked([*GIT, "clone", "-q", "--no-hardlinks", str(source), str(at)]),
        "cp -r": lambda at: checked(["cp", "-r", str(source), str(at)]),
    }
    ready: dict[str, list[float]] = {name: [] for name in ways}
    captures: list[tuple[float, float]] = []
    for number in range(rounds):
        taken: dict[str, float] = {}
        for name, way in ways.items():
            at = folder / f"{name.replace(' ', '-')}-{number}"
            begun = time.perf_counter()
            way(at)
            ready[name].append(time.perf_counter() - begun)
            for one in range(20):
                (at / f"d{one}" / "f1.py").write_text(f"changed = {one}\n", encoding="utf-8")
            begun = time.perf_counter()
            capture(name, at, store, tree)
            taken[name] = time.perf_counter() - begun
            remove_tree(at)
        captures.append((taken["workspace"], taken["git clone"]))
    files = f"{FOLDERS * FILES_EACH:,} files"
    print(
        f"{files}: ready in "
        + ", ".join(f"{name} {statistics.median(seconds) * 1000:,.1f} ms" for name, seconds in ready.items())
    )
    say(f"{files}: capture of 20 changed files", captures, "git add --all, git diff --cached, in a clone")


def capture(name: str, at: Path, store: GitStore, tree: str) -> None:
    if name == "workspace":
        assert len(Recorder(store, at, tree).capture().changed) == 20
    elif name == "git clone":
        checked([*GIT, "-C", str(at), "add", "--all"])
        checked([*GIT, "-C", str(at), "diff", "--cached", "--binary"])


def checked(argv: Sequence[str]) -> str:
    result = run(argv, timeout=600)
    assert result.ok, result.stderr.decode()
    return result.stdout.decode()


def say(what: str, measured: Sequence[tuple[float, float]], floor: str) -> None:
    ours = statistics.median(one for one, _ in measured) * 1000
    theirs = statistics.median(other for _, other in measured) * 1000
    ratio = statistics.median(one / other for one, other in measured)
    print(f"{what}: {ours:,.2f} ms; {floor}: {theirs:,.2f} ms; ratio {ratio:.2f} (medians of {len(measured)} pairs)")


if __name__ == "__main__":
    main()
