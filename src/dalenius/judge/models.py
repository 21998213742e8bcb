r"""Which of some models the values of records speak for, by itself.

Let the model under which the values of all n records are the likeliest be published, and nothing else of these people.
Fix a model j. Others come out, whatever the target's value is, only if for some i the records speak for i at least as
much as for j. With r_v = f_i(v) / f_j(v), and M the largest r_v that a record may have,

$$ \delta \le \sum_{i \ne j} P\Big(M^{L + 1} \prod_l r_{X_l} \ge 1\Big)
   \le \sum_{i \ne j} M^{s (L + 1)} \prod_l E\, r_{X_l}^s $$

for every s > 0 (Markov's inequality), where L records are known, which with the target are those whose factors are the
least, and l goes over the others; independent, each with a law of its own, which need be none of the models. If the two
worlds choose j alike, they look alike. Where only a part of a law is known, the rest lies where r^s is the largest. The
best j, and the best of some s for each i, are taken: any are right. Of few records of one law histograms are listed,
if that law allows whatever known records may be. ∎
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from dalenius.enclosure.balls import Balls
from dalenius.enclosure.outward import exp_up, total_up
from dalenius.judge.group import Group, Laws, Vector
from dalenius.mechanisms.compared import FEWEST_COMPARED, comparison
from dalenius.mechanisms.models import LikeliestModel
from dalenius.mechanisms.selected import by_histograms
from dalenius.mechanisms.wrong_models import Among, Bounded
from dalenius.numerics.curve import Curve

MOST_HISTOGRAMS = 50_000  # that are listed where the bound is not enough
MOST_KNOWN = 300  # histograms of the known records
POWERS = [
    step / 64 for step in (1, 2, 3, *range(4, 129, 4), 160, 192, 256, 384, 512, 768, 1024)
]  # s: any of them gives a bound
LARGEST_POWER = 500.0  # so that no power leaves what floats hold
Masses = tuple[tuple[Vector, Fraction], ...]


def models_curve(group: Group, enough: Fraction, *, presence: bool) -> Curve | None:
    """δ(ε) of which model the records speak for, where a group has nothing else, and the counts of all values of one
    column, in order, cover nobody else. None where that is not what they are: then it tells no more than the counts.

    Of the counts of all values one follows from the others and the number of people, so that the last of them has no
    coordinate of its own: its vector is 0. Else whoever has the vector 0 is in no count, and speaks for no model.
    Histograms are listed where that is little work, and the bound is not enough.
    """
    others, many, link = group.others[0], len(group.release), comparison(group.release[0].links)
    if (
        len(group.others) > 1
        or not isinstance(others, Laws)
        or others.changes is not None  # of a household, beside whose coins there are others who may be anything
        or presence
        or others.answered is not None
    ):
        return None
    axes = len(others.domain[0])
    values = [tuple(int(axis == place) for axis in range(axes)) for place in range(many)]
    nowhere = (0,) * axes
    if link is None or not link.models or axes not in (many - 1, many) or not {*others.domain} <= {*values, nowhere}:
        return None
    chances = [dict(zip(values, model, strict=True)) for model in link.models]
    places = range(len(chances))
    known = min(group.known, others.size - 1)
    ratios = {
        (i, j): {
            vector: chances[i].get(vector, Fraction(1)) / chances[j].get(vector, Fraction(1))
            for vector in others.domain
        }
        for i in places
        for j in places
        if i != j
    }
    types = others.least or others.types
    bound = Bounded(min(1.0, *(total_up(_ahead(types, ratios[i, j], known) for i in places if i != j) for j in places)))
    alike = not others.least and len(others.types) == 1 and {*others.domain} <= {*values}
    law = dict(others.types[0][0])
    alike &= not known or all(law.get(value) for value in others.domain)  # known records may have any declared value
    if bound.most <= enough or not alike:
        return bound
    histograms = math.comb(others.size - known + many - 2, many - 1)
    what_is_known = math.comb(known + many - 1, many - 1)
    targets = [place for place, value in enumerate(values) if value in others.domain]
    if histograms > MOST_HISTOGRAMS or what_is_known > MOST_KNOWN or len(targets) < FEWEST_COMPARED:
        return bound
    choice = LikeliestModel(tuple(map(str, range(many))), link.models, (Fraction(1),) * len(link.models))
    among = Among(others.size, known, noiseless=True)
    return by_histograms(choice, [tuple(law.get(value, Fraction(0)) for value in values)], among, targets=targets)


def _ahead(types: Sequence[tuple[Masses, int]], ratio: dict[Vector, Fraction], known: int) -> float:
    """At most the chance that one model is as likely as the other, whatever the known records and the target are."""
    logs = {vector: Balls.of(value).log() for vector, value in ratio.items()}
    rough = {vector: float(log.middle) for vector, log in logs.items()}

    def in_floats(s: float) -> float:
        factors = []
        for law, count in types:
            rest = 1.0 - float(sum(chance for _, chance in law))
            top = max(rough.values())
            mean = math.fsum(float(chance) * math.exp(s * (rough[vector] - top)) for vector, chance in law)
            factors.append((math.log(mean + max(rest, 0.0)) + s * top if mean + rest > 0 else s * top, count))
        return math.fsum(log * count for log, count in _left(factors, known)) + s * (known + 1) * max(rough.values())

    steepest = LARGEST_POWER / max(1.0, *map(abs, rough.values()))
    s = min((power for power in POWERS if power <= steepest), key=in_floats)
    most = Balls.of(max(ratio.values())).log()
    factors = []
    for law, count in types:
        rest = 1 - sum((chance for _, chance in law), Fraction(0))
        parts = [Balls.of(chance) * (logs[vector] * s).exp() for vector, chance in law if chance]
        parts += [Balls.of(rest) * (most * s).exp()] if rest else []
        mean = parts[0]
        for part in parts[1:]:
            mean = mean + part
        factors.append((float(mean.log().upper), count))
    whole = most * s * (known + 1)
    for log, count in _left(factors, known):
        whole = whole + Balls.of(log) * count
    return min(1.0, exp_up(float(whole.upper)))


def _left(factors: Sequence[tuple[float, int]], known: int) -> list[tuple[float, int]]:
    """What is left of the logarithms of factors without the least ones, of the known records and the target."""
    gone, found = known + 1, []
    for log, count in sorted(factors):
        away = min(gone, count)
        gone -= away
        found.append((log, count - away))
    return found
