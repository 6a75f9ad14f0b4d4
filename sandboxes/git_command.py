"""How the bench runs git: an environment built from nothing, settings of ours only, failure as an error."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandboxes.base import ExecResult
from sandboxes.errors import SandboxError
from sandboxes.exec import run

_TIMEOUT_SECONDS = 300.0
_MESSAGE_LIMIT = 2_000
_OUTPUT_LIMIT = 1 << 40  # a patch or a list of files is never cut

# Anything a caller, a system file or a tree could say about content is said here first.
_SETTINGS: Mapping[str, str] = {
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.autocrlf": "false",
    "core.eol": "lf",
    "core.safecrlf": "false",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.precomposeUnicode": "false",
    "core.protectNTFS": "false",
    "core.protectHFS": "false",
    "core.quotePath": "true",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.sparseCheckout": "false",
    "core.commitGraph": "false",
    # Every object can be made again from its source; what must survive a power cut is kept elsewhere.
    "core.fsync": "none",
    "core.looseCompression": "1",
    "pack.compression": "1",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "merge.directoryRenames": "conflict",
    "merge.renames": "true",
    "merge.renameLimit": "7000",
    "merge.renormalize": "false",
    "merge.conflictStyle": "merge",
    "diff.renames": "false",
    "diff.suppressBlankEmpty": "false",
    "apply.whitespace": "nowarn",
    "apply.ignoreWhitespace": "no",
}
_SETTING_ARGUMENTS = tuple(part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}"))


def git_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a git call: nothing of the caller's but PATH."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_PAGER": "cat",
        **(variables or {}),
    }


class GitCommand:
    """Runs git on one repository of ours.

    Args:
        git_dir: the repository; `None` for commands that make one.
    """

    def __init__(self, git_dir: Path | None) -> None:
        self._git_dir = git_dir

    def attempt(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        variables: Mapping[str, str] | None = None,
    ) -> ExecResult:
        """Run git and hand back how it ended, whatever its exit status.

        Raises:
            SandboxError: git could not be started, was killed, or did not end in time.
        """
        environment = git_environment(variables)
        if self._git_dir is not None:
            environment["GIT_DIR"] = os.fspath(self._git_dir)
        result = run(
            ["git", *_SETTING_ARGUMENTS, *arguments],
            timeout=_TIMEOUT_SECONDS,
            stdin=stdin,
            cwd=Path("/"),
            environment=environment,
            output_limit=_OUTPUT_LIMIT,
        )
        if result.returncode is None or result.returncode < 0:
            how = "did not end in time" if result.timed_out else f"was killed (status {result.returncode})"
            raise SandboxError(f"git {arguments[0]} {how}: {message_of(result)}")
        return result

    def output(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        variables: Mapping[str, str] | None = None,
    ) -> bytes:
        """The whole stdout of a git command that must succeed, however long it is.

        Raises:
            SandboxError: git failed.
        """
        result = self.attempt(arguments, stdin=stdin, variables=variables)
        if not result.ok:
            raise SandboxError(f"git {arguments[0]} failed ({result.returncode}): {message_of(result)}")
        return result.stdout


def message_of(result: ExecResult) -> str:
    """What git said on stderr, as text of bounded length."""
    text = result.stderr.decode("utf-8", "backslashreplace").strip()
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + " ..."
