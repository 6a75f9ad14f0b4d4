"""`crosstalk reconcile`: two patches of anyone's own repository combined as the bench combines its lanes' edits."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandboxes.errors import SetupError

if TYPE_CHECKING:
    from reconcilers.base import Combined, Edit, Reconciler
    from sandboxes.gitstore import GitStore

app = typer.Typer()


class ReconcilerName(StrEnum):
    CONCAT = "concat"
    GIT_MERGE = "git-merge"
    MODEL = "model"


@app.command()
def reconcile(  # noqa: PLR0913 - each is an option of the command line
    base: Annotated[Path, typer.Argument(help="The repository as it was before both: a folder.")],
    a_patch: Annotated[Path, typer.Argument(help="One edit, as a patch against it.")],
    b_patch: Annotated[Path, typer.Argument(help="The other edit.")],
    reconciler: Annotated[ReconcilerName, typer.Option(help="What combines them.")] = ReconcilerName.GIT_MERGE,
    model: Annotated[str | None, typer.Option(help="For the reconciler 'model': its name, as LiteLLM takes it.")] = None,
    url: Annotated[
        str | None, typer.Option(help="An endpoint with OpenAI's chat completions, as http://127.0.0.1:8000/v1.")
    ] = None,
    key_variable: Annotated[str | None, typer.Option(help="The environment variable that holds the model's key.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the combined patch here instead of printing it.")] = None,
) -> None:
    """Combine two patches; print the combined one, or the conflicts (exit status 1).

    Example: crosstalk reconcile my-repository a.patch b.patch --out both.patch
    """
    from reconcilers.base import CombineStatus
    from sandboxes.folders import remove_tree, scratch_folder
    from sandboxes.gitstore import GitStore

    how = _reconciler(reconciler, model, url, key_variable)
    if not base.is_dir():
        raise SetupError(f"{base} is no folder")
    scratch = scratch_folder("reconcile")
    try:
        store = GitStore(scratch / "git")
        root = _tree_of(store, base)
        edits = [_edit(store, root, lane, path) for lane, path in (("a", a_patch), ("b", b_patch))]
        combined = how.combine(store, root, edits[0], edits[1])
        if combined.tree is not None:
            _give(store.patch(root, combined.tree), out)
    finally:
        remove_tree(scratch)
    _explain(combined)
    if combined.status is CombineStatus.CONFLICT:
        raise typer.Exit(1)


def _reconciler(name: ReconcilerName, model: str | None, url: str | None, key_variable: str | None) -> "Reconciler":
    from reconcilers.registry import reconciler_named, transport_for

    if name is not ReconcilerName.MODEL:
        if model or url or key_variable:
            raise SetupError(f"--model, --url and --key-variable are for --reconciler model, not {name}")
        return reconciler_named(name)
    if not model:
        raise SetupError("--reconciler model needs --model")
    return reconciler_named(name, transport_for(model, url=url, key_variable=key_variable))


def _tree_of(store: "GitStore", folder: Path) -> str:
    """The folder's files, but not the repository's own data, nor what no patch can speak of, such as a socket."""
    from contextlib import closing

    from sandboxes.git_objects import FILE_MODE, LINK_MODE, PROGRAM_MODE, Entry
    from sandboxes.tree_walk import Kind, read_file, read_link, walk

    entries = {}
    with closing(walk(folder)) as everything:
        for found in everything:
            if found.kind is Kind.LINK and (target := read_link(found)) is not None:
                entries[found.path] = Entry(LINK_MODE, store.writer.blob(target))
            if found.kind is Kind.FILE and (content := read_file(found)) is not None:
                mode = PROGRAM_MODE if found.is_program else FILE_MODE
                entries[found.path] = Entry(mode, store.writer.blob(content.data))
    return store.write_tree(entries)


def _edit(store: "GitStore", root: str, lane: str, path: Path) -> "Edit":
    from reconcilers.base import Edit

    try:
        patch = path.read_bytes()
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}") from error
    if not patch.strip():
        raise SetupError(f"{path} is empty")
    applied = store.apply(root, patch)
    if applied.tree is None:
        raise SetupError(f"{path} does not apply to the base: {applied.message}")
    return Edit(lane, applied.tree, store.patch(root, applied.tree))


def _give(patch: bytes, out: Path | None) -> None:
    if out is None:
        sys.stdout.buffer.write(patch)
        sys.stdout.buffer.flush()
        return
    try:
        out.write_bytes(patch)
    except OSError as error:
        raise SetupError(f"cannot write {out}: {error.strerror}") from error


def _explain(combined: "Combined") -> None:
    """The conflicts go where the patch would have gone; what is said about either does not."""
    for hunk in combined.conflicts:
        place = f"{hunk.path}:{hunk.line}" if hunk.line else hunk.path
        _say(f"{place or 'the answer'}:\n{hunk.text.rstrip()}\n")
    if combined.reason:
        _say(f"{combined.reconciler}: {combined.reason}", err=True)
    elif combined.detail:
        _say(combined.detail, err=True)
    if combined.usage.effective_tokens != 0:
        used = combined.usage.effective_tokens
        _say(f"effective tokens: {'unknown' if used is None else f'{used:g}'}", err=True)


def _say(text: str, *, err: bool = False) -> None:
    # Names that are no UTF-8 must not keep the rest from being said.
    typer.echo(text.encode("utf-8", "backslashreplace").decode(), err=err)
