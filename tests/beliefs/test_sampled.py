"""Samples of a population, against an enumeration of every sample that can be drawn; and against finite worlds."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Facts, Value
from dalenius.facts.statistics import Count, Statistic, Sum
from dalenius.papers.finite import FiniteMechanism, bernoulli_sample, noiseless_by_value, simple_random_sample
from oracle import laws as lw
from oracle.balls import lower, upper
from oracle.channels import publish

from .worlds import RELEASES, SECRETS

EPSILONS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3)])
HAIR = Fraction(1, 10**12)
Scheme = Mapping[str, object]


def subsets(people: int, scheme: Scheme) -> Iterator[tuple[frozenset[int], Fraction]]:
    """Every sample with its probability."""
    sizes = {scheme["size"]: Fraction(1)} if "size" in scheme else scheme.get("sizes")
    for number in range(people + 1):
        for chosen in itertools.combinations(range(people), number):
            if "rate" in scheme:
                rate = Fraction(scheme["rate"])
                yield frozenset(chosen), rate**number * (1 - rate) ** (people - number)
            elif sizes.get(number):
                yield frozenset(chosen), Fraction(sizes[number]) / math.comb(people, number)


def law_given(
    adds: Sequence[int], samples: Sequence[tuple[frozenset[int], Fraction]], **status: Mapping[int, bool]
) -> lw.Law | None:
    """The law of the total, given who is known to be drawn or not."""
    law: dict[int, Fraction] = {}
    for chosen, chance in samples:
        if all((who in chosen) == drawn for who, drawn in status["status"].items()):
            total = sum(adds[who] for who in chosen)
            law[total] = law.get(total, Fraction(0)) + chance
    whole = sum(law.values(), Fraction(0))
    return {at: mass / whole for at, mass in law.items()} if whole else None


def pairs_of_worlds(
    values: Sequence[int], domain: Sequence[int], scheme: Scheme, known: int, secret: str, statistic: Statistic
) -> Iterator[Sequence[lw.Law]]:
    samples = list(subsets(len(values), scheme))
    numbers = range(known + 1) if "sizes" in scheme and secret == "presence only" else [known]
    for target, number in itertools.product(range(len(values)), numbers):
        others = [who for who in range(len(values)) if who != target]
        for seen in itertools.combinations(others, number):
            for drawn in itertools.product([True, False], repeat=number):
                status = dict(zip(seen, drawn, strict=True))
                if secret == "presence only":
                    adds = [statistic.contribution(value) for value in values]
                    found = [law_given(adds, samples, status={**status, target: here}) for here in (True, False)]
                else:
                    found = []
                    for value in domain:
                        adds = [statistic.contribution(value if k == target else v) for k, v in enumerate(values)]
                        more = {target: True} if secret == "value" else {}
                        found.append(law_given(adds, samples, status={**status, **more}))
                yield [law for law in found if law is not None]


def truth(
    values: Sequence[int],
    domain: Sequence[int],
    scheme: Scheme,
    epsilon: Fraction,
    *,
    known: int = 0,
    secret: str = "value",
    statistic: Statistic,
    release: str = "exact",
) -> tuple[Fraction, Fraction]:
    low = high = Fraction(0)
    secrets = ["value", "presence only"] if secret == "presence" else [secret]
    for laws in itertools.chain(*(pairs_of_worlds(values, domain, scheme, known, one, statistic) for one in secrets)):
        shown = [publish(law, RELEASES[release][1]) for law in laws]
        for one, two in itertools.combinations(shown, 2):
            found = lw.both_ways(one, two, epsilon)
            low, high = max(low, lower(found)), max(high, upper(found))
    return low, high


def bracket(belief: dl.Belief, statistic: Statistic, epsilon: Fraction, secret: str, release: str = "exact") -> Bracket:
    facts = Facts.of(SECRETS.get(secret, Value()), [statistic.contribution(value) for value in belief.domain()])
    with np.errstate(all="ignore"):
        return belief.curve(statistic, facts, RELEASES[release][0], known=belief.known).delta(epsilon)


@st.composite
def schemes(draw: st.DrawFn, people: int) -> dict[str, object]:
    kind = draw(st.sampled_from(["rate", "size", "size", "sizes"]))
    if kind == "rate":
        return {"rate": draw(st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)]))}
    if kind == "size":
        return {"size": draw(st.integers(1, people - 1))}
    sizes = draw(st.lists(st.integers(0, people), min_size=2, max_size=3, unique=True))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(sizes), max_size=len(sizes)))
    return {"sizes": {size: Fraction(weight, sum(weights)) for size, weight in zip(sizes, weights, strict=True)}}


def sampled(values: Sequence[int], domain: Sequence[int], scheme: Scheme, **more: object) -> dl.Belief:
    return dl.Sampled({value: list(values).count(value) for value in domain}, **scheme, **more)  # type: ignore[arg-type]


@pytest.mark.slow
@given(data=st.data())
def test_every_small_sample_as_it_is(data: st.DataObject) -> None:
    domain = data.draw(st.sampled_from([(0, 1), (0, 1, 2), (0, 2, 5), (1, 3), (-1, 0, 4)]))
    values = data.draw(st.lists(st.sampled_from(domain), min_size=2, max_size=5))
    scheme = data.draw(schemes(len(values)))
    known = data.draw(st.integers(0, min(2, len(values) - 2)))
    secret = data.draw(st.sampled_from(["value", "presence", "presence only", "population"]))
    release = data.draw(st.sampled_from(["exact", "exact", "exact", "rounded 2", "rounded 3", "geometric 1"]))
    statistic: Statistic = data.draw(st.sampled_from([Sum(), Count()]))
    epsilon = data.draw(EPSILONS)
    participation = "secret" if secret == "population" else "known"
    belief = sampled(values, domain, scheme, known=known, participation=participation)
    low, high = truth(values, domain, scheme, epsilon, known=known, secret=secret, statistic=statistic, release=release)
    found = bracket(belief, statistic, epsilon, secret, release)
    assert Fraction(found.lower) - HAIR <= high
    assert low <= Fraction(found.upper) + HAIR
    undecided = "sizes" in scheme and known and secret.startswith("presence") and found.upper == 1
    if not ("rate" in scheme and known and "rounded" in release) and not undecided:
        assert found.width <= 1e-9


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=60)
def test_rounded_totals_of_members_who_are_drawn_by_chance(data: st.DataObject) -> None:
    """Whoever is left in the sample puts the total somewhere: a family of ways to know is bounded wherever that is."""
    domain = data.draw(st.sampled_from([(0, 1, 2), (0, 2, 5), (0, 1, 3, 4), (-1, 0, 4)]))
    values = data.draw(st.lists(st.sampled_from(domain), min_size=4, max_size=6))
    scheme = {"rate": data.draw(st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(4, 5)]))}
    known = data.draw(st.integers(0, 1))
    secret = data.draw(st.sampled_from(["value", "presence only", "population"]))
    release = data.draw(st.sampled_from(["rounded 2", "rounded 3", "rounded 4"]))
    epsilon = data.draw(EPSILONS)
    participation = "secret" if secret == "population" else "known"
    belief = sampled(values, domain, scheme, known=known, participation=participation)
    low, high = truth(values, domain, scheme, epsilon, known=known, secret=secret, statistic=Sum(), release=release)
    found = bracket(belief, Sum(), epsilon, secret, release)
    assert Fraction(found.lower) - HAIR <= high
    assert low <= Fraction(found.upper) + HAIR
    assert known or found.width <= 2e-3 * found.upper + 1e-12


@pytest.mark.parametrize(
    "scheme", [{"rate": Fraction(1, 3)}, {"size": 2}, {"sizes": {1: Fraction(1, 4), 3: Fraction(3, 4)}}]
)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(2)])
def test_finite_worlds_agree(scheme: Scheme, epsilon: Fraction) -> None:
    """A member of a known population is in the sample or not: the finite world hides exactly that."""
    values = [0, 1, 1, 3]
    drawn = (
        bernoulli_sample(values, scheme["rate"])
        if "rate" in scheme
        else simple_random_sample(values, scheme.get("size", scheme.get("sizes")))
    )
    wanted = noiseless_by_value(drawn, FiniteMechanism.of(dl.Sum(), drawn), epsilon)
    found = bracket(sampled(values, (0, 1, 3), scheme), Sum(), epsilon, "presence only")
    assert found.upper == pytest.approx(wanted.upper, rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("scheme", [{"size": 4}, {"sizes": {2: Fraction(1, 3), 5: Fraction(2, 3)}}])
@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize("secret", ["value", "presence only"])
def test_draws_one_by_one(scheme: Scheme, known: int, secret: str) -> None:
    """Named persons of a large population: the law of the size is weighted by how many ways they can be in it."""
    shares, cells = {0: Fraction(1, 2), 1: Fraction(1, 3), 3: Fraction(1, 6)}, {0: 30, 1: 20, 3: 10}
    sizes = {scheme["size"]: Fraction(1)} if "size" in scheme else scheme["sizes"]

    def rest(taken: int) -> lw.Law:
        weights = {size: chance * math.perm(size, taken) for size, chance in sizes.items() if size >= taken}
        parts = [lw.power(shares, size - taken) if size > taken else lw.point(0) for size in weights]
        return lw.mixture([w / sum(weights.values()) for w in weights.values()], parts)

    epsilon, worst = Fraction(1, 2), Fraction(0)
    numbers = range(known + 1) if "sizes" in scheme and secret == "presence only" else [known]
    for number in numbers:
        present = [lw.shift(rest(number + 1), add) for add in shares]
        pairs = itertools.combinations(present, 2) if secret == "value" else ((law, rest(number)) for law in present)
        worst = max([worst, *(upper(lw.both_ways(one, two, epsilon)) for one, two in pairs)])
    found = bracket(dl.Sampled(cells, replace=True, known=known, **scheme), Sum(), epsilon, secret)  # type: ignore[arg-type]
    assert float(worst) == pytest.approx(found.upper, rel=1e-9)
    assert found.width <= 1e-9


@pytest.mark.parametrize("secret", ["value", "presence only"])
@pytest.mark.parametrize("release", ["exact", "geometric 1"])
def test_many_known_members_of_two_kinds(secret: str, release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search over boxes against going through all of them."""
    belief = dl.Sampled({0: 30, 1: 14}, size=12, known=5)
    listed = bracket(belief, Count(), Fraction(1, 2), secret, release)
    monkeypatch.setattr("dalenius.beliefs.fixed_size.LISTED", 0)
    searched = bracket(belief, Count(), Fraction(1, 2), secret, release)
    assert searched.lower <= listed.upper * (1 + 1e-9) and listed.lower <= searched.upper * (1 + 1e-9)
    if release == "exact":
        assert searched.width <= 2e-3 * searched.upper


def test_a_poisson_sample_is_a_poisson_number_in_each_cell() -> None:
    """The number of others is Poisson; presence moves it by one."""
    belief = dl.Sampled({1: 121, 0: 400}, poisson="0.1")
    found = bracket(belief, Count(), Fraction(1, 2), "presence only")
    masses = [math.exp(-12) * 12**k / math.factorial(k) for k in range(120)]
    factor = math.exp(0.5)
    forth = math.fsum(max(0.0, (masses[k - 1] if k else 0.0) - factor * masses[k]) for k in range(120))
    back = math.fsum(max(0.0, masses[k] - factor * (masses[k - 1] if k else 0.0)) for k in range(120))
    assert found.upper == pytest.approx(max(forth, back), rel=1e-12)
    assert found.lower == pytest.approx(max(forth, back), rel=1e-12)


def test_poisson_sums_and_known_members() -> None:
    belief = dl.Sampled({0: 50, 1: 40, 2: 30}, poisson="1/4", known=2)
    found = bracket(belief, Sum(), Fraction(1, 2), "value")
    worst = 0.0
    for out in range(4):  # the target and the known are ones or twos
        rest = np.zeros(160)
        rest[0] = 1
        for step, count in ((1, 40 - out), (2, 30 - 3 + out)):
            law = np.zeros(160)
            law[::step] = [math.exp(-count / 4) * (count / 4) ** k / math.factorial(k) for k in range(160 // step)]
            rest = np.convolve(rest, law)[:160]
        for shift in (1, 2):
            moved = np.concatenate([np.zeros(shift), rest])[:160]
            worst = max(
                worst, *(float(np.maximum(a - math.exp(0.5) * b, 0).sum()) for a, b in ((rest, moved), (moved, rest)))
            )
    assert found.upper == pytest.approx(worst, rel=1e-9)
    assert found.lower == pytest.approx(worst, rel=1e-9)


def test_a_large_sample_is_as_good_as_one_with_a_rate_or_one_by_one() -> None:
    cells = {0: 900_000, 1: 100_000}
    laws = [
        bracket(dl.Sampled(cells, rate="0.001"), Count(), Fraction(1, 2), "presence only"),
        bracket(dl.Sampled(cells, poisson="0.001"), Count(), Fraction(1, 2), "presence only"),
    ]
    assert laws[0].upper == pytest.approx(laws[1].upper, rel=0.05)
    fixed = bracket(dl.Sampled(cells, size=1000), Count(), Fraction(1, 2), "value")
    drawn = bracket(dl.Sampled(cells, size=1000, replace=True), Count(), Fraction(1, 2), "value")
    assert fixed.upper == pytest.approx(drawn.upper, rel=0.05)


def test_nearly_everybody_hides_nobody() -> None:
    belief = dl.Sampled({0: 900, 1: 100}, size=995)
    guarantee = dl.verify(dl.Count(), dl.noiseless(belief, secret=dl.PresenceOnly()), epsilon=1, delta=1e-6)
    assert guarantee.verdict == "fail"
    assert guarantee.delta.lower > 0.5
    assert "99.5 % of the population" in str(guarantee)
    assert "sampling" in str(guarantee)
    assert "list of who took part" in str(guarantee)


def test_who_took_part_is_worth_hiding() -> None:
    cells = {0: 900, 1: 100}
    known = bracket(dl.Sampled(cells, rate="0.1"), Count(), Fraction(1, 2), "value")
    secret = bracket(dl.Sampled(cells, rate="0.1", participation="secret"), Count(), Fraction(1, 2), "value")
    assert secret.upper < known.upper / 10


@pytest.mark.slow
def test_knowing_more_members_never_helps() -> None:
    for scheme in ({"rate": "0.2"}, {"poisson": "0.2"}, {"size": 40}, {"size": 40, "replace": True}):
        for secret in ("value", "presence only"):
            uppers = [
                bracket(dl.Sampled({0: 150, 1: 50}, known=known, **scheme), Count(), Fraction(1, 2), secret).upper  # type: ignore[arg-type]
                for known in (0, 1, 5, 30, 39)
            ]
            assert all(less <= more * (1 + 2e-3) + 1e-12 for less, more in itertools.pairwise(uppers)), (scheme, secret)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dl.Sampled({0: 5}, rate=1), "A census is not a sample"),
        (lambda: dl.Sampled({0: 5, 1: 5}, size=10), "A census is not a sample"),
        (lambda: dl.Sampled({0: 5, 1: 5}, sizes={10: 1}), "A census is not a sample"),
        (lambda: dl.Sampled({0: 5, 1: 5}, size=11), "at most 10 members"),
        (lambda: dl.Sampled({0: 5}, rate=0), "above 0 and below 1"),
        (lambda: dl.Sampled({0: 5}, rate=1.5), "above 0 and below 1"),
        (lambda: dl.Sampled({0: 5}, rate=float("nan")), "finite number"),
        (lambda: dl.Sampled({0: 5}, poisson=-1), "above 0"),
        (lambda: dl.Sampled({0: 5}), "in one way"),
        (lambda: dl.Sampled({0: 5}, rate=0.1, size=2), "in one way"),
        (lambda: dl.Sampled({0: 5}, size=2, sizes={2: 1}), "but got both"),
        (lambda: dl.Sampled({0: 5}, rate=0.1, replace=True), "replace=True belongs"),
        (lambda: dl.Sampled({0: -1, 1: 4}, rate=0.1), "whole number of members"),
        (lambda: dl.Sampled({0: 1.5}, rate=0.1), "whole number of members"),
        (lambda: dl.Sampled({}, rate=0.1), "at least one member"),
        (lambda: dl.Sampled({0: 5}, size=0), "at least one record"),
        (lambda: dl.Sampled({0: 5}, size=-1), "whole number of at least 0"),
        (lambda: dl.Sampled({0: 5}, sizes={1: "1/2"}), "must sum to 1"),
        (lambda: dl.Sampled({0: 5}, sizes={1: "3/2", 2: "-1/2"}), "at least 0"),
        (lambda: dl.Sampled({0: 5}, sizes={s: Fraction(1, 3000) for s in range(3000)}, replace=True), "At most 2000"),
        (lambda: dl.Sampled({0: 5}, rate=0.1, participation="maybe"), "participation must be"),
        (lambda: dl.Sampled({0: 5}, poisson=0.1, participation="secret"), "drawn at most"),
        (lambda: dl.Sampled({0: 5}, rate=0.1, known=5), "0 to 4 of 5"),
        (lambda: dl.Sampled({0: 5}, rate=0.1, domain=[1]), "0 is missing"),
        (
            lambda: bracket(dl.Sampled({0: 500, 1: 500, 2: 500}, size=100, known=300), Sum(), Fraction(1), "value"),
            "too many ways",
        ),
        (
            lambda: bracket(dl.Sampled(dict.fromkeys(range(40), 10000), size=50_000), Sum(), Fraction(1), "value"),
            "too much to go through",
        ),
    ],
)
def test_what_is_no_sample_is_refused(make: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "epsilon"), [(1000, Fraction(1)), (300, Fraction(1, 2)), (9000, Fraction(1, 4))])
def test_a_survey_of_ten_thousand_in_whole_numbers(size: int, epsilon: Fraction) -> None:
    """Masses as quotients of binomial coefficients; a target who is a one, and one who is a zero."""
    found = bracket(dl.Sampled({0: 9000, 1: 1000}, size=size), Count(), epsilon, "presence only")
    factor, worst = Fraction(math.exp(float(epsilon))), 0.0
    for ones, zeros, moved in ((999, 9000, 1), (1000, 8999, 0)):
        into, out = math.comb(ones + zeros, size - 1), math.comb(ones + zeros, size)
        law = [
            (
                math.comb(ones, t - moved) * math.comb(zeros, size - 1 - t + moved) if moved <= t < size + moved else 0,
                math.comb(ones, t) * math.comb(zeros, size - t),
            )
            for t in range(max(0, size - zeros - 1), min(ones, size) + 1)
        ]
        # e^ε is a quotient of whole numbers with 2^52 below
        top, bottom = factor.numerator, factor.denominator
        forth = sum(max(0, bottom * p * out - top * q * into) for p, q in law)
        back = sum(max(0, bottom * q * into - top * p * out) for p, q in law)
        worst = max(worst, float(Fraction(max(forth, back), bottom * into * out)))
    assert found.upper == pytest.approx(worst, rel=1e-9)
    assert found.lower == pytest.approx(worst, rel=1e-9)


def test_a_value_between_two_kinds_shows_at_once() -> None:
    """Members add 0 or 2, so that a total that is odd betrays a one; larger moves are not the worst."""
    for scheme in ({"size": 30}, {"rate": "0.3"}, {"poisson": "0.3"}):
        belief = dl.Sampled({0: 50, 1: 0, 2: 50}, **scheme)  # type: ignore[arg-type]
        assert bracket(belief, Sum(), Fraction(1), "value").lower > 0.999


def test_fewer_known_members_may_tell_more_where_the_size_is_random() -> None:
    """All or nobody: one known member tells whether, and nothing is left to tell; who knows nobody learns it."""
    half = Fraction(1, 2)
    everybody = dl.Sampled({0: 1, 1: 3}, sizes={0: half, 4: half}, known=1)
    assert bracket(everybody, Sum(), Fraction(0), "presence only").lower > 0.99
    pairs = dl.Sampled({1: 3}, sizes={0: half, 2: half}, replace=True, known=1)
    assert bracket(pairs, Sum(), Fraction(0), "presence only").lower > 0.49


def test_one_known_member_of_a_sample_with_a_rate_is_one_coin_less() -> None:
    """Of three ones the target and a known one leave a single coin of rate 1/2."""
    found = bracket(dl.Sampled({1: 3}, rate="1/2", known=1), Count(), Fraction(0), "presence only")
    assert found.lower == pytest.approx(0.5) and found.upper == pytest.approx(0.5)
    two = bracket(dl.Sampled({1: 5}, rate="1/2", known=2), Count(), Fraction(0), "presence only")
    assert two.upper == pytest.approx(0.5) and two.lower == pytest.approx(0.5)


@pytest.mark.slow
def test_a_number_of_known_members_that_is_too_much_to_judge_is_not_certified() -> None:
    """Nobody asked for it: the search for the largest number ends before."""
    belief = dl.Sampled({1: 5, 3: 5, 4: 7}, size=7, domain=[1, 3, 4, 0], known=4)
    found = dl.verify(dl.Sum(), dl.noiseless(belief, secret=dl.PresenceOnly()), epsilon="1/2", delta="1/3")
    assert found.largest_known
