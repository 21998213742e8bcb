"""What could somebody learn about me? For a data subject: odds and plain words, no symbols."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dalenius.claims import Witness
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import one_in, percent, upwards
from dalenius.enclosure.outward import times_up
from dalenius.judge.odds import Odds
from dalenius.judge.posterior import Outcome
from dalenius.plan.exposure import Exposure
from dalenius.plan.views import View
from dalenius.show.risk import ALARMS, GUESSES, guessed, risk_json, tested

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


@final
@dataclass(frozen=True, slots=True)
class Typical:
    """Exact posteriors of one published number: what it is, what the two facts are, what one step is worth."""

    number: str
    fact: str
    otherwise: str
    unit: Fraction
    known: int
    outcomes: tuple[Outcome, ...]


@final
@dataclass(frozen=True, slots=True)
class Subject:
    """What is promised to a person, and what a witness shows, if there is one."""

    presence: bool
    about: tuple[str, ...]  # confidential columns that the figures use
    known: str  # how much the somebody knows of others
    odds: Odds | None
    risk: Exposure
    witness: Witness | None
    combined: str  # the published numbers whose combination the witness is about, if they are several
    typical: Typical | None
    fitted: bool
    views: tuple[View, ...] = ()  # what is stated beforehand of groups of people
    apart: bool = True  # whether the records of others say nothing about a person
    household: bool = False  # whether it is households that are hidden
    near: str = ""  # which two values must look alike, if not any two

    def lines(self) -> list[str]:
        """Paragraphs and tables, in order; tables are lines that begin with blanks."""
        about = f" about {_listed(self.about)}" if self.about else ""
        wonders = f"what {self._records} say{'s' * (not self.household)}{about}"
        wonders = f"whether you took part, or {wonders}" if self.presence else wonders
        begin = (
            f"Suppose that somebody wonders {wonders}, knows the records of {self.known}, and all that is publicly "
            "known about people like you. Then the figures come out."
        )
        without = (
            f"Without {self._records} in them, the figures tell that person nothing about you: whatever they "
            "believed about you before, they believe afterwards, as long as "
            f"{'these do' if self.household else 'your record does'} not depend on those of others. (They may learn "
            "about people in general; so may you.)"
        )
        fitted = "None of this is a promise: what people may believe beforehand was taken from the confidential data."
        if not self.apart:
            without = (
                f"Also without {self._records} in them, the figures tell that person something about you: the records "
                f"of others say what is likely for you.{' How much is said below.' if self.views else ''}"
            )
        return [
            begin,
            without,
            *self._with(),
            *(_typical(self.typical) if self.typical is not None else ()),
            *((fitted,) if self.fitted else ()),
        ]

    @property
    def _records(self) -> str:
        return "the records of your household" if self.household else "your record"

    def _with(self) -> list[str]:
        fact = "whether you took part, or any other fact about you" if self.presence else "any fact about you"
        if self.odds is None:
            nothing = f"With {self._records}, nothing can be promised: the figures may give away {fact}."
            return [nothing, *self._shown()]
        if self.near:
            return [self._alike(self.odds), *self._shown()]
        if self.odds.log == 0:
            return [f"With {self._records}, they tell nothing about you either."]
        failing = f", but for a chance of at most {one_in(self.odds.failure)}" if self.odds.failure else ""
        promise = (
            f"With {self._records}, their odds for {fact} go up or down by a factor of at most "
            f"{upwards(self.odds.factor, places=4)}{failing}."
        )
        table: list[tuple[str, ...]] = [
            ("believed before", "after, without your record", "after, with your record"),
            *((percent(p), percent(p), _range(self.odds.after(p))) for p in PRIORS),
        ]
        points = upwards(times_up(100.0, self.odds.shift))
        moves = f"No belief about this, likely or unlikely, moves by more than {points} percentage points."
        if not self.apart:  # what they tell without it is said of stated groups only
            table = [(row[0], row[2]) for row in table]
        return [promise, *_table(table), *self._viewed(self.odds), moves, self._tested(), *self._shown()]

    def _viewed(self, odds: Odds) -> list[str]:
        """What is stated beforehand of groups of people."""
        if not self.views:
            return []
        rows = [("believed of one of them", "before", "after, without", "after, with their record")]
        for view in self.views:
            without = percent(view.before)
            if view.moved:
                without = _range(Bracket(float(view.least), float(view.most)))
            rows.append((view.fact, percent(view.before), without, _range(odds.after(view.before))))
        return ["Of the groups of people of whom something is stated:", *_table(rows)]

    def _alike(self, odds: Odds) -> str:
        """Of values that must look alike; of others nothing is said."""
        failing = f", but for a chance of at most {one_in(odds.failure)}" if odds.failure else ""
        return (
            f"With {self._records}, their odds between two values of yours that must look alike go up or down by a "
            f"factor of at most {upwards(odds.factor, places=4)}{failing}. That is said {self.near}. Other values "
            "may be told apart."
        )

    def _tested(self) -> str:
        """The same as a test that somebody makes, and as a guess."""
        return (
            f"Put to a test: whoever tells two facts about you apart by these figures, with a false alarm in 1 of "
            f"{1 / ALARMS} cases, finds the fact in {tested(self.risk)} of 1,000 ({1000 * ALARMS} without looking); "
            f"of two values that seemed equally likely, they guess the right one with a chance of {guessed(self.risk)} "
            f"(50 % without looking)."
        )

    def _shown(self) -> list[str]:
        """What the event of a witness does to a belief."""
        if self.witness is None:
            return []
        one, other = Fraction(self.witness.first), Fraction(self.witness.second)
        after = [p * one / (p * one + (1 - p) * other) for p in PRIORS]
        became = _joined([f"{percent(p)} becomes at least {percent(q)}" for p, q in zip(PRIORS, after, strict=True)])
        example = (
            f"An example of what may happen{self.combined}: {self.witness}. Somebody who sees this, and wonders "
            f"whether {self.witness.one} or {self.witness.other}, is then surer of the first: {became}."
        )
        return [example]

    def json(self) -> dict[str, Any]:
        """The same for machines; percentages are probabilities here."""
        return {
            "text": self.lines(),
            "odds_factor_at_most": None if self.odds is None else self.odds.factor,
            "except_with_probability": None if self.odds is None else str(self.odds.failure),
            "shift_at_most": None if self.odds is None else self.odds.shift,
            "beliefs": []
            if self.odds is None or self.near
            else [
                {
                    "before": str(p),
                    **({"without_record": str(p)} if self.apart else {}),
                    "with_record": _ends(self.odds.after(p)),
                }
                for p in PRIORS
            ],
            "views": [] if self.odds is None or self.near else [_view_json(view, self.odds) for view in self.views],
            "risk": risk_json(self.risk),
            "advantage_at_most": self.risk.advantage.upper,
            "found_at_most": {"false_alarms": str(ALARMS), "share": self.risk.found(ALARMS).upper},
            "guessed_at_most": {str(values): self.risk.guessed(values).upper for values in GUESSES},
            "typical": None if self.typical is None else _typical_json(self.typical),
        }


def _typical(typical: Typical) -> list[str]:
    less = f", less what the {typical.known} known records add" if typical.known else ""
    rows = [("comes out as", *(f"{percent(p)} becomes" for p in PRIORS))]
    for outcome in typical.outcomes:
        value = f"{float(outcome.value * typical.unit):,.10g}"
        rows.append((value, *(_range(outcome.after(p)) for p in PRIORS)))
    begin = (
        f"In numbers, for example {typical.number}{less}: what each outcome does to the belief that "
        f"{typical.fact} (against: {typical.otherwise}), from rare low outcomes over the middle to rare high ones, for "
        "a person about whom it tells most:"
    )
    return [begin, *_table(rows)]


def _view_json(view: View, odds: Odds) -> dict[str, Any]:
    return {
        "fact": view.fact,
        "before": str(view.before),
        "without_record": [str(view.least), str(view.most)],
        "with_record": _ends(odds.after(view.before)),
    }


def _typical_json(typical: Typical) -> dict[str, Any]:
    return {
        "number": typical.number,
        "fact": typical.fact,
        "otherwise": typical.otherwise,
        "known": typical.known,
        "outcomes": [
            {
                "value": str(outcome.value * typical.unit),
                "probability_if_fact": _ends(outcome.one),
                "probability_otherwise": _ends(outcome.other),
                "after": {str(p): _ends(outcome.after(p)) for p in PRIORS},
            }
            for outcome in typical.outcomes
        ],
    }


def _ends(bracket: Bracket) -> list[float]:
    return [bracket.lower, bracket.upper]


def _range(bracket: Bracket) -> str:
    """A probability between two ends, in percent, rounded outwards."""
    low, high = percent(Fraction(bracket.lower)), percent(Fraction(bracket.upper), up=True)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) if rows else 0)]
    return [
        "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)


def _joined(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else parts[0]
