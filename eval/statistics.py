"""The statistics of reports and comparisons. Pure functions over plain numbers; every draw is seeded.

Repeats are averaged per instance first. Intervals are resampled over bases, because two pairs on one base are not two
independent observations. Sources: Wilson (1927) for the score interval; McNemar (1947), exact form; Holm (1979); Efron's
percentile bootstrap, by clusters (Davison and Hinkley 1997, section 3.8); Fisher's randomisation test by signs (Good 2005,
section 3.2.1); Chen et al. (2021) for best of k.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

RESAMPLES = 10_000
LEVEL = 0.95
POWER = 0.8
_Z = 1.959963984540054  # the normal quantile of 1 - (1 - LEVEL) / 2
_Z_POWER = 0.8416212335729143  # the normal quantile of POWER


@dataclass(frozen=True)
class Interval:
    """Bounds of a 95 % interval, and how it was made: `wilson` or `bootstrap over bases`."""

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Observation:
    """One instance's mean over its repeats.

    Attributes:
        instance, base: whose, and on which base.
        value: the mean; of a comparison, the mean difference.
        repeats: how many cells it is the mean of.
    """

    instance: str
    base: str
    value: float
    repeats: int


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def wilson(successes: float, trials: int) -> Interval:
    """Wilson's score interval of a proportion; `trials` is at least 1, `successes` may be a mean over repeats."""
    share = successes / trials
    scale = 1 + _Z**2 / trials
    middle = (share + _Z**2 / (2 * trials)) / scale
    half = _Z / scale * math.sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    return Interval(max(0.0, middle - half), min(1.0, middle + half), "wilson")


def rate_interval(observations: Sequence[Observation], seed: str) -> Interval | None:
    """The interval of a pass rate: Wilson with one repeat and one pair a base, else a bootstrap over bases.

    A bootstrap cannot see beyond bases that all agree, and takes no single base for uncertain; then Wilson over the number
    of bases stands in.
    """
    if not observations:
        return None
    bases = {one.base for one in observations}
    if len(bases) == len(observations) and all(one.repeats == 1 for one in observations):
        return wilson(round(math.fsum(one.value for one in observations)), len(observations))
    interval = bootstrap(observations, lambda sample: mean([one.value for one in sample]), seed)
    return interval or wilson(mean([one.value for one in observations]) * len(bases), len(bases))


def bootstrap(
    observations: Sequence[Observation], statistic: Callable[[list[Observation]], float | None], seed: str
) -> Interval | None:
    """The percentile interval of a statistic, resampling whole bases with replacement.

    `None` where there are fewer than two bases, where the statistic cannot be computed for a resample, and where all
    resamples agree, which is no certainty but a sample too small or too alike to show any spread.
    """
    draws = _resample(observations, statistic, seed)
    if draws is None:
        return None
    draws.sort()
    if draws[-1] - draws[0] < 1e-12:
        return None
    return Interval(_quantile(draws, (1 - LEVEL) / 2), _quantile(draws, (1 + LEVEL) / 2), "bootstrap over bases")


def _resample(
    observations: Sequence[Observation], statistic: Callable[[list[Observation]], float | None], seed: str
) -> list[float] | None:
    clusters: dict[str, list[Observation]] = {}
    for one in observations:
        clusters.setdefault(one.base, []).append(one)
    if len(clusters) < 2:
        return None
    generator, names = random.Random(seed), sorted(clusters)
    draws = []
    for _ in range(RESAMPLES):
        sample = [one for name in generator.choices(names, k=len(names)) for one in clusters[name]]
        value = statistic(sample)
        if value is None:
            return None
        draws.append(value)
    return draws


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between the closest ranks (Hyndman and Fan's type 7)."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


@dataclass(frozen=True)
class PairedTest:
    """A comparison on the same instances.

    Attributes:
        difference: mean of first minus second; `None` without a common instance.
        interval: of the difference, over bases.
        p_value: two-sided; `None` where no test is possible.
        least_detectable: the smallest true difference that this many instances would show with 80 % power at the 5 % level;
            `None` where no difference could be shown.
        method: which test.
    """

    n: int
    difference: float | None
    interval: Interval | None
    p_value: float | None
    least_detectable: float | None
    method: str


def paired_test(differences: Sequence[Observation], seed: str) -> PairedTest:
    """Exact McNemar with one repeat and one pair a base, else a randomisation test that flips the signs of whole bases."""
    if not differences:
        return PairedTest(0, None, None, None, None, "no instance in common")
    difference = mean([one.value for one in differences])
    interval = bootstrap(differences, lambda sample: mean([one.value for one in sample]), seed)
    single = all(one.repeats == 1 for one in differences) and len({one.base for one in differences}) == len(differences)
    if single:
        ahead = sum(one.value > 0 for one in differences)
        behind = sum(one.value < 0 for one in differences)
        n = len(differences)
        return PairedTest(n, difference, interval, mcnemar(ahead, behind), _least_mcnemar(n), "exact McNemar")
    p_value, error = _sign_flips(differences, seed)
    enough = 2 / 2 ** len({one.base for one in differences}) <= 1 - LEVEL
    least = (_Z + _Z_POWER) * error if enough and error > 0 else None
    return PairedTest(len(differences), difference, interval, p_value, least, "sign flips over bases")


def _sign_flips(differences: Sequence[Observation], seed: str) -> tuple[float, float]:
    """The two-sided p-value of the mean difference if each base's sign were a coin's, and the standard error under that.

    All sign patterns are tried where there are few; else `RESAMPLES` random ones, with the pattern that was seen among them.
    No p-value is below what the number of bases allows, 2 / 2^bases.
    """
    sums: dict[str, float] = {}
    for one in differences:
        sums[one.base] = sums.get(one.base, 0.0) + one.value
    values = list(sums.values())
    seen = abs(math.fsum(values)) - 1e-9
    patterns = 2 ** len(values)
    if patterns <= 2**14:
        signs = ([1 if pattern >> bit & 1 else -1 for bit in range(len(values))] for pattern in range(patterns))
        extreme, tried = 0, patterns
    else:
        generator = random.Random(f"{seed}/signs")
        signs = ([generator.choice((1, -1)) for _ in values] for _ in range(RESAMPLES))
        extreme, tried = 1, RESAMPLES + 1
    extreme += sum(abs(math.fsum(a * b for a, b in zip(row, values, strict=True))) >= seen for row in signs)
    return extreme / tried, math.sqrt(math.fsum(value**2 for value in values)) / len(differences)


def mcnemar(ahead: int, behind: int) -> float:
    """The two-sided exact p-value of McNemar's test on the discordant pairs."""
    discordant = ahead + behind
    tail = math.fsum(math.comb(discordant, k) for k in range(min(ahead, behind) + 1)) / math.pow(2, discordant)
    return min(1.0, 2 * tail)


def _least_mcnemar(n: int) -> float | None:
    """The least true difference found with 80 % power when all discordant pairs point one way, by bisection."""
    needed = next((k for k in range(1, n + 1) if mcnemar(k, 0) <= 1 - LEVEL), None)
    if needed is None:
        return None
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        found = math.fsum(math.comb(n, k) * middle**k * (1 - middle) ** (n - k) for k in range(needed, n + 1))
        low, high = (low, middle) if found >= POWER else (middle, high)
    return high


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down adjustment of a family of p-values."""
    adjusted: dict[str, float] = {}
    running = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = running
    return adjusted


def best_of(k: int, solved: int, repeats: int) -> float | None:
    """The unbiased chance that at least one of k draws from `repeats` runs is solved; `None` with fewer than k runs."""
    if k > repeats:
        return None
    return 1 - math.comb(repeats - solved, k) / math.comb(repeats, k)
