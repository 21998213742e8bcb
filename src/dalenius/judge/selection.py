"""Guarantees for releases that choose: a model, the most frequent value; and for stable functions in general.

Bassily, Groce, Katz and Smith, "Coupled-worlds privacy" (FOCS 2013), Theorems 11 to 15 and 17.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, PreconditionError, require
from dalenius.beliefs.belief import SHARE
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.claims.conversions import epsilon_from_stability
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.facts.records import Number, exact
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.models import LikeliestModel
from dalenius.mechanisms.selected import model_curve
from dalenius.mechanisms.wrong_models import Bounded
from dalenius.numerics.coupling import CouplingCurve
from dalenius.numerics.curve import Curve

SOURCE = "Bassily et al. 2013, Coupled-worlds privacy, Theorems 13 to 15 (13, 14 sharpened; 15 repaired) and 17"
SIMULATOR = "distributional differential privacy; the simulator chooses without the person's record"


def selection_guarantee(
    release: LikeliestRate | LikeliestModel,
    *,
    n: int,
    known: int = 0,
    least_prior: Number | None = None,
    noiseless: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
) -> Guarantee:
    """What choosing a model guarantees, when n records follow one of the models and `known` of them are known.

    With `epsilon`: δ. With `delta` alone: the least ε. The attacker's prior is any, or gives each model at least
    `least_prior`. `noiseless` compares two values of a record, for records that follow a fixed but unknown model.

    >>> import dalenius as dl
    >>> quarters = dl.mechanisms.likeliest_rate(0.25, 0.75)
    >>> print(dl.judge.selection_guarantee(quarters, n=61, epsilon=0, delta=1e-4).delta)
    [1.831e-5, 1.832e-5]
    """
    at, wanted = _targets(epsilon, delta)
    whole = model_curve(release, n=n, known=known, least_prior=least_prior, noiseless=noiseless)
    least = whole.epsilon(wanted or Fraction(0)) if at is None else around(at, at)
    bracket = whole.delta(at) if at is not None else around(wanted or Fraction(0), wanted or Fraction(0))
    prior = "any prior" if least_prior is None else f"a prior of at least {least_prior} for each model"
    return Guarantee(
        definition="noiseless privacy" if noiseless else SIMULATOR,
        hides="the value of any one record",
        attacker=f"records of one of the models, n={n}, {prior}, knows {known}",
        release=f"{release}, ties to the {release.ties}",
        epsilon=least,
        delta=bracket,
        target_epsilon=at,
        target_delta=wanted,
        because=_because(whole),
        assumes=(
            "records are independent given the model, which is one of those listed",
            "the choice between ties is fixed before the data are seen",
            SHARE,
            *ASSUMPTIONS,
        ),
        breaks=(
            "records that follow none of the models, or move together",
            "another exact figure about overlapping records that is not judged together with this one",
        ),
        evidence=Evidence.PROVED if isinstance(whole, Bounded) else Evidence.COMPUTED,
        sources=(SOURCE,),
        notion=Notion.NOISELESS if noiseless else Notion.DISTRIBUTIONAL,
    )


def _because(whole: Curve) -> str:
    if isinstance(whole, CouplingCurve):
        return f"one record changes the choice with probability {whole.disagreement()}"
    return "Chernoff bounds for each pair of models, with the best exponent"


def _targets(epsilon: Number | None, delta: Number | None) -> tuple[Fraction | None, Fraction | None]:
    if epsilon is None and delta is None:
        raise InputError("selection_guarantee needs epsilon=..., delta=... or both. Give epsilon=0 to learn δ.")
    at = None if epsilon is None else exact(epsilon, name="epsilon")
    wanted = None if delta is None else exact(delta, name="delta")
    require(at is None or at >= 0, "epsilon of at least 0", got=epsilon, remedy="Typical values are 0 to 2.")
    require(
        wanted is None or 0 <= wanted <= 1, "delta between 0 and 1", got=delta, remedy="Typical values are below 1e-3."
    )
    return at, wanted


@final
@dataclass(frozen=True, slots=True)
class Stability:
    """How stable a function is: how often one record changes it, and how likely every output is, at worst.

    Theorem 11: it is (0, disagreement)-private. Theorem 12, sharpened: it is (ε, 0)-private, ε = ln(c / (c - μ)). The
    simulator runs the function without the record. Both are looser than the exact curve, and need less.

    >>> import dalenius as dl
    >>> whole = dl.curve(
    ...     dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.IID(p=0.5, n=101), secret=dl.PresenceOnly())
    ... )
    >>> print(dl.judge.stability(whole).disagreement)
    [0.07958, 0.07959]
    """

    disagreement: Bracket
    least: float

    @property
    def epsilon(self) -> float:
        """The ε of Theorem 12; infinite unless every output is likelier than a change."""
        if not self.disagreement.upper < self.least:
            return math.inf
        return epsilon_from_stability(Fraction(self.least), Fraction(self.disagreement.upper)).upper

    @property
    def noiseless(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Corollary 2: what (ε, δ) becomes for two values of an independent record, (2ε, (1 + e^ε) δ); from Theorem 11
        and from Theorem 12.
        """
        return (0.0, min(1.0, 2 * self.disagreement.upper)), (2 * self.epsilon, 0.0)


def stability(whole: Curve) -> Stability:
    """The stability of a choice, from its curve with `PresenceOnly` for a secret.

    >>> import dalenius as dl
    >>> whole = dl.curve(
    ...     dl.Count() >> dl.mechanisms.majority(), dl.noiseless(dl.IID(p=0.5, n=101), secret=dl.PresenceOnly())
    ... )
    >>> print(round(dl.judge.stability(whole).epsilon, 4))
    0.1899
    """
    if not isinstance(whole, CouplingCurve):
        raise PreconditionError(
            f"Stability needs the joint law of a choice with and without a record, but got {type(whole).__name__}. Use "
            "curve(count >> choice, noiseless(IID(...), secret=PresenceOnly())), or model_curve(...)."
        )
    return Stability(whole.disagreement(), whole.least_output())


# -- as printed -------------------------------------------------------------------------------------------------------


def printed_delta(release: LikeliestRate, *, records: int, s: float = 0.5) -> float:
    """Theorem 13 as printed, for so many records besides the person's: (k - 1) τ (M + 1) C^records, in plain floats.

    True, and loose. With known records (Theorem 15) it is printed with only the unknown ones for `records`: false.
    """
    tau, most, affinity = _constants(release, s)
    return (len(release.rates) - 1) * tau * (most + 1) * affinity**records


def printed_epsilon(release: LikeliestRate, *, records: int, least_prior: Number, s: float = 0.5) -> float:
    """Theorem 14 as printed: ln[(1 + (M/λ - 1) τ M C^records) / (1 - (k - 1) τ M C^records)], in plain floats."""
    tau, most, affinity = _constants(release, s)
    wrong, least = tau * most * affinity**records, float(exact(least_prior, name="least_prior"))
    others = len(release.rates) - 1
    return math.log((1 + (most / least - 1) * wrong) / (1 - others * wrong)) if others * wrong < 1 else math.inf


def _constants(release: LikeliestRate, s: float) -> tuple[float, float, float]:
    """The largest ratio of weights, the largest ratio of likelihoods, and the largest C_s (under the second law)."""
    pairs = [(p, q) for p in release.rates for q in release.rates if p != q]
    most = max(max(p / q, (1 - p) / (1 - q)) for p, q in pairs)
    affinity = max(float(p) ** s * float(q) ** (1 - s) + float(1 - p) ** s * float(1 - q) ** (1 - s) for p, q in pairs)
    return float(max(release.weights) / min(release.weights)), float(most), affinity


def theorem_15_counterexample(*, unknown: int = 100, known: int = 50) -> tuple[float, Bracket]:
    """What Theorem 15 claims, and the truth, when an attacker knows that 50 records are ones and 100 are open.

    Rates 1/4 and 3/4, records at rate 1/4. Known records are not merely left out: they move the boundary to where the
    rest is likely to be.

    >>> claimed, truth = theorem_15_counterexample()
    >>> claimed < 1e-5, truth.lower > 0.09
    (True, True)
    """
    release = LikeliestRate((Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1)))
    whole = model_curve(release, n=unknown + known + 1, known=known, seen=(0, known))
    return printed_delta(release, records=unknown), whole.delta(Fraction(0))
