"""People who were drawn by chance, as the judge is asked about them."""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.beliefs.sampled import Sampled
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Cell, Label
from dalenius.facts.secret import Presence, Value
from dalenius.facts.statistics import Sum
from dalenius.judge.definition import NoiselessPrivacy
from dalenius.judge.group import Believed, Laws, Vector
from dalenius.mechanisms.small_counts import SmallCountsHidden
from dalenius.tables.contributions import Adding, Records
from dalenius.tables.figures import Figure
from dalenius.tables.sample import DrawnBy


def check_drawn(sample: DrawnBy, figures: Sequence[Figure], records: Records) -> None:
    """InputError unless figures tell of columns whose table, of all their combinations, is that of the population."""
    used = sorted(frozenset().union(*(figure.confidential(records.columns) for figure in figures)))
    beliefs = records.about(used)
    if len(beliefs) > 1:
        raise InputError(
            f"sample: figures that tell of {beliefs[0]} and of {beliefs[1]} need one table of both, as it is in the "
            "population: who was drawn is told by all of them. Write one belief with columns: [...]."
        )
    if any(one.channel.hides and not only_small(one) for one in figures):
        raise InputError("sample: what is chosen or compared by a rule is not judged of a sample. Publish the counts.")
    bare = [figure for figure in figures if not figure.confidential(records.columns)]
    if bare and sample.design != "simple":
        raise InputError(
            f"sample: {bare[0].name!r} tells only how many members were drawn, which is not public where each is "
            "drawn by a coin of their own. Count something that is confidential, or leave it out."
        )
    for belief in beliefs:
        if belief.least is not None or belief.stance is not None:
            raise InputError(
                f"sample: the table of {belief} is that of the population, known to anybody, and cannot be left open. "
                "Write its shares under probabilities, or leave sample out and state beliefs about those in the table."
            )
        for cell, count in sample.members.items():
            key = tuple(cell[sample.by.index(name)] for name in belief.by)
            for value, share in belief.table.get(key, ()):
                if (share * count).denominator != 1:
                    raise InputError(
                        f"sample: a share of {plain(share)} of {count} members is no whole number of them, but "
                        f"{' '.join(map(str, belief.row(value)))} has it. Write the shares of the population as they "
                        f"are, such as {round(share * count)}/{count}."
                    )


def only_small(figure: Figure) -> bool:
    """Whether small counts are hidden, and nothing else is done: that is a function of the count."""
    return all(isinstance(link, SmallCountsHidden) for link in figure.channel.links)


def members_of(sample: DrawnBy, cell: Cell, adding: Adding) -> dict[Vector, int]:
    """How many members of a stratum add what, if they are drawn. InputError where shares are no numbers of members."""
    found: dict[Vector, int] = {}
    for vector, share in adding.law(cell, least=False):
        members = share * sample.members[cell]
        if members.denominator != 1:
            raise InputError(f"a share of {share} of {sample.members[cell]} members is no whole number of them")
        found[vector] = int(members)
    return found


def sampled(sample: DrawnBy, cell: Cell, people: int, adding: Adding) -> Believed:
    """One stratum of a sample of public size, about one number."""
    size = sample.drawn.get(cell, 0)
    if people != sample.members[cell]:
        raise InputError("a part of a stratum, of which nobody can say how many were drawn")
    if not 0 < size < people:
        raise InputError(
            f"{size} of {people} members were drawn: {'a census is not a sample' if size else 'nobody is there'}"
        )
    members: dict[Label | Fraction, int] = {
        vector[0]: count for vector, count in members_of(sample, cell, adding).items()
    }
    belief = Sampled(members, size=size, domain=[vector[0] for vector in adding.domain])
    return Believed(NoiselessPrivacy(belief, Presence() if sample.secret else Value()), Sum())


def drawn_laws(sample: DrawnBy, groups: Sequence[tuple[Cell, int]], adding: Adding) -> Laws:
    """Members who are drawn by coins of their own: each adds what is true of them, or nothing. Whether a person was
    drawn is one of the facts, so that nothing is a fact too.
    """
    types: dict[tuple[tuple[Vector, Fraction], ...], int] = {}
    nothing = (0,) * len(adding.domain[0])
    for cell, count in groups:
        if count != sample.members.get(cell, count):
            raise InputError("a part of a stratum, of which it is not known who is in it")
        rate, members = sample.rates[cell], members_of(sample, cell, adding) if count else {}
        for vector, number in members.items():
            law = ((vector, rate), (nothing, 1 - rate)) if any(vector) else ((nothing, Fraction(1)),)
            if number:
                types[tuple(sorted(law))] = types.get(tuple(sorted(law)), 0) + number
    domain = tuple(dict.fromkeys((*adding.domain, nothing)))
    return Laws(tuple(types.items()), domain)
