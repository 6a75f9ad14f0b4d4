"""The way from this machine to a provider: straight, or by the operator's proxy."""

import http.client
import os
import ssl
import urllib.request
from base64 import b64encode
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from sandboxes.errors import SetupError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"http": 80, "https": 443}
_PREFLIGHT_SECONDS = 10.0
# Where the operator of an agent program says whom to trust beside the machine's own authorities.
_AUTHORITIES = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")


@dataclass(frozen=True)
class Route:
    """How requests to an address go.

    Attributes:
        address: what stands before each request's path.
        proxy: the operator's, where there is one for it.
    """

    address: SplitResult
    proxy: SplitResult | None = None

    @classmethod
    def to(cls, url: str, *, by_proxy: bool = True) -> "Route":
        """The way to an address, by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY of the environment.

        Only a proxy that is spoken to by plain HTTP is used; one of another kind, such as SOCKS, is passed over.

        Raises:
            SetupError: it is none.
        """
        address = _split(url)
        if not by_proxy or address.hostname in _LOOPBACK or urllib.request.proxy_bypass(str(address.hostname)):
            return cls(address)
        proxies = urllib.request.getproxies()
        proxy = proxies.get(address.scheme) or proxies.get("all") or ""
        proxy = proxy if "://" in proxy or not proxy else f"http://{proxy}"
        return cls(address, _split(proxy) if proxy.startswith("http://") else None)

    @property
    def place(self) -> str:
        """Host and port, and by which proxy, in words; nothing that may be secret."""
        by = f" by the proxy {_host(self.proxy)}" if self.proxy else ""
        return f"{_host(self.address)}{by}"

    def connection(self, seconds: float) -> http.client.HTTPConnection:
        """A connection that is not open yet; `seconds` is for each of its waits."""
        secure = self.address.scheme == "https"
        at = self.proxy or self.address
        host, port = str(at.hostname), at.port or _PORTS[at.scheme]
        if secure:
            made: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, timeout=seconds, context=_trust())
        else:
            made = http.client.HTTPConnection(host, port, timeout=seconds)
        if self.proxy:
            made.set_tunnel(str(self.address.hostname), self.address.port or _PORTS[self.address.scheme], self._proxys_key())
        return made

    def target(self, path: str) -> str:
        """A path behind this address."""
        return self.address.path.rstrip("/") + path

    def _proxys_key(self) -> dict[str, str]:
        if self.proxy is None or self.proxy.username is None:
            return {}
        pair = f"{unquote(self.proxy.username)}:{unquote(self.proxy.password or '')}"
        return {"Proxy-Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def why_unreachable(url: str, seconds: float = _PREFLIGHT_SECONDS, *, trusted: bool = True, route: Route | None = None) -> str:
    """Why nobody can be asked at an address: it is connected to, and its certificate looked at; empty where that works.

    Args:
        url: the address.
        seconds: for all of that together; a look for its name alone could take minutes.
        trusted: its certificate must be one that we trust.
        route: the way there, where it is not the usual one.

    Raises:
        SetupError: as `Route.to` does.
    """
    route = route or Route.to(url)
    told: Queue[str] = Queue()
    Thread(target=lambda: told.put(_tried(route, seconds, trusted=trusted)), name="preflight", daemon=True).start()
    try:
        reason = told.get(timeout=seconds)
    except Empty:
        reason = f"no answer within {seconds:g} s"
    return f"cannot connect to {route.place}: {reason}" if reason else ""


def _tried(route: Route, seconds: float, *, trusted: bool) -> str:
    try:
        with closing(route.connection(seconds)) as connection:
            connection.connect()
    except ssl.SSLCertVerificationError as error:
        return reason_of(error) if trusted else ""
    except (OSError, http.client.HTTPException, SetupError) as error:
        return reason_of(error)
    return ""


def reason_of(error: Exception) -> str:
    """What went wrong with a connection, in a few words."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SetupError("the address of a provider, or of a proxy, must begin with http:// or https:// and name a host")
    return parts


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


@lru_cache
def _trust() -> ssl.SSLContext:
    context = ssl.create_default_context()
    if find_spec("certifi"):  # a machine may have no authorities of its own
        certifi: Any = import_module("certifi")
        context.load_verify_locations(certifi.where())
    for variable in _AUTHORITIES:
        if file := os.environ.get(variable):
            try:
                context.load_verify_locations(file)
            except OSError as error:
                raise SetupError(f"{variable}: {file} holds no certificates: {error}") from error
    return context
