"""A thread is found by the name it was given and by the name that is shown of it; some names no lane may give."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from radio.clock import Clock
from radio.errors import Reason, Refused
from radio.fields import Fields
from radio.framing import thread_name
from radio.hub_process import HubProcess
from radio.message import HUB
from radio.policy import Limits, Policy
from radio.store import Namespace, open_store
from radio.switchboard import Switchboard


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switchboard]:
    place: Path = tmp_path_factory.mktemp("radio") / "store"
    store = open_store(f"sqlite:{place}", Namespace("run", "cell"), real=False)
    board = Switchboard(Limits(threads=10_000, total_messages=10_000, messages_per_minute=10_000), Policy(), Clock(), store.read)
    board.join(["a", "b"])
    yield board
    store.close()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=30) | st.text('<>"·[]() v2Plan', min_size=35, max_size=120))
@example("Plan <v2>")
@example('the "new" · label')
@example("x" * 81)
@example(" design ")
def test_what_can_be_created_can_be_used_by_its_name(board: Switchboard, name: str) -> None:
    try:
        thread = board.create_thread("a", Fields({"name": name}))
    except Refused as refusal:
        if refusal.reason not in (Reason.RESERVED_NAME, Reason.MALFORMED):
            raise
        return
    assume([one.name for one in board.threads.values()].count(thread.name) == 1)
    for known_as in (name, thread.id):
        assert board.send("a", Fields({"thread": known_as, "content": "x", "mentions": ["b"]})).thread == thread.id
    assert thread_name(name) == thread.name


RESERVED = ["", "  ", "\n", "system", "System ", "HUB", "radio", "radar", "user", "tool.", "t5", "t99", "SYSTEM:", "*hub*"]


@pytest.mark.parametrize("name", [*RESERVED, "".join(chr(ord(letter) + 0xFEE0) for letter in "system")])
def test_no_lane_names_a_thread_as_the_bench_would(board: Switchboard, name: str) -> None:
    with pytest.raises(Refused, match="thread"):
        board.create_thread("a", Fields({"name": name}))


@pytest.mark.parametrize(
    "name", ["model", "server", "function", "agent", "all", "runtime", "root cause", "the system", "user.py"]
)
def test_a_thread_may_be_about_anything(board: Switchboard, name: str) -> None:
    assert board.create_thread("a", Fields({"name": name})).name == name


def test_the_bench_names_its_threads_itself(board: Switchboard) -> None:
    assert board.create_thread(HUB, Fields({"name": "radar"})).name == "radar"


@pytest.mark.needs("curl")
def test_of_two_threads_with_one_name_the_shell_says_both(
    make_hub: Callable[..., HubProcess], shell: Callable[..., object]
) -> None:
    hub = make_hub()
    one, other = hub.client("a").create_thread("design"), hub.client("b").create_thread("design")
    done = shell(hub, "a", "radio-send", "design", "which?")
    assert f"2 threads of yours are named 'design': give one's id, of {one}, {other}" in str(done)
