"""Bases of kind `npm`: a published tarball of the registry that npm is set up with."""

import base64
import hashlib
import os
import re
import tempfile
from pathlib import Path

from instances.errors import InstanceError
from instances.programs import output_of

_PASSED = re.compile(
    r"npm_config_.*|NPM_CONFIG_.*|NPM_TOKEN|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|"
    r"SSL_CERT_(FILE|DIR)|HOME|XDG_(CONFIG|CACHE|DATA)_HOME|PATH|LD_LIBRARY_PATH"
)


def download(name: str, version: str, integrity: str) -> bytes:
    """The tarball of a release, as npm fetches it.

    Args:
        integrity: `sha512-` and the digest in base64, as in a package-lock.json.

    Raises:
        InstanceError: it cannot be fetched, or is another than its digest says.
    """
    archive = archive_of(name, version)
    found = integrity_of(archive)
    if found != integrity:
        raise InstanceError(f"{name} {version}: the tarball's integrity is {found}, the instance says {integrity}")
    return archive


def archive_of(name: str, version: str) -> bytes:
    """The tarball of a release, whatever its digest.

    Raises:
        InstanceError: there is none, or it cannot be fetched.
    """
    with tempfile.TemporaryDirectory(prefix="crosstalk-npm-") as folder:
        argv = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, f"{name}@{version}"]
        output_of(argv, f"{name} {version}: cannot fetch it with npm", npm_variables(), Path(folder))
        tarballs = list(Path(folder).glob("*.tgz"))
        if len(tarballs) != 1:
            raise InstanceError(f"{name} {version}: npm fetched no tarball of it")
        return tarballs[0].read_bytes()


def integrity_of(archive: bytes) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"


def npm_variables() -> dict[str, str]:
    """The variables by which npm finds its registry, its cache and its way there."""
    return {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)}
