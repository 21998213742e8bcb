"""From one definition of privacy to another, with exact constants: what a guarantee of one kind implies for others.

Every function here is a proved implication; the papers' versions are repaired or sharpened where they are false or
loose (docs/theorems.md). Numbers that are given are exact, results are brackets: formulas are evaluated with `DIGITS`
digits, of which fewer than half can cancel (or with more, where more can), and then rounded outward.
"""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import DIGITS, decimal, rounded

LARGEST = 10_000  # ε


def _level(epsilon: Number) -> Fraction:
    found = exact(epsilon, name="epsilon")
    require(0 <= found <= LARGEST, f"ε between 0 and {LARGEST}", got=epsilon)
    return found


def _chance(delta: Number) -> Fraction:
    found = exact(delta, name="delta")
    require(0 <= found <= 1, "δ between 0 and 1", got=delta)
    return found


def _context(*differences: Fraction) -> Context:
    """As many digits more as there are zeros, in base 2, of numbers that differences are as small as."""
    zeros = sum(max(0, x.denominator.bit_length() - x.numerator.bit_length()) for x in differences if x)
    return Context(prec=DIGITS + zeros)


# -- two laws --------------------------------------------------------------------------------------------------------


def variation_from_indistinguishability(epsilon: Number, delta: Number) -> Bracket:
    """Total variation of two laws that are (ε, δ)-indistinguishable: at most (e^ε - 1 + 2δ) / (e^ε + 1), and attained.

    Proof. With t = P(S) - Q(S): t ≤ (e^ε - 1) Q(S) + δ, and from the complement e^ε t ≤ (e^ε - 1)(1 - Q(S)) + δ; add.

    >>> print(variation_from_indistinguishability(1, "0.05"))
    [0.489, 0.4891]
    """
    at, d = _level(epsilon), _chance(delta)
    with localcontext(Context(prec=DIGITS)):
        return rounded(1 - 2 * (1 - decimal(d)) / (decimal(at).exp() + 1), most=1.0, positive=at + d > 0)


def pointwise_from_indistinguishability(epsilon: Number, delta: Number, *, above: Number) -> Bracket:
    """The mass on which two (ε, δ)-indistinguishable laws differ by more than a factor e^above: at most
    δ (1 + e^-above) / (1 - e^(ε - above)), the limit of examples with three outcomes.

    Proof. On B = {P > e^above Q}: P(B) (1 - e^(ε - above)) ≤ P(B) - e^ε Q(B) ≤ δ, and Q(B) ≤ e^-above P(B); the same
    with P and Q exchanged; add.
    """
    at, d, top = _level(epsilon), _chance(delta), _level(above)
    require(top > at, "a larger factor than e^ε", got=above)
    with localcontext(_context(top - at)):
        value = decimal(d) * (1 + (-decimal(top)).exp()) / (1 - decimal(at - top).exp())
        return rounded(min(value, Decimal(1)), most=1.0)


def joint_from_most(delta: Number, exceptions: Number) -> Fraction:
    """δ of the joint laws (X, A(X)) and (X, A'(X)), if A(a) and A'(a) are (ε, δ)-indistinguishable except for a set of
    values a of this probability: δ + (1 - δ) · exceptions. Attained.
    """
    d, rest = _chance(delta), _chance(exceptions)
    return d + (1 - d) * rest


# -- differential and semantic privacy -------------------------------------------------------------------------------


def shift_from_dp(epsilon: Number) -> Bracket:
    """ε-differential privacy implies that no record shifts any belief by more than tanh(ε/2); tight for two records.

    >>> print(shift_from_dp(1))
    [0.4621, 0.4622]
    """
    return variation_from_indistinguishability(epsilon, 0)


def unknown_shift_from_dp(epsilon: Number) -> Bracket:
    """The same about the one record that an informed attacker does not know, or with a single record: tanh(ε/4)."""
    return variation_from_indistinguishability(_level(epsilon) / 2, 0)


def dp_from_shift(shift: Number, delta: Number = 0) -> tuple[Bracket, Bracket]:
    """(s, δ)-semantic privacy implies (4 artanh s, 2δ / (1 - s))-differential privacy, for replacing one record; for
    s = tanh(ε/2) that is (2ε, (1 + e^ε) δ). Tight for δ = 0. An undefined posterior is a failure.

    Proof. Let x and x' differ in record i, so that A(x_-i) is the same for both. Believe in x with probability
    u = (1 - s) / 2 and in x' else. Where P(A(x) = t) / P(A(x') = t) exceeds c, with √c = (1 + s) / (1 - s), that belief
    shifts by more than s. So this has probability at most δ under the belief, and at most δ / u given x.
    """
    s, d = exact(shift, name="shift"), _chance(delta)
    require(0 <= s < 1, "a shift of at least 0 and below 1", got=shift)
    with localcontext(Context(prec=DIGITS)):
        epsilon = 2 * decimal((1 + s) / (1 - s)).ln()
        return rounded(epsilon, positive=s > 0), rounded(min(decimal(2 * d / (1 - s)), Decimal(1)), most=1.0)


def dp_from_small_shift(shift: Number, delta: Number = 0) -> tuple[Bracket, Bracket]:
    """The same with the even belief on two neighbours: (2 artanh 2s, 2δ), for s < 1/2. A smaller δ for a larger ε."""
    s, d = exact(shift, name="shift"), _chance(delta)
    require(0 <= s < Fraction(1, 2), "a shift of at least 0 and below 1/2", got=shift)
    with localcontext(Context(prec=DIGITS)):
        epsilon = decimal((1 + 2 * s) / (1 - 2 * s)).ln()
        return rounded(epsilon, positive=s > 0), rounded(min(decimal(2 * d), Decimal(1)), most=1.0)


def semantic_from_dp(epsilon: Number, delta: Number, *, n: int, above: Number) -> tuple[Bracket, Bracket]:
    r"""(ε, δ)-differential privacy of n records implies (s, δ')-semantic privacy with s = tanh(ε/2) + `above` and

    $$ δ' = n δ (1 / h(s) + 1 / h_2(s)) \le \frac{4 n δ}{(1 + e^ε) \cdot above}. $$

    With `above` of 2 / (1 + e^ε) or more, s is 1 or more and δ' = nδ: only undefined posteriors fail. Sharp for one
    record in the limit of binary examples (h and h₂ are the least costs, in either direction, of one such shift).

    All is computed from 1 - s, about e^-ε, whose digits would be lost in s.
    """
    at, d, extra = _level(epsilon), _chance(delta), exact(above, name="above")
    require(n >= 1, "at least one record", got=n)
    require(extra > 0, "a number above 0", got=above)
    with localcontext(Context(prec=DIGITS)):
        if 2 / (decimal(at).exp() + 1) <= decimal(extra):
            return Bracket(1.0, 1.0), rounded(min(n * decimal(d), Decimal(1)), most=1.0)
    with localcontext(_context(at, extra)):  # which is below 2 e^-ε: more digits than squares of e^ε can cost
        steep = decimal(at).exp()
        left = 2 / (steep + 1) - decimal(extra)
        cost = 1 / _first_cost(left, steep) + 1 / _second_cost(left, steep)
        return rounded(1 - left, most=1.0), rounded(min(n * decimal(d) * cost, Decimal(1)), most=1.0)


def _first_cost(left: Decimal, steep: Decimal) -> Decimal:
    """H(s) = s - (c - 1) (1 - √x)² with c = e^2ε and x = cs / (c - 1), where 1 - x = (c (1 - s) - 1) / (c - 1)."""
    s, c = 1 - left, steep * steep
    if c * left <= 1:
        return s
    return s - (c * left - 1) ** 2 / ((c - 1) * (1 + (c * s / (c - 1)).sqrt()) ** 2)


def _second_cost(left: Decimal, steep: Decimal) -> Decimal:
    s, c = 1 - left, steep * steep
    if c > 1 and (s / (c - 1)).sqrt() < left:
        return (2 * (s * (c - 1)).sqrt() - (c - 1) * left) / steep
    return s / left / steep


def oblivious_from_dp(epsilon: Number, delta: Number, *, n: int, above: Number) -> tuple[Bracket, Bracket]:
    """Reality-oblivious semantic privacy for informed beliefs: s as in `semantic_from_dp`, and e^ε times its δ' plus δ.

    For arbitrary beliefs (ε, δ)-differential privacy implies nothing of the kind; with δ = 0 it implies tanh(ε/2).
    """
    at, d = _level(epsilon), _chance(delta)
    shift, failing = semantic_from_dp(epsilon, delta, n=n, above=above)
    with localcontext(Context(prec=DIGITS)):
        ends = [Decimal(end) * decimal(at).exp() + decimal(d) for end in (failing.lower, failing.upper)]
        lower, upper = (rounded(min(end, Decimal(1)), most=1.0) for end in ends)
    return shift, Bracket(lower.lower, upper.upper)


def belief_range(chance: Number, epsilon: Number) -> tuple[Bracket, Bracket]:
    """Between what a belief of this probability can become after an ε-indistinguishable release (fundamentals,
    Exercise 3.4): from max(p / e^ε, 1 - e^ε (1 - p)) to min(e^ε p, 1 - (1 - p) / e^ε). Both ends are attained.
    """
    p, at = exact(chance, name="chance"), _level(epsilon)
    require(0 <= p <= 1, "a probability", got=chance)
    with localcontext(Context(prec=DIGITS)):
        steep, x, rest = decimal(at).exp(), decimal(p), decimal(1 - p)  # whose digits would be lost in 1 - x
        least, most = max(x / steep, 1 - steep * rest), min(steep * x, 1 - rest / steep)
        # a small chance may be lost beside 1, but neither end is 0 then
        return rounded(least, most=1.0, positive=p > 0), rounded(most, most=1.0, positive=p > 0)


# -- coupled worlds --------------------------------------------------------------------------------------------------


def failure_from_coupled(epsilon: Number, delta: Bracket, *, pairs: int, posterior_delta: Number) -> Bracket:
    r"""Theorems 1 and 2, repaired: (ε, δ)-private for `pairs` pairs implies posteriors (2ε, d)-close except with
    probability \(pairs · δ (1 + e^ε (1 - d)) / d\). Tight; no side condition.
    """
    d, at = exact(posterior_delta, name="posterior_delta"), _level(epsilon)
    require(0 < d <= 1, "a posterior δ above 0 and at most 1", got=posterior_delta)
    require(pairs == int(pairs) >= 1, "at least one pair, a whole number", got=pairs)
    with localcontext(Context(prec=DIGITS)):
        factor = pairs * (1 + decimal(at).exp() * decimal(1 - d)) / decimal(d)
        return _scaled(delta, factor)


def balanced_from_coupled(epsilon: Number, delta: Number, *, pairs: int) -> Bracket:
    """The d at which posterior δ and failure are equal in `failure_from_coupled`: (2ε, d)-inference-based private.

    It solves d² + b d = c with b = pairs δ e^ε and c = pairs δ (1 + e^ε), and it is at most √c.

    >>> print(balanced_from_coupled(0.5, 1e-8, pairs=100))
    [0.001626, 0.001627]
    """
    require(pairs == int(pairs) >= 1, "at least one pair, a whole number", got=pairs)
    at, whole = _level(epsilon), pairs * _chance(delta)
    with localcontext(Context(prec=DIGITS)):
        b, c = decimal(whole) * decimal(at).exp(), decimal(whole) * (1 + decimal(at).exp())
        return rounded(2 * c / (b + (b * b + 4 * c).sqrt()) if c else Decimal(0), most=1.0)


def failure_from_pufferfish(delta: Bracket, *, chance: Number, posterior_delta: Number) -> Bracket:
    """Theorem 7, sharpened: (ε, δ)-Pufferfish for a secret of probability π implies that its posterior is (ε, d)-close
    to π except with probability 2 π (1 - π) δ / d, given any side. Hence (ε, √(δ/2))-inference-based.
    """
    d, pi = exact(posterior_delta, name="posterior_delta"), exact(chance, name="The secret's probability")
    require(0 < d <= 1, "a posterior δ above 0 and at most 1", got=posterior_delta)
    require(0 <= pi <= 1, "a probability of the secret", got=chance)
    with localcontext(Context(prec=DIGITS)):
        return _scaled(delta, decimal(2 * pi * (1 - pi) / d))


def composed_delta(first: tuple[Number, Bracket], second: tuple[Number, Bracket]) -> Bracket:
    """Theorem 6: δ of two releases together at ε_F + ε_G, max(δ_F e^ε_G + δ_G, δ_F + δ_G e^ε_F). Tight.

    F must be private for whoever knows Sim_G(alt(X)), and G for whoever knows F(X): `axioms.compose_coupled` computes
    both; they do not follow from the privacy of F and of G. The coins of F, G and the simulators are independent.
    """
    with localcontext(Context(prec=DIGITS)):
        steep_f, steep_g = (decimal(_level(epsilon)).exp() for epsilon, _ in (first, second))
        found = []
        for f, g in zip(*((one.lower, one.upper) for _, one in (first, second)), strict=True):
            d_f, d_g = Decimal(f), Decimal(g)
            found.append(rounded(min(max(d_f * steep_g + d_g, d_f + d_g * steep_f), Decimal(1)), most=1.0))
    return Bracket(found[0].lower, found[1].upper)


def pufferfish_delta(epsilon: Number, delta: Bracket, *, between: Number, apart: Bracket) -> Bracket:
    """Theorem 16: δ at 2ε + ε₁ between two private values, δ (1 + e^(ε + ε₁)) + δ₁ e^ε, where the simulator's outputs
    are (ε₁, δ₁)-alike for them. Tight. With (ε₁, δ₁) = (0, 0), independent records, it is Corollary 2: (1 + e^ε) δ.
    """
    at, first = _level(epsilon), _level(between)
    with localcontext(Context(prec=DIGITS)):
        steep, both = decimal(at).exp(), decimal(at + first).exp()
        ends = zip((delta.lower, delta.upper), (apart.lower, apart.upper), strict=True)
        values = [min(Decimal(d) * (1 + both) + Decimal(d1) * steep, Decimal(1)) for d, d1 in ends]
        found = [rounded(value, most=1.0) for value in values]
    return Bracket(found[0].lower, found[1].upper)


def epsilon_from_stability(least: Number, disagreement: Number) -> Bracket:
    """Theorem 12, sharpened: if every output has probability at least c, and F(X) ≠ F(X without i) with probability at
    most μ < c, all given x_i and z, then F is (ln(c / (c - μ)), 0)-private with the canonical simulator. Tight.

    Proof. Let a = P(F = t) ≥ c and b that of the simulator, |a - b| ≤ μ. Then a / b ≤ a / (a - μ) ≤ c / (c - μ), and
    b / a ≤ (c + μ) / c, which is less. F on the scrubbed data must give outputs that F can give.
    """
    c, mu = exact(least, name="least"), exact(disagreement, name="disagreement")
    require(0 <= mu < c <= 1, "a disagreement of at least 0 and below the least probability", got=disagreement)
    with localcontext(Context(prec=DIGITS)):
        return rounded(decimal(c / (c - mu)).ln(), positive=mu > 0)


def _scaled(delta: Bracket, factor: Decimal) -> Bracket:
    ends = [rounded(min(Decimal(end) * factor, Decimal(1)), most=1.0) for end in (delta.lower, delta.upper)]
    return Bracket(ends[0].lower, ends[1].upper)
