"""Statistics against figures worked out elsewhere, and properties."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.statistics import (
    Observation,
    best_of,
    bootstrap,
    holm,
    mcnemar,
    mean,
    paired_test,
    rate_interval,
    wilson,
)


def observations(values: list[float], bases: list[str] | None = None, repeats: int = 1) -> list[Observation]:
    names = bases or [f"base-{number}" for number in range(len(values))]
    return [
        Observation(f"pair-{number}", base, value, repeats)
        for number, (value, base) in enumerate(zip(values, names, strict=True))
    ]


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Figures as R's binom.wilson gives them.
    [(0, 10, 0.0, 0.2775328), (10, 10, 0.7224672, 1.0), (5, 10, 0.2365931, 0.7634069), (81, 263, 0.2552944, 0.3662050)],
)
def test_wilson(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson(successes, trials)
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=5e-4)


@pytest.mark.parametrize(
    ("ahead", "behind", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (10, 2, 0.03857421875), (3, 3, 1.0)]
)
def test_exact_mcnemar(ahead: int, behind: int, p: float) -> None:
    assert mcnemar(ahead, behind) == pytest.approx(p)
    assert mcnemar(behind, ahead) == pytest.approx(p)


def test_holm_steps_down_and_never_falls() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=6))
def test_holm_only_raises_and_keeps_the_order(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    assert all(adjusted[name] >= p_values[name] for name in p_values)
    ordered = sorted(p_values, key=lambda name: p_values[name])
    assert [adjusted[name] for name in ordered] == sorted(adjusted.values())


@pytest.mark.parametrize(("k", "solved", "repeats", "chance"), [(1, 1, 4, 0.25), (2, 1, 4, 0.5), (4, 1, 4, 1.0), (2, 0, 4, 0.0)])
def test_best_of_k(k: int, solved: int, repeats: int, chance: float) -> None:
    assert best_of(k, solved, repeats) == pytest.approx(chance)


def test_best_of_more_tries_than_were_run_is_unknown() -> None:
    assert best_of(3, 2, 2) is None


def test_wilson_only_with_one_repeat_and_one_pair_a_base() -> None:
    single = rate_interval(observations([1, 0, 1, 1]), "seed")
    assert single is not None
    assert single.method == "wilson"
    shared = rate_interval(observations([1, 0, 1, 1], ["x", "x", "y", "z"]), "seed")
    assert shared is not None
    assert shared.method == "bootstrap over bases"
    repeated = rate_interval(observations([1, 0.5, 1, 0], repeats=2), "seed")
    assert repeated is not None
    assert repeated.method == "bootstrap over bases"


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_bases_that_all_agree_do_not_give_certainty(value: float) -> None:
    interval = rate_interval(observations([value] * 4, ["x", "x", "y", "y"], repeats=2), "seed")
    assert interval == wilson(2 * value, 2)
    assert interval is not None
    assert interval.high - interval.low > 0.5


@pytest.mark.parametrize("bases", [["x", "y"], ["x", "x"], ["x", "x", "y"]])
def test_more_repeats_or_pairs_on_few_bases_make_no_evidence(bases: list[str]) -> None:
    test = paired_test(observations([-1.0] * len(bases), bases, repeats=50), "seed")
    assert test.p_value is not None
    assert test.p_value >= 2 / 2 ** len(set(bases))
    assert test.interval is None
    assert test.least_detectable is None


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("uvwxyz"), st.floats(-1, 1)), min_size=1, max_size=9))
def test_no_p_value_is_below_what_the_bases_allow(pairs: list[tuple[str, float]]) -> None:
    test = paired_test(observations([value for _, value in pairs], [base for base, _ in pairs], repeats=2), "seed")
    assert test.p_value is not None
    assert 2 / 2 ** len({base for base, _ in pairs}) - 1e-12 <= test.p_value <= 1


def test_sign_flips_with_many_bases_are_drawn_and_near_the_exact_value() -> None:
    values = [1.0] * 14 + [-1.0] * 2
    test = paired_test(observations(values, repeats=2), "seed")
    assert test.p_value == pytest.approx(mcnemar(14, 2), abs=0.002)


def test_pairs_on_one_base_count_as_one_base() -> None:
    """Ten copies of two bases say no more than two bases do."""
    many = rate_interval(observations([1.0] * 10 + [0.0] * 10, ["x"] * 10 + ["y"] * 10), "seed")
    assert many is not None
    assert (many.low, many.high) == (0.0, 1.0)


@settings(max_examples=5, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.text(max_size=5))
def test_a_bootstrap_is_the_same_for_the_same_seed_and_holds_the_mean(values: list[float], seed: str) -> None:
    sample = observations(values)
    statistic = lambda drawn: mean([one.value for one in drawn])  # noqa: E731 - read once, right below
    interval = bootstrap(sample, statistic, seed)
    assert interval == bootstrap(sample, statistic, seed)
    if interval is None:
        assert max(values) - min(values) < 1e-9
        return
    assert interval.low - 1e-9 <= mean(values) <= interval.high + 1e-9


def test_one_base_gives_no_bootstrap() -> None:
    assert bootstrap(observations([1, 0], ["x", "x"]), lambda drawn: mean([one.value for one in drawn]), "") is None


def test_paired_test_with_one_repeat_is_mcnemar_and_says_what_it_could_have_seen() -> None:
    test = paired_test(observations([1, 1, 1, 1, 1, 1, 0, 0]), "seed")
    assert test.method == "exact McNemar"
    assert test.p_value == pytest.approx(0.03125)
    assert test.difference == pytest.approx(0.75)
    assert test.least_detectable is not None
    needed = math.fsum(math.comb(8, k) * test.least_detectable**k * (1 - test.least_detectable) ** (8 - k) for k in range(6, 9))
    assert needed == pytest.approx(0.8, abs=1e-3)


def test_too_few_instances_can_show_nothing() -> None:
    assert paired_test(observations([1, 1, 1, 1, 1]), "seed").least_detectable is None


def test_paired_test_with_repeats_flips_signs_and_is_never_certain() -> None:
    test = paired_test(observations([0.5, 1, 0.5, 1], repeats=2), "seed")
    assert test.method == "sign flips over bases"
    assert test.p_value == pytest.approx(2 / 2**4)


def test_nothing_in_common_is_unknown() -> None:
    test = paired_test([], "seed")
    assert (test.n, test.difference, test.p_value, test.least_detectable) == (0, None, None, None)
