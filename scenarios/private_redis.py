"""A redis-server for one cell, where the machine has none to be used."""

import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

from sandboxes.errors import BenchError, SandboxError, SetupError
from sandboxes.exec import run
from sandboxes.stopping import StoppedError

_REDIS_SECONDS = 24 * 3600.0
_START_SECONDS = 20.0
# A server outlives no run, however that ends: beside it someone looks every second whether the run's process ($PPID) still
# is. The server itself ($$) takes the shell's place; when it has ended in order, what is left beside it is ended too.
_UNTIL_THE_RUN_ENDS = """
folder=$1
shift
(while kill -0 "$PPID" 2>/dev/null; do sleep 1; done; kill -9 $$; rm -rf "$folder") &
exec "$@"
"""


class PrivateRedis:
    """A redis-server of the cell's own on a unix socket, which forgets nothing that it acknowledged."""

    def __enter__(self) -> str:
        program = shutil.which("redis-server")
        if program is None:
            raise SetupError("redis-server is not installed: install it, or set CROSSTALK_REDIS_URL")
        self._folder = Path(tempfile.mkdtemp(prefix="crosstalk-redis-"))
        socket = self._folder / "redis.sock"
        self._ended = Event()
        self._said = ""
        command = ["/bin/sh", "-c", _UNTIL_THE_RUN_ENDS, "redis", str(self._folder)]
        command += [program, "--port", "0", "--unixsocket", str(socket), "--dir", str(self._folder)]
        command += ["--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--daemonize", "no"]
        self._thread = Thread(target=self._serve, args=(command,), name="redis", daemon=True)
        self._thread.start()
        self._address = f"unix://{socket}"
        deadline = time.monotonic() + _START_SECONDS
        while not socket.exists():
            if self._ended.wait(0.01) or time.monotonic() > deadline:
                self._remove()
                raise SandboxError(f"redis-server did not start: {self._said or 'it does not listen'}")
        return self._address

    def _serve(self, command: list[str]) -> None:
        try:
            result = run(command, timeout=_REDIS_SECONDS)
            said = (result.stdout + result.stderr).decode(errors="replace").split("\n")
            self._said = "; ".join(line.strip() for line in said if line.strip())[-500:]
        except StoppedError:
            pass  # the run was interrupted; who waits for the server sees that it has ended
        except BenchError as error:
            self._said = str(error)
        finally:
            self._ended.set()

    def _remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from redis import Redis
        from redis.exceptions import RedisError

        # It may have ended already, which is what is asked for; one that no longer answers ends with this process.
        with Redis.from_url(self._address, socket_timeout=5) as connection, suppress(RedisError):
            connection.shutdown(nosave=True)
        self._thread.join(10)
        self._remove()
