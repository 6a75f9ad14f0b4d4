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
    environment = {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)}
    with tempfile.TemporaryDirectory(prefix="crosstalk-npm-") as folder:
        argv = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, f"{name}@{version}"]
        output_of(argv, f"{name} {version}: cannot fetch it with npm", environment, Path(folder))
        tarballs = list(Path(folder).glob("*.tgz"))
        if len(tarballs) != 1:
            raise InstanceError(f"{name} {version}: npm fetched no tarball of it")
        archive = tarballs[0].read_bytes()
    found = f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"
    if found != integrity:
        raise InstanceError(f"{name} {version}: the tarball's integrity is {found}, the instance says {integrity}")
    return archive
