"""What can stand in a cell: a number, a range, a rounded number, or a mark that something is hidden."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import final

from dalenius.audit.tables import HIDDEN, ROUNDED, Bound, MarkRule
from dalenius.basics.errors import InputError
from dalenius.basics.limits import LONGEST_COUNT

MARKS = frozenset(
    ("", "x", "[x]", "c", "[c]", "(c)", "..c", "[redacted]", "redacted", "suppressed", "[suppressed]", "hidden", "s",
     "[s]", "*", "**", "***", ".", "..", "...", ":", "#", "d", "(d)", "nan", "na", "n/a", "<na>", "none", "null", "?")
)  # fmt: skip
ASKED = frozenset(("-", "–", "—", "~", "[z]", "z", "[low]", "[u]"))  # zero to some, hidden or missing to others
PUBLISHED_STATUS = frozenset(("s", "z", "p", "v", "safe", "published", "ok"))
HIDDEN_STATUS = frozenset(("u", "x", "w", "m", "d", "unsafe", "hidden", "suppressed", "primary", "secondary"))

_GAP = "[  \u2009\u202f']"
_NUMBER = re.compile(rf"[+-]?(?:\d+|\d{{1,3}}(?:{_GAP}\d{{3}})+|\d{{1,3}}(?:,\d{{3}})+)(?:\.\d*)?")
_RANGE = re.compile(r"(\d+)\s*(?:-|–|—|\.\.\.?|to)\s*(\d+)", re.IGNORECASE)
_BELOW = re.compile(
    r"(<=|=<|≤|<|>=|=>|≥|>|under|below|fewer than|less than|at most|at least|over)\s*(\d+)", re.IGNORECASE
)
_MORE = re.compile(r"(\d+)\s*\+")


@final
@dataclass(frozen=True, slots=True)
class Rounding:
    """How numbers were rounded: to the nearest multiple, to the middle of a class ("midpoint 6": 1 to 6 become 3), or
    up or down by chance ("random 3").
    """

    base: int
    kind: str = "nearest"

    def ends(self, value: Fraction, unit: Fraction = Fraction(1)) -> tuple[Fraction, Fraction]:
        """Between which numbers a rounded one was, if they are whole in this unit. Both ends are kept: some round
        halves up, and some to the even.

        >>> [tuple(map(int, Rounding(6, kind).ends(Fraction(9)))) for kind in ("midpoint", "random")]
        [(7, 12), (4, 14)]
        """
        half = Fraction(self.base, 2)
        if self.kind == "midpoint":
            return (value, value) if value == 0 else (value - half + unit, value + half)
        reach = _just_below(Fraction(self.base), unit) if self.kind == "random" else half
        return value - reach, value + reach

    def made(self, value: Fraction) -> bool:
        """Whether a number can have been rounded like this."""
        if self.kind == "midpoint":
            return value == 0 or (value + self.base - self.base // 2) % self.base == 0
        return value % self.base == 0


def rounding_of(text: str) -> Rounding:
    """What somebody wrote about a rounding.

    >>> rounding_of("5"), rounding_of("midpoint 6").kind
    (Rounding(base=5, kind='nearest'), 'midpoint')
    """
    written = re.fullmatch(r"\s*(?:(nearest|midpoint|random)\s+)?(\d{1,6})\s*", str(text))
    if written is None or int(written[2]) < 1 or (written[1] == "midpoint" and int(written[2]) % 2):
        raise InputError(
            f"A rounding needs to be a whole number from 1 on, such as 5, or random 3, or midpoint 6 (even), but got "
            f"{str(text)[:40]!r}. Write --rounded 5."
        )
    return Rounding(int(written[2]), written[1] or "nearest")


def rule_of(text: str) -> MarkRule:
    """What somebody wrote about hidden cells.

    >>> rule_of("hidden means 1 to 9")
    MarkRule(mark='hidden', lower=1, upper=9)
    >>> rule_of("[c] means at most 7").upper, rule_of("x means anything").upper
    (7, None)
    """
    written = re.fullmatch(
        r"\s*(\S.*?)\s+means\s+(?:(\d{1,18})\s*(?:to|-|–)\s*(\d{1,18})|(at least|at most|below|under)\s+(\d{1,18})"
        r"|(anything)|(\d{1,18}))\s*",
        text,
    )
    if written is None:
        raise InputError(
            f"A rule needs to read like 'hidden means 1 to 9', '[c] means at most 7' or 'x means anything', but got "
            f"{text[:60]!r}. Write it so."
        )
    mark, low, high, word, end, anything, one = written.groups()
    lower, upper = {
        "at least": (end, None),
        "at most": ("0", end),
        "below": ("0", end),
        "under": ("0", end),
    }.get(word or "", (low or one or ("0" if anything else None), high or one))
    ends = None if lower is None else int(lower), None if upper is None else int(upper)
    if word in ("below", "under"):
        ends = 0, int(end) - 1
    if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        raise InputError(f"A rule needs its smaller number first, but got {text[:60]!r}. Turn them round.")
    return MarkRule(HIDDEN if plain(mark) == HIDDEN else plain(mark), *ends)


@final
@dataclass(frozen=True, slots=True)
class Marking:
    """How to read what stands in a cell: which further texts are hidden, which mean zero, how numbers were rounded,
    and in which unit they are whole.
    """

    hidden: Collection[str] = ()
    zero: Collection[str] = ()
    rounding: Rounding | None = None
    unit: Fraction = Fraction(1)
    negative: bool = False

    def reads(self, text: str) -> bool:
        """Whether a text can stand in a cell."""
        return _said(plain(text), self) is not None or plain(text) in ASKED

    def is_number(self, text: str) -> bool:
        """Whether it is a number, or a range of numbers."""
        said = _said(plain(text), self)
        return said is not None and (said[0] is not None or said[1] is not None)

    def said(self, text: str, where: str) -> tuple[Bound, Bound, str]:
        """Both ends of a cell in units, and the mark that stands there; InputError if it is no text for a cell."""
        found = _said(plain(text), self)
        if found is None:
            raise InputError(_unread(plain(text), where))
        lower, upper, mark = found
        if not mark:
            value = _checked(lower, self, where)
            if self.rounding is None:
                whole = _whole(value, self, where)
                return whole, whole, ""
            lower, upper = _rounded(value, self.rounding, self, where)
            mark = ROUNDED
        return (
            None if lower is None else lower / self.unit,
            None if upper is None else upper / self.unit,
            mark,
        )


def plain(text: str) -> str:
    """A text without what nobody sees, in small letters."""
    return " ".join(text.replace("\u00a0", " ").split()).casefold()


def _said(text: str, marking: Marking) -> tuple[Bound, Bound, str] | None:
    if text in marking.zero:
        return Fraction(0), Fraction(0), ""
    if text in marking.hidden or text in MARKS:
        return None, None, text or "blank"
    if _NUMBER.fullmatch(text) and len(text) <= 2 * LONGEST_COUNT:
        value = Fraction(re.sub(rf"{_GAP}|,", "", text).rstrip("."))
        return value, value, ""
    ends = _ends(text, marking.unit) if len(text) <= 3 * LONGEST_COUNT else None
    return None if ends is None else (*ends, text)


def _ends(text: str, unit: Fraction) -> tuple[Bound, Bound] | None:
    """The ends of "<10", "≥ 5", "10+", "1-4", of what is whole in a unit."""
    if spread := _RANGE.fullmatch(text):
        low, high = Fraction(spread[1]), Fraction(spread[2])
        return (low, high) if low <= high else None
    if more := _MORE.fullmatch(text):
        return Fraction(more[1]), None
    if below := _BELOW.fullmatch(text):
        sign, end = below[1].casefold(), Fraction(below[2])
        if sign in ("<", "under", "below", "fewer than", "less than"):
            return (None, _just_below(end, unit)) if end > 0 else None
        if sign in ("<=", "=<", "≤", "at most"):
            return None, end
        return (-_just_below(-end, unit), None) if sign in (">", "over") else (end, None)
    return None


def _just_below(end: Fraction, unit: Fraction) -> Fraction:
    """The largest multiple of a unit that is less."""
    return unit * (ceil(end / unit) - 1)


def _checked(value: Bound, marking: Marking, where: str) -> Fraction:
    if value is None:
        raise InputError(f"Needed a number at {where}, but there is none. Write one, or a mark such as x.")
    if value < 0 and not marking.negative:
        raise InputError(
            f"Needed a number of at least 0 at {where}, but it is negative. Counts are not; for sums that may be, say "
            "in the tables file what one person adds at least (measures: {income: {bounds: [-1000, 1000]}})."
        )
    return value


def _whole(value: Fraction, marking: Marking, where: str) -> Fraction:
    """A number in units."""
    units = value / marking.unit
    if units.denominator != 1:
        raise InputError(
            f"Needed whole numbers, but {where} has a fraction. Tables of counts are audited, and sums with a unit "
            "(tables file: measures: {income: {unit: 0.01}}); leave out means, rates and percentages."
        )
    return units


def _rounded(value: Fraction, rounding: Rounding, marking: Marking, where: str) -> tuple[Fraction, Fraction]:
    """Between which numbers a rounded one was."""
    if not rounding.made(value) or (rounding.kind == "midpoint" and value < 0):
        raise InputError(
            f"Needed numbers that were rounded ({rounding.kind} {rounding.base}), but {where} has one that cannot have "
            "been. Say how this table was rounded in the tables file, or leave --rounded out."
        )
    lower, upper = rounding.ends(value, marking.unit)
    return lower if marking.negative else max(Fraction(0), lower), upper


def _unread(text: str, where: str) -> str:
    if text in ASKED:
        return (
            f"{where} has {text!r}, which means zero to some and hidden to others. Say which in the tables file: zero: "
            f"[{text!r}] or hidden: [{text!r}]."
        )
    if text.endswith("%"):
        return f"Needed a count at {where}, but it is a percentage. Leave it out, or write the counts."
    return (
        f"Needed a number at {where}, a range such as 1-4 or <10, or a mark such as x, [c] or *, but there is another "
        "text. If it stands for something hidden, write hidden: [that text] in the tables file."
    )
