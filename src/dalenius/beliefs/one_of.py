"""Records that follow one of the models that a release chooses from."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.answers import Answer, Inquiry
from dalenius.beliefs.belief import SHARE, Belief, Share, known_records, records_of
from dalenius.facts.records import Label, Number, exact

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic


@final
class OneOfTheModels(Belief):
    """n independent records that follow one of the models listed by the release itself, with any prior, or one that
    gives each model at least `least_prior`.

    It judges the choice of a model, and nothing else: the release says which the models are.

    >>> import dalenius as dl
    >>> print(dl.beliefs.OneOfTheModels(n=100))
    records of one of the models, n=100, any prior, attacker knows 0
    """

    def __init__(self, *, n: int, known: Share = 0, least_prior: Number | None = None) -> None:
        self.n, self.known = records_of(n), known_records(known, n)
        self.least_prior = None if least_prior is None else exact(least_prior, name="least_prior")
        require(
            self.least_prior is None or 0 < self.least_prior <= Fraction(1, 2),
            "least_prior above 0 and at most 1/2",
            got=least_prior,
            remedy="Leave it out for any prior.",
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        return "records are independent given the model, which is one of those listed", SHARE

    def domain(self) -> Sequence[Label | Fraction]:
        return ()

    @property
    def route(self) -> str:
        return "likelihoods of the models"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        raise InputError(
            f"This belief is about models that the release chooses from, but got {statistic}. Say what the records "
            "are: IID(...) or Mixture(...)."
        )

    def __str__(self) -> str:
        prior = "any prior" if self.least_prior is None else f"a prior of at least {self.least_prior} for each"
        return f"records of one of the models, n={self.n}, {prior}, attacker knows {self.known}"
