"""A count under one stated law of the records: exact where the data earn it (Pufferfish, Algorithm 1)."""

from fractions import Fraction
from typing import Literal, TypeAlias, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import IID, Belief, records_of
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.balls import Balls, joined, log_of, log_sum_exp
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import float_up
from dalenius.facts.records import exact
from dalenius.facts.secret import Secret, Value
from dalenius.mechanisms.earned import Kernel, ToldLaw, Window
from dalenius.mechanisms.stated import Answer, Company, Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.exponentials import logarithm, sign
from dalenius.numerics.law import Floats
from dalenius.numerics.least import first_true, last_true
from dalenius.numerics.pure import PureCurve

Pairs: TypeAlias = Literal["presence", "value"]
LARGEST_EXACT = 2_000  # records up to which the noisy outputs are summed one by one
SOURCE = "Kifer and Machanavajjhala 2014, Algorithm 1 and Theorem 7.1 (leftover mass in closed form)"


def checked_rate(q: float | str | Fraction, *, name: str = "q") -> Fraction:
    """A chance strictly between 0 and 1."""
    found = exact(q, name=name)
    if not 0 < found < 1:
        raise InputError(
            f"{name} must lie strictly between 0 and 1, but got {q}. A count that is certain beforehand tells nothing, "
            "and no window around it can be earned."
        )
    return found


def checked_pairs(pairs: str) -> Pairs:
    """Which facts are to be hidden."""
    if pairs == "presence":
        return "presence"
    require(pairs == "value", 'pairs="presence" or pairs="value"', got=pairs)
    return "value"


def window_for_values(q: Fraction, n: int, epsilon: Fraction) -> Window:
    """Where k(1-q) / ((n-k)q), the likelihood ratio of "yes" against "no", lies within e^±ε; without 0 and n."""
    low = first_true(lambda k: sign([(k * (1 - q), epsilon), (-(n - k) * q, 0)]) >= 0, 1, n - 1)
    high = last_true(lambda k: sign([((n - k) * q, epsilon), (-k * (1 - q), 0)]) >= 0, 1, n - 1)
    return Window(low, high)


def window_for_presence(q: Fraction, n: int, epsilon: Fraction) -> Window:
    """Where k/(nq) and (n-k)/(n(1-q)), the likelihood ratios of "yes" and "no" against "not among them", lie within
    e^±ε. It holds neither 0 nor n.
    """
    low = first_true(
        lambda k: sign([(k, epsilon), (-n * q, 0)]) >= 0 and sign([(n * (1 - q), epsilon), (k - n, 0)]) >= 0, 0, n
    )
    high = last_true(
        lambda k: sign([(n * q, epsilon), (-k, 0)]) >= 0 and sign([(n - k, epsilon), (-n * (1 - q), 0)]) >= 0, 0, n
    )
    return Window(low, high)


@final
class SinglePriorCount(Stated):
    """How many of n records, each "yes" with chance q, are "yes": exactly where that is expected, else with noise.

    It hides whether a person is among the records, and with which answer (pairs of presence). With pairs="value" the
    window is that of the paper, in which the two answers are hidden from each other within ε too; with
    pairs="presence" it is the widest possible, and the answers are hidden within what `guarantees` says.

    >>> SinglePriorCount("0.3", n=20, epsilon="0.5", pairs="value").window
    Window(low=5, high=8)
    >>> SinglePriorCount("0.3", n=20, epsilon="0.5").window
    Window(low=4, high=9)
    """

    company = Company.NOISY

    def __init__(
        self, q: float | str | Fraction, *, n: int, epsilon: float | str | Fraction, pairs: Pairs = "presence"
    ) -> None:
        n = records_of(n)
        self.q, self.n, self.epsilon = checked_rate(q), n, checked_epsilon(epsilon)
        require(n >= 1, "at least one record", got=n, remedy="Without records there is nothing to count.")
        self.pairs = checked_pairs(pairs)
        cut = window_for_values if self.pairs == "value" else window_for_presence
        self.window = cut(self.q, n, self.epsilon)
        self.kernel = Kernel(n, self.window, drawn_scale(1 / self.epsilon))

    def law(self, count: int) -> ToldLaw:
        """The law of what is published of this count."""
        return self.kernel.law(count)

    def told(self) -> str:
        return f"count of {self.n} records: exact from {self.window} with some chance, otherwise with geometric noise"

    def leak(self, pairs: Pairs) -> Bracket:
        """The exact ε of what is published: of exact counts in closed form, of noisy ones by summing over all counts,
        up to 2000 records; beyond, between the former and the theorem.
        """
        found = exact_part(self.q, self.n, self.window, checked_pairs(pairs))
        if self.n <= LARGEST_EXACT:
            return found.join(_noisy_part(self.kernel, self.q, pairs))
        noise = around(1 / self.kernel.scale, 1 / self.kernel.scale)
        return Bracket(found.lower, max(found.upper, noise.upper))

    def guarantees(self) -> tuple[Guarantee, ...]:
        return tuple(self._guarantee(pairs) for pairs in ("presence", "value"))

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For exactly its own law, of which nobody knows a record: the two answers of a person."""
        if yes_rate(belief, self.n) != self.q or not isinstance(secret, Value):
            return None
        found = self._guarantee("value")
        return found, PureCurve(Fraction(found.epsilon.upper), only=True)

    def _guarantee(self, pairs: Pairs) -> Guarantee:
        return pure(
            self,
            definition="Pufferfish with one belief (single-prior privacy)",
            hides=HIDES[pairs],
            attacker=f'believes that {self.n} records are independent, each "yes" with chance {float(self.q):g}',
            epsilon=self.leak(pairs),
            because=because(self.window, "computed over all outputs"),
            assumes=("records are independent and have exactly this law", "the noise is drawn as stated"),
            breaks=("an attacker who believes in another law, or knows a record",),
            sources=(SOURCE,),
            notion=Notion.PUFFERFISH,
        )


def yes_rate(belief: Belief, n: int) -> Fraction | None:
    """P(1) of n independent yes/no records of one law, of which none is known; None of any other belief."""
    if not isinstance(belief, IID) or belief.known or belief.n != n or set(belief.domain()) != {0, 1}:
        return None
    return sum((chance for value, chance in belief.marginal if value == 1), Fraction(0))


HIDES = {
    "presence": 'whether a person is among the records with "yes" (or with "no"), or is not among them',
    "value": 'whether a person among the records says "yes" or "no"',
}


def because(window: Window, how: str) -> str:
    """Why the number holds."""
    return f"{how}; no count can be earned: all are noisy" if window.empty else how


def exact_part(q: Fraction, n: int, window: Window, pairs: Pairs) -> Bracket:
    """The largest log likelihood ratio of an output "exactly k". The ratios are monotone in k, so it is at an end."""
    worst = Bracket(0.0, 0.0)
    for k in () if window.empty else (window.low, window.high):
        yes, no = Fraction(k) / (n * q), Fraction(n - k) / (n * (1 - q))
        for ratio in (yes, no) if pairs == "presence" else (yes / no,):
            most = max(ratio, 1 / ratio)
            worst = worst.join(logarithm(most, most))
    return worst


def _noisy_part(kernel: Kernel, q: Fraction, pairs: Pairs) -> Bracket:
    r"""The largest log likelihood ratio of a noisy output.

    With B the law of the other n - 1 records, "yes" gives Σ B(k) P(r | k+1), "no" gives Σ B(k) P(r | k), and absence is
    their mixture with weight q. Ratios do not change below 0 and above n, where all chances are c x^|r-k|. Cost O(n²).

    In logarithms, so that no chance underflows. Log B(k) is a sum of k logarithms of ratios.
    """
    n = kernel.n
    k = np.arange(n - 1.0)
    steps = (Balls.of(n - 1 - k) / (k + 1)).log() + log_of(q / (1 - q))
    others = joined([Balls.of([0.0]), steps.cumsum()])[:, None]
    outputs = np.arange(n + 1)
    powers = np.array([-kernel.exponents(k, outputs) for k in range(n + 1)], dtype=float)
    table = Balls.of(powers) / Balls.of(kernel.scale)
    no, yes = (log_sum_exp(others + table[first : first + n]) for first in (0, 1))
    if pairs == "presence":
        parts = joined([(no + log_of(1 - q))[None], (yes + log_of(q))[None]])
        apart = [abs(side - log_sum_exp(parts)) for side in (no, yes)]
    else:
        apart = [abs(yes - no)]
    lower, upper = max(float(one.lower.max()) for one in apart), max(float(one.upper.max()) for one in apart)
    most = 1 / kernel.scale  # which the proof gives
    return Bracket(max(0.0, lower), min(max(upper, 0.0), float_up(most)))


def _log(number: Fraction) -> float:
    """The logarithm of a fraction, to a unit, also of one that is near 1 or that no float can hold."""
    found = logarithm(number, number)
    return (found.lower + found.upper) / 2


def _log_sums(others: Floats, table: Floats) -> Floats:
    """Log Σ_k exp(others_k + table_kr) for each r."""
    terms = others[:, None] + table
    top = terms.max(axis=0)
    return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))
