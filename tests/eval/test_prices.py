"""US dollars: from the four counts and each one's price, frozen with the run; unknown is never 0."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paid_run import MODEL, PaidRun

from eval.costs import Tally, cell_dollars
from eval.prices import Money, dollars, price_table, turn_dollars, why_unpriced
from eval.records import ModelPrice, PriceTable
from eval.report import build_report
from harnesses.base import Ended, Metering, Turn, Wire
from harnesses.gateway.harness import metered_by
from instances.model import Instance
from sandboxes.usage import Usage

ROOT = Path(__file__).parents[2]
CLASSES = ("input", "cache_write", "cache_read", "output")
PRICE = ModelPrice(input=1e-6, cache_write=2e-6, cache_read=1e-7, output=5e-6, dearer_above=None)
OTHER = ModelPrice(input=1e-3, cache_write=None, cache_read=None, output=1e-3, dearer_above=None)
TABLE = PriceTable(source="a map", problem="", models={"main": PRICE, "side": OTHER})
counts = st.one_of(st.none(), st.integers(0, 10**9))
rates = st.one_of(st.none(), st.floats(1e-9, 1e-2))


@given(st.tuples(counts, counts, counts, counts), st.tuples(rates, rates, rates, rates))
def test_dollars_are_known_where_all_that_they_need_is(of: tuple[int | None, ...], each: tuple[float | None, ...]) -> None:
    price = ModelPrice(**dict(zip(CLASSES, each, strict=True)), dearer_above=None)
    found = dollars(Usage(*of), price)
    if any(count is None or (count > 0 and rate is None) for count, rate in zip(of, each, strict=True)):
        assert found is None
    else:
        assert found == pytest.approx(sum((count or 0) * (rate or 0) for count, rate in zip(of, each, strict=True)), abs=1e-9)


@given(st.lists(st.tuples(*(st.integers(0, 300),) * 4), min_size=1), st.integers(1, 900), st.booleans())
def test_a_long_prompt_that_may_be_dearer_has_no_price(each: list[tuple[int, ...]], above: int, told: bool) -> None:
    used = sum((Usage(*one) for one in each), Usage())
    longest = max(sum(one[:3]) for one in each)
    price = PRICE.model_copy(update={"dearer_above": above})
    found = dollars(used, price, longest if told else None)
    assert (found is None) == ((longest if told else sum(sum(one[:3]) for one in each)) > above)
    assert found in (None, dollars(used, PRICE))


def test_each_model_is_counted_at_its_own_price_and_the_rest_at_the_named_one_s() -> None:
    side = Usage(10, 0, 0, 1)
    assert turn_dollars(Usage(110, 0, 0, 3), {"side": side, "main": Usage(100)}, "main", TABLE) == pytest.approx(
        11e-3 + 100e-6 + 2 * 5e-6
    )
    assert turn_dollars(Usage(10, 0, 0, 1), {"side": side}, "an alias", TABLE) == pytest.approx(11e-3)
    assert turn_dollars(Usage(11, 0, 0, 1), {"side": side}, "an alias", TABLE) is None
    assert turn_dollars(Usage(9, 0, 0, 1), {"side": side}, "main", TABLE) is None
    assert turn_dollars(Usage(10, 0, 0, 1), {"not in the map": side}, "main", TABLE) is None
    assert turn_dollars(Usage(10, None, 0, 1), {}, "main", TABLE) is None
    assert turn_dollars(Usage(10, 0, 0, 1), {}, None, TABLE) is None


def test_a_program_asks_for_its_vendor_s_model_by_its_bare_name() -> None:
    table = PriceTable(source="a map", problem="", models={"openai/gpt-x": PRICE})
    assert turn_dollars(Usage(10, 0, 0, 1), {"gpt-x": Usage(10, 0, 0, 1)}, "openai/gpt-x", table) == pytest.approx(15e-6)
    assert turn_dollars(Usage(10, 0, 0, 1), {"gpt-y": Usage(10, 0, 0, 1)}, "openai/gpt-x", table) is None


def test_behind_a_gateway_all_is_at_the_named_model_s_price() -> None:
    money, used = Money(TABLE, "main", scripted=False, reconciler_model=None), Usage(10, 0, 0, 1)
    turn = Turn(Ended.COMPLETED, "", used, 1, None, metering=Metering(used, used, by_model={"side": used}))
    assert money.of_turn(turn) == pytest.approx(11e-3)
    assert money.of_turn(metered_by(turn, Wire(used), "main")) == pytest.approx(10e-6 + 5e-6)
    assert money.of_turn(metered_by(turn, Wire(used), {"side": used}, "relay")) == pytest.approx(11e-3)


def test_the_map_s_prices_are_found_by_the_names_that_users_give() -> None:
    names = ["anthropic/claude-haiku-4-5", MODEL, "deepseek/deepseek-chat"]
    table = price_table("paid", [*names, "deepseek/claude-haiku-4-5", "nobody/nothing", None])
    assert sorted(table.models) == sorted(names)
    assert table.models[MODEL] == table.models["anthropic/claude-haiku-4-5"]
    assert table.models[MODEL].input == pytest.approx(1e-6)
    assert table.models[MODEL].output == pytest.approx(5e-6)
    assert why_unpriced(table, names) == ""
    assert "'nobody/nothing'" in why_unpriced(table, ["nobody/nothing"])
    assert "default model" in why_unpriced(table, [None])
    assert MODEL in price_table("claude-code", ["sonnet"]).models
    assert table.models[MODEL].dearer_above is None
    assert price_table("paid", ["gemini/gemini-2.5-pro"]).models["gemini/gemini-2.5-pro"].dearer_above == 200_000


def test_without_litellm_prices_are_unknown_and_that_is_said() -> None:
    program = (
        "import sys; sys.modules['litellm'] = None\n"
        "from eval.prices import price_table, why_unpriced\n"
        "table = price_table('claude-code', ['claude-haiku-4-5'])\n"
        "print(len(table.models), why_unpriced(table, ['claude-haiku-4-5']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("0 prices are unknown without LiteLLM")


@pytest.mark.needs("bwrap")
def test_a_run_s_dollars_can_be_computed_again_from_what_it_keeps(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path / "paid", [make_pair()], "oracle,parallel-unaware")
    run.play("", 0)
    frozen = json.loads((run.results.path / "run.json").read_text(encoding="utf-8"))["prices"]
    assert frozen["source"].startswith("litellm ")
    prices = frozen["models"][MODEL]
    rows = {row.scenario: row for row in build_report(run.results).rows}
    for record in run.results.records():
        for turn in record.turns:
            used = turn.usage.model_dump()
            assert turn.cost_usd == pytest.approx(sum(used[name] * prices[name] for name in CLASSES))
            assert turn.cost_usd
        assert record.cost_usd == pytest.approx(sum(turn.cost_usd or 0 for turn in record.turns))
        assert record.reconciler_cost_usd == 0
        assert rows[record.scenario].mean_cost_usd == pytest.approx(record.cost_usd)
        assert f"{record.cost_usd:.4f}" in run.table
    assert "by the prices of litellm" in run.table


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(("model", "faults"), [("nobody/nothing", ""), ("gpt-5", ""), (MODEL, "untold")])
def test_unknown_dollars_are_shown_as_unknown(
    make_pair: Callable[..., Instance], tmp_path: Path, model: str, faults: str
) -> None:
    """No price; no price of what is written to a cache; no count."""
    run = PaidRun(tmp_path / "paid", [make_pair()], model=model)
    run.play(faults, 0)
    record = next(run.results.records())
    assert (record.cost_usd, cell_dollars(record)) == (None, None)
    assert build_report(run.results).rows[0].mean_cost_usd is None
    assert "unknown" in next(line for line in run.table.splitlines() if line.startswith("oracle"))


@pytest.mark.needs("bwrap")
def test_where_no_model_was_called_there_is_no_money(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path / "paid", [make_pair()])
    run.command[run.command.index("paid_harness.Paid")] = "replay"
    del run.command[run.command.index("--model") : run.command.index("--model") + 2]
    run.play("", 0)
    record = next(run.results.records())
    assert (record.scripted, record.cost_usd, record.reconciler_cost_usd) == (True, None, None)
    assert record.usage.effective_tokens
    assert "no model" in next(line for line in run.table.splitlines() if line.startswith("oracle"))
    assert run.results.manifest().prices is None


def test_an_unknown_attempt_counts_as_the_dearest_known_one() -> None:
    tally = Tally()
    for value in (3.0, None, 1.0):
        tally.add(value, graded=True)
    assert tally.reached(None, "US dollars") == ""
    assert tally.reached(7.1, "US dollars") == ""
    assert "1 attempt(s) of unknown cost" in tally.reached(7.0, "US dollars")
    blind = Tally()
    blind.add(None, graded=False)
    assert blind.reached(1.0, "US dollars") == ""
    blind.add(None, graded=True)
    assert "cannot be kept" in blind.reached(1.0, "US dollars")
