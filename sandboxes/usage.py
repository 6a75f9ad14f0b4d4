"""Tokens, counted the same way wherever they are used up: by a lane's agent or by a reconciler's model."""

from collections.abc import Iterable
from dataclasses import dataclass

CACHE_READ_WEIGHT = 0.1
OUTPUT_WEIGHT = 5


@dataclass(frozen=True)
class Usage:
    """Tokens in four disjoint counts; `None` is unknown and stays so in every sum.

    Effective tokens follow ParallACT's weights: input + cache write + 0.1 x cache read + 5 x output.
    """

    input: int | None = 0
    cache_write: int | None = 0
    cache_read: int | None = 0
    output: int | None = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            _sum(self.input, other.input),
            _sum(self.cache_write, other.cache_write),
            _sum(self.cache_read, other.cache_read),
            _sum(self.output, other.output),
        )

    @property
    def prompt(self) -> int | None:
        """What was given to the model, read from a cache or not."""
        if self.input is None or self.cache_write is None or self.cache_read is None:
            return None
        return self.input + self.cache_write + self.cache_read

    @property
    def effective_tokens(self) -> float | None:
        if self.input is None or self.cache_write is None or self.cache_read is None or self.output is None:
            return None
        weighted = self.input + self.cache_write + CACHE_READ_WEIGHT * self.cache_read + OUTPUT_WEIGHT * self.output
        return round(weighted, 1)

    def as_record(self) -> dict[str, int | float | None]:
        return {
            "input": self.input,
            "cache_write": self.cache_write,
            "cache_read": self.cache_read,
            "output": self.output,
            "effective_tokens": self.effective_tokens,
        }


UNKNOWN_USAGE = Usage(None, None, None, None)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def longest_prompt(responses: Iterable[Usage]) -> int | None:
    """The largest prompt of these responses, each counted alone; `None` where one is unknown, or there are none."""
    prompts = [one.prompt for one in responses]
    known = [one for one in prompts if one is not None]
    return max(known) if known and len(known) == len(prompts) else None
