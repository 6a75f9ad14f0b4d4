"""US dollars: the prices of LiteLLM's map, frozen when a run begins, and what tokens cost by them. Unknown is `None`, never 0."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from eval.records import ModelPrice, PriceTable, RunManifest
from harnesses.base import Turn
from sandboxes.litellm_library import load_litellm
from sandboxes.usage import Usage

# A vendor whose further models a program may call beside the one that is named; it says itself which, and what each used.
_SIDE_MODELS = {"claude-code": "anthropic"}
_DEARER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_DIGITS = 10


def models_of(manifest: RunManifest) -> list[str | None]:
    """The models that a run calls: none for a script, `None` for a program's own default."""
    models = [] if manifest.scripted else [manifest.configuration["model"]]
    return [*models, manifest.reconciler_model["model"]] if manifest.reconciler_model else models


def calls_a_model(manifest: RunManifest) -> bool:
    return bool(models_of(manifest))


def price_table(harness: str, models: Iterable[str | None]) -> PriceTable:
    """The prices of these models, as they are named, and of the side models that a harness may use."""
    prices, problem = _price_map()
    if problem:
        return PriceTable(source="", problem=problem, models={})
    found = {}
    for name in filter(None, models):
        if price := _price(prices, name):
            found[name] = price
    if vendor := _SIDE_MODELS.get(harness):
        for name, entry in sorted(prices.items()):
            if entry.get("litellm_provider") == vendor and (price := _price(prices, name)):
                found[name] = price
    return PriceTable(source=f"litellm {version('litellm')}", problem="", models=found)


def why_unpriced(table: PriceTable | None, models: Iterable[str | None]) -> str:
    """Why the cost of these models cannot be told; empty when it can."""
    if table is None:
        return "no model is called, so that there are no US dollars to count"
    if table.problem:
        return table.problem
    missing = [f"{name!r}" if name else "the program's default model" for name in models if name not in table.models]
    return f"{table.source} has no price for {', '.join(missing)}; name the model as its price map does" if missing else ""


def dollars(usage: Usage, price: ModelPrice | None, longest_prompt: int | None = None) -> float | None:
    """What tokens cost; `None` where a count is unknown, or the price of a class of which there are tokens.

    So it is where one prompt may have been so long that more was asked for it: `longest_prompt` is the largest of one request,
    `None` where that is not known.
    """
    if price and price.dearer_above is not None and _may_be_dearer(usage, price.dearer_above, longest_prompt):
        return None
    rates = (price.input, price.cache_write, price.cache_read, price.output) if price else (None,) * 4
    total = 0.0
    for count, rate in zip((usage.input, usage.cache_write, usage.cache_read, usage.output), rates, strict=True):
        if count is None or (count and rate is None):
            return None
        total += count * (rate or 0.0)
    return round(total, _DIGITS)


def _may_be_dearer(usage: Usage, above: int, longest: int | None) -> bool:
    """Whether one of the prompts that make up a usage may have been longer than that."""
    return (usage.prompt is None or usage.prompt > above) and (longest is None or longest > above)


def turn_dollars(
    usage: Usage, by_model: Mapping[str, Usage], model: str | None, table: PriceTable, longest_prompt: int | None = None
) -> float | None:
    """What a turn cost: each model's tokens at its own price, and what the program's table leaves out at the named model's."""
    if not by_model:
        return dollars(usage, table.models.get(model or ""), longest_prompt)
    rest = _minus(usage, sum(by_model.values(), Usage()))
    # A program asks for its vendor's model without the vendor's name in front.
    own = {model.rpartition("/")[2]: table.models[model]} if model in table.models else {}
    parts = [dollars(used, table.models.get(name) or own.get(name), longest_prompt) for name, used in by_model.items()]
    return total([*parts, dollars(rest, table.models.get(model or ""), longest_prompt) if rest is not None else None])


@dataclass(frozen=True)
class Money:
    """What a run's tokens cost, by the prices that were frozen when it began; `None` is unknown, or no model was called."""

    table: PriceTable | None
    model: str | None
    scripted: bool
    reconciler_model: str | None

    @classmethod
    def of(cls, manifest: RunManifest) -> "Money":
        asks = manifest.reconciler_model or {}
        return cls(manifest.prices, manifest.configuration["model"], manifest.scripted, asks.get("model"))

    def of_turn(self, turn: Turn) -> float | None:
        if self.table is None or self.scripted:
            return None
        by_model = turn.metering.by_model if turn.metering else {}
        longest = turn.metering.longest_prompt if turn.metering else None
        return turn_dollars(turn.usage, by_model, self.model, self.table, longest)

    def of_reconciler(self, usage: Usage) -> float | None:
        return dollars(usage, self.table.models.get(self.reconciler_model or "")) if self.table else None


def total(values: Iterable[float | None]) -> float | None:
    """The sum, unknown as soon as one of them is."""
    found = list(values)
    return None if None in found else round(sum(value for value in found if value is not None), _DIGITS)


def _minus(one: Usage, other: Usage) -> Usage | None:
    """`None` where less is left of a class than nothing: the two do not belong together."""
    counts = []
    for more, less in zip(_counts(one), _counts(other), strict=True):
        if more is not None and less is not None and more < less:
            return None
        counts.append(None if more is None or less is None else more - less)
    return Usage(*counts)


def _counts(usage: Usage) -> tuple[int | None, ...]:
    return usage.input, usage.cache_write, usage.cache_read, usage.output


def _price_map() -> tuple[Mapping[str, Mapping[str, Any]], str]:
    """LiteLLM's map by model, or why there is none. It is the one in the package."""
    try:
        prices: Mapping[str, Mapping[str, Any]] = load_litellm().model_cost
    except ImportError:
        return {}, "prices are unknown without LiteLLM; install it with: pip install 'crosstalk-bench[litellm]'"
    return prices, ""


def _price(prices: Mapping[str, Mapping[str, Any]], name: str) -> ModelPrice | None:
    """A model's price by its name, or by its name behind the provider's; `None` where tokens in or out have none.

    A price of 0 stands in the map for what is free, run by oneself, or not known: it is taken for unknown.
    """
    entry = prices.get(name)
    if entry is None:
        provider, _, rest = name.partition("/")
        entry = prices.get(rest)
        if entry is None or entry.get("litellm_provider") != provider:
            return None
    if not entry.get("input_cost_per_token") or not entry.get("output_cost_per_token"):
        return None
    return ModelPrice(
        input=entry["input_cost_per_token"],
        cache_write=entry.get("cache_creation_input_token_cost") or None,
        cache_read=entry.get("cache_read_input_token_cost") or None,
        output=entry["output_cost_per_token"],
        dearer_above=min((1000 * int(found[1]) for key in entry if (found := _DEARER.fullmatch(key))), default=None),
    )
