"""Bases of kind `sdist`: a published source archive of the package index that pip is set up with."""

import hashlib
import importlib
import logging
import os
from typing import Any

from instances.errors import InstanceError


def download(name: str, version: str, sha256: str) -> bytes:
    """The archive of a release.

    Raises:
        InstanceError: it cannot be fetched, or is another than its digest says.
    """
    archive = archive_of(name, version)
    found = hashlib.sha256(archive).hexdigest()
    if found != sha256:
        raise InstanceError(f"{name} {version}: the sdist's sha256 is {found}, the instance says {sha256}")
    return archive


def archive_of(name: str, version: str) -> bytes:
    """The archive of a release, whatever its digest.

    Raises:
        InstanceError: there is none, or it cannot be fetched.
    """
    from unearth import PackageFinder

    finder = PackageFinder(index_urls=_index_urls(), no_binary=[":all:"])
    said = _Said()
    logging.getLogger("unearth").addHandler(said)
    try:
        matches = list(finder.find_matches(f"{name}=={version}"))
        links = [match.link for match in matches if match.link and not match.link.is_wheel]
        if not links:
            raise InstanceError(f"{name} {version}: the package index has no sdist of it{said}")
        response = finder.session.get(links[0].normalized)
        response.raise_for_status()
        return bytes(response.content)
    except InstanceError:
        raise
    except Exception as error:  # whatever the network library raises means the same to the user
        raise InstanceError(
            f"{name} {version}: cannot fetch the sdist ({type(error).__name__}: {error}); check the network or PIP_INDEX_URL"
        ) from error
    finally:
        logging.getLogger("unearth").removeHandler(said)


class _Said(logging.Handler):
    """Keeps what the finder warned of, so that it is part of our one line."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())

    def __str__(self) -> str:
        return f" ({'; '.join(self._lines)})" if self._lines else ""


def _index_urls() -> list[str]:
    """The package indexes that pip is set up with: its environment variables, its configuration, its default."""
    extra = os.environ.get("PIP_EXTRA_INDEX_URL", "").split()
    if url := os.environ.get("PIP_INDEX_URL"):
        return [url, *extra]
    try:
        return [_pip_default_index(), *extra]
    except ImportError as error:
        raise InstanceError("pip is not installed beside Crosstalk: set PIP_INDEX_URL to a package index") from error


def _pip_default_index() -> str:
    configuration: Any = importlib.import_module("pip._internal.configuration")
    settings = configuration.Configuration(isolated=False)
    settings.load()
    for name, value in settings.items():
        if name in {"global.index-url", "install.index-url"}:
            return str(value)
    index: Any = importlib.import_module("pip._internal.models.index")
    return str(index.PyPI.simple_url)
