"""How alike pairs are, whatever their things are called: cosines of TF-IDF vectors of requirements, tests and references."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from instances.model import SIDES, Instance
from instances.source_text import KEYWORDS, is_source, tokens

# As far as code goes, a renamed twin says the same in every run of so many tokens; unlike pairs share but the usual turns.
_RUN = 8
# Above these, two pairs are looked at as possible twins; unlike shipped pairs of one language stay well below.
TWIN_REQUIREMENTS, TWIN_TESTS, TWIN_REFERENCES = 0.3, 0.5, 0.3
_ADDED = re.compile(r"^\+(?!\+\+ )", re.MULTILINE)
_PROSE_WORD = re.compile(r"`[^`\n]+`|[A-Za-z]+")

Vector = Mapping[str, float]


@dataclass(frozen=True)
class Likeness:
    """How alike two pairs are, each measure 0 (nothing in common) to 1 (the same but for names).

    Attributes:
        requirements: words and pairs of words, what is written as code left out.
        tests, references: runs of tokens, in which names, numbers and strings are all alike; of references what they add.
    """

    one: str
    other: str
    requirements: float
    tests: float
    references: float

    @property
    def overall(self) -> float:
        """The mean of the three."""
        return (self.requirements + self.tests + self.references) / 3

    @property
    def possible_twins(self) -> bool:
        """Whether one of the three is so high that somebody should look."""
        return self.requirements >= TWIN_REQUIREMENTS or self.tests >= TWIN_TESTS or self.references >= TWIN_REFERENCES


def likenesses(instances: Sequence[Instance]) -> list[Likeness]:
    """Every two instances, the most alike first.

    Raises:
        InstanceError: an instance's text, base or patch cannot be read.
    """
    kinds = [_vectors([list(terms(one)) for one in instances]) for terms in (_requirement_terms, _test_terms, _reference_terms)]
    found = []
    for first, second in combinations(range(len(instances)), 2):
        requirements, tests, references = (_cosine(vectors[first], vectors[second]) for vectors in kinds)
        found.append(Likeness(instances[first].id, instances[second].id, requirements, tests, references))
    return sorted(found, key=lambda one: (-one.overall, one.one, one.other))


def nearest(name: str, found: Iterable[Likeness]) -> Likeness | None:
    """The likeness of an instance to the one that is nearest to it; `None` where there is no other."""
    return max((one for one in found if name in (one.one, one.other)), key=lambda one: one.overall, default=None)


def _requirement_terms(instance: Instance) -> Iterator[str]:
    """Words, and pairs of words, of both requirements; what is code or a name within a sentence is no word."""
    for side in SIDES:
        words = ["`" if word.startswith("`") else word.lower() for word in _PROSE_WORD.findall(instance.requirement(side))]
        yield from (word for word in words if word != "`")
        yield from (" ".join(pair) for pair in zip(words, words[1:], strict=False))


def _test_terms(instance: Instance) -> Iterator[str]:
    for name in ("a", "b", "joint"):
        for path, file in instance.tests[name].overlay_files():
            yield from _runs(path, file.read_text(encoding="utf-8", errors="replace"))


def _reference_terms(instance: Instance) -> Iterator[str]:
    """What the three references bring in, file by file."""
    for name in ("a", "b", "joint"):
        patch = instance.patch(f"references/{name}").decode(errors="replace")
        for part in re.split(r"^(?=diff --git )", patch, flags=re.MULTILINE):
            path = part.partition("\n")[0].rpartition(" b/")[2].rstrip('"')
            lines = [line[1:] for line in part.splitlines() if _ADDED.match(line)]
            yield from _runs(path, "\n".join(lines))


def _runs(path: str, text: str) -> Iterator[str]:
    """Runs of tokens: keywords and signs as they are, of all else only what kind it is."""
    if not is_source(path):
        return
    neutral = [_neutral(token.kind, token.text) for token in tokens(path, text) if token.kind != "comment"]
    for start in range(len(neutral) - _RUN + 1):
        yield " ".join(neutral[start : start + _RUN])


def _neutral(kind: str, text: str) -> str:
    if kind == "sign" or (kind == "name" and text in KEYWORDS):
        return text
    return {"name": "n", "number": "0", "string": "s"}[kind]


def _vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    """TF-IDF, of length 1: `(1 + ln tf) * (1 + ln((1 + N) / (1 + df)))`."""
    counts = [Counter(document) for document in documents]
    frequency = Counter(term for count in counts for term in count)
    vectors: list[Vector] = []
    for count in counts:
        weights = {
            term: (1 + math.log(times)) * (1 + math.log((1 + len(counts)) / (1 + frequency[term])))
            for term, times in count.items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    return vectors


def _cosine(one: Vector, other: Vector) -> float:
    if len(other) < len(one):
        one, other = other, one
    return min(1.0, sum(weight * other.get(term, 0.0) for term, weight in one.items()))
