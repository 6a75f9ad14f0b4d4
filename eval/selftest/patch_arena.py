"""Patches whose paths lead out of the tree that they are for."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eval.selftest.attack import Attack, Kind
from eval.selftest.pair_files import PYTHON, write_files
from reconcilers.base import Edit
from reconcilers.concat import Concat
from sandboxes.base import SandboxFactory
from sandboxes.exec import clean_environment, run
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.gitstore import GitStore

_SECRET = "beside the tree"
_NEW = "diff --git {old} {new}\nnew file mode 100644\n--- /dev/null\n+++ {new}\n@@ -0,0 +1 @@\n+{text}\n"


@dataclass(frozen=True)
class PatchAttack(Attack):
    """A patch; `{outside}` in it is a folder beside the tree, and `escaped` the path, from there, that it is after."""

    patch: str
    escaped: str = "escaped"

    def bytes_for(self, outside: Path) -> bytes:
        return self.patch.replace("{outside}", str(outside)).encode()


def _new(path: str, text: str = "escaped") -> str:
    return _NEW.format(old=f"a/{path}", new=f"b/{path}", text=text)


PATCHES: tuple[PatchAttack, ...] = (
    PatchAttack("a path that leads up", Kind.PATH, _new("../outside/escaped")),
    PatchAttack("a path that goes down and up again", Kind.PATH, _new("shop/../../outside/escaped")),
    PatchAttack(
        "an absolute path",
        Kind.PATH,
        "--- /dev/null\n+++ {outside}/escaped\n@@ -0,0 +1 @@\n+escaped\n",
    ),
    PatchAttack(
        "a path into the repository's own folder", Kind.PATH, _new(".git/hooks/post-checkout"), "../tree/.git/hooks/post-checkout"
    ),
    PatchAttack(
        "a copy of a file beside the tree",
        Kind.PATH,
        "diff --git a/../outside/secret b/stolen\nsimilarity index 100%\ncopy from ../outside/secret\ncopy to stolen\n",
        "../tree/stolen",
    ),
)


class PatchArena:
    """Patches as anybody may hand them in: by an edit, a reconciler's answer, `crosstalk reconcile`."""

    attacks = PATCHES

    def untried(self) -> Mapping[str, str]:
        """See `Arena.untried`: what plain tools keep in."""
        return {one.name: "plain git apply and patch keep it in here" for one in self.attacks if not _escapes_plainly(one)}

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """See `Arena.gains`. Sandboxes have no part in it: the bench itself combines patches."""
        gains = {one.name: _gain(one, folder / str(number)) for number, one in enumerate(self.attacks)}
        return {name: gain for name, gain in gains.items() if gain}


def _laid_out(folder: Path) -> tuple[Path, Path]:
    tree, outside = folder / "tree", folder / "outside"
    write_files(tree, PYTHON.base)
    write_files(outside, {"secret": f"{_SECRET}\n"})
    return tree, outside


def _escapes_plainly(attack: PatchAttack) -> bool:
    for tool in (("git", "apply", "--unsafe-paths", "-"), ("git", "apply", "--unsafe-paths", "-p0", "-"), ("patch", "-s", "-p1")):
        folder = scratch_folder("patch")
        try:
            tree, outside = _laid_out(folder)
            environment = {**clean_environment(), "GIT_CEILING_DIRECTORIES": str(folder)}
            # By `env`, so that a machine without one of them is no error.
            run(["env", *tool], timeout=20, stdin=attack.bytes_for(outside), cwd=tree, environment=environment)
            if (outside / attack.escaped).exists():
                return True
        finally:
            remove_tree(folder)
    return False


def _gain(attack: PatchAttack, folder: Path) -> str:
    tree, outside = _laid_out(folder)
    store = GitStore(folder / "store")
    base = store.import_directory(tree)
    right = store.overlay(base, [(PYTHON.source, PYTHON.right.encode(), False)])
    edits = (Edit("a", base, attack.bytes_for(outside)), Edit("b", right, store.patch(base, right)))
    combined = Concat().combine(store, base, *edits)
    applied = store.apply(base, attack.bytes_for(outside))
    for number, made in enumerate(filter(None, (combined.tree, applied.tree))):
        (folder / "checkouts").mkdir(exist_ok=True)
        store.checkout(made, folder / "checkouts" / str(number))
        odd = [path for path in store.paths(made) if {"..", ".git"} & set(path.split("/")) or path.startswith("/")]
        if odd:
            return f"a tree holds {odd}"
        if any(_SECRET.encode() in (store.read_file(made, path) or b"") for path in store.paths(made)):
            return "a tree holds what lies beside it"
    written = (outside / attack.escaped).exists()
    return "a file was written outside" if written or (folder / "checkouts" / ".git").exists() else ""
