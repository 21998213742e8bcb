"""Kinds of figures beyond counts, sums and means: written out as the numbers that they are computed from.

A percentage is computed from two counts, a median from how many have each value. These numbers are what is judged,
recorded and certified, and they are published with it. So a figure is at least as safe as they are, whatever it does
with them, and nothing that is published later can tell more than what was judged.
"""

import difflib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

from dalenius.basics.errors import InputError, SpecError
from dalenius.basics.limits import MOST_FIGURES
from dalenius.desk.spec.build import confidential_of, declared, records_of
from dalenius.desk.spec.conditions import where_of
from dalenius.desk.spec.model import ComputedModel, ConditionModel, FigureModel, SpecModel
from dalenius.desk.spec.values import marginal, named
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Categories, Column, Label, Numbers, OneOf, Where, exact
from dalenius.tables.computed import SPREADS

Condition: TypeAlias = Mapping[str, ConditionModel] | str | None

SPELLINGS = {
    "percent": "percentage",
    "share": "percentage",
    "proportion": "ratio",
    "average": "mean",
    "sd": "standard deviation",
    "std": "standard deviation",
    "min": "smallest",
    "minimum": "smallest",
    "max": "largest",
    "maximum": "largest",
    "percentile": "quantile",
    "total": "sum",
}
HISTOGRAM = (
    "Ask for the numbers that it is fitted to: counts by the columns that it uses, binned where they are numbers; "
    "whoever has these can compute it, and nothing that it tells is beyond them"
)
FITTED = f"it depends on every record in a way that no law of a sum can certify. {HISTOGRAM}"
SURVIVAL = (
    "each step of a survival table is about those who are left, few at the end. Ask for counts by binned time and by "
    "what happened (two columns of labels): a survival table can be computed from these"
)
REFUSED = {
    "regression": FITTED,
    "correlation": FITTED,
    "covariance": FITTED,
    "gini": FITTED,
    "survival": SURVIVAL,
    "kaplan": SURVIVAL,
    "hazard": SURVIVAL,
}
# Which keys each kind has beyond those of all figures; those in capitals it needs.
KEYS = {
    "count": ("weight", "at", "models"),
    "sum": ("COLUMN", "weight", "truncate"),
    "mean": ("COLUMN", "weight", "truncate"),
    "percentage": ("OF", "weight"),
    "rate": ("of", "column", "per", "weight", "truncate"),
    "ratio": ("of", "column", "TO", "weight"),
    "variance": ("COLUMN",),
    "standard deviation": ("COLUMN",),
    "median": ("COLUMN",),
    "quantile": ("COLUMN", "AT"),
    "smallest": ("COLUMN",),
    "largest": ("COLUMN",),
    "mode": ("COLUMN",),
    "winner": ("COLUMN",),
    "model": ("COLUMN", "MODELS"),
    "answers": ("OF",),
}
IN_ORDER = ("median", "quantile", "smallest", "largest")
OWN = ("column", "of", "to", "per", "at", "weight", "truncate", "models")
MOST_VALUES = 200  # of a column whose values are counted, of weights


def written_out(model: SpecModel) -> SpecModel:
    """The specification with every figure that is computed from others written out as these."""
    every = (*model.figures, *model.published)
    if all(figure.kind == "count" and not _own_keys(figure) for figure in every):
        return model
    desk = _Writer(
        {name: declared(name, column) for name, column in model.public.items()},
        confidential_of(model, records_of(model)),
        presence=model.secret == "presence",
        kept=_kept(model),
    )
    new = desk.shared([desk.each(figure) for figure in model.figures])
    published = [one for figure in model.published for one in desk.each(figure).figures]
    figures = [one for written in new for one in written.figures]
    if len(figures) + len(published) > MOST_FIGURES:
        raise SpecError(
            f"figures need at most {MOST_FIGURES} numbers that they are computed from, cells not counted, but got "
            f"{len(figures) + len(published)}. Declare bins, or ask for fewer figures."
        )
    computed = [*model.computed, *(one for written in new for one in written.computed)]
    return model.model_copy(update={"figures": figures, "published": published, "computed": computed})


def _own_keys(figure: FigureModel) -> bool:
    """Whether a figure has keys that only some kinds have."""
    return any(getattr(figure, key) is not None for key in (*OWN, "counts"))


@final
@dataclass(frozen=True, slots=True)
class Written:
    """The figures that are judged, and what is computed from them."""

    figures: tuple[FigureModel, ...]
    computed: tuple[ComputedModel, ...] = ()


def kind_of(figure: FigureModel) -> str:
    """The kind that is meant; SpecError if there is none such, with the reason and what to ask for instead."""
    given = " ".join(figure.kind.lower().replace("_", " ").split())
    kind = SPELLINGS.get(given, given)
    if kind in KEYS:
        return kind
    what = f"Figure {figure.name!r}: {figure.kind!r}"
    if kind.startswith("weighted "):
        raise SpecError(f"{what} is written as kind: {kind.removeprefix('weighted ')} with weight: COLUMN.")
    reason = next((reason for word, reason in REFUSED.items() if word in kind), "")
    if reason:
        raise SpecError(f"{what} is refused: {reason}.")
    near = difflib.get_close_matches(kind, (*KEYS, *SPELLINGS), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of {', '.join(KEYS)}."
    raise SpecError(f"{what} is no kind of figure that dalenius certifies. {hint}")


def _check_keys(figure: FigureModel, kind: str, columns: Sequence[str]) -> None:
    """SpecError unless a figure has the keys that its kind needs, and no others; `columns` are those of numbers."""
    what, keys = f"Figure {figure.name!r}: a {kind}", KEYS[kind]
    for key in OWN:
        given = getattr(figure, key) is not None
        if key.upper() in keys and not given:
            example = " or ".join(columns) if key == "column" and columns else EXAMPLES[key]
            needs = "a column" if key == "column" else key
            raise SpecError(f"{what} needs {needs}, but there is none. Add {key}: {example}.")
        if given and key not in keys and key.upper() not in keys:
            remedy = "Use where to choose records." if kind == "count" else "Remove it."
            raise SpecError(f"{what} has no {key}, but got {str(getattr(figure, key))[:60]}. {remedy}")
    if figure.hide is not None and (kind != "count" or figure.weight is not None):
        raise SpecError(f"{what} has no hide: only counts have. Ask for counts with hide instead.")
    if figure.choose is not None and (kind != "count" or figure.weight is not None):
        raise SpecError(f"{what} has no choose: only counts have. Ask for a count with choose instead.")
    if figure.earned is not None and (kind != "count" or figure.weight is not None):
        raise SpecError(f"{what} has no earned: only counts have. Ask for counts with earned instead.")
    if figure.compare is not None and (kind != "count" or figure.weight is not None):
        raise SpecError(f"{what} has no compare: only counts have. Write kind: winner.")
    if kind == "count" and figure.at is not None and figure.compare is None:
        raise SpecError(f"{what} has no at, but got {figure.at}. Use where to choose records.")
    if figure.counts is not None and kind not in IN_ORDER:
        raise SpecError(f"{what} has no counts: only {', '.join(IN_ORDER)} have. Remove it.")
    if kind in ("rate", "ratio") and figure.of is None and figure.column is None:
        raise SpecError(f"{what} needs of (who is counted) or column (what is summed), but there is neither. Add one.")


EXAMPLES = {
    "column": "income",
    "of": "{smoker: yes}",
    "to": "{smoker: no}, or to: income",
    "per": "1000",
    "at": "0.9",
    "weight": "weight",
    "truncate": "[0, 5000]",
    "models": "[{flu: 0.2, none: rest}, {flu: 0.3, none: rest}]",
}


@final
@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes figures out, with the columns that a specification declares."""

    public: Mapping[str, Column]
    confidential: Mapping[str, Column]
    presence: bool
    kept: Mapping[str, Fraction]  # of columns with randomised answers, the chance that one is true

    def each(self, figure: FigureModel) -> Written:
        kind = kind_of(figure)
        numbers = [name for name, column in self.confidential.items() if isinstance(column, Numbers)]
        _check_keys(figure, kind, numbers)
        figure = figure.model_copy(update={"kind": kind})
        if kind == "count" and figure.weight is None:
            return Written((figure,))
        if kind in ("count", "sum"):
            return Written((figure,)) if figure.weight is None else self._total(figure)
        if kind == "mean":
            return self._mean(figure)
        if kind in ("percentage", "rate", "ratio"):
            return self._quotient(figure, kind)
        if kind == "answers":
            return self._answers(figure)
        return self._counts(figure, kind)

    def shared(self, found: Sequence[Written]) -> list[Written]:
        """The same, with every number that several figures are computed from once; what is asked for by itself keeps
        its name.
        """
        names: dict[Hashable, str] = {}
        for written in sorted(found, key=lambda written: bool(written.computed)):
            for one in written.figures:
                names.setdefault(self._meaning(one), one.name)
        return [self._renamed(written, names) if written.computed else written for written in found]

    def _renamed(self, written: Written, names: Mapping[Hashable, str]) -> Written:
        called = {one.name: names[self._meaning(one)] for one in written.figures}
        computed = [
            one.model_copy(
                update={"parts": [called[name] for name in one.parts], "over": [called[name] for name in one.over]}
            )
            for one in written.computed
        ]
        return Written(tuple(one for one in written.figures if called[one.name] == one.name), tuple(computed))

    def _meaning(self, figure: FigureModel) -> Hashable:
        """What a figure says, but for its name."""
        where = frozenset(map(repr, self._where(figure, figure.where, "where").tests))
        by = frozenset([figure.by] if isinstance(figure.by, str) else figure.by)
        truncate = None if figure.truncate is None else tuple(map(str, figure.truncate))
        shown = (
            figure.round,
            figure.noise,
            figure.hide,
            figure.earned,
            figure.compare,
            str(figure.at),
            tuple(map(str, figure.choose or ())),
            str(figure.models),
        )
        return figure.kind, figure.column, truncate, *shown, where, by

    # -- quotients -----------------------------------------------------------------------------------------------------

    def _mean(self, figure: FigureModel) -> Written:
        """A mean over a public number of records is judged by its total; otherwise by the sum and the count."""
        if figure.weight is None and self._open(figure):
            return Written((figure,))
        total = _part(figure, "total", column=figure.column, truncate=figure.truncate)
        return self._divided(figure, total, _part(figure, "count"), Fraction(1))

    def _quotient(self, figure: FigureModel, kind: str) -> Written:
        if (
            kind == "percentage"
            and isinstance(figure.of, str)
            and figure.of.strip() in {*self.public, *self.confidential}
        ):
            return self._shares(figure, figure.of.strip())
        above = _part(
            figure,
            "numerator",
            column=figure.column,
            truncate=figure.truncate,
            where=self._and(figure, figure.of, "of"),
        )
        if kind == "ratio" and isinstance(figure.to, str) and figure.to.strip() in self.confidential:
            below = _part(figure, "denominator", column=self._numeric(figure, figure.to.strip()))
        else:
            where = self._and(figure, figure.to, "to") if kind == "ratio" else figure.where
            below = _part(figure, "denominator", where=where)
        times = Fraction(100) if kind == "percentage" else Fraction(1)
        if kind == "rate":
            times = exact(1000 if figure.per is None else figure.per, name=f"Figure {figure.name!r}: per")
        return self._divided(figure, above, below, times)

    def _shares(self, figure: FigureModel, name: str) -> Written:
        """One percentage for each label of a column, all over the same number."""
        column = {**self.public, **self.confidential}[name]
        if not isinstance(column, Categories):
            raise SpecError(
                f"Figure {figure.name!r}: of needs a condition or a column of labels, but {name} is numeric."
            )
        found: list[Written] = []
        for label in column.values:
            one = figure.model_copy(update={"name": f"{figure.name} ({name} {label})", "of": {name: label}})
            above = _part(one, "numerator", where=self._and(one, one.of, "of"))
            found.append(self._divided(one, above, _part(figure, "denominator"), Fraction(100)))
        figures = {one.name: one for written in found for one in written.figures}  # the number below is the same
        return Written(tuple(figures.values()), tuple(one for written in found for one in written.computed))

    def _divided(self, figure: FigureModel, above: FigureModel, below: FigureModel, times: Fraction) -> Written:
        """One figure over another; where the one below is a public number, only the one above is judged."""
        if times <= 0:
            raise SpecError(
                f"Figure {figure.name!r}: per needs a number above 0, but got {figure.per}. Write per: 1000."
            )
        about = self._people(above) if below.column is None else None
        over: list[FigureModel] = [below]
        if about is not None and about == self._people(below) and self._open(below):
            over = []
        elif self._open(below) and below.column is None:
            over = [below.model_copy(update={"noise": None, "round": None})]
        parts, weights = self._weighted(figure, above)
        divisors = [one for below in over for one in self._weighted(figure, below)[0]]
        keys = {"over": [one.name for one in divisors], "weights": list(map(plain, weights)), "times": plain(times)}
        computed = _computed(figure.name, "quotient", parts, keys)
        return Written((*parts, *divisors), (computed,))

    def _answers(self, figure: FigureModel) -> Written:
        """How many true answers are one of two values, estimated from those that came out, after their coins: with a
        chance k it is (k yes - (1 - k) no) / (2k - 1).
        """
        what = f"Figure {figure.name!r}: answers"
        tests = self._where(figure, figure.of or {}, "of").tests
        asked = [(one[0], one[1].values) for one in tests if isinstance(one, tuple) and isinstance(one[1], OneOf)]
        name, said = asked[0] if len(asked) == len(tests) == 1 else ("", ())
        if name not in self.kept or len(said) != 1:
            shown = ", ".join(self.kept) or "none"
            raise SpecError(
                f"{what} needs one answer of a column whose belief says answered, of which there are {shown}. Write "
                'of: {smoker: "yes"}.'
            )
        keep, value = self.kept[name], _shown(said[0])
        others = [other for other in self.confidential[name].values if _shown(other) != value]
        if len(others) != 1:
            raise SpecError(f"{what} needs a column of two values, but {name} has others. Correct it.")
        came, other = (
            _part(figure, f"answered {one}", where=self._and(figure, {name: one}, "of"))
            for one in (value, _shown(others[0]))
        )
        weights = [str(keep / (2 * keep - 1)), str((keep - 1) / (2 * keep - 1))]
        return Written((came, other), (_computed(figure.name, "total", (came, other), {"weights": weights}),))

    def _total(self, figure: FigureModel) -> Written:
        parts, weights = self._weighted(figure, figure)
        return Written(parts, (_computed(figure.name, "total", parts, {"weights": list(map(plain, weights))}),))

    def _weighted(self, figure: FigureModel, part: FigureModel) -> tuple[tuple[FigureModel, ...], list[Fraction]]:
        """A number for each weight, and the weights; the number itself if there are none."""
        if figure.weight is None:
            return (part,), []
        name, what = figure.weight, f"Figure {figure.name!r}: weight"
        named(name, list(self.public), what, needed="public", other=list(self.confidential))
        weights = _numbers(self.public[name], name, what)
        by = [figure.by] if isinstance(figure.by, str) else figure.by
        if name in by:
            raise SpecError(
                f"{what} needs a column by which the figure is not split, but {name} is under by. Remove it."
            )
        parts = [
            part.model_copy(
                update={
                    "name": f"{part.name} ({name} {_shown(value)})",
                    "where": self._and(part, {name: _shown(value)}, "weight"),
                    "weight": None,
                }
            )
            for value in self.public[name].values
        ]
        return tuple(parts), weights

    # -- counts of values ----------------------------------------------------------------------------------------------

    def _counts(self, figure: FigureModel, kind: str) -> Written:
        """What is found from how many records have each value of a column."""
        name, what = figure.column or "", f"Figure {figure.name!r}: a {kind}"
        named(name, list(self.confidential), what, needed="confidential", other=list(self.public))
        column = self.confidential[name]
        if column.size > MOST_VALUES:
            raise SpecError(
                f"{what} is found by counting each value, so that its column needs at most {MOST_VALUES} values, but "
                f"{name} has {column.size}. Declare bins or a coarser unit for it."
            )
        if kind in SPREADS and isinstance(column, Categories):
            raise SpecError(f"{what} needs numbers, but {name} has labels. Count a label instead.")
        values = [value for value in column.values if value != column.missing]
        if kind in ("winner", "model") or figure.counts is not None:
            self._check_named(figure, values, what)
        parts = tuple(
            _part(figure, f"{name} {_shown(value)}", where=self._and(figure, {name: _shown(value)}, "column"))
            for value in values
        )
        keys: dict[str, Any] = {"values": [_shown(value) for value in values]}
        if kind == "quantile":
            keys["at"] = figure.at
        if kind == "model":
            models = [self._model(given, figure, values) for given in figure.models or ()]
            parts = tuple(part.model_copy(update={"compare": len(parts), "models": models}) for part in parts)
            keys["weights"] = [chance for model in models for chance in model]
        if kind == "winner":
            parts = tuple(part.model_copy(update={"compare": len(parts)}) for part in parts)
        if figure.counts is not None:
            keys["at"] = {"median": "0.5", "smallest": 0, "largest": 1}.get(kind, figure.at)
            parts = tuple(part.model_copy(update={"compare": len(parts), "at": keys["at"]}) for part in parts)
            return Written(parts, (_computed(figure.name, "place", parts, keys),))
        return Written(parts, (_computed(figure.name, "quantile" if kind == "median" else kind, parts, keys),))

    def _model(self, given: object, figure: FigureModel, values: Sequence[Label | Fraction]) -> list[str]:
        """The chances of the values under one model; nothing is said of what is missing."""
        name, what = figure.column or "", f"Figure {figure.name!r}: models"
        try:
            law = dict(marginal(given, name, self.confidential[name], what))
        except InputError as error:
            raise SpecError(str(error) if str(error).startswith(what) else f"{what}: {error}") from None
        chances = [law.get(value, Fraction(0)) for value in values]
        if min(chances) <= 0 or sum(chances) != 1:
            raise SpecError(
                f"{what} needs a chance above 0 for each value of {name} that is there, but {given} has not. A value "
                "that a model excludes would decide by itself: write 0.001 for what is rare."
            )
        return list(map(str, chances))

    def _check_named(self, figure: FigureModel, values: Sequence[object], what: str) -> None:
        """A value is named by counts that are there as they are."""
        if figure.round is not None or (figure.noise is not None and figure.counts is None):
            raise SpecError(f"{what} is found from counts as they are. Remove noise and round, or publish the counts.")
        if len(values) < 2:
            raise SpecError(f"{what} needs a column of at least two values, but {figure.column} has one.")

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _where(self, figure: FigureModel, given: Condition, key: str) -> Where:
        try:
            what = f"Figure {figure.name!r}" if key == "where" else f"Figure {figure.name!r}: {key}"
            return where_of(given or {}, self.public, self.confidential, what)
        except InputError as error:
            raise SpecError(str(error)) from None

    def _and(self, figure: FigureModel, more: Condition, key: str) -> object:
        """Both conditions, as a specification writes them."""
        if not more:
            return figure.where
        first, second = self._where(figure, figure.where, "where"), self._where(figure, more, key)
        if not first.tests:
            return more
        if isinstance(figure.where, dict) and isinstance(more, dict) and not figure.where.keys() & more.keys():
            return {**figure.where, **more}
        return f"{first} and {second}"

    def _open(self, figure: FigureModel) -> bool:
        """Whether anybody may know how many records a figure is about: no confidential column chooses them."""
        return not self.presence and not self._where(figure, figure.where, "where").columns & self.confidential.keys()

    def _people(self, figure: FigureModel) -> frozenset[str]:
        """The public part of a condition, whatever the order of its parts: whom the numbers of a figure are about."""
        where = self._where(figure, figure.where, "where").on(frozenset(self.public))
        return frozenset(map(repr, where.tests))

    def _numeric(self, figure: FigureModel, name: str) -> str:
        if isinstance(self.confidential[name], Categories):
            raise SpecError(
                f"Figure {figure.name!r}: to needs a column of numbers or a condition, but {name} has labels."
            )
        return name


def _part(figure: FigureModel, what: str, **keys: object) -> FigureModel:
    """One of the numbers that a figure is computed from: a count, or a sum if there is a column."""
    kind = "count" if keys.get("column") is None else "sum"
    own = {"name": f"{figure.name}, {what}", "kind": kind, "where": figure.where, **keys}
    kept = {key: getattr(figure, key) for key in ("by", "leave_out", "round", "noise")}
    return FigureModel.model_validate({**{k: v for k, v in kept.items() if v is not None}, **own})


def _kept(model: SpecModel) -> dict[str, Fraction]:
    """The columns with randomised answers, and the chance of a true one."""
    found: dict[str, Fraction] = {}
    for name, belief in model.beliefs.items():
        columns = [belief.columns] if isinstance(belief.columns, str) else belief.columns
        if belief.answered is not None:
            found |= dict.fromkeys(columns or [name], exact(belief.answered, name=f"The belief about {name}: answered"))
    return {name: keep for name, keep in found.items() if Fraction(1, 2) < keep < 1}


def _computed(name: str, kind: str, parts: Sequence[FigureModel], keys: Mapping[str, object]) -> ComputedModel:
    return ComputedModel.model_validate({"name": name, "kind": kind, "parts": [one.name for one in parts], **keys})


def _shown(value: Label | Fraction) -> Label:
    """A value as a specification writes it."""
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else plain(value)


def _numbers(column: Column, name: str, what: str) -> list[Fraction]:
    """The weights that a public column may have."""
    if column.size > MOST_VALUES:
        raise SpecError(
            f"{what} needs a column of at most {MOST_VALUES} different weights, since the numbers of each weight are "
            f"judged, but {name} has {column.size}. Declare a coarser unit, with round: nearest."
        )
    try:
        found = [value if isinstance(value, Fraction) else exact(str(value), name=name) for value in column.values]
    except InputError:
        raise SpecError(
            f"{what} needs a column of numbers, but {name} has labels that are none. Choose another."
        ) from None
    if min(found) < 0:
        raise SpecError(f"{what} needs weights of at least 0, but {name} may be negative. Declare bounds from 0 on.")
    return found
