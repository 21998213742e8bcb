"""What is secret: values, presence, some of what a column says, or a property of a household."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.model import MembersModel, SecretModel, SpecModel, TogetherModel
from dalenius.desk.spec.values import named, value_of
from dalenius.facts.near import (
    InIntervals,
    ListedPairs,
    Near,
    OfHousehold,
    Relation,
    WithinPercent,
    WithinRange,
    WithinShare,
)
from dalenius.facts.records import Column, Numbers, exact
from dalenius.facts.secret import Hidden, Presence, Value

WORDS = "within, percent, share, intervals or pairs"


def secret_of(model: SpecModel, confidential: Mapping[str, Column]) -> Hidden:
    """What must not be told apart."""
    given = model.secret
    if not isinstance(given, SecretModel):
        return Presence() if given == "presence" else Value()
    for key, columns in given:
        for name in columns if key != "of" else ():
            named(name, list(confidential), f"secret.{key}", needed="confidential", other=list(model.public))
    try:
        if given.of == "household":
            return _of_household(given, model, confidential)
        return _of_record(given, model, confidential)
    except InputError as error:
        raise SpecError(str(error)) from None


def _of_record(given: SecretModel, model: SpecModel, confidential: Mapping[str, Column]) -> Near:
    found: dict[str, Relation] = {}
    if given.members:
        raise SpecError("secret: members belongs to of: household. Write of: household, or pairs of labels.")
    for name, relation in _relations(given, confidential):
        if name in found:
            raise SpecError(f"secret says two things of {name}. Keep one of them.")
        relation.check(name, confidential[name])
        found[name] = relation
    if not found:
        raise SpecError(f"secret needs {WORDS}, but got none of them. Or write value.")
    for key, wrong in (("together", model.together != "nobody"), ("series", model.series is not None)):
        if wrong:
            hint = ", or of: household" if key == "together" else ""
            raise SpecError(f"secret: some of what a column says is not judged with {key}. Write secret: value{hint}.")
    return Near(tuple(found.items()))


def _of_household(given: SecretModel, model: SpecModel, confidential: Mapping[str, Column]) -> OfHousehold:
    if not isinstance(model.together, TogetherModel):
        raise SpecError(
            "secret: of: household needs together, the column that names the household, but there is none. Add it, or "
            "write of: record."
        )
    found = [OfHousehold(name, relation) for name, relation in _relations(given, confidential, totals=True)]
    for name, members in given.members.items():
        labels = members.having if isinstance(members.having, list) else [members.having]
        having = tuple(value_of(name, label, confidential[name], "secret.members") for label in labels)
        kept = tuple(label for label in having if not isinstance(label, Fraction))
        found.append(OfHousehold(name, _number_of(name, members), kept))
    if len(found) != 1:
        said = ", ".join(one.column for one in found) or "none"
        raise SpecError(
            f"secret: of: household needs one property, {WORDS} of a total, or members, but got {said}. Within a "
            "household a fact about one column says something about the others: make a release of each."
        )
    found[0].check(confidential[found[0].column])
    return found[0]


def _number_of(name: str, model: MembersModel) -> Relation:
    """Which two numbers of members are compared."""
    given = [key for key in ("within", "intervals", "pairs") if getattr(model, key) is not None]
    if len(given) != 1:
        told = " and ".join(given) or "none"
        raise SpecError(f"secret.members.{name} needs one of within, intervals and pairs, but got {told}. Keep one.")
    if model.within is not None:
        return WithinRange(exact(model.within, name=f"secret.members.{name}.within"))
    if model.intervals is not None:
        return InIntervals(tuple(exact(end, name=f"secret.members.{name}.intervals") for end in model.intervals))
    return ListedPairs(tuple((Fraction(one), Fraction(two)) for one, two in model.pairs or ()))


def _relations(
    given: SecretModel, confidential: Mapping[str, Column], *, totals: bool = False
) -> Iterator[tuple[str, Relation]]:
    for name, k in given.within.items():
        yield name, WithinRange(exact(k, name=f"secret.within.{name}"))
    for name, percent in given.percent.items():
        yield name, WithinPercent(exact(percent, name=f"secret.percent.{name}"))
    for name, share in given.share.items():
        points = exact(share.points, name=f"secret.share.{name}.points")
        yield name, WithinShare(points, exact(share.others, name=f"secret.share.{name}.others"))
    for name, ends in given.intervals.items():
        yield name, InIntervals(tuple(exact(end, name=f"secret.intervals.{name}") for end in ends))
    for name, pairs in given.pairs.items():
        column = confidential[name]
        if totals and isinstance(column, Numbers):
            sums = [tuple(exact(_total(one), name=f"secret.pairs.{name}") for one in pair) for pair in pairs]
            yield name, ListedPairs(tuple((one, two) for one, two in sums))
            continue
        read = [tuple(value_of(name, one, column, "secret.pairs") for one in pair) for pair in pairs]
        yield name, ListedPairs(tuple((one, two) for one, two in read))


def _total(given: object) -> int | float | str:
    """A total as it is written; exact numbers are told apart from truth values elsewhere."""
    return given if isinstance(given, int | float | str) else str(given)
