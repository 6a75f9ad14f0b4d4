"""One suite over all stores: what was appended comes back, whole batches only, in order, to its own cell alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from radio.errors import StoreError
from radio.owned_file import refuse_network_file_system
from radio.store import Namespace, Record, Store, open_store
from sandboxes.errors import SetupError

ROOT = Path(__file__).parents[2]


def record(seq: int, thread: str = "", text: str = "x") -> Record:
    return Record(seq, thread, b'{"seq":%d,"thread":"%s","text":"%s"}' % (seq, thread.encode(), text.encode()))


@pytest.fixture(params=["sqlite", "file", pytest.param("redis", marks=pytest.mark.needs("redis-server"))])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "redis":
        return str(request.getfixturevalue("redis_server").address)
    return f"{request.param}:{tmp_path / 'stores' / 'radio'}"


@pytest.fixture
def reopen(address: str, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    opened: list[Store] = []

    def make(cell: str = "cell", *, close_last: bool = True) -> Store:
        if close_last and opened:
            opened.pop().close()
        opened.append(open_store(address, Namespace(tmp_path.name, cell), real=True))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


def test_what_was_appended_comes_back_in_order(reopen: Callable[..., Store]) -> None:
    store = reopen()
    store.append([record(1), record(2, "t1")])
    store.append([record(3, "t2"), record(4, "t1"), record(5)])
    assert [entry.seq for entry in store.replay()] == [1, 2, 3, 4, 5]
    assert [entry.seq for entry in store.replay(after=3)] == [4, 5]
    assert list(store.thread("t1")) == [record(2, "t1"), record(4, "t1")]
    assert list(store.thread("t1", after=2)) == [record(4, "t1")]
    assert list(store.thread("t9")) == []
    assert store.read(3) == record(3, "t2")
    assert store.read(6) is None
    assert store.read(0) is None


def test_a_store_is_the_same_after_it_was_opened_again(reopen: Callable[..., Store]) -> None:
    reopen().append([record(1), record(2, "t1")])
    again = reopen()
    again.append([record(3, "t1")])
    assert list(reopen().replay()) == [record(1), record(2, "t1"), record(3, "t1")]
    assert [entry.seq for entry in reopen().thread("t1")] == [2, 3]


def test_more_records_than_one_page_holds(reopen: Callable[..., Store]) -> None:
    store = reopen()
    for start in range(1, 1301, 100):
        store.append([record(seq, "t1" if seq % 2 else "") for seq in range(start, start + 100)])
    assert [entry.seq for entry in store.replay()] == list(range(1, 1301))
    assert [entry.seq for entry in store.thread("t1")] == list(range(1, 1301, 2))


@pytest.mark.needs("redis-server")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.binary(max_size=300), min_size=1, max_size=20), kind=st.sampled_from(["sqlite", "redis"]))
def test_any_bytes_come_back_as_they_are(texts: list[bytes], kind: str, redis_server: Any, tmp_path: Path) -> None:
    place = Path(tmp_path / os.urandom(6).hex())
    address = redis_server.address if kind == "redis" else f"sqlite:{place}"
    store = open_store(address, Namespace("any", place.name), real=False)
    store.append([Record(number, "", text) for number, text in enumerate(texts, 1)])
    assert [entry.line for entry in store.replay()] == texts
    store.close()


@pytest.mark.needs("redis-server")
def test_cells_on_one_redis_do_not_see_each_other(redis_server: Any, tmp_path: Path) -> None:
    stores = [
        open_store(redis_server.address, Namespace(run, cell), real=True)
        for run in (tmp_path.name, tmp_path.name + "x")
        for cell in ("one", "two")
    ]
    for number, store in enumerate(stores):
        store.append([record(1, "t1", str(number))])
    for number, store in enumerate(stores):
        assert list(store.replay()) == [record(1, "t1", str(number))]
        assert list(store.thread("t1")) == [record(1, "t1", str(number))]
        store.close()


@pytest.mark.parametrize("kind", ["sqlite", "file"])
def test_a_file_belongs_to_one_cell_and_one_living_owner(kind: str, tmp_path: Path) -> None:
    address = f"{kind}:{tmp_path / 'radio'}"
    owner = open_store(address, Namespace("run", "one"), real=False)
    with pytest.raises(StoreError, match="another hub owns"):
        open_store(address, Namespace("run", "one"), real=False)
    owner.append([record(1)])
    owner.close()
    with pytest.raises(StoreError, match="cell"):
        open_store(address, Namespace("run", "two"), real=False)
    open_store(address, Namespace("run", "one"), real=False).close()


@pytest.mark.needs("redis-server")
def test_a_later_hub_takes_a_cell_over_on_redis(redis_server: Any, tmp_path: Path) -> None:
    namespace = Namespace(tmp_path.name, "cell")
    earlier = open_store(redis_server.address, namespace, real=True)
    earlier.append([record(1)])
    later = open_store(redis_server.address, namespace, real=True)
    with pytest.raises(StoreError, match="taken over"):
        earlier.append([record(2, text="of the one that was replaced")])
    later.append([record(2, text="of the owner")])
    assert [entry.line for entry in later.replay()] == [record(1).line, record(2, text="of the owner").line]
    earlier.close()
    later.close()


@pytest.mark.needs("redis-server")
def test_a_batch_that_is_sent_again_is_kept_once(redis_server: Any, tmp_path: Path) -> None:
    store = open_store(redis_server.address, Namespace(tmp_path.name, "cell"), real=True)
    batch = [record(1, "t1"), record(2, "t1")]
    store.append(batch)
    store.append(batch)  # as after an answer that got lost
    store.append([record(2, "t1"), record(3, "t1")])
    assert [entry.seq for entry in store.replay()] == [1, 2, 3]
    assert [entry.seq for entry in store.thread("t1")] == [1, 2, 3]
    with pytest.raises(StoreError):
        store.append([record(5)])
    store.close()


@pytest.mark.needs("redis-server")
def test_nothing_acknowledged_is_lost_when_redis_is_killed(make_redis: Callable[..., Any]) -> None:
    server = make_redis("--appendonly", "yes")
    store = open_store(server.address, Namespace("run", "cell"), real=True)
    store.append([record(seq) for seq in range(1, 101)])
    server.kill()
    server.start()
    store.append([record(101)])
    assert [entry.seq for entry in store.replay()] == list(range(1, 102))
    store.close()


@pytest.mark.needs("redis-server")
def test_a_redis_that_forgets_is_refused_for_a_real_run(make_redis: Callable[..., Any]) -> None:
    server = make_redis("--appendonly", "no")
    with pytest.raises(SetupError, match="--appendonly yes"):
        open_store(server.address, Namespace("run", "cell"), real=True)
    open_store(server.address, Namespace("run", "cell"), real=False).close()


WRITER = """
import sys
from pathlib import Path
from radio.store import Namespace, Record, open_store
store = open_store(sys.argv[1], Namespace(sys.argv[2], "cell"), real=True)
seq = max((entry.seq for entry in store.replay()), default=0)
while True:
    batch = [Record(seq + 1 + n, "t1", b'{"seq":%d,"thread":"t1"}' % (seq + 1 + n)) for n in range(7)]
    store.append(batch)
    seq += 7
    print(seq, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_whole_batches(address: str, tmp_path: Path) -> None:
    acknowledged = 0
    for round_ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, address, tmp_path.name],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert writer.stdout is not None
        for _ in range(3 + round_ * 5):
            acknowledged = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
        writer.wait()
        writer.stdout.close()
        acknowledged = int(rest[-1]) if rest else acknowledged
        store = open_store(address, Namespace(tmp_path.name, "cell"), real=True)
        kept = [entry.seq for entry in store.replay()]
        store.close()
        assert kept == list(range(1, len(kept) + 1))
        assert len(kept) % 7 == 0
        assert len(kept) >= acknowledged


def test_a_cut_off_batch_in_a_file_is_cut_away(tmp_path: Path) -> None:
    path = tmp_path / "radio"
    store = open_store(f"file:{path}", Namespace("run", "cell"), real=False)
    store.append([record(1), record(2)])
    whole = path.read_bytes()
    store.append([record(3), record(4)])
    batch = path.read_bytes()[len(whole) :]
    store.close()
    for cut in range(len(batch)):
        path.write_bytes(whole + batch[:cut])
        store = open_store(f"file:{path}", Namespace("run", "cell"), real=False)
        assert [entry.seq for entry in store.replay()] == [1, 2]
        store.append([record(3, text="")])
        store.close()
        store = open_store(f"file:{path}", Namespace("run", "cell"), real=False)
        assert [entry.seq for entry in store.replay()] == [1, 2, 3]
        store.append([record(4)])
        store.close()


def test_a_network_file_system_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    line = "36 35 98:0 / {} rw,noatime master:1 - {} server:/share rw\n"
    mounts.write_text(line.format("/", "ext4") + line.format(tmp_path, "nfs4"))
    with pytest.raises(SetupError, match="nfs4"):
        refuse_network_file_system(tmp_path / "stores", mounts)
    mounts.write_text(line.format(tmp_path, "nfs4") + line.format(tmp_path / "stores", "xfs"))
    refuse_network_file_system(tmp_path / "stores" / "deeper", mounts)


@pytest.mark.parametrize("name", ["", "a:b", "a/b", "a b", "x" * 101, "é"])
def test_a_namespace_that_could_be_another_is_refused(name: str) -> None:
    with pytest.raises(SetupError):
        Namespace("run", name)


def test_an_unknown_address_is_refused() -> None:
    with pytest.raises(SetupError, match="no such store"):
        open_store("mongo:x", Namespace("run", "cell"), real=False)


@pytest.mark.needs("redis-server")
@pytest.mark.parametrize("kept", [False, True])
def test_a_cell_leaves_nothing_in_a_redis_that_others_use(redis_server: Any, make_hub: Callable[..., Any], kept: bool) -> None:
    import redis

    hub = make_hub(cell=f"forgotten{kept}", store=redis_server.address, forget=not kept)
    make_hub(cell=f"other{kept}", store=redis_server.address)
    a = hub.client("a")
    for name in ("plan", "more"):
        a.send_message(a.create_thread(name), "hello", ["b"])
    run = hub.config.run
    with redis.Redis.from_url(redis_server.address) as server:
        own = list(server.scan_iter(f"crosstalk:{run}:forgotten{kept}:*"))
        assert len(own) == 4
        week = 7 * 24 * 3600
        assert all(week - 600 < server.ttl(key) <= week for key in own)
        hub.stop()
        assert len(list(server.scan_iter(f"crosstalk:{run}:forgotten{kept}:*"))) == 4 * kept
        assert list(server.scan_iter(f"crosstalk:{run}:other{kept}:*"))
    assert b"hub_stopped" in hub.events.read_bytes()
