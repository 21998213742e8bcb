"""Numbers as people read them. What bounds something is rounded outwards, so that what is read is certified too."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction

SHOWN = 40  # digits of a number that has to differ from another one
MOST_DIGITS = 1100  # more than a float has
DECIMALS = 10  # of a published figure


def digits(number: float, *, rounding: str, places: int = 4) -> str:
    """`number` with `places` significant digits, rounded in the stated direction."""
    if number == 0 or not math.isfinite(number):
        return {0.0: "0", math.inf: "∞", -math.inf: "-∞"}.get(number, "nan")
    return _plainly(Decimal(number), rounding, places)


def _plainly(exact: Decimal, rounding: str, places: int) -> str:
    with localcontext(Context(prec=MOST_DIGITS)):
        rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - places + 1), rounding=rounding)
    power = rounded.adjusted()
    if -4 <= power < 16:
        plain = f"{rounded:f}"
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa = f"{rounded.scaleb(-power):f}"
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power}"


def at_least(number: float, beside: Fraction | None = None) -> str:
    """`number` with four digits, rounded down; with more where it takes them to be above `beside` as the number is."""
    return _beside(number, beside, ROUND_FLOOR)


def at_most(number: float, beside: Fraction | None = None) -> str:
    """`number` with four digits, rounded up; with more where it takes them to be at most `beside`, as the number is.

    >>> at_most(9.99901e-7), at_most(9.99901e-7, Fraction("9.9995e-7"))
    ('1e-6', '9.9991e-7')
    """
    return _beside(number, beside, ROUND_CEILING)


def _beside(number: float, other: Fraction | None, rounding: str) -> str:
    places, text = 4, digits(number, rounding=rounding)
    while other is not None and math.isfinite(number) and (Fraction(text) > other) != (number > other):
        places += 1  # comes to an end: with all its digits the text is the number
        text = digits(number, rounding=rounding, places=places)
    return text


def upwards(number: float, places: int = 3) -> str:
    """`number` with so many digits, rounded up.

    >>> upwards(1.2341), upwards(1.2341, places=2)
    ('1.24', '1.3')
    """
    return digits(number, rounding=ROUND_CEILING, places=places)


def raised(number: Fraction, places: int = 6) -> str:
    """A number above 0 with so many digits where they are all, else rounded up.

    >>> raised(Fraction(11, 5)), raised(Fraction(1, 3))
    ('2.2', '0.333334')
    """
    near = f"{float(number):.{places}g}"
    if Fraction(near) >= number:
        return near
    return digits(math.nextafter(float(number), math.inf), rounding=ROUND_CEILING, places=places)


def percent(chance: Fraction, *, up: bool = False) -> str:
    """A probability in percent, rounded to three digits: down, or up; near 100 % with as many digits as tell it from
    that.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 3), up=True), percent(Fraction(999999, 1000000))
    ('33.3 %', '33.4 %', '99.9999 %')
    """
    number = 100 * chance
    if 99 <= number < 100:
        places = min(12, 2 - math.floor(math.log10(float(100 - number))))
        step = Fraction(1, 10 ** max(places - 2, 1))
        number = (math.ceil(number / step) if up else math.floor(number / step)) * step
        return f"{float(number):.15g} %"
    near = float(number)
    if Fraction(near) != number:
        near = math.nextafter(near, math.inf if up else -math.inf)
    return f"{digits(near, rounding=ROUND_CEILING if up else ROUND_FLOOR, places=3)} %"


def one_in(chance: Fraction) -> str:
    """A chance in words, never smaller than it is.

    >>> one_in(Fraction(1, 10**6)), one_in(Fraction(3, 10**4)), one_in(Fraction(3, 4))
    ('1 in 1,000,000', '1 in 3,333', '75 %')
    """
    return f"1 in {counted(math.floor(1 / chance))}" if chance <= Fraction(1, 20) else percent(chance, up=True)


def counted(number: int) -> str:
    """A number of things, in threes.

    >>> counted(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def apart(number: Fraction | int, limit: Fraction | int) -> str:
    """A number with six digits, or as many as it takes to see that it is not the other one.

    >>> apart(Fraction("0.5000001"), Fraction(1, 2)), apart(Fraction(1, 3), Fraction(1, 2)), apart(1, 1)
    ('0.5000001', '0.333333', '1')
    >>> apart(1 + Fraction(1, 10**400), 1)
    '1 + 1e-400'
    """
    with localcontext(Context(prec=SHOWN)):
        whole = Decimal(number.numerator) / Decimal(number.denominator)
    for places in range(6, SHOWN):
        text = _plainly(whole, ROUND_HALF_EVEN, places) if whole else "0"
        read = Fraction(text)
        if number == limit or (read > limit, read < limit) == (number > limit, number < limit):
            return text
    with localcontext(Context(prec=3, Emin=-(10**9))):
        off = Fraction(number - limit)
        return f"{limit} {'+' if off > 0 else '-'} {Decimal(abs(off.numerator)) / Decimal(off.denominator)!s}".lower()


def short(number: Fraction) -> str:
    """A number with three digits where they are all, else with all that a float has.

    >>> short(Fraction(1, 10**6)), short(Fraction(1, 2)), short(Fraction(12345, 10**8)), short(Fraction(1, 10**400))
    ('1e-6', '0.5', '0.00012345', '1e-400')
    """
    if number and abs(number) < Fraction(1, 10**300):
        return f"{Decimal(number.numerator) / Decimal(number.denominator):.3g}".lower()
    few = digits(float(number), rounding=ROUND_HALF_EVEN, places=3)
    return few if Fraction(few) == number else str(float(number))


def plain(number: Fraction) -> str:
    """A number as people write it: in decimals where it has at most ten, else as a fraction.

    >>> plain(Fraction(2500)), plain(Fraction(-1, 4)), plain(Fraction(1, 3))
    ('2500', '-0.25', '1/3')
    """
    scaled = number * 10**10
    if scaled.denominator != 1:
        return str(number)
    text = f"{Decimal(scaled.numerator).scaleb(-10):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_decimals(value: Fraction) -> str:
    """A number without an exponent: exact where it has at most ten decimals, otherwise the nearest that has.

    >>> in_decimals(Fraction(5, 2)), in_decimals(Fraction(-1, 3)), in_decimals(Fraction(12000))
    ('2.5', '-0.3333333333', '12000')
    >>> in_decimals(Fraction(12345678901234567, 100))
    '123456789012345.67'
    """
    whole, part = divmod(abs(round(value * 10**DECIMALS)), 10**DECIMALS)
    text = f"{whole}.{part:0{DECIMALS}d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and text != "0" else text


def nearly(number: Fraction | float, places: int = 3) -> str:
    """A number that bounds nothing, with so many digits: the nearest.

    >>> nearly(Fraction(1, 3)), nearly(1234567.0, places=6)
    ('0.333', '1.23457e+06')
    """
    return f"{float(number):.{places}g}"


def tick(value: float) -> str:
    """A round number at an axis, in few characters.

    >>> tick(0.5), tick(1e-09), tick(12000.0)
    ('0.5', '1e-9', '12000')
    """
    if value and not 1e-4 <= abs(value) < 1e7:
        mantissa, power = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(power)}"
    return f"{value:.10g}"
