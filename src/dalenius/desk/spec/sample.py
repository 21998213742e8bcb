"""How the table was drawn from a population: the words of a specification."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dalenius.basics.errors import SpecError
from dalenius.basics.limits import LARGEST_PEOPLE
from dalenius.desk.spec.model import SampleModel, SpecModel
from dalenius.desk.spec.values import columns_by, nested
from dalenius.facts.records import Categories, Cell, Column, exact

if TYPE_CHECKING:
    from dalenius.tables.sample import DrawnBy

DESIGNS = ("simple", "stratified", "Bernoulli", "Poisson")
ADAPTIVE = (
    "A design that depends on the data (until enough were found, those who answered, who seemed typical) tells by "
    "itself who is in the table"
)


def sample_of(model: SpecModel, public: Mapping[str, Column]) -> "DrawnBy | None":
    """The design; None if the people in the table are known."""
    given = model.sample
    if given is None:
        return None
    for key, wrong in (
        ("secret", model.secret != "value"),
        ("sizes", model.sizes is not None),
        ("together", model.together != "nobody"),
        ("edition", model.edition is not None and model.edition.since is not None),
        ("series", model.series is not None),
        ("per_person", bool(model.per_person)),
    ):
        if wrong:
            raise SpecError(
                f"sample: a sample is not judged with {key}. Leave {key} out"
                + ("; under sample, taking_part says what is secret." if key == "secret" else ".")
            )
    if any(figure.kind == "mean" for figure in (*model.figures, *model.published)):
        raise SpecError("sample: a mean is not judged of a sample. Publish the sum.")
    if any(not computed.over and computed.kind != "total" for computed in model.computed):
        raise SpecError("sample: what is divided by the number of people is not judged. Divide by a count.")
    by = tuple(columns_by(given.by, public, model.confidential, "sample"))
    for name in by:
        if not isinstance(public[name], Categories):
            raise SpecError(f"sample: by needs columns of labels, but {name} is numeric. Declare its labels.")
    design = _design(given, by)
    members = {cell: _members(count) for cell, count in _each(given.of, by, public, "sample: of").items()}
    rates: Mapping[Cell, Fraction] = {}
    if design == "independent":
        told = given.rate if given.design == "Poisson" else dict.fromkeys(members, given.rate)
        rates = {cell: _rate(rate) for cell, rate in _rates(told, members, by, public).items()}
    from dalenius.tables.sample import DrawnBy

    return DrawnBy(
        "simple" if design == "simple" else "independent",
        by,
        members,
        given.source,
        rates,
        secret=given.taking_part == "secret",
    )


def in_order(sample: "DrawnBy | None", frame: tuple[str, ...]) -> "DrawnBy | None":
    """The sample with strata in the order of the frame's columns; SpecError unless they are these."""
    if sample is None:
        return None
    if set(sample.by) != set(frame):
        raise SpecError(
            f"sample needs to be by the public columns that figures and beliefs use ({', '.join(frame) or 'none'}), "
            f"but is by {', '.join(sample.by) or 'none'}. Change its by, and say under of how many members each has."
        )

    def sorted_by(given: Mapping[Cell, Any]) -> dict[Cell, Any]:
        return {tuple(cell[sample.by.index(name)] for name in frame): value for cell, value in given.items()}

    return replace(sample, by=frame, members=sorted_by(sample.members), rates=sorted_by(sample.rates))


def _design(given: SampleModel, by: tuple[str, ...]) -> str:
    word = given.design.strip()
    if word.lower().startswith("stratified by "):
        raise SpecError("sample: write design: stratified, and the strata under by: by: region.")
    known = {name.lower(): name for name in DESIGNS}
    if word.lower() not in known:
        raise SpecError(
            f"sample: design needs one of {', '.join(DESIGNS)}, but got {word[:40]!r}. {ADAPTIVE}. If anybody may know "
            "who was drawn, leave sample out."
        )
    name = known[word.lower()]
    for one, needed in (("stratified", bool(by)), ("Poisson", bool(by))):
        if name == one and not needed:
            raise SpecError(f"sample: {one} needs by, the public columns of the strata, but there are none. Add by.")
    if (given.rate is None) == (name in ("Bernoulli", "Poisson")):
        raise SpecError(
            f"sample: rate belongs to Bernoulli and Poisson, and they need it, but design is {name} and rate is "
            f"{'missing' if given.rate is None else 'there'}. Correct one of them."
        )
    if name in ("simple", "stratified"):
        return "simple"
    if given.taking_part == "known":
        raise SpecError(
            f"sample: where every member is drawn by a coin of their own ({name}), how many were is not public, and "
            "whether a person was drawn is hidden with what is true of them. Write taking_part: secret."
        )
    return "independent"


def _each(given: Any, by: tuple[str, ...], public: Mapping[str, Column], what: str) -> dict[Cell, Any]:
    found = nested(given, by, public, what)
    if by:
        whole = 1
        for name in by:
            whole *= public[name].size
        if len(found) < whole:
            raise SpecError(f"{what} needs an entry for every stratum, but some have none. Add them.")
    return found


def _rates(
    given: Any, members: Mapping[Cell, int], by: tuple[str, ...], public: Mapping[str, Column]
) -> Mapping[Cell, Any]:
    if isinstance(given, Mapping) and given.keys() == members.keys():
        return given
    return _each(given, by, public, "sample: rate")


def _members(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= LARGEST_PEOPLE:
        raise SpecError(
            f"sample: of needs whole numbers of members, from 1 to {LARGEST_PEOPLE}, but got {str(given)[:40]}. "
            "Correct it; with by, one for each value."
        )
    return given


def _rate(given: Any) -> Fraction:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise SpecError(f"sample: rate needs a number, but got {str(given)[:40]}. Write 0.05.")
    rate = exact(given, name="sample: rate")
    if not 0 < rate < 1:
        raise SpecError(f"sample: rate needs a number above 0 and below 1, but got {given}. Write 0.05.")
    return rate
