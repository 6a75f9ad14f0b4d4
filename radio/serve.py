"""The hub's process: `python -m radio.serve` with a configuration on stdin; ends on SIGTERM, or with its parent."""

import asyncio
import contextlib
import errno
import gc
import json
import logging
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import uvloop

from radio.config import HubConfig, decode_config
from radio.errors import Refused, StoreError
from radio.front import BODY_LIMIT, Front
from radio.hub import Hub
from radio.wire import Connection, Gate
from sandboxes.errors import BenchError, SetupError

_logger = logging.getLogger(__name__)
_PARENT_CHECK_SECONDS = 0.5
_ORDERLY_END_SECONDS = 5.0
_DESCRIPTORS = 4096
_LONGEST_SOCKET_PATH = 107  # the kernel's limit


def main() -> int:
    """Read the configuration from stdin, serve, and return the exit status."""
    # The state is long-lived and free of cycles; to search it for garbage at the default rate costs a tenth of the time.
    gc.set_threshold(50_000, 20, 50)
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    try:
        config = decode_config(sys.stdin.buffer.read())
        return uvloop.run(serve(config))
    except (BenchError, OSError) as error:
        print(f"crosstalk radio: {error}", file=sys.stderr)
        return 2


async def serve(config: HubConfig, owned: Callable[[], None] = lambda: None) -> int:
    """Serve until told to stop.

    Args:
        owned: called when the store is this hub's, before anyone can connect.

    Returns:
        0 after an orderly end, 1 when the store failed.

    Raises:
        SetupError: the hub cannot listen or keep its store as asked.
        StoreError: the store does not answer, or another hub owns it.
    """
    _take_more_descriptors()
    if config.parent is not None:
        threading.Thread(target=_end_with_parent, args=(config.parent,), daemon=True).start()
    hub = Hub(config)
    front = Front(hub)
    loop = asyncio.get_running_loop()
    failures: list[BaseException] = []

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if _is_of_one_connection(context) or _is_not_now(error):
            _logger.warning("%s", context.get("message"), exc_info=error if isinstance(error, BaseException) else None)
            return
        failures.append(error if isinstance(error, BaseException) else RuntimeError(str(context.get("message"))))
        _logger.error("the hub ends: %s", context.get("message"), exc_info=failures[-1])
        hub.ended.set()

    loop.set_exception_handler(fail)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, hub.ended.set)
    owned()
    try:
        hub.open()
    except Refused as error:
        raise SetupError(str(error)) from error
    async with contextlib.AsyncExitStack() as stack:
        if config.mcp:
            from radio.mcp_server import attach

            await stack.enter_async_context(attach(hub, front))
        servers = await _listen(config, front)
        await hub.ended.wait()
        for server in servers:
            server.close()
    if failures:
        return 1
    hub.close()
    return 0


def _is_of_one_connection(context: Mapping[str, object]) -> bool:
    return ("protocol" in context or "transport" in context) and not isinstance(context.get("exception"), StoreError)


def _is_not_now(error: object) -> bool:
    """No connection could be taken for want of descriptors or memory: asyncio tries again in a second."""
    return isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def _take_more_descriptors() -> None:
    """Connections arrive in bursts, and are open before those beyond the bound can be closed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _listen(config: HubConfig, front: Front) -> list[asyncio.Server]:
    loop = asyncio.get_running_loop()
    servers: list[asyncio.Server] = []
    addresses: dict[str, str] = {}
    gate = Gate(front.caller_of)

    def connection() -> Connection:
        return Connection(front.handle, BODY_LIMIT, gate)

    if config.socket is not None:
        if len(os.fsencode(config.socket)) > _LONGEST_SOCKET_PATH:
            raise SetupError(f"the socket's path is longer than {_LONGEST_SOCKET_PATH} bytes: {config.socket}")
        path = Path(config.socket)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A hub that was killed leaves its socket behind; the store's lock says that no other hub is alive.
        path.unlink(missing_ok=True)
        servers.append(await loop.create_unix_server(connection, config.socket, backlog=1024))
        addresses["socket"] = config.socket
    if config.tcp is not None:
        host, _, port = config.tcp.rpartition(":")
        try:
            server = await loop.create_server(connection, host, int(port), backlog=1024)
        except OSError as error:
            raise SetupError(f"cannot listen on {config.tcp}: {error.strerror or error}") from error
        servers.append(server)
        address = server.sockets[0].getsockname()
        addresses["url"] = f"http://{address[0]}:{address[1]}"
    if not servers:
        raise SetupError("the hub was given neither a socket nor a TCP address to listen on")
    if config.ready is not None:
        ready = Path(config.ready)
        beside = ready.with_name(ready.name + ".new")
        beside.write_text(json.dumps({**addresses, "process": os.getpid(), "hub": config.mark}))
        beside.replace(ready)
    return servers


def _end_with_parent(parent: int) -> None:
    """When the process that started the hub is gone, so is the hub, also where a call to a disk or a server hangs."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_ORDERLY_END_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
