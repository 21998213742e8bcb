"""Coupled worlds, continued: stable functions, and choosing the likeliest model."""

from collections.abc import Sequence
from functools import partial

from dalenius.basics.errors import PreconditionError, require
from dalenius.claims import Guarantee, Notion
from dalenius.claims.conversions import epsilon_from_stability
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import lowered, raised
from dalenius.facts.records import Number, exact
from dalenius.judge.selection import theorem_15_counterexample
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.models import LikeliestModel
from dalenius.mechanisms.wrong_models import Among, Bounded, chernoff_curve
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.mechanisms.noisy_choice import Model, steepest
from dalenius.papers.theorems.cw import NOTHING, stated
from dalenius.papers.theorems.papers import CW
from dalenius.papers.theorems.theorem import Status, Violation, proved, theorem

_theorem = partial(theorem, paper=CW)
FOLLOW = "records follow one of the models, and are independent given which"

# -- stable functions --------------------------------------------------------------------------------------------------


@_theorem(
    "CW-T11",
    "Theorem 11",
    Status.TRUE,
    says="a function that one record changes with probability below δ, whatever it is, is (0, δ)-private",
    holds="as printed; the exact δ is the total variation, at most the probability of a change",
    uses=("judge.selection.stability",),
    tests=(
        "mechanisms/test_choices.py::test_the_majority_of_real_crowds",
        "finite/test_conversions.py::test_stability_bounds_distributional_privacy",
    ),
    assumes=("the change is bounded given every value of the record and all that is known, for every record",),
)
def stable(disagreement: Number) -> Guarantee:
    """Release and simulator are coupled by the same data; they differ with the probability of a change."""
    return proved(
        Notion.DISTRIBUTIONAL,
        delta=stated(disagreement, "disagreement"),
        because="release and simulator agree but with this probability",
        source="CW, Theorem 11",
    )


@_theorem(
    "CW-T12",
    "Theorem 12",
    Status.SHARPENED,
    says="if each output has probability at least c, and a change at most μ < c, ε = ln((c + μ)/(c - μ)) and δ = 0",
    holds="ε = ln(c/(c - μ)), attained for c up to 1/2; the function without a record must have the same outputs",
    uses=("claims.conversions.epsilon_from_stability",),
    tests=(
        "finite/test_conversions.py::test_theorem_12_sharpened",
        "finite/test_golden.py::test_theorem_12_with_its_sharp_constant",
        "finite/test_conversions.py::test_stability_bounds_distributional_privacy",
    ),
    assumes=("without the record the function has no other outputs than with it",),
)
def stable_and_spread(least: Number, disagreement: Number) -> Guarantee:
    """With a the probability of an output and b the simulator's, |a - b| ≤ μ and a ≥ c: a/b ≤ c/(c - μ), and b/a ≤
    (c + μ)/c, which is less.
    """
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=epsilon_from_stability(least, disagreement),
        because="every output is likelier than a change",
        source="CW, Theorem 12, sharpened",
    )


# -- the likeliest model -----------------------------------------------------------------------------------------------

Choosing = LikeliestRate | LikeliestModel


def _bounded(choice: Choosing, among: Among) -> Bounded:
    models = len(choice.rates) if isinstance(choice, LikeliestRate) else len(choice.models)
    require(models >= 2, "at least two models", got=models)
    return chernoff_curve(choice, among)


def _changes(choice: Choosing, among: Among, source: str) -> Guarantee:
    """(0, δ), by the sum of Chernoff bounds over wrong models."""
    return proved(
        Notion.DISTRIBUTIONAL,
        delta=_bounded(choice, among).delta(exact(0, name="epsilon")),
        because="Chernoff bounds for each pair of models, with the best exponent",
        source=source,
        assumes=(FOLLOW,),
        release=str(choice),
    )


def _pure(choice: Choosing, among: Among, source: str) -> Guarantee:
    """(ε, 0), if every model has some prior probability."""
    found = _bounded(choice, among).pure
    if found == float("inf"):
        raise PreconditionError(
            f"The bound on ε needs wrong choices to be unlikelier than 1 altogether, but with {among.others} unknown "
            "records they are not. Use more records, or model_curve(...) for the exact curve."
        )
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=Bracket(0.0, found),
        delta=NOTHING,
        because="Chernoff bounds for each pair of models, and the posterior of each is bounded from below",
        source=source,
        assumes=(FOLLOW,),
        release=str(choice),
    )


@_theorem(
    "CW-T13",
    "Theorem 13",
    Status.SHARPENED,
    says="to choose the likeliest of k models is (0, (k - 1) τ (M + 1) e^-nu)-private, for any prior",
    holds="with max_j Σ_i min_s (π_i/π_j)^s M_ij^s C_s(i, j)^n; the mean in (5) is under f_i', and n counts the others",
    uses=("mechanisms.wrong_models.chernoff_curve", "judge.selection.printed_delta"),
    tests=(
        "mechanisms/test_selected.py::test_theorem_13",
        "mechanisms/test_selected.py::test_the_expectation_is_under_the_true_model",
    ),
    assumes=(FOLLOW,),
)
def likeliest(choice: Choosing, *, n: int) -> Guarantee:
    """When j is true the choice changes only if some i beats j with the record or without it, for which its lead over
    the others must reach -ln(π_i/π_j) - ln M_ij: a Chernoff bound for each i. The worst prior is sure of one model.
    """
    return _changes(choice, Among(n), "CW, Theorem 13, sharpened")


@_theorem(
    "CW-T14",
    "Theorem 14",
    Status.SHARPENED,
    says="if each model has prior at least λ: (ε, 0), e^ε = (1 + (M/λ - 1) τ M e^-nu)/(1 - (k - 1) τ M e^-nu)",
    holds="ln max{(1 + κ e₁)/(1 - (k - 1) e₀), (1 + κ e₀)/(1 - (k - 1) e₁)}, κ = (1 - λ) M/λ, pair by pair",
    uses=("mechanisms.wrong_models.chernoff_curve", "judge.selection.printed_epsilon"),
    tests=("mechanisms/test_selected.py::test_theorem_14",),
    assumes=(FOLLOW,),
)
def likeliest_purely(choice: Choosing, *, n: int, least_prior: Number) -> Guarantee:
    """The probability of output t is at least P(t is true) (1 - wrong) and at most that plus what wrong models give,
    with the record (e₁) and without it (e₀); the odds against t are at most κ.
    """
    return _pure(choice, Among(n, least_prior=exact(least_prior, name="least_prior")), "CW, Theorem 14, sharpened")


def _known_ones() -> Violation:
    """Rates 1/4 and 3/4, records at rate 1/4, of which 50 are known to be ones, and 100 are open."""
    claimed, truth = theorem_15_counterexample()
    return Violation(
        "with L known records Theorem 13 holds for the n - L others",
        "rates 1/4 and 3/4: 50 ones are known, 100 records are open and have rate 1/4",
        Bracket(lowered(claimed, 1000), raised(claimed, 1000)),
        truth,
    )


@_theorem(
    "CW-T15",
    "Theorem 15",
    Status.REPAIRED,
    says="with L known records Theorems 13 and 14 hold for n - L",
    holds="if the weights are those after the known records: τ grows to at most τ M^L, and λ falls",
    counterexample=_known_ones,
    uses=("judge.selection.theorem_15_counterexample", "mechanisms.wrong_models.chernoff_curve"),
    tests=(
        "mechanisms/test_selected.py::test_theorem_15_is_refuted",
        "mechanisms/test_selected.py::test_the_pure_version_of_theorem_15_is_refuted",
        "mechanisms/test_selected.py::test_theorem_15_repaired",
    ),
    assumes=(FOLLOW, "the person's record is not among the known ones"),
)
def likeliest_with_known(
    choice: Choosing,
    *,
    n: int,
    known: int,
    seen: tuple[int, ...] | None = None,
    least_prior: Number | None = None,
) -> Guarantee:
    """Known records move the boundary: the choice is that of the other records with weights π_i Π f_i(x_l). Their ratio
    is what the known records say (`seen` counts their values), at worst M_ij^L.
    """
    prior = None if least_prior is None else exact(least_prior, name="least_prior")
    among = Among(n, known, seen, prior)
    if prior is None:
        return _changes(choice, among, "CW, Theorem 15, repaired")
    return _pure(choice, among, "CW, Theorem 15, repaired")


@_theorem(
    "CW-T17-models",
    "Theorem 17, choices",
    Status.TRUE,
    covers=("Theorem 17",),
    says="to choose the likeliest model is noiselessly private with (0, 2δ), δ that of Theorem 13, for each model",
    holds="as printed; `model_curve(..., noiseless=True)` is exact",
    uses=("mechanisms.selected.model_curve",),
    tests=("mechanisms/test_selected.py::test_guarantees_tell_their_story",),
    assumes=("records are independent and follow one of the models, a fixed one",),
)
def likeliest_by_value(choice: Choosing, *, n: int) -> Guarantee:
    """Corollary 2 at ε = 0: either value is δ-near to the choice without the record."""
    once = _bounded(choice, Among(n)).delta(exact(0, name="epsilon"))
    return proved(
        Notion.NOISELESS,
        delta=Bracket(0.0, min(1.0, 2 * once.upper)),
        because="either value of a record is near to the choice without it",
        source="CW, Theorem 17",
        release=str(choice),
    )


@_theorem(
    "CW-S3C",
    "Section III-C, the likeliest model with a little noise",
    Status.TRUE,
    covers=("Section III-C",),
    says="with a little added noise the choice of the likeliest model is ε-differentially private",
    holds="noise of Gumbel's law of scale 2 ln(M)/ε on each log likelihood, however many records there are; where a "
    "record comes or goes, half of it",
    uses=("papers.mechanisms.noisy_choice.noisy_choice", "papers.mechanisms.noisy_choice.steepest"),
    tests=("theorems/test_conditions.py::test_a_noisy_choice_is_as_private_as_is_said_and_hardly_ever_another_one",),
    assumes=("the noise is drawn as stated",),
)
def noisy_likeliest(models: Sequence[Model], *, scale: Number) -> Guarantee:
    """A model wins with a chance in proportion to the power 1/scale of its weighted likelihood. Replacing a record
    changes the ratio of two models' likelihoods by at most M², and so each chance by at most M^(2/scale).
    """
    noise, factor = exact(scale, name="scale"), steepest(models)
    require(noise > 0, "a scale above 0", got=scale)
    return proved(
        Notion.DIFFERENTIAL,
        epsilon=evaluated(lambda: 2 * decimal(factor).ln() / decimal(noise)),
        because="a record changes the ratio of two models' likelihoods by at most M²",
        source="CW, Section III-C",
        release="which of some models wins, with noise on each log likelihood",
    )
