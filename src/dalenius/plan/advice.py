"""What would make figures safe, in short: one certified line a figure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.claims import Verdict
from dalenius.enclosure.formats import nearly, raised
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.plan.alternative import Alternative, Change, Way
from dalenius.plan.finding import Finding
from dalenius.tables.figures import Figure

ADDING: tuple[Way, ...] = ("data and noise", "noise alone", "truncation and noise")


@final
@dataclass(frozen=True, slots=True)
class Remedy:
    """A certified change of one figure, as a line of its specification, and what it does to the published value."""

    figure: str
    channel: Chain
    line: str
    error: str

    def __str__(self) -> str:
        return f"{self.figure}: add {self.line} ({self.error})"


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """Certified changes, one of which for each figure makes all of them safe; and what else there is to say."""

    remedies: tuple[Remedy, ...] = ()
    words: str = ""


def advice_of(alternatives: Sequence[Alternative], *, shared: bool, words: str = "") -> Advice:
    """Rounding, and the least geometric noise, of each figure."""
    remedies, open_ = [], []
    for concerns in dict.fromkeys(alternative.concerns for alternative in alternatives):
        mine = [one for one in alternatives if one.concerns == concerns and one.possible]
        ways = [*_geometric(mine), *(one for one in mine if one.way == "rounding")]
        remedies += [_remedy(change, change.altered) for one in ways for change in one.changes]
        open_ += [] if ways else [" and ".join(concerns)]
    if open_ and not words:
        words = f"No noise and no rounding was found for {' and '.join(open_)}: leave it out."
    if shared and remedies and not words:
        words = "Or leave figures out, until no two of them differ by a small group."
    return Advice(tuple(remedies), words)


def _geometric(some: Iterable[Alternative]) -> list[Alternative]:
    """The one that adds the least geometric noise; a figure that is only changed otherwise may have had some before."""
    found = [
        one
        for one in some
        if one.way in ADDING and not one.lost and all(_has_geometric(change.altered) for change in one.changes)
    ]
    return [min(found, key=lambda one: one.rank)] if found else []


def _has_geometric(figure: Figure) -> bool:
    return isinstance(next(iter(figure.channel.links), None), TwoSidedGeometric)


def _remedy(change: Change, after: Figure) -> Remedy:
    if isinstance(after.channel.links[0], Rounded):
        most = float(raised(change.most, places=3))
        return Remedy(change.figure, after.channel, change.line, f"the figure is then off by at most {most:,.15g}")
    size = float(nearly(change.error))
    return Remedy(change.figure, after.channel, change.line, f"the figure is then off by about {size:,.15g}")


def taken_back(alone: Sequence[Finding]) -> str:
    """What to do where figures that are already out stand in the way; `alone` is how these fare by themselves."""
    open_ = [finding for finding in alone if finding.verdict != Verdict.PASS]
    names = " and ".join(dict.fromkeys(entry.figure.name for finding in open_ for entry in finding.atom.entries))
    if open_:
        return (
            f"What is already out ({names}) is not certified to meet this target by itself, and cannot be taken back: "
            "nothing that is added can mend that."
        )
    return (
        "What is already out cannot be taken back or changed: noise on new figures does not count for people who are "
        "in exact ones too, and adds up with noise that is out. Leave out the new figures that share people with it."
    )
