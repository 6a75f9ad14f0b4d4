"""A store or a log that something has damaged: a hub says so in one line and does not start; it is not tried again and again."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from radio.errors import StoreError
from radio.file_store import FileStore
from radio.hub_process import HubProcess
from radio.sqlite_store import SqliteStore
from radio.store import Namespace, Record
from sandboxes.errors import SandboxError

LANES = ["a", "b"]
Damage = Callable[[Path], None]


def hub_of(directory: Path, store: str) -> HubProcess:
    return HubProcess(directory, "run", "cell", LANES, store=store)


@pytest.fixture(scope="module", params=["sqlite", "file"])
def spoken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The files of a hub that has ended."""
    directory = tmp_path_factory.mktemp("hub")
    with hub_of(directory, request.param) as hub:
        a = hub.client("a")
        thread = a.create_thread("plan")
        for number in range(30):
            a.send_message(thread, f"{number} " + "x" * 300, ["b"])
    names = ["events.jsonl", f"store/radio.{request.param}"]
    return request.param, {name: (directory / name).read_bytes() for name in names}


@pytest.fixture
def damaged(spoken: tuple[str, dict[str, bytes]], tmp_path: Path) -> Iterator[tuple[HubProcess, Path, Path]]:
    """A hub to be started, its store and its log."""
    store, files = spoken
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    hub = hub_of(tmp_path, store)
    yield hub, tmp_path / f"store/radio.{store}", tmp_path / "events.jsonl"
    hub.stop()


def in_the_middle(store: Path) -> None:
    content = bytearray(store.read_bytes())
    content[len(content) // 3 : len(content) // 3 + 2000] = b"\x8b\x01" * 1000
    store.write_bytes(content)


def cut(store: Path) -> None:
    os.truncate(store, store.stat().st_size // 2)


def emptied(store: Path) -> None:
    os.truncate(store, 0)


def of_something_else(store: Path) -> None:
    store.write_bytes(b"{}\n[]\n5\n")


def a_pipe(store: Path) -> None:
    store.unlink()
    os.mkfifo(store)


def a_folder(store: Path) -> None:
    store.unlink()
    store.mkdir()


def replaced(store: Path, line: bytes) -> None:
    """The seventh event is another."""
    if store.suffix == ".sqlite":
        with sqlite3.connect(store) as connection:
            connection.execute("UPDATE records SET line = ? WHERE seq = 7", (line,))
        connection.close()
    else:
        lines = store.read_bytes().splitlines()
        lines[next(n for n, one in enumerate(lines) if b'"seq":7,' in one)] = line
        store.write_bytes(b"\n".join(lines) + b"\n")


def no_event(store: Path) -> None:
    replaced(store, b"hello")


def half_an_event(store: Path) -> None:
    replaced(store, b'{"seq":7,"type":"message_sent","at":"2026-01-01T00:00:00.000Z","clock":1}')


def another_event(store: Path) -> None:
    replaced(store, b'{"seq":70,"type":"hub_started","at":"2026-01-01T00:00:00.000Z","clock":1}')


DAMAGES = [
    *[in_the_middle, cut, emptied, of_something_else, a_pipe, a_folder],
    *[no_event, half_an_event, another_event, Path.unlink],
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_store_is_said_in_one_line(damaged: tuple[HubProcess, Path, Path], damage: Damage) -> None:
    hub, store, log = damaged
    damage(store)
    before = log.read_bytes()
    with pytest.raises(SandboxError, match="did not start: crosstalk radio: .*store") as told:
        hub.start()
    assert len(str(told.value).splitlines()) == 1
    assert hub.starts == 1
    assert log.read_bytes() == before


def test_a_log_that_ends_with_garbage_is_said_in_one_line(damaged: tuple[HubProcess, Path, Path]) -> None:
    hub, _, log = damaged
    log.write_bytes(log.read_bytes() + b"\0" * 100 + b"\n")
    with pytest.raises(SandboxError, match="ends with what no hub wrote: move it away") as told:
        hub.start()
    assert len(str(told.value).splitlines()) == 1
    assert hub.starts == 1


@pytest.mark.parametrize("damage", [emptied, Path.unlink, lambda log: os.truncate(log, log.stat().st_size - 37)])
def test_a_log_is_made_whole_from_the_store(damaged: tuple[HubProcess, Path, Path], damage: Damage) -> None:
    hub, _, log = damaged
    before = log.read_bytes()
    damage(log)
    hub.start()
    assert log.read_bytes().startswith(before)
    assert hub.counters()["a"]["sent"] == 30


def test_a_file_that_is_cut_off_under_its_hub_is_said(tmp_path: Path) -> None:
    """And is not looked for the rest of a line for ever."""
    store = FileStore(tmp_path / "store", Namespace("run", "cell"))
    store.append([Record(number, "t1", b'{"seq":%d,"thread":"t1"}' % number) for number in range(1, 50)])
    os.truncate(tmp_path / "store", 200)
    with pytest.raises(StoreError, match="cut off"):
        store.read(49)
    store.close()


def test_a_database_that_is_damaged_under_its_hub_is_said(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = SqliteStore(path, Namespace("run", "cell"))
    store.append([Record(number, "t1", b"x" * 5000) for number in range(1, 3000)])
    for written in (path, path.with_name("store-wal")):
        written.write_bytes(b"\x8b" * written.stat().st_size)
    with pytest.raises(StoreError, match="cannot be read"):
        list(store.replay())
    store.close()


def test_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "lanes").write_text("in the way")
    with pytest.raises(SandboxError, match="the radio's hub cannot keep its files"):
        hub_of(tmp_path, "sqlite").start()


HANG = """
import sys
from pathlib import Path
from radio.hub_process import HubProcess
HubProcess(Path(sys.argv[1]), "run", "cell", ["a"]).start()
"""


def hubs_of(directory: Path) -> list[str]:
    """The processes that hold a store in this folder open."""
    found = []
    for process in (entry for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if any(str(one.readlink()).startswith(str(directory / "store")) for one in (process / "fd").iterdir()):
                found.append(process.name)
    return found


def test_a_hub_that_hangs_does_not_outlive_who_started_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready.json.new")  # nobody reads it: to open it for writing takes for ever
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", HANG, str(tmp_path)], env=environment) as starter:
        deadline = time.monotonic() + 20
        while not hubs_of(tmp_path):
            assert time.monotonic() < deadline, "no hub has begun"
            time.sleep(0.05)
        starter.kill()
    deadline = time.monotonic() + 30
    while hubs_of(tmp_path):
        assert time.monotonic() < deadline, "the hub is still there"
        time.sleep(0.1)
