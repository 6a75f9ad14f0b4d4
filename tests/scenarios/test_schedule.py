"""Scripted lanes move one at a time, in an order that the seed decides."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.schedule import MAX_LEAD, StepSchedule


def play(seed: str, steps: dict[str, int]) -> list[str]:
    schedule, moves = StepSchedule(list(steps), seed), []
    moving: set[str] = set()

    def lane(name: str) -> None:
        schedule.enter(name)
        try:
            for _ in range(steps[name]):
                moving.add(name)
                assert moving == {name}
                moves.append(name)
                moving.remove(name)
                schedule.next(name)
        finally:
            schedule.leave(name)

    with ThreadPoolExecutor(len(steps)) as pool:
        for future in [pool.submit(lane, name) for name in steps]:
            future.result(timeout=30)
    return moves


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=4), st.integers(0, 6), st.integers(0, 6))
def test_every_step_is_played_once_and_the_same_way_again(seed: str, one: int, other: int) -> None:
    steps = {"a": one, "b": other}
    moves = play(seed, steps)
    assert (moves.count("a"), moves.count("b")) == (one, other)
    assert play(seed, steps) == moves


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=4), st.integers(1, 12), st.integers(1, 12))
def test_no_lane_runs_away_from_one_that_could_move(seed: str, one: int, other: int) -> None:
    moves = play(seed, {"a": one, "b": other})
    for end in range(len(moves) + 1):
        a, b = moves[:end].count("a"), moves[:end].count("b")
        if a < one and b < other:
            assert abs(a - b) <= MAX_LEAD


def test_seeds_give_different_orders() -> None:
    assert len({tuple(play(str(seed), {"a": 5, "b": 5})) for seed in range(20)}) > 5
