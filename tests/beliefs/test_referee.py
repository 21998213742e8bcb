"""What a second reading found: attackers who know less than they may, chains with known records, fitted parts."""

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError

HALF = {0: "1/2", 1: "1/2"}
STAYS = {0: {0: "0.9", 1: "0.1"}, 1: {0: "0.1", 1: "0.9"}}


@pytest.mark.parametrize("secret", [dl.Value(), dl.Presence()], ids=str)
def test_where_the_size_is_random_knowing_one_record_is_no_better_than_knowing_none(secret):
    """One record, or rarely a thousand: who knows another record knows that there are a thousand."""
    sizes = {1: "0.999", 1000: "0.001"}
    found = [
        dl.verify(
            dl.Count(),
            dl.noiseless(dl.Sampled({0: 500, 1: 500}, sizes=sizes, replace=True, known=known), secret=secret),
            epsilon="1/2",
        ).delta
        for known in (0, 1, 3)
    ]
    assert found[0].upper <= found[1].upper <= found[2].upper
    assert found[1].lower >= found[0].lower > 0.3


@pytest.mark.parametrize(
    "make",
    [dl.mechanisms.wasserstein, dl.mechanisms.markov_quilt, dl.mechanisms.least_noise],
    ids=lambda make: make.__name__,
)
def test_noise_for_chains_is_refused_where_records_are_known_or_the_chain_is_fitted(make):
    chain = dl.Markov(start=HALF, moves=STAYS, n=5)
    with pytest.raises(InputError, match="nobody knows a record"):
        make(chain.knowing(2), dl.Count(), epsilon=1)
    with pytest.raises(InputError, match="not fitted"):
        make(dl.fitted(chain), dl.Count(), epsilon=1)


def test_a_mixture_with_a_fitted_part_is_fitted():
    guess = dl.fitted(dl.IID(p="0.5", n=1001))
    for parts in ([(1, guess)], [("1/2", guess), ("1/2", dl.IID(p="0.4", n=1001))]):
        g = dl.verify(dl.Count(), dl.noiseless(dl.Mixture(parts)), epsilon=5, delta="1/2")
        assert (g.evidence, g.verdict) == ("heuristic", "review")


def test_the_total_of_randomised_answers_is_no_surer_than_its_belief():
    response = dl.mechanisms.RandomizedResponse(keep="3/4")
    for belief, evidence in ((dl.IID(p="0.5", n=101), "computed"), (dl.fitted(dl.IID(p="0.5", n=101)), "heuristic")):
        assert dl.mechanisms.ResponseTotal(response, belief).guarantees()[0].evidence == evidence


@pytest.mark.parametrize("secret", ["presence", "value", dl.Presence, None], ids=str)
def test_what_is_no_secret_never_passes(secret):
    with pytest.raises(InputError, match=r"Presence\(\)"):
        dl.verify(dl.Count(), dl.noiseless(dl.IID(p=0.1, n=100), secret=secret), epsilon=0.5, delta=1e-6)


@pytest.mark.parametrize("values", [{"yes": "1/4", "no": "3/4"}, {0: "1/2", 2: "1/2"}], ids=str)
def test_a_count_of_what_cannot_occur_is_refused(values):
    with pytest.raises(InputError, match="Say what to count"):
        dl.verify(dl.Count(), dl.noiseless(dl.IID(values=values, n=10)), epsilon=0.5, delta=1e-6)
    counted = dl.Count(frozenset({next(iter(values))}))
    assert dl.verify(counted, dl.noiseless(dl.IID(values=values, n=10)), epsilon=0.5).delta.lower > 0


def test_typical_slips_are_told():
    belief = dl.IID(p=0.1, n=100)
    for call in (
        lambda: dl.verify(dl.Count(), 0.1, epsilon=0.5),
        lambda: dl.verify(dl.Count, dl.noiseless(belief), epsilon=0.5),
        lambda: dl.noiseless("text"),
        lambda: dl.Sum(unit=0),
        lambda: dl.IID(p=0.1, n=10.5),
    ):
        with pytest.raises(InputError):
            call()
