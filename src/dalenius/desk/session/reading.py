"""A specification as it is meant: with what a policy says where it is silent."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalenius.basics.errors import SpecError
from dalenius.basics.inputs import path_of
from dalenius.desk.spec import SpecModel, spec_of
from dalenius.desk.spec.load import in_numbers, load_keys
from dalenius.desk.spec.model import TogetherModel

if TYPE_CHECKING:
    from dalenius.desk.policy import Policy

POLICY = "DALENIUS_POLICY"  # the environment variable that names a policy for every release
# What a specification may say of its records although nobody judges it yet: what is wrong then, and what one can do.
APART = (
    "but not how much of each row is its own, so that nothing could be certified: {} Write together: {{column: {}, "
    "weight: 0.5, source: ...}} with the least weight with which a row follows its probabilities whatever the others "
    "say. {} If rows say nothing about each other, write together: nobody."
)
ALIKE = "if all of a household always answer alike, an exact count is a multiple of its size for sure."
UNJUDGED = {
    (
        "population",
        "sample",
    ): "population: sample says that nobody knows who was drawn, but not how: write sample: {of: "
    "200000, design: simple, source: ...} beside it, the number of members and how they were drawn. If anybody may "
    "know who was drawn, and attacker and beliefs are about those who were, write population: everybody: that is the "
    "careful reading, which asks more of the figures.",
    ("together", "households"): "together: households says that the rows of one household say something about each "
    "other, " + APART.format(ALIKE, "household", "Or make a table of one row a household."),
    ("together", "visits"): "together: visits says that several rows are visits of one person, so that a row is no "
    "person. Say under per_person what one record a person is made of (how many visits, any of them with a fever).",
    ("together", "owners"): "together: owners says that several rows are firms of one owner, "
    + APART.format(ALIKE.replace("a household", "an owner"), "owner", "Or make a table of one row an owner."),
    ("together", "others"): "together: others says that rows say something about each other in a way that no column "
    "names, so that nothing could be certified. Make a column that names what moves together (a household, a class, a "
    "ward) and write together: {column: ..., weight: 0.5, source: ...}. If rows say nothing about each other, write "
    "together: nobody. In Python, docs/beliefs.md has beliefs that say how records depend on each other.",
}
UNWEIGHTED = (
    "together needs a weight, but there is none: without it nothing can be certified. " + ALIKE.capitalize() + " Write "
    "weight: 0.5, the least weight with which a record follows its stated probabilities whatever the rest of its "
    "household says, and where that comes from."
)


def named_policies(*paths: object) -> "tuple[Policy, ...]":
    """The policies in these files and in the one that the environment names; each file once."""
    named: list[str] = []
    for path in (*paths, os.environ.get(POLICY)):
        if path is not None and not isinstance(path, str | Path):
            raise SpecError(f"A policy is the path of a YAML file, but got {type(path).__name__}. See docs/spec.md.")
        if path:
            named.append(str(path_of(path, error=SpecError).absolute()))
    if not named:
        return ()
    from dalenius.desk.policy import load_policy

    return tuple(load_policy(Path(path)) for path in dict.fromkeys(named))


def read_spec(
    spec: SpecModel | Mapping[str, Any] | str | Path, base: Path, policy: Path | str | None = None
) -> "tuple[SpecModel, tuple[Policy, ...]]":
    """The specification, with what it leaves out and a policy says; and the policies. SpecError if it says of its
    records what cannot be judged.
    """
    if isinstance(spec, SpecModel):
        spec = in_numbers(spec)
        _check_judged(spec)
        policies = named_policies(base / spec.policy if spec.policy else None, policy)
        _check_public(spec, policies)
        return spec, policies
    if isinstance(spec, str | Path):
        spec = load_keys(Path(spec))
    elif not isinstance(spec, Mapping):
        raise SpecError(
            f"A specification is the path of a YAML file, or a dict with its keys, but got {type(spec).__name__}. "
            "See docs/spec.md."
        )
    own = spec.get("policy")
    policies = named_policies(base / own if isinstance(own, str) and own.strip() else None, policy)
    for held in policies:
        spec = held.filled(spec)
    model = spec_of(spec)
    _check_judged(model)
    _check_public(model, policies)
    return model, policies


def _check_public(model: SpecModel, policies: "Sequence[Policy]") -> None:
    """SpecError if a policy does not let a column be called public; its values are not read then. What a row is grouped
    by in households is told as if it were public.
    """
    together = [model.together.column] if isinstance(model.together, TogetherModel) else []
    for held in policies:
        held.check_public([*model.public, *together])


def unjudged(spec: SpecModel) -> list[str]:
    """What a specification says of its records that cannot be judged yet, each with what one can do."""
    visits = ("together", "visits") if spec.per_person else ()  # one record is made of them
    drawn = ("population", "sample") if spec.sample is not None else ()
    found = [
        told for pair, told in UNJUDGED.items() if getattr(spec, pair[0]) == pair[1] and pair not in (visits, drawn)
    ]
    unweighted = isinstance(spec.together, TogetherModel) and spec.together.weight is None
    return [*found, UNWEIGHTED] if unweighted else found


def _check_judged(spec: SpecModel) -> None:
    told = unjudged(spec)
    if told:
        raise SpecError("\n".join(told))
