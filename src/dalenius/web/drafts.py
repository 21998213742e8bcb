"""A specification that is made by clicking: the answers of forms as keys of a YAML file, and back."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import yaml

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.interview.phrases import domain, hidden
from dalenius.desk.interview.question import Asking
from dalenius.desk.interview.schema import Schema, schema_of
from dalenius.desk.interview.talk import says_person
from dalenius.desk.policy import Policy
from dalenius.desk.spec import Prepared, SpecModel, build, spec_of
from dalenius.desk.spec.load import parse_keys
from dalenius.web.places import Places
from dalenius.web.sessions import Work

ROLES = ("not used", "person", "public", "confidential")
KINDS = ("count", "percentage", "sum", "mean", "median", "mode", "smallest", "largest", "variance")
SERVER = ("ledger", "policy")  # what whoever started the server decides
LEFT_OUT = "leave out of this figure"
MOST_LABELS = 200  # values that are offered
LARGEST_UPLOAD = 10_000_000  # bytes
SPEC_FILE = "release.yaml"
UNSAID = {  # what a draft may lack while its tables are drawn; nothing is judged by it
    "attacker": {"knows": 0, "source": "not said yet"},
    "target": {"epsilon": 1, "delta": "1e-6"},
}
HEAD = "# Made at the workbench. Judge it with dalenius check, or read it there again.\n"


def schema(work: Work, places: Places) -> Schema:
    """Names and types of the columns."""
    return schema_of(str(places.data(work.data)), work.keys.get("table"))


def text_of(keys: Mapping[str, Any]) -> str:
    """The keys as a YAML file."""
    return HEAD + yaml.safe_dump(_plain(keys), sort_keys=False, allow_unicode=True, width=110)


def _plain(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    return content if isinstance(content, bool | int | str) or content is None else str(content)


def keys_of(text: str, work: Work, places: Places) -> dict[str, Any]:
    """The keys of a text that somebody wrote; InputError if they name what may not be named here."""
    keys = parse_keys(text)
    for name in SERVER:
        if name in keys:
            raise InputError(
                f"{name}: this key is decided by whoever started the server, but it stands in the specification. "
                "Remove it."
            )
    named = keys.get("data", work.data)
    if not isinstance(named, str):
        raise InputError("data needs the name of a table, but got something else. Write its name.")
    named = places.name(named)
    places.data(named)
    if "data" in keys:
        keys["data"] = named
    beliefs = keys.get("beliefs")
    found = beliefs.values() if isinstance(beliefs, Mapping) else beliefs if isinstance(beliefs, list) else ()
    for one in found:
        if isinstance(one, Mapping) and "counts" in one:
            _check_counts(one["counts"], work)
    return keys


def _check_counts(name: object, work: Work) -> None:
    plain = isinstance(name, str) and name == Path(name).name and not name.startswith(".")
    if not plain or not (work.folder / str(name)).is_file():
        raise InputError(
            "counts needs the name of a public table that was put here, but got another. Upload it under Beliefs, and "
            "write its name without folders."
        )


def upload(work: Work, name: str, content: bytes) -> str:
    """Keep a public table; the name under which a belief finds it."""
    if len(content) > LARGEST_UPLOAD:
        raise InputError(f"Needed a file of at most {LARGEST_UPLOAD} bytes, but got more. Take a smaller one.")
    plain = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in Path(name).name).lstrip(".-")
    if not plain.lower().endswith((".csv", ".tsv")) or len(plain) > 100:
        raise InputError("Needed a CSV file, but got a file of another name. Save it as .csv.")
    if plain == SPEC_FILE or not content:
        raise InputError("Needed a file with something in it, but it is empty. Choose another.")
    (work.folder / plain).write_bytes(content)
    return plain


def written(work: Work) -> Path:
    """The specification as a file beside what was uploaded; SpecError if it is not whole."""
    spec_of(work.keys)
    path = work.folder / SPEC_FILE
    path.write_text(text_of(work.keys), encoding="utf-8")
    return path


def check(work: Work) -> None:
    """InputError if the specification is not whole, or says what cannot be; no table is opened."""
    build(spec_of(work.keys), work.folder)


def columns_from(form: Mapping[str, str], found: Schema, policies: Sequence[Policy]) -> dict[str, Any]:
    """person, public and confidential, as the form says; values of public columns are listed from the table, if they
    were left open, and if the policies let them be public.
    """
    person, public, confidential = "", {}, {}
    for held in policies:
        held.check_public(name for place, name in enumerate(found.names) if form.get(f"role{place}") == "public")
    for place, name in enumerate(found.names):
        role, told = form.get(f"role{place}", ROLES[0]), form.get(f"domain{place}", "").strip()
        if role == "person":
            if person:
                raise SpecError(f"There needs to be one column that names the person, but {person} and {name} do.")
            person = name
        elif role == "public":
            public[name] = domain(_asking(name), told) if told else found.labels(name)
        elif role == "confidential":
            if not told:
                raise SpecError(
                    f"{name} needs what it may contain at most, from its definition and not from the data, but nothing "
                    "is said. Write no, yes; or 0 to 120."
                )
            confidential[name] = hidden(_asking(name), told)
    if not person and form.get("each_row") != "yes":
        raise SpecError("One column needs to name the person, but none does. Choose one, or say that each row is one.")
    return {"person": person or "each row", "public": public, "confidential": confidential}


def columns_of(work: Work) -> list[dict[str, Any]]:
    """Each column with what was said of it."""
    likely = next((name for name in work.names if says_person(name)), "")  # by its name; nobody looks at values
    public, confidential = work.keys.get("public", {}), work.keys.get("confidential", {})
    person = work.keys.get("person", likely)
    found = []
    for place, (name, kind) in enumerate(zip(work.names, work.types, strict=True)):
        role = next((role for role in ("public", "confidential") if name in work.keys.get(role, {})), ROLES[0])
        told = domain_text(public.get(name) or confidential.get(name))
        role = "person" if name == person else role
        found.append({"place": place, "name": name, "kind": kind, "role": role, "domain": told})
    return found


def columns_typed(work: Work, form: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each column with what is being said of it."""
    return [
        {
            "place": place,
            "name": name,
            "kind": kind,
            "role": form.get(f"role{place}", ROLES[0]),
            "domain": form.get(f"domain{place}", ""),
        }
        for place, (name, kind) in enumerate(zip(work.names, work.types, strict=True))
    ]


def _asking(name: str) -> Asking:
    return Asking(f"column {name}", f"What may {name} contain?", "", called=name)


def domain_text(found: Any) -> str:
    """What a column may contain, as somebody would write it."""
    match found:
        case list():
            return ", ".join(map(_word, found))
        case {"bounds": [low, high], **rest}:
            unit = str(rest.get("unit", "1"))
            if unit in ("day", "month", "year"):
                return f"{low} to {high}"
            rounded = ", rounded" if rest.get("round") else ""
            text = f"{low} to {high}" + ("" if unit == "1" else f" by {unit}") + rounded
            return text + (" or missing" if rest.get("missing") else "")
        case {"bins": cuts}:
            return "bins " + ", ".join(map(str, cuts))
        case {"values": values, **rest}:
            return ", ".join(map(_word, values)) + (" or missing" if rest.get("missing") else "")
        case _:
            return ""


def _word(label: object) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)


def figure_from(form: Mapping[str, str], by: Sequence[str], names: Collection[object] = ()) -> dict[str, Any]:
    """A figure as it was clicked; without a name it is called after what it is. `names` are taken."""
    kind = form.get("kind", "count")
    if kind not in KINDS:
        raise SpecError(f"Needed a kind of figure ({', '.join(KINDS)}), but got another. Choose one.")
    figure: dict[str, Any] = {"name": form.get("name", "").strip(), "kind": kind}
    column = form.get("column", "")
    if kind not in ("count", "percentage"):
        if not column:
            raise SpecError(f"A {kind} needs a column, but none is chosen. Choose one.")
        figure["column"] = column
    condition = form.get("condition", "").strip()
    first, second = form.get("where_column", ""), form.get("where_value", "").strip()
    where = " and ".join(part for part in (f"{first} = {second}" if first and second else "", condition) if part)
    if kind == "percentage":
        if not where:
            raise SpecError("A percentage needs those who are counted, but no condition is given. Choose one.")
        figure["of"] = where
    elif where:
        figure["where"] = where
    if not figure["name"]:
        words = figure_words(figure).replace("=", "is")
        figure["name"] = next(
            name for name in chain([words], (f"{words} {at}" for at in count(2))) if name not in names
        )
    if by:
        figure["by"] = list(by)
    return figure


def about_missing(keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The figures, each mean with what becomes of those whose value is missing: they are left out of it."""
    gaps = {
        name
        for name, told in keys.get("confidential", {}).items()
        if isinstance(told, Mapping) and told.get("missing") == "as a value"
    }
    found = []
    for figure in keys.get("figures", []):
        plain = {name: told for name, told in figure.items() if name != "missing" or figure.get("kind") != "mean"}
        left = figure.get("kind") == "mean" and figure.get("column") in gaps
        found.append({**plain, "missing": LEFT_OUT} if left else plain)
    return found


def figure_words(figure: Mapping[str, Any]) -> str:
    """A figure in a line."""
    parts = [str(figure.get("kind", ""))]
    parts += [f"of {figure['column']}"] if figure.get("column") else []
    parts += [f"of {_condition(figure['of'])}"] if figure.get("of") else []
    parts += [f"where {_condition(figure['where'])}"] if figure.get("where") else []
    by = figure.get("by") or []
    parts += ["of those who have one"] if figure.get("missing") == LEFT_OUT else []
    parts += [f"by {', '.join([by] if isinstance(by, str) else map(str, by))}"] if by else []
    rest = [
        f"{key} {value}"
        for key, value in figure.items()
        if key in ("round", "noise", "truncate", "leave_out") and value
    ]
    return ", ".join([" ".join(parts), *rest])


def _condition(found: object) -> str:
    if isinstance(found, Mapping):
        return " and ".join(f"{name} = {value}" for name, value in found.items())
    return str(found)


def preview(keys: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The tables that the figures will be, empty: heads and labels from what is declared public."""
    whole = {**keys, **UNSAID, "beliefs": {}}
    model = spec_of({key: value for key, value in whole.items() if key not in ("sizes", "edition", "series")})
    prepared = build(model.model_copy(update={"beliefs": {}}), folder) if not _unbuildable(model) else None
    found: list[dict[str, Any]] = []
    for figure in () if prepared is None else prepared.figures:
        cells = list(figure.cells(prepared.public)) if prepared is not None else []
        found.append({"name": figure.name, "by": figure.by, "cells": cells[:60], "more": max(0, len(cells) - 60)})
    return found


def _unbuildable(model: SpecModel) -> bool:
    return bool(model.per_person)


def keep_belief(work: Work, has: dict[str, Any], files: Mapping[str, tuple[str, bytes]], place: int) -> None:
    """What is believed of one column, as the form says, if it says anything. What is put there is kept in any case."""
    given = files.get(f"counts{place}", ("", b""))
    before = belief_said(has["name"], work.keys.get("beliefs", {}))
    if not given[0] and all(_lines(has[key]) == _lines(before[key]) for key in has):
        return  # as it was shown: a belief that was written as text may say more than the form can
    if given[0]:
        has["kept"], has["how"] = upload(work, *given), "counts"
    told = belief_from(has, work)
    if told is None:
        return
    check_belief(work, has["name"], told)
    work.change(beliefs={**work.keys.get("beliefs", {}), has["name"]: told})


def _lines(told: object) -> object:
    """As browsers send it back."""
    return told if isinstance(told, bool | list) else str(told).split()


def belief_from(has: Mapping[str, Any], work: Work) -> dict[str, Any] | None:
    """The belief that a form says; None if it is left as it came."""
    source, how = has["source"], has["how"]
    if how == "unknown":
        return {"unknown": True, "source": source or "nobody knows"}
    filled = [name for name, key in (("counts", "kept"), ("probabilities", "probabilities")) if has[key]]
    if not filled and not source:
        return None
    if how not in filled and filled:  # whoever filled one of them in means that one
        how = filled[0]
    if not source:
        raise SpecError("A belief needs its source: a table, a survey, an argument. Write where the numbers come from.")
    if how == "counts":
        _check_counts(has["kept"], work)
        return {
            "counts": has["kept"],
            **({"by": has["by"]} if has["by"] else {}),
            "confidence": has["confidence"] or "0.999",
            "source": source,
        }
    chances: dict[str, str] = {}
    for line in has["probabilities"].replace(";", "\n").splitlines():
        label, colon, chance = line.rpartition(":")
        if line.strip() and not colon:
            raise SpecError(
                "Probabilities need a line each, such as yes: 0.2, but one is otherwise. Write label: number."
            )
        if colon:
            chances[label.strip()] = chance.strip()
    return {"probabilities": chances, **({"within": has["within"]} if has["within"] else {}), "source": source}


def _stated(work: Work, beliefs: object) -> Prepared:
    """What is believed, apart from what is asked for."""
    keys = {name: found for name, found in work.keys.items() if name not in ("sizes", "edition", "series", "computed")}
    anything = [{"name": "all", "kind": "count"}]
    return build(spec_of({**keys, **UNSAID, "secret": "value", "beliefs": beliefs, "figures": anything}), work.folder)


def open_step(keys: Mapping[str, Any]) -> str:
    """The first step without which nothing can be judged; "" if there is none."""
    wanted = (("columns", "person"), ("figures", "figures"), ("attacker", "attacker"), ("attacker", "target"))
    return next((step for step, key in wanted if not keys.get(key)), "")


def check_belief(work: Work, column: str, told: Mapping[str, Any]) -> None:
    """InputError where a belief cannot be read, while it is being said."""
    if not isinstance(work.keys.get("beliefs", {}), Mapping):
        raise SpecError(
            "What is believed needs a form for each column, but here it is a list, as for several columns at once. "
            "Change it as YAML."
        )
    _stated(work, {column: told})


def without_belief(keys: Mapping[str, Any]) -> list[str]:
    """Confidential columns of which nothing is said."""
    said = keys.get("beliefs", {})
    if not isinstance(said, Mapping):
        return []
    return [name for name in keys.get("confidential", {}) if not any(name in key for key in (said, *said))]


def belief_said(column: str, said: object) -> dict[str, Any]:
    """What was said of a column, for its form."""
    has = said.get(column, {}) if isinstance(said, Mapping) else {}
    has = has if isinstance(has, Mapping) else {"unknown": True}
    chances = has.get("probabilities")
    by = has.get("by", [])
    return {
        "name": column,
        "said": bool(has),
        "how": next((how for how in ("probabilities", "unknown") if has.get(how)), "counts"),
        "kept": has.get("counts", ""),
        "by": [by] if isinstance(by, str) else list(by),
        "confidence": has.get("confidence", "0.999"),
        "probabilities": "\n".join(f"{label}: {chance}" for label, chance in chances.items())
        if isinstance(chances, Mapping)
        else "",
        "within": has.get("within", ""),
        "source": has.get("source", ""),
    }


def belief_typed(
    place: int, name: str, form: Mapping[str, str], lists: Mapping[str, list[str]], said: object
) -> dict[str, Any]:
    """What is being said of a column."""
    keys = ("how", "kept", "confidence", "probabilities", "within", "source")
    told = {key: form.get(f"{key}{place}", "").strip() for key in keys}
    before = isinstance(said, Mapping) and name in said
    return {"name": name, "said": before, "by": lists.get(f"by{place}", []), **told}


def labels(keys: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The declared values of columns, for those who choose one."""
    both = {**keys.get("confidential", {}), **keys.get("public", {})}
    found = []
    for name, told in both.items():
        values = told if isinstance(told, list) else told.get("values", []) if isinstance(told, Mapping) else []
        found += [(_word(value), name) for value in values]
    return found[:MOST_LABELS]


def example_counts(keys: Mapping[str, Any]) -> dict[str, str]:
    """For each confidential column, how a public table of counts begins."""
    public = [(name, found) for name, found in keys.get("public", {}).items()][:1]
    by = [(name, _first(found)) for name, found in public]
    told = {}
    for name, found in keys.get("confidential", {}).items():
        values = found if isinstance(found, list) else found.get("values", []) if isinstance(found, Mapping) else []
        some = [_word(value) for value in values[:2]] or ["0", "1"]
        head = ",".join([*(column for column, _ in by), name, "count"])
        told[name] = "\n".join([head, *(",".join([*(first for _, first in by), value, "1200"]) for value in some)])
    return told


def _first(domain: object) -> str:
    values = domain if isinstance(domain, list) else domain.get("values", []) if isinstance(domain, Mapping) else []
    return _word(values[0]) if values else "..."


def drawn_beliefs(work: Work) -> list[dict[str, Any]]:
    """Each belief as bars: the probability of every value, by the public columns that it is stated by."""
    try:
        prepared = _stated(work, work.keys.get("beliefs", {}))
    except InputError:
        return []
    found = []
    for belief in prepared.beliefs:
        rows: list[dict[str, Any]] = []
        for cell, law in list(belief.table.items())[:40] if belief.stated else ():
            least = dict(belief.least[cell]) if belief.least is not None and cell in belief.least else {}
            bars = [
                {
                    "value": ", ".join(map(str, belief.row(value))),
                    "chance": float(chance),
                    "least": float(least.get(value, chance)),
                }
                for value, chance in law[:12]
            ]
            rows.append({"cell": ", ".join(map(str, cell)) or "everybody", "bars": bars, "more": max(0, len(law) - 12)})
        lower = any(bar["least"] < bar["chance"] for row in rows for bar in row["bars"])
        more = max(0, len(belief.table) - 40)
        found.append({"name": str(belief), "source": belief.source, "rows": rows, "lower": lower, "more": more})
    return found


def kinds_of_columns(keys: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of columns for the forms: public ones, confidential ones, those of numbers."""
    both = {**keys.get("public", {}), **keys.get("confidential", {})}
    numbers = [
        name for name, found in both.items() if isinstance(found, Mapping) and ("bounds" in found or "bins" in found)
    ]
    confidential = list(keys.get("confidential", {}))
    return {
        "public": list(keys.get("public", {})),
        "confidential": confidential,
        "numbers": [name for name in numbers if name in confidential],
    }
