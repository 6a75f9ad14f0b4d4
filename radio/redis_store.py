"""The store on Redis, where lanes are on several machines: streams read by number, never publish and subscribe.

Two kinds of stream a cell, under `crosstalk:RUN:CELL:`: `log` holds every event, `thread:ID` the numbers of one thread's.
An entry's id is the hub's own number, so that a batch which was kept before the answer got lost is known again.
"""

import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Any

from radio.errors import StoreError
from radio.store import Namespace, Record
from sandboxes.errors import SetupError

# For keys that no hub is left to remove, because it was killed. A cell's own life is bounded far below this.
_KEPT_SECONDS = 7 * 24 * 3600
# The owner's check and the whole batch are one step on the server: a hub that was replaced can write nothing more,
# and a batch is kept as a whole or not at all. KEYS: owner, log, then a key for each record's thread ("" for none).
_APPEND = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('CROSSTALK_OWNER') end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local newest = 0
if last[1] then newest = tonumber(string.match(last[1][1], '^%d+')) end
for i = 2, #ARGV, 3 do
  local seq = tonumber(ARGV[i])
  if seq > newest then
    if seq ~= newest + 1 then return redis.error_reply('CROSSTALK_GAP') end
    redis.call('XADD', KEYS[2], ARGV[i] .. '-0', 't', ARGV[i + 1], 'l', ARGV[i + 2])
    if ARGV[i + 1] ~= '' then redis.call('XADD', KEYS[(i - 2) / 3 + 3], ARGV[i] .. '-0', 'n', '') end
    if ARGV[i + 1] ~= '' then redis.call('EXPIRE', KEYS[(i - 2) / 3 + 3], TTL) end
    newest = seq
  end
end
redis.call('EXPIRE', KEYS[1], TTL)
redis.call('EXPIRE', KEYS[2], TTL)
return newest
""".replace("TTL", str(_KEPT_SECONDS))
# KEYS: owner, then all that is to go.
_FORGET = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('CROSSTALK_OWNER') end
return redis.call('DEL', unpack(KEYS))
"""
_PAGE = 500
_ROOM = ("maxmemory", "maxmemory-policy")
_PATIENCE_SECONDS = 20.0


class RedisStore:
    """One cell's radio on a Redis server. A later hub takes over from an earlier one, which then can't write any more."""

    def __init__(self, address: str, namespace: Namespace, *, real: bool) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise SetupError("the Redis store needs the package redis: pip install 'crosstalk-bench[redis]'") from None
        self._errors = (
            redis.exceptions.ConnectionError,
            redis.exceptions.TimeoutError,
            redis.exceptions.BusyLoadingError,
        )
        self._reply_error = redis.exceptions.ResponseError
        # No call here blocks on the server, so the socket's own time limit can never end a quiet read.
        self._redis: Any = redis.Redis.from_url(address, socket_timeout=5, retry=Retry(NoBackoff(), 0))
        self._prefix = f"crosstalk:{namespace.run}:{namespace.cell}:"
        self._owner = secrets.token_hex(16)
        self._threads: set[str] = set()
        if real:
            self._refuse_forgetful(address)
        self._call(lambda: self._redis.set(self._prefix + "owner", self._owner, ex=_KEPT_SECONDS))

    def _refuse_forgetful(self, address: str) -> None:
        try:
            setting = self._call(lambda: self._redis.config_get("appendonly")).get("appendonly")
        except StoreError as error:
            raise SetupError(f"cannot ask the Redis at {address} whether it keeps what it is told: {error}") from None
        if setting != "yes":
            raise SetupError(
                f"the Redis at {address} has appendonly {setting}, so it would lose messages with its process; "
                "start it with --appendonly yes"
            )
        most, policy = (self._call(lambda name=name: self._redis.config_get(name))[name] for name in _ROOM)
        if most != "0" and policy != "noeviction":
            raise SetupError(
                f"the Redis at {address} drops keys when it is full (maxmemory-policy {policy}), and messages with them; "
                "set it to noeviction"
            )

    def _call(self, action: Any) -> Any:
        """Run one command; where the server is away, wait for it to come back, within bounds."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        pause = 0.01
        while True:
            try:
                return action()
            except self._errors as error:
                if time.monotonic() > deadline:
                    raise StoreError(f"the Redis server did not come back in {_PATIENCE_SECONDS:g} s: {error}") from error
            except self._reply_error as error:
                if "CROSSTALK_OWNER" in str(error):
                    raise StoreError("another hub has taken over this cell's radio on the Redis server") from None
                raise StoreError(f"the Redis server refused a command: {error}") from error
            time.sleep(pause)
            pause = min(pause * 2, 0.25)

    def append(self, records: Sequence[Record]) -> None:
        keys = [self._prefix + "owner", self._prefix + "log"]
        arguments: list[Any] = [self._owner]
        for record in records:
            keys.append(self._prefix + "thread:" + record.thread)
            self._threads.add(record.thread)
            arguments += [record.seq, record.thread, record.line]
        self._call(lambda: self._redis.eval(_APPEND, len(keys), *keys, *arguments))

    def replay(self, after: int = 0) -> Iterator[Record]:
        for entry, fields in self._entries("log", after):
            thread = fields[b"t"].decode()
            self._threads.add(thread)
            yield Record(entry, thread, fields[b"l"])

    def thread(self, thread: str, after: int = 0) -> Iterator[Record]:
        for entry, _ in self._entries("thread:" + thread, after):
            record = self.read(entry)
            if record is not None:
                yield record

    def _entries(self, stream: str, after: int) -> Iterator[tuple[int, Any]]:
        key = self._prefix + stream
        while True:
            start = f"({after}-0"
            page = self._call(lambda start=start: self._redis.xrange(key, start, "+", _PAGE))
            for identifier, fields in page:
                after = int(identifier.split(b"-")[0])
                yield after, fields
            if len(page) < _PAGE:
                return

    def read(self, seq: int) -> Record | None:
        entry = self._call(lambda: self._redis.xrange(self._prefix + "log", f"{seq}-0", f"{seq}-0"))
        if not entry:
            return None
        fields = entry[0][1]
        return Record(seq, fields[b"t"].decode(), fields[b"l"])

    def forget(self) -> None:
        keys = [self._prefix + "owner", self._prefix + "log", *(self._prefix + "thread:" + name for name in self._threads)]
        self._call(lambda: self._redis.eval(_FORGET, len(keys), *keys, self._owner))

    def close(self) -> None:
        self._redis.close()
