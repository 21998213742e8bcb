"""A mean is the total divided by the number of records: it is judged only where that number is public."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.papers import finite
from dalenius.plan.calibration.solve import Unknown

F = Fraction
NEEDED = "public number of records"
COINS = dl.IID(p="1/2", n=400)
POPULATION = {0: 60, 1: 40}
PRESENCE = dl.Presence()

SECRET = {
    "presence": dl.noiseless(COINS, secret=PRESENCE),
    "presence only": dl.noiseless(COINS, secret=dl.PresenceOnly()),
    "presence, several kinds": dl.noiseless(dl.Independent(rates=[0.1, 0.5, 0.9]), secret=PRESENCE),
    "presence, moments": dl.noiseless(dl.beliefs.RangeVariance(n=99, bounds=(0, 1), variance="1/10"), secret=PRESENCE),
    "presence, wide": dl.noiseless(dl.beliefs.Brackets([(0, 9999, 1)], n=99), secret=PRESENCE),
    "presence, classes": dl.noiseless(dl.AtLeast({0: "1/2", 1: "1/2"}, weight="1/2", n=99), secret=PRESENCE),
    "add or remove": dl.differential_privacy((0, 1), neighbours="add or remove"),
    "rate": dl.noiseless(dl.Sampled(POPULATION, rate="1/2")),
    "rate, presence": dl.noiseless(dl.Sampled(POPULATION, rate="1/2"), secret=PRESENCE),
    "rate, secret": dl.noiseless(dl.Sampled(POPULATION, rate="1/2", participation="secret")),
    "poisson": dl.noiseless(dl.Sampled(POPULATION, poisson="1/2")),
    "poisson, presence": dl.noiseless(dl.Sampled(POPULATION, poisson="1/2"), secret=PRESENCE),
    "sizes": dl.noiseless(dl.Sampled(POPULATION, sizes={20: "1/2", 21: "1/2"})),
    "sizes, presence": dl.noiseless(dl.Sampled(POPULATION, sizes={20: "1/2", 21: "1/2"}), secret=PRESENCE),
    "sizes, again": dl.noiseless(dl.Sampled(POPULATION, sizes={20: "1/2", 21: "1/2"}, replace=True)),
}
PUBLIC = {
    "value": dl.noiseless(COINS),
    "within": dl.noiseless(COINS, secret=dl.Within(1)),
    "replace": dl.differential_privacy((0, 1)),
    "size": dl.noiseless(dl.Sampled(POPULATION, size=20)),
    "size, presence": dl.noiseless(dl.Sampled(POPULATION, size=20), secret=PRESENCE),
    "size, secret": dl.noiseless(dl.Sampled(POPULATION, size=20, participation="secret")),
    "size, again": dl.noiseless(dl.Sampled(POPULATION, size=20, replace=True), secret=PRESENCE),
    "one size": dl.noiseless(dl.Sampled(POPULATION, sizes={20: 1, 30: 0}), secret=PRESENCE),
}
MECHANISMS = {
    "exact": dl.Mean(),
    "rounded": dl.Mean() >> dl.Rounded(5),
    "noisy": dl.Mean() >> dl.two_sided_geometric(2),
    "gaussian": dl.Mean() >> dl.rounded_gaussian(5),
    "threshold": dl.Mean() >> dl.mechanisms.threshold(5),
}


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("definition", SECRET.values(), ids=SECRET)
def test_a_mean_of_a_secret_number_of_records_is_refused(definition: object, mechanism: object) -> None:
    with pytest.raises(InputError, match=NEEDED):
        dl.verify(mechanism, definition, epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=NEEDED):
        dl.curve(mechanism, definition)  # type: ignore[arg-type]


@pytest.mark.parametrize("unknown", ["noise", "rounding", "known", "epsilon", "delta", "n", "block size"])
def test_nothing_is_calibrated_for_it_either(unknown: Unknown) -> None:
    given = {"epsilon": 1, "delta": "1e-6"}
    given.pop(unknown, None)
    with pytest.raises(InputError, match=NEEDED):
        dl.calibrate(dl.Mean(), SECRET["presence"], unknown, **given)  # type: ignore[arg-type]


def test_nor_are_odds_given() -> None:
    with pytest.raises(InputError, match=NEEDED):
        dl.posteriors(dl.Mean(), SECRET["presence"], (1, 0))  # type: ignore[arg-type]
    ten_or_twenty = dl.noiseless(dl.IID(values={10: "1/2", 20: "1/2"}, n=9))
    assert dl.posteriors(dl.Sum(), ten_or_twenty, (10, 0))  # 0: the person is absent
    with pytest.raises(InputError, match="Two facts"):
        dl.posteriors(dl.Mean(), ten_or_twenty, (10, 0))


@pytest.mark.parametrize("definition", PUBLIC.values(), ids=PUBLIC)
def test_a_mean_of_a_public_number_of_records_tells_what_the_total_tells(definition: object) -> None:
    for channel in (dl.Exact(), dl.two_sided_geometric(2)):
        mean, total = (dl.verify(one >> channel, definition, epsilon="1/2") for one in (dl.Mean(), dl.Sum()))  # type: ignore[arg-type]
        assert mean.delta == total.delta


# -- worlds that can be listed: what is really published is the quotient --------------------------------------------

Sample = tuple[int, ...]
World = dict[Sample, Fraction]


def quotient(sample: Sample) -> object:
    return F(sum(sample), len(sample)) if sample else "no records"


def published(world: World, figure: Callable[[Sample], object]) -> dict[object, Fraction]:
    law: dict[object, Fraction] = {}
    for sample, chance in world.items():
        law[figure(sample)] = law.get(figure(sample), F(0)) + chance
    return law


def distance(one: World, other: World, figure: Callable[[Sample], object]) -> Fraction:
    """δ at ε = 0."""
    first, second = published(one, figure), published(other, figure)
    return sum((abs(first.get(out, F(0)) - second.get(out, F(0))) for out in {*first, *second}), F(0)) / 2


def coins(number: int, extra: Sequence[int]) -> World:
    """So many fair coins besides these records."""
    return {(*extra, *row): F(1, 2**number) for row in itertools.product((0, 1), repeat=number)}


def drawn(members: Sequence[int], extra: Sequence[int], rate: Fraction) -> World:
    """Every member with this probability, besides these records."""
    world: World = {}
    for inside in itertools.product((True, False), repeat=len(members)):
        chance = F(1)
        for here in inside:
            chance *= rate if here else 1 - rate
        sample = (*extra, *sorted(value for value, here in zip(members, inside, strict=True) if here))
        world[sample] = world.get(sample, F(0)) + chance
    return world


def worlds() -> Iterator[tuple[str, World, World]]:
    yield "presence", coins(9, [1]), coins(9, [])
    yield "rate", drawn([0] * 5 + [1] * 5, [1], F(1, 2)), drawn([0] * 5 + [1] * 5, [0], F(1, 2))


@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in worlds()], ids=[pair[0] for pair in worlds()])
def test_the_quotient_tells_more_than_the_total(one: World, other: World) -> None:
    """So that judging the total would say too little."""
    assert distance(one, other, quotient) > distance(one, other, sum)


def test_with_a_public_number_they_tell_the_same() -> None:
    one, other = coins(9, [1]), coins(9, [0])
    truth = distance(one, other, quotient)
    assert truth == distance(one, other, sum)
    bracket = dl.verify(dl.Mean(), dl.noiseless(dl.IID(p="1/2", n=10)), epsilon=0).delta
    assert bracket.lower <= truth <= bracket.upper
    assert bracket.width < 1e-12


# -- finite worlds ---------------------------------------------------------------------------------------------------

SOMEBODY_ABSENT = finite.bernoulli_sample([0, 1, 1], "1/2")
ALWAYS_TWO = finite.simple_random_sample([0, 1, 1], 2)


def test_finite_worlds_with_absent_records_have_no_mean() -> None:
    for release in (dl.Mean(), dl.Mean() >> dl.mechanisms.rational_geometric("1/3")):
        with pytest.raises(InputError, match=NEEDED):
            finite.FiniteMechanism.of(release, SOMEBODY_ABSENT)
        assert finite.FiniteMechanism.of(release, ALWAYS_TWO)


def test_a_mean_as_a_function_is_one_of_as_many_records() -> None:
    law = finite.as_function(dl.Mean() >> dl.Exact(), ALWAYS_TWO)
    assert law((1, 1, None)) == {2: 1}
    for other in ((1, None, None), (1, 1, 0), (1,)):
        with pytest.raises(InputError, match=NEEDED):
            law(other)
    with pytest.raises(InputError, match=NEEDED):
        finite.as_function(dl.Mean() >> dl.Exact(), SOMEBODY_ABSENT)


def test_no_game_removes_a_record_from_a_mean() -> None:
    belief = finite.Finite.product([{0: "1/2", 1: "1/2"}] * 3)
    assert finite.Games.of(dl.Mean(), belief, default=0)
    with pytest.raises(InputError, match=NEEDED):
        finite.Games.of(dl.Mean(), belief, default=None)


def test_no_coupled_worlds_with_absent_records_have_a_mean() -> None:
    definition = finite.distributional([SOMEBODY_ABSENT])
    with pytest.raises(InputError, match=NEEDED):
        definition.worlds(dl.Mean())
    with pytest.raises(InputError, match=NEEDED):
        finite.canonical_delta(definition, dl.Mean(), epsilon=1)


def test_the_release_says_that_the_total_is_changed_before_it_is_divided() -> None:
    assert str(dl.Mean() >> dl.Rounded(5)) == (
        "mean (public number of records), total: rounded to the nearest multiple of 5"
    )
    assert str(dl.Sum() >> dl.Rounded(5)) == "sum, rounded to the nearest multiple of 5"
    assert str(dl.Mean() >> dl.Exact()) == "mean (public number of records), exact"


def test_a_mean_takes_its_unit_as_a_sum_does() -> None:
    assert dl.Mean(unit="0.5") == dl.Mean(unit=F(1, 2))  # type: ignore[arg-type]
    assert dl.verify(dl.Mean(unit="0.5"), dl.IID(values={0: "1/2", F(1, 2): "1/2"}, n=50), epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unit above 0"):
        dl.Mean(unit=F(0))
