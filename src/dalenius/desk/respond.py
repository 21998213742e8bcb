"""Randomised response: the coins of answer sheets, and what follows from the answers that come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from dalenius.basics.errors import InputError
from dalenius.data.draws import randomized_answers
from dalenius.desk.spec.write import check_new
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_most, nearly, short
from dalenius.mechanisms.randomized_response import RandomizedResponse

MOST_SHEETS = 10_000_000
TRUTH, OPPOSITE = "answer truthfully", "answer the opposite"


def survey_of(epsilon: str | None, keep: str | None) -> RandomizedResponse:
    """The mechanism of a chance or an epsilon, one of which is given."""
    if (epsilon is None) == (keep is None):
        raise InputError(
            "Randomised response needs either --epsilon or --keep, the chance of a true answer. Give one: --keep 3/4."
        )
    return RandomizedResponse(epsilon=epsilon, keep=keep)


def checked_people(people: int) -> int:
    """The number of persons asked, if there may be so many."""
    if not 1 <= people <= MOST_SHEETS:
        raise InputError(f"From 1 to {MOST_SHEETS} persons are asked, but got {people}. Ask in several parts.")
    return people


def write_sheets(survey: RandomizedResponse, people: int, target: Path) -> None:
    """A line a sheet, with what its coin says. Nobody but the person may see it, and nobody may keep it."""
    check_new(target)
    kept = randomized_answers(survey, [1] * checked_people(people))
    lines = (f"{place},{TRUTH if one else OPPOSITE}\n" for place, one in enumerate(kept, 1))
    with target.open("w", encoding="utf-8", newline="") as file:
        file.write("sheet,coin\n")
        file.writelines(lines)


@final
@dataclass(frozen=True, slots=True)
class Total:
    """What so many published "yes" among so many answers say of the true ones."""

    survey: RandomizedResponse
    people: int
    yes: int
    confidence: str

    @property
    def estimate(self) -> Bracket:
        return self.survey.estimate(yes=self.yes, n=self.people)

    @property
    def error(self) -> Bracket:
        return self.survey.rmse(self.people)

    @property
    def interval(self) -> tuple[int, int]:
        """The true numbers that are not refuted; the first is above the last if all are."""
        return self.survey.interval(yes=self.yes, n=self.people, confidence=self.confidence)

    def json(self) -> Mapping[str, object]:
        first, last = self.interval
        return {
            "people": self.people,
            "published_yes": self.yes,
            "estimate": [self.estimate.lower, self.estimate.upper],
            "root_mean_square_error_at_most": self.error.upper,
            "confidence": self.confidence,
            "interval": [first, last] if first <= last else None,
        }

    def lines(self) -> Sequence[str]:
        first, last = self.interval
        within = f"from {first} to {last}" if first <= last else "none: these answers do not fit the coins"
        return [
            f'Of {self.people} answers {self.yes} say "yes".',
            f'  true "yes", estimated  {short_number(self.estimate)}',
            f"  error to expect        {at_most(self.error.upper)} (root mean square, whatever the true answers are)",
            f"  not refuted            {within} (confidence {self.confidence})",
        ]


def short_number(bracket: Bracket) -> str:
    """An estimate, to a tenth."""
    return f"{(bracket.lower + bracket.upper) / 2:.1f}"


def promise(survey: RandomizedResponse) -> list[str]:
    """What one answer tells."""
    (told,) = survey.guarantees()
    level = at_most(told.epsilon.upper)
    low, high = survey.chances()
    chance = short(low) if low == high else nearly(low, 6)
    return [
        f"Each answer is true with chance {chance}, else the opposite: epsilon {level}, delta 0 (differential privacy,",
        "local: before anything is collected), for a person who answers once. Of several questions epsilons add up.",
    ]


def needed(survey: RandomizedResponse, accuracy: str) -> str:
    """How many persons must be asked."""
    size = survey.sample_size(accuracy)
    return f"For a share to within {accuracy} (root mean square error) {size} persons must be asked."
