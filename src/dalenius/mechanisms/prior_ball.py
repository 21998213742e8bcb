"""A count that is exact where every rate near a stated one has earned it, and that noisy releases may accompany."""

from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import Belief, records_of
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import exact
from dalenius.facts.secret import Secret, Value
from dalenius.mechanisms.earned import Kernel, ToldLaw, Window
from dalenius.mechanisms.single_prior import HIDES, because, checked_rate, yes_rate
from dalenius.mechanisms.stated import Answer, Company, Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.exponentials import logarithm, sign, value
from dalenius.numerics.least import first_true, last_true
from dalenius.numerics.pure import PureCurve

SOURCE = "a repair of hedging (Kifer and Machanavajjhala 2014, section 7.2) that composes; proof in docs/mechanisms.md"


@final
class BallCount(Stated):
    """How many of n independent records are "yes", where attackers believe in any one rate whose log odds are within
    beta of those of q.

    Exact counts are those whose likelihood ratios k/(np) and (n-k)/(n(1-p)) lie within e^±ε at both ends p of the ball,
    and so within it. With beta = 0 it is the single-prior count.

    >>> BallCount("1/2", n=1000, epsilon="0.9", beta="0.3").window
    Window(low=234, high=766)
    """

    company = Company.NOISY

    def __init__(
        self,
        q: float | str | Fraction,
        *,
        n: int,
        epsilon: float | str | Fraction,
        beta: float | str | Fraction,
    ) -> None:
        n = records_of(n)
        self.q, self.n, self.epsilon = checked_rate(q), n, checked_epsilon(epsilon)
        self.beta = exact(beta, name="beta")
        require(n >= 1, "at least one record", got=n, remedy="Without records there is nothing to count.")
        if self.beta < 0:
            raise InputError(f"beta, a distance of log odds, must be at least 0, but got {beta}. 0.1 is about 10 %.")
        self.window = _window(self.q, n, self.epsilon, self.beta)
        self.kernel = Kernel(n, self.window, drawn_scale(1 / self.epsilon))

    def law(self, count: int) -> ToldLaw:
        """The law of what is published of this count."""
        return self.kernel.law(count)

    def told(self) -> str:
        return f"count of {self.n} records: exact from {self.window} with some chance, otherwise with geometric noise"

    def exact_part(self) -> Bracket:
        """The largest log likelihood ratio of an exact count against absence, over the ball and the window."""
        worst = Bracket(0.0, 0.0)
        for k in () if self.window.empty else (self.window.low, self.window.high):
            for above, below in _ratios(self.q, self.n, k, self.beta):
                (a, b), (c, d) = value(above), value(below)
                worst = worst.join(logarithm(a / d, b / c)).join(logarithm(c / b, d / a))
        return worst

    def guarantees(self) -> tuple[Guarantee, ...]:
        noise = around(1 / self.kernel.scale, 1 / self.kernel.scale)
        found = self.exact_part()
        presence = Bracket(found.lower, max(found.upper, noise.upper))
        return (
            self._guarantee("presence", presence),
            self._guarantee("value", Bracket(0.0, around(2 * self.epsilon, 2 * self.epsilon).upper)),
        )

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """For every law of the ball, of which nobody knows a record: the two answers of a person."""
        p = yes_rate(belief, self.n)
        if p is None or not 0 < p < 1 or not isinstance(secret, Value):
            return None
        odds = p * (1 - self.q) / ((1 - p) * self.q)
        away = max(odds, 1 / odds)
        if away > 1 and logarithm(away, away).upper > self.beta:
            return None
        found = self.guarantees()[1]
        return found, PureCurve(Fraction(found.epsilon.upper), only=True)

    def _guarantee(self, pairs: str, epsilon: Bracket) -> Guarantee:
        return pure(
            self,
            definition="Pufferfish with a ball of beliefs",
            hides=HIDES[pairs],
            attacker=f"believes that {self.n} records are independent, with one rate whose log odds are within "
            f"{float(self.beta):g} of those of {float(self.q):g}",
            epsilon=epsilon,
            because=because(self.window, "exact counts by their likelihood ratios, noisy ones by their noise"),
            assumes=("records are independent and have one rate in the ball", "the noise is drawn as stated"),
            breaks=("an attacker who believes in a rate outside the ball, or is torn between several",),
            sources=(SOURCE,),
            notion=Notion.PUFFERFISH,
        )


def _window(q: Fraction, n: int, epsilon: Fraction, beta: Fraction) -> Window:
    """All counts within e^±ε at both ends of the ball; with the largest rate p = q e^β / (q e^β + 1 - q) for the lower
    end of the window, and the least, q / (q + (1-q) e^β), for the upper one.
    """
    p, e = 1 - q, epsilon

    def enough(k: int) -> bool:
        yes = sign([(k * q, beta), (k * p, 0), (-n * q, beta - e)]) >= 0
        return yes and sign([((k - n) * q, beta), ((k - n) * p, 0), (n * p, e)]) >= 0

    def few(k: int) -> bool:
        yes = sign([(n * q, e), (-k * q, 0), (-k * p, beta)]) >= 0
        return yes and sign([((n - k) * q, 0), ((n - k) * p, beta), (-n * p, beta - e)]) >= 0

    return Window(first_true(enough, 0, n), last_true(few, 0, n))


Terms = list[tuple[Fraction | int, Fraction | int]]


def _ratios(q: Fraction, n: int, k: int, beta: Fraction) -> list[tuple[Terms, Terms]]:
    """The ratios k/(np) and (n-k)/(n(1-p)) at both ends p of the ball, as quotients of sums of exponentials."""
    found: list[tuple[Terms, Terms]] = []
    for way in (beta, -beta):  # p = q e^way / (q e^way + 1 - q)
        found.append(([(k * q, way), (k * (1 - q), 0)], [(n * q, way)]))
        found.append((([((n - k) * q, way), ((n - k) * (1 - q), 0)]), [(n * (1 - q), 0)]))
    return found
