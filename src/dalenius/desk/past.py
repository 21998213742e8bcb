"""What earlier releases mean for a new one: their figures as history, the declarations that they still need, and what
about them is in doubt.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import SpecError
from dalenius.data.marks import Marks
from dalenius.desk.spec import Prepared
from dalenius.desk.spec.series import months_of
from dalenius.facts.records import Categories, Cell, Column, Label, Where
from dalenius.facts.secret import Hidden, hides_presence, partly
from dalenius.record.codec import canonical, digest, value_json
from dalenius.record.ledger import Edition, Fingerprint, Memory
from dalenius.record.ledger.edition import grown
from dalenius.record.ledger.meaning import meaning
from dalenius.tables.figures import ColumnBelief, Figure
from dalenius.tables.history import History

if TYPE_CHECKING:
    from dalenius.record.ledger import Declared, Recorded
    from dalenius.tables.series import Series

Numbers: TypeAlias = Sequence[tuple[Cell, Fraction | None]]  # of one figure, cell by cell


@final
@dataclass(frozen=True, slots=True)
class Past:
    """The specification with everything that is already out, and why some of that cannot be judged."""

    memory: Memory
    prepared: Prepared
    found: Mapping[str, Sequence[Figure]] = field(default_factory=dict)  # the figures of each release
    doubts: Mapping[str, str] = field(default_factory=dict)  # by the release that they are about


def remembered(prepared: Prepared, memory: Memory, columns: Sequence[str]) -> Past:
    """The specification, with the figures of all earlier releases as history and with what they declared beside what it
    declares; SpecError if it contradicts them. `columns` are those of the table.

    A figure that is asked again without dice tells nothing new, and a figure that went out twice is listed once.
    """
    from dalenius.record.ledger.garbage import uncollected

    with uncollected():
        return _remembered(prepared, memory, columns)


def _remembered(prepared: Prepared, memory: Memory, columns: Sequence[str]) -> Past:
    public, confidential = _merged(prepared, memory)
    columns = (*columns, *_made(prepared, memory, columns))
    found: dict[str, tuple[Figure, ...]] = {}
    doubts: dict[str, str] = {}
    believed, series = _believed(prepared, memory, columns), _in(prepared.series, public)
    outside: set[Hashable] = {(figure.name, meaning(figure)) for figure in prepared.history.figures}
    for release in memory.releases:
        figures = tuple(_out(release, outside))
        doubts[release.id] = (
            _lost(release, figures, public, columns)
            or _renamed(release, figures, prepared, columns)
            or _unbelieved(release, figures, believed)
        )
        edition = edition_then(prepared, release)
        tests = edition.tests(public) if edition is not None else ()
        found[release.id] = tuple(
            replace(figure, name=f"{release.id}/{figure.name}", where=Where((*figure.where.tests, *tests)))
            for figure in figures
        )
        if edition is not None and edition.since is not None and edition.fits(public):
            from dalenius.tables.series import place_of

            pairs = zip(figures, found[release.id], strict=True)
            series = months_of(series, pairs, place_of(public[edition.since], edition.now))
    history = _history(prepared, found, doubts)
    beliefs = _beliefs(prepared, memory, history.figures, confidential, columns)
    frame = _frame(prepared, (*history.figures, *prepared.figures), beliefs, public)
    merged = replace(
        prepared,
        public={name: column for name, column in public.items() if name in prepared.public or name in frame},
        confidential=confidential,
        beliefs=beliefs,
        history=history,
        frame_columns=frame,
        series=series,
    )
    return Past(memory, merged, found, {name: doubt for name, doubt in doubts.items() if doubt})


def _in(series: "Series | None", public: Mapping[str, Column]) -> "Series | None":
    """The series with all values that the columns of editions have, now or then."""
    return series and replace(series, calendar={name: public[name] for name in series.calendar})


def edition_then(prepared: Prepared, release: "Recorded") -> Edition | None:
    """The edition of an earlier release; one that named none has the one that the specification tells."""
    told = prepared.before.get(release.id)
    if told is None:
        return release.edition
    if release.edition is not None:
        raise SpecError(
            f"edition: before is for releases that named no edition, but {release.id} is about edition "
            f"{release.edition}. Leave it out."
        )
    return told


def _history(prepared: Prepared, found: Mapping[str, Sequence[Figure]], doubts: Mapping[str, str]) -> History:
    """What is out, but for releases in doubt; figures without dice once, and not those that are asked again."""
    mine: dict[Hashable, str] = {meaning(one): one.name for one in prepared.figures if not one.channel.dice}
    seen, again = set(mine), set[str]()
    kept = list(prepared.history.figures)
    for release, figures in found.items():
        for figure in figures if not doubts.get(release) else ():
            key = figure.name if figure.channel.dice else meaning(figure)
            if key not in seen:
                kept.append(figure)
            elif key in mine:
                again.add(mine[key])
            seen.add(key)
    return History(tuple(kept), frozenset(again))


def _out(release: "Recorded", outside: set[Hashable]) -> Iterator[Figure]:
    """The figures of a release, and what it named as published elsewhere: out once, however often it is named."""
    yield from release.figures
    for figure in release.published:
        key = (figure.name, meaning(figure))
        if key not in outside:
            outside.add(key)
            yield figure


def _merged(prepared: Prepared, memory: Memory) -> tuple[dict[str, Column], dict[str, Column]]:
    """All columns that are declared, now or then."""
    public, confidential = dict(prepared.public), dict(prepared.confidential)
    editions = (edition_then(prepared, release) for release in memory.releases)
    growing = {name for edition in editions if edition for name in edition.columns}
    for release in memory.releases:
        if release.person != prepared.person:
            raise SpecError(
                f"person: release {release.id} of the same dataset names persons by {release.person!r}, but now it is "
                f"{prepared.person!r}. Name persons as before; for other people, write another dataset."
            )
        if release.body["secret"] != secret_name(prepared.secret):
            raise SpecError(
                f"secret: it was {release.body['secret']!r} when {release.id} was released, but now it is "
                f"{secret_name(prepared.secret)!r}. What is secret of a person, and whether they are there, is the "
                "same for all releases of a dataset. Write it as before."
            )
        _check_together(prepared, release)
        _check_sample(prepared, release)
        _check_stances(prepared, release)
        _check_made(prepared, release)
        before_public, before_confidential = release.public, release.confidential
        for name in before_confidential:
            if name in prepared.public:
                raise SpecError(
                    f"public: {name!r} was declared confidential when {release.id} was released, but now it is public. "
                    "What was secret stays secret: list it under confidential, or leave it out."
                )
        for name in before_public:
            if name in prepared.confidential:
                raise SpecError(
                    f"confidential: {name!r} was declared public when {release.id} was released, but now it is "
                    "confidential. Figures went out on that ground: list it under public, or leave it out."
                )
        for name, column in before_public.items():
            _same(name, column, public, release, growing)
        for name, column in before_confidential.items():
            _same(name, column, confidential, release, set())
    return public, confidential


def _made(prepared: Prepared, memory: Memory, columns: Sequence[str]) -> set[str]:
    """The columns that are made of several rows a person, now or then, if the table still has what they are made of."""
    found = set() if prepared.per_person is None else set(prepared.per_person.derived)
    for release in memory.releases:
        found |= {name for name, made in release.per_person.items() if set(made["rows"]) <= set(columns)}
    return found


def _check_together(prepared: Prepared, release: "Recorded") -> None:
    """SpecError if records moved together then, and now do not, or less: what is out is judged again as it was."""
    then, now = release.together, prepared.together
    if then is None or (now is not None and now.column == then.column and now.weight <= then.weight):
        return
    raise SpecError(
        f"together: when {release.id} was released, records of one {then.column} moved together, with a weight of "
        f"{then.weight} of their own. Write it as before (or a smaller weight): all that is out is judged by it."
    )


def _check_sample(prepared: Prepared, release: "Recorded") -> None:
    """SpecError if who was drawn hid people then, and now it does not, or otherwise."""
    then, now = release.sample, prepared.sample
    if then is None or (now is not None and replace(now, source=then.source, drawn={}) == replace(then, drawn={})):
        return
    raise SpecError(
        f"sample: when {release.id} was released, that nobody knew who was drawn hid people, by the design that was "
        "stated then. Write sample as before: all that is out is judged by it."
    )


def _check_stances(prepared: Prepared, release: "Recorded") -> None:
    """SpecError if something was believed of all records at once, and now it is something else."""
    for belief in release.beliefs:
        held = [one for one in prepared.beliefs if set(one.columns) & set(belief.columns)]
        if belief.stance is not None and held and held[0].stance != belief.stance:
            raise SpecError(
                f"beliefs: when {release.id} was released, something else was believed of all records of {belief} at "
                "once. Write it as before: all that is out is judged by it."
            )


def _check_made(prepared: Prepared, release: "Recorded") -> None:
    """SpecError if a column is made of a person's rows in another way than it was then."""
    from dalenius.record.codec import derived_json

    now = {} if prepared.per_person is None else derived_json(prepared.per_person)
    then = release.per_person
    for name in release.confidential.keys() & prepared.confidential.keys():
        if canonical(now.get(name)) != canonical(then.get(name)):
            raise SpecError(
                f"per_person: {name!r} was made otherwise when {release.id} was released, so that it is another column "
                "now. Make it of the rows as before, or give it another name."
            )


def _same(name: str, column: Column, columns: dict[str, Column], release: "Recorded", growing: set[str]) -> None:
    now = columns.setdefault(name, column)
    if not (grown(column, now) if name in growing else _alike(column, now)):
        if name in growing and grown(now, column):
            columns[name] = column  # an older release, whose editions ended earlier, was read first
            return
        raise SpecError(
            f"Column {name!r} needs the domain and the unit that it had when {release.id} was released "
            f"({_told(column)}), but now it has others ({_told(now)}). Declare it as before; for other data, "
            "write another dataset."
        )


def declared(asked: Prepared) -> "Declared":
    """All that a specification says of its release."""
    from dalenius.record.ledger import Declared

    return Declared(
        asked.dataset,
        asked.edition,
        asked.person,
        asked.public,
        asked.confidential,
        asked.beliefs,
        asked.attacker,
        secret_name(asked.secret),
        {"epsilon": asked.target.epsilon, "delta": asked.target.delta},
        asked.asked,
        asked.history.figures,
        asked.per_person,
        asked.computed,
        asked.together,
        asked.sample,
    )


def secret_name(secret: Hidden) -> str:
    """As a specification writes it, or what of some columns is secret in words."""
    return "presence" if hides_presence(secret) else str(secret) if partly(secret) else "value"


def _alike(first: Column, second: Column) -> bool:
    """Labels may stand in another order."""
    if isinstance(first, Categories) and isinstance(second, Categories):
        return sorted(map(repr, first.values)) == sorted(map(repr, second.values))
    return first == second


def _told(column: Column) -> str:
    if isinstance(column, Categories):
        return ", ".join(map(str, column.values[:8])) + (", ..." if column.size > 8 else "")
    missing = "" if column.missing is None else f", or {column.missing}"
    return f"{column.lower} to {column.upper} in steps of {column.unit}{missing}"


def _lost(release: "Recorded", figures: Iterable[Figure], public: Mapping[str, Column], columns: Sequence[str]) -> str:
    """Why the figures of a release cannot be rebuilt from the table, if they cannot."""
    needed = [name for figure in figures for name in _public_columns(figure, public)]
    needed += release.edition.columns if release.edition else ()
    missing = [name for name in needed if name not in columns]
    if missing:
        return f"release {release.id} used the column {missing[0]!r}, which is not in the table any more"
    return ""


def _renamed(release: "Recorded", figures: Iterable[Figure], prepared: Prepared, columns: Sequence[str]) -> str:
    """Why a confidential column of a release may be in the table under another name, if it may."""
    declared = release.confidential
    used = frozenset().union(*(figure.confidential(declared) for figure in figures))
    asked = frozenset().union(*(figure.confidential(prepared.confidential) for figure in prepared.figures))
    gone, fresh = sorted(used - set(columns)), sorted(asked - declared.keys())
    if not gone or not fresh:
        return ""
    return (
        f"release {release.id} used the confidential column {gone[0]!r}, which is not in the table any more, and "
        f"{fresh[0]!r} may be the same under another name; keep columns, and their names"
    )


def _public_columns(figure: Figure, public: Mapping[str, Column]) -> list[str]:
    return [name for name in dict.fromkeys((*figure.by, *sorted(figure.where.columns))) if name in public]


def _stated(release: "Recorded") -> list[tuple[frozenset[str], frozenset[str]]]:
    """The columns about which a release stated probabilities, and by which columns; the tables are not read."""
    return release.read(
        lambda body: [
            (frozenset({one["column"], *one.get("beside", ())}), frozenset(one["by"])) for one in body["beliefs"]
        ]
    )


def _believed(prepared: Prepared, memory: Memory, columns: Sequence[str]) -> frozenset[str]:
    """The confidential columns about which there are probabilities, by columns that the table has. Those of several
    columns are of use only if none of these is believed something else of by now.
    """
    found = {name for belief in prepared.beliefs for name in belief.columns}
    for release in reversed(memory.releases):
        for about, by in _stated(release):
            if by <= set(columns) and not about & found:
                found |= about
    return frozenset(found)


def _unbelieved(release: "Recorded", figures: Iterable[Figure], believed: frozenset[str]) -> str:
    """Why the figures of a release cannot be judged, if the probabilities behind them are not to be had any more."""
    used = frozenset().union(*(figure.confidential(release.confidential) for figure in figures))
    if used <= believed:
        return ""
    return (
        f"the probabilities of {min(used - believed)!r}, on which release {release.id} rests, were by a column that is "
        "not in the table any more, or together with another column of which something else is stated now; state them "
        "under beliefs"
    )


def _beliefs(
    prepared: Prepared,
    memory: Memory,
    history: Iterable[Figure],
    confidential: Mapping[str, Column],
    columns: Sequence[str],
) -> tuple[ColumnBelief, ...]:
    """The specification's beliefs, and for columns that only earlier figures use the latest that was declared."""
    found = list(prepared.beliefs)
    held = {name for belief in found for name in belief.columns}
    needed = frozenset().union(*(figure.confidential(confidential) for figure in history)) - held
    for release in reversed(memory.releases):
        if needed <= held:
            break
        for belief in release.beliefs:
            if set(belief.by) <= set(columns) and not held & set(belief.columns):
                found += [belief] if needed & set(belief.columns) else []
                held |= set(belief.columns)  # as `_believed` has it: the latest that was stated counts
    return tuple(found)


def _frame(
    prepared: Prepared,
    figures: Iterable[Figure],
    beliefs: Iterable[ColumnBelief],
    public: Mapping[str, Column],
) -> tuple[str, ...]:
    """The public columns that anything depends on, then and now."""
    used = {name for figure in figures for name in _public_columns(figure, public)}
    used |= {name for belief in beliefs for name in belief.by} | set(prepared.frame_columns)
    order = tuple(name for name in public if name in used)
    if prepared.sample is not None and set(order) != set(prepared.frame_columns):
        more = next(name for name in order if name not in prepared.frame_columns)
        raise SpecError(
            f"sample needs to be by the public columns that earlier releases use too, but it is not by {more}. Add it "
            "to public, and to by under sample."
        )
    if prepared.sizes is not None and set(order) != set(prepared.frame_columns):
        more = next(name for name in order if name not in prepared.frame_columns)
        raise SpecError(
            f"sizes must be by the public columns that earlier releases use too, but it is not by {more}. "
            "Add it to public and to the by of sizes."
        )
    return prepared.frame_columns if prepared.sizes is not None or prepared.sample is not None else order


def same_rows(past: Past, asked: Prepared, method: str, marks: Marks | None) -> Past:
    """The same, with a doubt for each earlier release whose rows are not today's, as far as that can be seen, and
    without its figures, of which nothing can be said.

    `marks` counts and marks today's persons by the columns of the frame; None where presence is secret.
    """
    known: dict[object, Fingerprint] = {}
    found = {release.id: _changed(past.prepared, release, method, marks, known) for release in past.memory.releases}
    doubts = {name: doubt for name, doubt in {**found, **past.doubts}.items() if doubt}
    if doubts.keys() == past.doubts.keys():
        return past
    outside = asked.history.figures
    history = _history(replace(past.prepared, history=History(outside)), past.found, doubts)
    return replace(past, prepared=replace(past.prepared, history=history), doubts=doubts)


def _changed(
    prepared: Prepared, release: "Recorded", method: str, marks: Marks | None, known: "dict[object, Fingerprint]"
) -> str:
    now, then = prepared.edition, edition_then(prepared, release)
    named = then is not None and now is not None and not (then.columns or now.columns)
    if then is not None and now is not None and named and then.now != now.now:
        return (
            f"release {release.id} is about edition {then} and this one about {now}, and no column says which rows "
            "were in each; declare edition with since"
        )
    before = release.fingerprint
    if hides_presence(prepared.secret) or marks is None or before is None:
        if named or (then is not None and then.columns):
            return ""
        return (
            f"release {release.id} is about the same dataset, but where presence is secret it is not read from the "
            "table whether its rows are the same; say so with edition: {now: ...}, under the same name if they are"
        )
    if before.method != method:
        if named:
            return ""
        return (
            f"release {release.id} marks its persons in another way (another version of dalenius, or of the data "
            "engine), so whether its rows are the same "
            "cannot be seen; declare edition for both, or write another dataset if these are other people"
        )
    if set(before.columns) <= set(prepared.frame_columns):
        key = (before.columns, then)
        if key not in known:
            known[key] = fingerprint(prepared, method, marks, before.columns, then)
        if known[key] == before:
            return ""
    if named:
        return (
            f"release {release.id} is about edition {then}, as this one is, but the table is not what it was (persons "
            "came, left, or have other public values); name each state of the table differently"
        )
    gone = (
        f"the table is not what it was when {release.id} was released (persons came, left, or have other public values)"
    )
    if then is not None:
        return f"{gone}, although edition says which rows are of then; put back the rows and the public values of then"
    return (
        f"{gone}, and {release.id} was released without an edition, so that its rows of then cannot be rebuilt; a "
        "person has to compare both tables, since the difference of a figure then and now is about those who came, "
        "left or changed (from now on keep all rows, with a public column that says since when each is there, and "
        f"declare edition with every release; if the table has such a column for the rows of then, tell which edition "
        f"it was: edition: {{..., before: {{{release.id}: ...}}}})"
    )


def fingerprint(
    prepared: Prepared, method: str, marks: Marks, columns: Sequence[str], edition: Edition | None
) -> Fingerprint:
    """The public side of the rows of an edition, by some of the columns of the frame."""
    where = Where(edition.tests(prepared.public) if edition is not None else ())
    places = [prepared.frame_columns.index(name) for name in columns]
    found: dict[str, list[int]] = {}
    for cell, (people, mark) in marks.items():
        if where.holds(dict(zip(prepared.frame_columns, cell, strict=True))):
            key = f"[{','.join(_written(cell[place]) for place in places)}]"
            total = found.setdefault(key, [0, 0])
            total[0] += people
            total[1] += mark
    rows = sorted([key, *total] for key, total in found.items())
    return Fingerprint(tuple(columns), method, digest(canonical(rows)))


@lru_cache(maxsize=100_000, typed=True)
def _written(value: Label | Fraction) -> str:
    return canonical(value_json(value))


def fingerprint_columns(prepared: Prepared, asked: Prepared) -> tuple[str, ...]:
    """The columns whose values a later table must still have: those of the figures that are asked for, of what the
    specification says is published, and since when a row is there. When a row left may change, unless a figure uses it.
    """
    figures = (*asked.asked, *asked.history.figures)
    used = {name for figure in figures for name in _public_columns(figure, prepared.public)}
    if asked.edition is not None and asked.edition.since is not None:
        used.add(asked.edition.since)
    return tuple(name for name in prepared.frame_columns if name in used)


def changed_numbers(past: Past, figures: Sequence[Figure], numbers: Mapping[str, Numbers]) -> str:
    """The first figure that went out before, without dice and about the same rows, and is another number now."""
    mine = {meaning(figure): figure for figure in figures if not figure.channel.dice}
    for release in past.memory.releases:
        edition = edition_then(past.prepared, release)
        if edition is not None and not edition.fits(past.prepared.public):
            continue
        tests = edition.tests(past.prepared.public) if edition is not None else ()
        for figure, before in zip(release.figures, release.numbers, strict=True):
            whole = replace(figure, where=Where((*figure.where.tests, *tests)))
            now = mine.get(meaning(whole))
            if now is not None and _cells(figure, before) != _cells(now, numbers[now.name]):
                return f"{now.name!r} is not what it was in {release.id}"
    return ""


def _cells(figure: Figure, numbers: Numbers) -> dict[frozenset[tuple[str, str]], Fraction | None]:
    """The numbers by what their cells are, in whatever order the figure has the columns."""
    return {frozenset(zip(figure.by, map(_written, cell), strict=True)): value for cell, value in numbers}
