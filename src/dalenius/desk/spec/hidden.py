"""What is secret: values, presence, or some of what a column says."""

from collections.abc import Iterator, Mapping

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.model import SecretModel, SpecModel
from dalenius.desk.spec.values import named, value_of
from dalenius.facts.near import InIntervals, ListedPairs, Near, Relation, WithinPercent, WithinRange
from dalenius.facts.records import Column, exact
from dalenius.facts.secret import Hidden, Presence, Value


def secret_of(model: SpecModel, confidential: Mapping[str, Column]) -> Hidden:
    """What must not be told apart."""
    given = model.secret
    if not isinstance(given, SecretModel):
        return Presence() if given == "presence" else Value()
    for key, columns in given:
        for name in columns:
            named(name, list(confidential), f"secret.{key}", needed="confidential", other=list(model.public))
    found: dict[str, Relation] = {}
    try:
        for name, relation in _relations(given, confidential):
            if name in found:
                raise SpecError(f"secret says two things of {name}. Keep one of them.")
            relation.check(name, confidential[name])
            found[name] = relation
    except InputError as error:
        raise SpecError(str(error)) from None
    if not found:
        raise SpecError("secret needs within, percent, intervals or pairs, but got none of them. Or write value.")
    for key, wrong in (("together", model.together != "nobody"), ("series", model.series is not None)):
        if wrong:
            raise SpecError(f"secret: some of what a column says is not judged with {key}. Write secret: value.")
    return Near(tuple(found.items()))


def _relations(given: SecretModel, confidential: Mapping[str, Column]) -> Iterator[tuple[str, Relation]]:
    for name, k in given.within.items():
        yield name, WithinRange(exact(k, name=f"secret.within.{name}"))
    for name, percent in given.percent.items():
        yield name, WithinPercent(exact(percent, name=f"secret.percent.{name}"))
    for name, ends in given.intervals.items():
        yield name, InIntervals(tuple(exact(end, name=f"secret.intervals.{name}") for end in ends))
    for name, pairs in given.pairs.items():
        column = confidential[name]
        read = [tuple(value_of(name, one, column, "secret.pairs") for one in pair) for pair in pairs]
        yield name, ListedPairs(tuple((one, two) for one, two in read))
