"""What an answer rests on, and what it would stand without: where noise alone hides everybody, beliefs are idle."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, final

from dalenius.beliefs.belief import INDEPENDENCE
from dalenius.beliefs.estimated import misleads
from dalenius.enclosure.formats import at_most, short
from dalenius.facts.secret import hides_presence
from dalenius.plan import Plan, Publish, Question
from dalenius.plan.judging import docket_of
from dalenius.tables.figures import ColumnBelief, Figure, Together, told_together

if TYPE_CHECKING:
    from dalenius.tables.series import Series

COLUMNS_APART = "confidential columns are independent of each other, given the public ones"
COMPOSED = 6  # noisy figures of one group that are composed once more, to see whether their noise is enough
BREAKS = (
    "people whose records move together (households, repeated visits)",
    "an attacker who knows more records than stated, or something about the rest",
    "probabilities that are far from the stated ones",
    "another publication from the same records that was not listed here",
)
FOLLOWED = "records of different households that move together, or that follow their household more than stated"
OWN = "whatever the rest of its household says, a record follows the stated probabilities with a weight of at least"
AGAIN = "releasing the same noisy figures once more: every run draws new noise, and two draws tell more than one"


@final
@dataclass(frozen=True, slots=True)
class Grounds:
    """`needed`: what the answer rests on; `idle`: what was stated, but the answer would stand without; `why`."""

    needed: tuple[str, ...]
    idle: tuple[str, ...]
    why: str
    breaks: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class _Noise:
    """Groups of people that noise alone hides: no belief is needed, and everybody else's record may be known.

    `columns`: those that all other groups' figures depend on; `delta`: what noise alone gives; `used`: whether a
    smaller δ was printed, for which the beliefs were used after all.
    """

    columns: frozenset[str]
    whole: bool
    delta: float = 0.0
    used: bool = False


def grounds(plan: Plan, question: Question, figures: Sequence[Figure], new: Sequence[Figure]) -> Grounds:
    """What the answer about all `figures` rests on, and what would break it; `new` are those that are to go out."""
    noise = _noise(plan, question)
    if noise is None:
        return Grounds(tuple(assumptions(question, figures)), (), "", tuple(breaks(new, question)))
    beliefs = used_beliefs(question, figures)
    kept = [belief for belief in beliefs if noise.columns.intersection(belief.columns)]
    idle = [attacker_line(question)] if noise.whole else []
    idle += [belief_line(belief) for belief in beliefs if not noise.columns.intersection(belief.columns)]
    if not idle:
        return Grounds(tuple(assumptions(question, figures)), (), "", tuple(breaks(new, question)))
    who = "everybody" if noise.whole else "whom they are about"
    delta = f"a delta of at most {at_most(noise.delta)}" if noise.delta else "delta 0"
    enough = f"the noise alone hides {who}, with {delta}"
    smaller = " (smaller ones that are printed do rest on these lines)" if noise.used else ""
    said = tuple(line for line in breaks(new, question) if not (noise.whole and line in BREAKS[1:3]))
    return Grounds(tuple(_lines(question, kept, noise)), tuple(idle), f"{enough}{smaller}", said)


def _noise(plan: Plan, question: Question) -> _Noise | None:
    """None unless some group passes by noise alone."""
    if not isinstance(plan, Publish):
        return None
    docket = docket_of(question)
    found, others = [], []
    for finding in plan.findings:
        figures = [entry.figure for entry in finding.atom.entries]
        noisy = all(figure.channel.random or not docket.move(figure) for figure in figures)
        pure = noisy and docket.pure(figures) <= docket.epsilon
        upper = 0.0 if pure else docket.noise_alone(figures) if noisy and len(figures) <= COMPOSED else 1.0
        if upper <= question.target.delta:
            found.append((upper, upper > finding.delta.upper))
        else:
            others.append(finding)
    if not found:
        return None
    moved = any(finding.method != "atom" for finding in others)  # they rest on the laws of others, whom noise may hide
    rest = {entry.figure for finding in (plan.findings if moved else others) for entry in finding.atom.entries}
    columns = frozenset().union(*(figure.confidential(question.columns) for figure in rest))
    whole = len(found) == len(plan.findings)
    return _Noise(columns, whole, max(upper for upper, _ in found), any(more for _, more in found))


def hidden_by_noise(plan: Plan, question: Question) -> float | None:
    """The delta with which noise alone hides everybody; None if it does not."""
    noise = _noise(plan, question)
    return noise.delta if noise is not None and noise.whole else None


def assumptions(question: Question, figures: Sequence[Figure]) -> list[str]:
    """All that the numbers rest on, each with its source; beliefs only about columns that are used."""
    return _lines(question, used_beliefs(question, figures), None)


def _lines(question: Question, beliefs: Sequence[ColumnBelief], noise: _Noise | None) -> list[str]:
    whole = noise is not None and noise.whole
    differ = whole or any(belief.least is not None for belief in beliefs)
    lines = ["records are independent before anything is published" if differ else INDEPENDENCE]
    if question.frame.together is not None:
        lines = together_lines(question.frame.together)
    if question.frame.sample is not None:
        lines = list(question.frame.sample.lines)
    elif not whole:
        lines = stance_lines(lines, beliefs)
    if not whole:
        drawn = question.frame.sample is not None  # one table of all columns
        lines += [attacker_line(question), *([] if drawn else columns_apart([belief.columns for belief in beliefs]))]
    lines += [
        "which figures to publish was chosen without looking at the data or at earlier figures",
        "every person has one record",
        *question.records,
    ]
    if question.series is not None:
        lines += series_lines(question.series)
    if hides_presence(question.secret) and question.frame.sample is None:
        lines.append("the groups have at least the sizes that were declared")
    return [*lines, *map(belief_line, beliefs)]


def stance_lines(lines: Sequence[str], beliefs: Sequence[ColumnBelief]) -> list[str]:
    """What is said of records about which something is believed all at once, instead of that they are independent."""
    stances = [belief.stance for belief in beliefs if belief.stance is not None]
    if not stances:
        return list(lines)
    kept = lines if len(stances) < len(beliefs) else []
    return [*kept, *(line for stance in stances for line in stance.lines)]


def together_lines(together: Together) -> list[str]:
    """What is said of records that move together, instead of that they are independent."""
    return [
        f"households ({together.column}) are independent of each other, and who is in which is known to anybody",
        f"{OWN} {short(together.weight)} (source: {together.source})",
    ]


def columns_apart(about: Sequence[Sequence[str]]) -> list[str]:
    """That confidential columns are independent, if it is assumed; `about`: the columns of each belief.

    >>> columns_apart([["diagnosis", "smoker"], ["income"]])
    ['confidential columns are independent of each other, given the public ones, but for diagnosis and smoker']
    >>> columns_apart([["diagnosis", "smoker"]])
    []
    """
    if not any(len(some) > 1 for some in about):
        return [COLUMNS_APART]
    together = "; ".join(told_together(some) for some in about if len(some) > 1)
    return [f"{COLUMNS_APART}, but for {together}"] if len(about) > 1 else []


def series_lines(series: "Series") -> list[str]:
    """What is said of the editions, and what is hidden over several of them."""
    said = [
        f"from one edition to the next a value of {column} is drawn anew from its probabilities with probability "
        f"{short(low) if low == high else f'{short(low)} to {short(high)}'}, and stays otherwise"
        for column, (low, high) in series.changes.items()
    ] or ["nobody's value changes from one edition to the next"]
    return [
        *(f"{line} (source: {series.source})" for line in said),
        "what is hidden over several editions is what a person had in any one spell of them, with one value throughout",
    ]


def attacker_line(question: Question) -> str:
    """What the attacker knows, and why that is thought, in one line."""
    known, presence = question.attacker.known, hides_presence(question.secret)
    if question.frame.sample is not None:
        some = f"{known}" if isinstance(known, int) else f"{short(100 * Fraction(known))} %"
        whose = f"of at most {some} of the members of the population whether they were drawn"
        return f"an attacker knows {whose} (source: {question.attacker.source})"
    share = (
        f"{short(100 * Fraction(known))} % of {'the declared sizes' if presence else 'all records'}"
        if not isinstance(known, int)
        else f"{known} record{'' if known == 1 else 's'}"
    )
    where = "in every published group alike" if question.attacker.in_every_group else "wherever they hurt most"
    return f"an attacker knows at most {share}, {where} (source: {question.attacker.source})"


def used_beliefs(question: Question, figures: Sequence[Figure]) -> list[ColumnBelief]:
    """The beliefs about columns that some figure depends on."""
    used = frozenset().union(*(figure.confidential(question.columns) for figure in figures))
    return [belief for belief in question.beliefs if used.intersection(belief.columns)]


def belief_line(belief: ColumnBelief) -> str:
    """A belief and its source, in one line."""
    from dalenius.tables.unstated import UNKNOWN

    if belief.answered is not None:
        coin = f"each answer about it went through a coin that kept it with chance {short(belief.answered)}"
        return f"{belief_line(replace(belief, answered=None))}; {coin}, which nobody but the person saw"
    by = f" by {', '.join(belief.by)}" if belief.by else ""
    fitted = ", FITTED TO THE CONFIDENTIAL DATA" if belief.fitted else ""
    source = f"(source: {belief.source}{fitted})"
    if belief.scenarios:
        number = len(belief.scenarios) + 1
        return f"everybody follows the same one of {number} stated laws of {belief}, whichever that is {source}"
    if belief.stance is not None:
        return f"what is believed of {belief} {source}"
    if not belief.stated:
        return belief.differ if belief.source == UNKNOWN else f"{belief.differ} {source}"
    if belief.confidence is None and belief.least is not None:
        return f"everybody has the stated probabilities of {belief}{by}, {belief.differ} {source}"
    if belief.confidence is None:
        return f"the stated probabilities of {belief}{by} {source}"
    told = f"the probabilities of {belief}{by}, as far as public counts tell them {source}"
    return f"{told}: {misleads(belief.confidence)}"


def breaks(figures: Sequence[Figure], question: Question) -> list[str]:
    """What would break the claim."""
    noisy = any(figure.channel.dice for figure in figures)
    stances = [belief.stance for belief in question.beliefs if belief.stance is not None]
    apart = (question.frame.sample, *stances)
    return broken_by(
        noisy=noisy,
        together=question.frame.together is not None,
        special=sorted({one.broken_by for one in apart if one is not None}),
    )


def broken_by(*, noisy: bool, together: bool, special: Sequence[str] = ()) -> list[str]:
    """What would break a claim about figures, with or without noise, of records that move together or not, or of which
    something special is believed.
    """
    first = [FOLLOWED] if together else [*special] or [BREAKS[0]]
    return [*dict.fromkeys(first), *BREAKS[1:], *([AGAIN] if noisy else [])]
