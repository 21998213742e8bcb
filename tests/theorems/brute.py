"""Divergences by hand: sums over outcomes in exact fractions, e^ε to sixty digits. Shares no code with the library."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction


def exp(epsilon, *, up):
    """e^ε as a fraction, rounded up or down by one part in 10^60."""
    with localcontext(Context(prec=80)):
        value = Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())
    return value * (1 + Fraction(1 if up else -1, 10**60)) if epsilon else Fraction(1)


def excess(p, q, epsilon):
    """At most the hockey-stick divergence of p from q (e^ε is rounded up): a lower end, right to 60 digits."""
    factor = exp(epsilon, up=True)
    return sum((max(a - factor * b, 0) for a, b in zip(p, q, strict=True)), Fraction(0))


def apart(p, q, epsilon):
    """The same in the worse direction."""
    return max(excess(p, q, epsilon), excess(q, p, epsilon))


def distance(p, q):
    """Total variation."""
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def bad_mass(p, q, epsilon):
    """The larger of the two masses of the outcomes at which the laws differ by more than e^ε."""
    factor = exp(epsilon, up=True)
    where = [a > factor * b or b > factor * a for a, b in zip(p, q, strict=True)]
    return max(sum((m for m, w in zip(law, where, strict=True) if w), Fraction(0)) for law in (p, q))


def ln(number, *, up):
    """The natural logarithm of a fraction, rounded up or down by one part in 10^60."""
    with localcontext(Context(prec=80)):
        value = Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())
    return value + Fraction(1 if up else -1, 10**60) if number != 1 else Fraction(0)
