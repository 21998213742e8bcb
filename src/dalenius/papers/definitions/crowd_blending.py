"""Crowd-blending privacy (Gehrke, Hay, Lui and Pass 2012), as the contrast: who knows how many records there are may
see through it (Kifer and Machanavajjhala 2014, section 4.1).

Datasets are multisets. A mechanism blends two values if to exchange one for the other, whatever the rest is, cannot be
told from the output (to within ε). It is (k, ε)-crowd-blending if in every dataset each record blends with at least
k - 1 others there (or more: values that blend, the record's own included, occur k times), or can be left out.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TypeAlias, final

from dalenius.basics.errors import require
from dalenius.enclosure.outward import exponential
from dalenius.facts.records import Number, exact
from dalenius.papers.definitions.tables import Drawn, law_of

Multiset: TypeAlias = tuple[Hashable, ...]  # in order


@final
@dataclass(frozen=True, slots=True)
class Blending:
    """Whether a mechanism is crowd-blending on all multisets of up to `largest` records; if not, a record that neither
    blends nor can be left out.
    """

    holds: bool
    dataset: Multiset | None = None
    record: Hashable = None


def crowd_blending(
    release: "Mapping[Multiset, Drawn]", values: Sequence[Hashable], *, k: int, epsilon: Number, largest: int
) -> Blending:
    """Go through all multisets of up to `largest` records. The release is given for each of them, as an output or as
    the probabilities of outputs. Cost O(values² x multisets).
    """
    require(k >= 1 and largest >= 1, "k and a size of at least 1", got=(k, largest))
    factor = Fraction(exponential(exact(epsilon, name="epsilon"))[0])
    laws = {data: law_of(drawn) for data, drawn in release.items()}
    sizes = [tuple(combinations_with_replacement(values, size)) for size in range(largest + 1)]
    missing = next((data for some in sizes for data in some if data not in laws), None)
    require(missing is None, f"the output for every multiset of up to {largest} records", got=f"none for {missing}")
    place = {value: number for number, value in enumerate(values)}

    def grown(rest: Multiset, value: Hashable) -> Multiset:
        return tuple(sorted((*rest, value), key=place.__getitem__))

    blends = {
        (one, two): all(
            _alike(laws[grown(rest, one)], laws[grown(rest, two)], factor) for some in sizes[:-1] for rest in some
        )
        for one in values
        for two in values
    }
    for some in sizes[1:]:
        for data in some:
            counts = Counter(data)
            for value in counts:
                crowd = sum(many for other, many in counts.items() if blends[value, other])
                rest = list(data)
                rest.remove(value)
                if crowd < k and not _alike(laws[data], laws[tuple(rest)], factor):
                    return Blending(holds=False, dataset=data, record=value)
    return Blending(holds=True)


def _alike(p: Mapping[Hashable, Fraction], q: Mapping[Hashable, Fraction], factor: Fraction) -> bool:
    """Whether no output is more than so many times as likely under one as under the other."""
    outputs = {*p, *q}
    nothing = Fraction(0)
    return all(a.get(out, nothing) <= factor * b.get(out, nothing) for out in outputs for a, b in ((p, q), (q, p)))


def never_below(k: int, *, stands_out: Hashable = "Bob") -> "_Counted":
    """How many records are not this one's, or k if they are fewer: crowd-blending, and who knows how many records there
    are reads off whether this person is among them.
    """
    return _Counted(k, stands_out)


@final
@dataclass(frozen=True, slots=True)
class _Counted:
    k: int
    stands_out: Hashable

    def __call__(self, data: Multiset) -> int:
        return max(self.k, sum(value != self.stands_out for value in data))

    def on(self, values: Sequence[Hashable], largest: int) -> dict[Multiset, int]:
        """What is published on each multiset of up to so many records."""
        sizes = (combinations_with_replacement(values, size) for size in range(largest + 1))
        return {data: self(data) for some in sizes for data in some}
