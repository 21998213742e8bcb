"""People who were drawn by chance, and beliefs about all records at once, at the size of real tables."""

import time
from fractions import Fraction

from benchmarks.claim import Row, at_most
from dalenius.facts.records import Categories, Column, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.judge.group import Target
from dalenius.mechanisms import Chain, RoundedGaussian
from dalenius.plan import Question, assess
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from dalenius.tables.sample import DrawnBy
from dalenius.tables.stances import Ordered, Scenarios, Variation

MILLION = 1_000_000
SMOKERS = Figure("smokers", "count", None, Where((("x", OneOf(("yes",))),)))
LAW = (("yes", Fraction(1, 5)), ("no", Fraction(4, 5)))


def special() -> list[Row]:
    """Seconds of the processor until the verdict, once the table is read."""
    yes_no = Categories(("yes", "no"))
    even = ColumnBelief("x", {(): LAW}, "")
    drawn = DrawnBy("simple", (), {(): MILLION}, "", drawn={(): 50_000})
    coins = DrawnBy("independent", (), {(): MILLION}, "", {(): Fraction(1, 20)})
    later = (("yes", (("yes", Fraction(1, 2)), ("no", Fraction(1, 2)))), ("no", LAW))
    other = (("yes", Fraction(201, 1000)), ("no", Fraction(799, 1000)))
    scenarios = Scenarios(((Fraction(1, 2), LAW), (Fraction(1, 2), other)))
    numbers = Numbers(Fraction(1), Fraction(0), Fraction(40))
    none = tuple((value, Fraction(0)) for value in numbers.values)
    spread = tuple((value, Fraction(1, 41)) for value in numbers.values)
    varied = Variation((Fraction(0), Fraction(40)), Fraction(100), Fraction(1))
    moments = ColumnBelief("x", {(): spread}, "", least={(): none}, stated=False, widened=True, stance=varied)
    total = Figure("income", "sum", "x", channel=Chain((RoundedGaussian(Fraction(22)),)))
    cases: list[tuple[str, Column, ColumnBelief, Frame, Figure, int]] = [
        ("50,000 drawn of 10^6 members, 100 known", yes_no, even, Frame((), {(): MILLION}, sample=drawn), SMOKERS, 100),
        ("10^6 members by coins, 1 % known", yes_no, even, Frame((), {(): MILLION}, sample=coins), SMOKERS, 10_000),
        ("10^6 records in an order", yes_no, _held(Ordered("day", LAW, later)), _all(MILLION), SMOKERS, 0),
        (
            "10^5 records, 1 % of an order known",
            yes_no,
            _held(Ordered("day", LAW, later)),
            _all(100_000),
            SMOKERS,
            1000,
        ),
        ("10^6 records of a law that nobody knows", yes_no, _held(scenarios), _all(MILLION), SMOKERS, 0),
        ("10^6 records of a range and a variance", numbers, moments, _all(MILLION), total, 10_000),
    ]
    return [_measured(*case) for case in cases]


def _held(stance: Ordered | Scenarios) -> ColumnBelief:
    return ColumnBelief("x", {(): LAW}, "", stance=stance)


def _all(people: int) -> Frame:
    return Frame((), {(): people})


def _measured(what: str, column: Column, belief: ColumnBelief, frame: Frame, figure: Figure, known: int) -> Row:
    secret = Value() if frame.sample is None else Presence()
    target = Target(Fraction(1, 2), Fraction(1, 10**6))
    question = Question(frame, {"x": column}, (belief,), Attacker(known), secret, target)
    begun = time.process_time()
    (finding,) = assess((figure,), History(), question).findings
    took = time.process_time() - begun
    return at_most(what, took, 60, " s", note=f"delta at most {finding.delta.upper:.3g}, {finding.verdict}")
