"""A redis-server for one cell, where the machine has none to be used."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import run
from sandboxes.stopping import StoppedError

_REDIS_SECONDS = 24 * 3600.0


class PrivateRedis:
    """A redis-server of the cell's own on a unix socket, which forgets nothing that it acknowledged."""

    def __enter__(self) -> str:
        program = shutil.which("redis-server")
        if program is None:
            raise SetupError("redis-server is not installed: install it, or set CROSSTALK_REDIS_URL")
        self._folder = Path(tempfile.mkdtemp(prefix="crosstalk-redis-"))
        socket = self._folder / "redis.sock"
        self._ended = Event()
        command = [program, "--port", "0", "--unixsocket", str(socket), "--dir", str(self._folder)]
        command += ["--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--daemonize", "no"]
        self._thread = Thread(target=self._serve, args=(command,), name="redis", daemon=True)
        self._thread.start()
        while not socket.exists():
            if self._ended.wait(0.01):
                raise SandboxError("redis-server did not start")
        self._address = f"unix://{socket}"
        return self._address

    def _serve(self, command: list[str]) -> None:
        try:
            run(command, timeout=_REDIS_SECONDS)
        except StoppedError:
            pass  # the run was interrupted; who waits for the server sees that it has ended
        finally:
            self._ended.set()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from redis import Redis
        from redis.exceptions import ConnectionError as NoConnectionError

        # It may have ended already, which is what is asked for.
        with Redis.from_url(self._address) as connection, suppress(NoConnectionError):
            connection.shutdown(nosave=True)
        self._thread.join(10)
        shutil.rmtree(self._folder, ignore_errors=True)
