"""The interview itself: which questions are asked, in which order, and what the answers mean for a specification."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias, final

from dalenius.errors import SpecError
from dalenius.interview.phrases import belief, domain, figures, hidden, number, share
from dalenius.interview.preset import Preset
from dalenius.interview.question import Ask, Choice, Question, chosen, several, shown, text
from dalenius.interview.schema import Schema
from dalenius.interview.trial import tried
from dalenius.spec.load import load_spec

SECRET = Question(
    "secret",
    "What is secret?",
    "It decides which facts about a person must look alike after the release.",
    (
        Choice("value", "what a record says; who is in the data may be known"),
        Choice("presence", "also whether somebody is in the data at all"),
        Choice("within", "a value to within a margin; hidden whole, which is more"),
        Choice("total", "what a company adds up to; one record a company"),
    ),
    "value",
)
ATTACKER = Question(
    "attacker",
    "Who attacks?",
    "The promise is against this attacker; what they know already cannot be hidden from them.",
    (
        Choice("outsider", "anybody, with nobody's record"),
        Choice("group", "an employer, a clinic, an insurer or a club with the records of its own people"),
        Choice("insider", "somebody who has seen part of the data"),
        Choice("competitor", "a firm with its own record and those of its partners"),
    ),
    "group",
)
KNOWS = Question(
    "knows",
    "What share of the records do they already know?",
    "Take the largest group that could pool its records, and round up: from 0 % to below 100 % of all records, or how "
    "many.",
    default="5 %",
    read=share,
)
BECAUSE = Question(
    "because",
    "Why does no attacker know more?",
    "It is printed in the report with your name under it, so that somebody else can check it.",
    read=text,
)
POPULATION = Question(
    "population",
    "Is this a sample, or everybody?",
    "Who was sampled is taken as known here, which is the careful reading; of everybody, a public table may already "
    "show the same people.",
    (Choice("sample", "some people, drawn from more"), Choice("everybody", "all of them, as in a register")),
    "everybody",
)


def _together(question: Question, given: Any) -> str:
    found = chosen(question, given)
    if found == "others":
        raise SpecError(
            f"{question.named}: records that move together in a way that no column names cannot be certified in a "
            "specification. Aggregate them to one record, or state the dependence in Python (docs/beliefs.md)."
        )
    return found


TOGETHER = Question(
    "together",
    "Which records move together?",
    "People are hidden by others whose records say nothing about theirs; what moves together must be one record.",
    (
        Choice("nobody", "each record is a person of their own"),
        Choice("households", "people of one household; one row a household is needed"),
        Choice("visits", "visits of one person; one row a person is needed"),
        Choice("owners", "firms of one owner; one row an owner is needed"),
        Choice("others", "in a way that no column names"),
    ),
    "nobody",
    read=_together,
)


PUBLISHED = Question(
    "published",
    "What has been published from these data before?",
    "Figures that differ by a few people give these away by subtraction, so all that is out is judged together. Write "
    "nothing, an earlier release.yaml, or the figures.",
    (Choice("nothing", "these are the first figures"),),
    "nothing",
)
MOST_GROUPS = 200  # whose sizes are asked for one by one
Read: TypeAlias = Callable[[Question, Any], Any]
FIVE = (SECRET, ATTACKER, POPULATION, TOGETHER, PUBLISHED)
KEYS = (
    *("person", "public", "confidential", "figures", "beliefs", "knows", "because", "sizes", "epsilon", "delta"),
    *(question.key for question in FIVE),
)


@final
@dataclass(frozen=True, slots=True)
class Talk:
    """The answers, as keys of a specification, and what is worth a comment there."""

    keys: Mapping[str, Any]
    notes: Mapping[str, str]


def talk(schema: Schema, ask: Ask, preset: Preset, *, base: Path, target: Mapping[str, str]) -> Talk:
    """Ask everything. `base` is the folder that paths in the answers are relative to."""
    keys: dict[str, Any] = {}

    def put(question: Question, part: str = "") -> Any:
        usual = preset.answers.get(question.key, question.default)
        question = tried(question, part, keys, base) if part else question
        return ask(replace(question, default=usual))

    keys["person"] = put(_person(schema))
    left = [name for name in schema.names if name != keys["person"]]
    keys["public"] = put(_public(left, schema), "public")
    left = [name for name in left if name not in keys["public"]]
    keys["confidential"] = put(_confidential(left), "confidential")
    keys["figures"] = put(_figures(keys), "figures")
    keys["beliefs"] = _beliefs(put, keys)
    secret, who = put(SECRET.reading(_secret(keys))), put(ATTACKER)
    known = put(replace(KNOWS, default="0" if who == "outsider" else KNOWS.default), "attacker")
    keys["attacker"] = {"knows": known, "source": put(BECAUSE)}
    population, together = put(POPULATION), put(TOGETHER)
    before = put(PUBLISHED.reading(_published(base)), "published")
    keys["secret"] = "presence" if secret == "presence" else "value"
    if secret == "presence":
        keys["sizes"] = put(_sizes(keys), "sizes")
    keys["published"] = before
    keys["target"] = dict(target) or {
        "epsilon": _target(ask, _epsilon(preset), base),
        "delta": _target(ask, _delta(preset), base),
    }
    return Talk({key: value for key, value in keys.items() if value != []}, _notes(secret, who, population, together))


def _notes(secret: str, who: str, population: str, together: str) -> dict[str, str]:
    told = {choice.word: choice.means for question in FIVE for choice in question.choices}
    sample = "a sample: who was drawn is taken as known" if population == "sample" else "everybody, as in a register"
    unit = "" if together == "nobody" else f"; {told[together]}"
    return {
        "secret": told[secret],
        "attacker": f"{told[who]}; the data are {sample}",
        "person": f"the unit of protection, one row each{unit}",
    }


def _epsilon(preset: Preset) -> Question:
    ask = "How much more likely may an outcome be under one fact about a person than under another, on the log scale?"
    why = "A number from 0 up, mostly 0.1 to 2: 0.5 is a factor of 1.65; above 2 a promise means little."
    return Question("epsilon", ask, why, (), preset.epsilon, number)


def _delta(preset: Preset) -> Question:
    ask = "How much probability may be left over?"
    why = "A number from 0 to 1, far below one divided by the number of people; mostly 1e-9 to 1e-4."
    return Question("delta", ask, why, (), preset.delta, number)


def _person(schema: Schema) -> Question:
    choices = tuple(Choice(name, kind) for name, kind in zip(schema.names, schema.types, strict=True))
    return Question("person", "Which column names the person?", "One row a person.", choices, schema.names[0])


def _public(names: Sequence[str], schema: Schema) -> Question:
    def read(question: Question, given: Any) -> dict[str, Any]:
        found = several(question, list(given) if isinstance(given, dict) else given)
        values = given if isinstance(given, dict) else {}
        return {
            name: schema.labels(name)
            if values.get(name) is None
            else domain(replace(question, key=f"public.{name}"), values[name])
            for name in found
        }

    ask = "Which columns may anybody know about a person?"
    why = (
        "Figures can be split by them, such as region; their values are then listed from the data. Write none if none."
    )
    return Question("public", ask, why, tuple(Choice(name, "") for name in names), "none", read=read)


def _confidential(names: Sequence[str]) -> Question:
    def read(question: Question, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict) or not given:
            raise SpecError(
                f"{question.named} needs columns with what they may contain, but got {shown(given)}. Write smoker: "
                "[no, yes], or stay: 0 to 60."
            )
        for name in given:
            if name not in names:
                raise SpecError(
                    f"{question.named} needs some of: {', '.join(names)}; but got {shown(name)}. Correct it."
                )
        return {
            str(name): hidden(replace(question, key=f"confidential.{name}"), values) for name, values in given.items()
        }

    why = "Say what they may contain at most, from their definition: their values are never looked at."
    asked = "Which columns must stay hidden, and what may they contain?"
    return Question("confidential", asked, why, tuple(Choice(name, "") for name in names), read=read)


def _figures(keys: Mapping[str, Any]) -> Question:
    declared = [*keys["public"], *keys["confidential"]]

    def read(question: Question, given: Any) -> list[dict[str, Any]]:
        found = figures(question, given)
        for figure in found:
            for name in (figure.get("column"), *figure.get("where", {}), *_listed(figure.get("by"))):
                if name is not None and name not in declared:
                    near = difflib.get_close_matches(str(name), declared, n=1)
                    hint = f"Did you mean {near[0]}?" if near else "Name it under public or confidential."
                    raise SpecError(
                        f"{question.named} needs declared columns ({', '.join(declared)}), but "
                        f"{shown(figure['name'])} uses {shown(name)}. {hint}"
                    )
        return found

    split = ", ".join(keys["public"]) or "nothing"
    why = f"Counts, sums and means, split by {split}; such as smokers: count where smoker = yes."
    return Question("figures", "What do you want to publish?", why, read=read)


def _used(keys: Mapping[str, Any]) -> list[str]:
    """The confidential columns that a figure depends on."""
    named = {name for figure in keys["figures"] for name in (figure.get("column"), *figure.get("where", {}))}
    return [name for name in keys["confidential"] if name in named]


def _beliefs(put: Callable[[Question, str], Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    used = _used(keys)

    def entry(question: Question, name: str, given: Any) -> dict[str, Any]:
        found = belief(replace(question, key=f"beliefs.{name}"), given)
        if not found.get("source"):
            raise SpecError(
                f"{question.named} needs the source of what is said about {name}, but got none. Add source."
            )
        return found

    def read(question: Question, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise SpecError(
                f"{question.named} needs a line for each of {', '.join(used)}; but got {shown(given)}. Add them."
            )
        missing = [name for name in used if name not in given]
        if missing:
            raise SpecError(
                f"{question.named} needs an answer for {missing[0]}, but there is none. Add {missing[0]}: "
                "{counts: FILE, source: ...} or {probabilities: ..., source: ...}."
            )
        return {str(name): entry(question, str(name), some) for name, some in given.items()}

    why = "From public sources only: this is what hides one person among the others."
    asked = "What does the attacker believe about them beforehand, and where can one read that?"
    choices = tuple(Choice(name, "") for name in used)
    return dict(put(Question("beliefs", asked, why, choices, read=read, entry=entry), "beliefs")) if used else {}


def _sizes(keys: Mapping[str, Any]) -> Question:
    by = dict.fromkeys(
        name
        for figure in keys["figures"]
        for name in (*_listed(figure.get("by")), *(n for n in figure.get("where", {}) if n in keys["public"]))
    )
    by |= dict.fromkeys(name for some in keys["beliefs"].values() for name in _listed(some.get("by")))

    order = [name for name in keys["public"] if name in by]
    domains = [keys["public"][name] for name in order]
    listed = all(isinstance(values, list) for values in domains) and prod(map(len, domains)) <= MOST_GROUPS
    groups = {", ".join(map(str, cell)): cell for cell in product(*domains)} if listed and order else {}

    def read(question: Question, given: Any) -> dict[str, Any]:
        if given is None:
            raise SpecError(f"{question.named} needs a number for each group, but got no answer. {question.why}")
        if isinstance(given, dict) and groups and given.keys() == groups.keys():
            given = _nested([(groups[word], _whole(number)) for word, number in given.items()])
        return {"by": order, "cells": _whole(given)}

    why = "Where presence is secret they are not read from the data: give round numbers that anybody may know."
    asked = f"How many persons are there at least, by {', '.join(by) or 'nothing'}?"
    return Question("sizes", asked, why, tuple(Choice(word, "") for word in groups), read=read)


def _whole(given: Any) -> Any:
    """A number that was typed as one."""
    return int(given) if isinstance(given, str) and given.strip().isdecimal() else given


def _nested(cells: Sequence[tuple[tuple[Any, ...], Any]]) -> dict[Any, Any]:
    """One mapping inside another for each column."""
    found: dict[Any, Any] = {}
    for (first, *rest), size in cells:
        if rest:
            inner = found.setdefault(first, [])
            inner.append((tuple(rest), size))
        else:
            found[first] = size
    return {key: _nested(value) if isinstance(value, list) else value for key, value in found.items()}


def _listed(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or [])


def _published(base: Path) -> Read:
    """Nothing, an earlier specification by its path (its figures, and what was out before them), or figures."""

    def read(question: Question, given: Any) -> list[dict[str, Any]]:
        if given is None:
            raise SpecError(f"{question.named} needs nothing, a file or figures, but got no answer. Write nothing.")
        told = given.strip() if isinstance(given, str) else None
        if told in ("", "nothing", "none"):
            return []
        if told is None or not told.endswith((".yaml", ".yml")):
            return figures(question, given)
        spec = load_spec(base / told)
        return [
            figure.model_dump(exclude_defaults=True, exclude_none=True) for figure in (*spec.published, *spec.figures)
        ]

    return read


def _secret(keys: Mapping[str, Any]) -> Read:
    """Where presence is secret there is no public number of records, so no mean."""

    def read(question: Question, given: Any) -> str:
        found = chosen(question, given)
        means = [figure["name"] for figure in keys["figures"] if figure["kind"] == "mean"]
        if found == "presence" and means:
            raise SpecError(
                f"{question.named}: a mean needs a public number of records, but where presence is secret there is "
                f"none, and {means[0]} is a mean. Publish the sum, or let presence be known."
            )
        return found

    return read


def _target(ask: Ask, question: Question, base: Path) -> str:
    return str(ask(tried(question, "target", {}, base)))
