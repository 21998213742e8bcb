"""The interview itself: which questions are asked, in which order, and what the answers mean for a specification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from dalenius.errors import SpecError
from dalenius.interview.phrases import belief, domain, figures, number, share
from dalenius.interview.preset import Preset
from dalenius.interview.question import Ask, Choice, Question, several, shown, text
from dalenius.interview.schema import Schema
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
    "Take the largest group that could pool its records, as a share of all records, and round up.",
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
)


def _published(question: Question, given: Any) -> list[dict[str, Any]] | str:
    """Nothing, the path of an earlier specification, or figures."""
    if given is None or (isinstance(given, str) and given.strip() in ("", "nothing", "none")):
        if given is None:
            raise SpecError(f"{question.named} needs nothing, a file or figures, but got no answer. Write nothing.")
        return []
    if isinstance(given, str) and given.strip().endswith((".yaml", ".yml")):
        return given.strip()
    return figures(question, given)


PUBLISHED = Question(
    "published",
    "What has been published from these data before?",
    "Figures that differ by a few people give these away by subtraction, so all that is out is judged together. Write "
    "nothing, an earlier release.yaml, or the figures.",
    (Choice("nothing", "these are the first figures"),),
    "nothing",
    read=_published,
)
FIVE = (SECRET, ATTACKER, POPULATION, TOGETHER, PUBLISHED)


@final
@dataclass(frozen=True, slots=True)
class Talk:
    """The answers, as keys of a specification, and what is worth a comment there."""

    keys: Mapping[str, Any]
    notes: Mapping[str, str]


def talk(schema: Schema, ask: Ask, preset: Preset, *, base: Path, target: Mapping[str, str]) -> Talk:
    """Ask everything. `base` is the folder that paths in the answers are relative to."""

    def put(question: Question) -> Any:
        usual = preset.answers.get(question.key, question.default)
        return ask(replace(question, default=usual))

    keys: dict[str, Any] = {"person": put(_person(schema))}
    left = [name for name in schema.names if name != keys["person"]]
    public = put(_public(left))
    left = [name for name in left if name not in public]
    keys["public"] = {name: schema.labels(name) if values is None else values for name, values in public.items()}
    keys["confidential"] = put(_confidential(left))
    keys["figures"] = put(_figures(keys["public"]))
    _check_columns(keys)
    keys["beliefs"] = _beliefs(put, keys)
    secret, who = put(SECRET), put(ATTACKER)
    keys["attacker"] = {"knows": put(replace(KNOWS, default="0" if who == "outsider" else KNOWS.default))}
    keys["attacker"]["source"] = put(BECAUSE)
    population, together, before = put(POPULATION), put(TOGETHER), put(PUBLISHED)
    if together == "others":
        raise SpecError(
            f"{TOGETHER.named}: records that move together in a way that no column names cannot be certified in a "
            "specification. Aggregate them to one record, or state the dependence in Python (docs/beliefs.md)."
        )
    keys["secret"] = "presence" if secret == "presence" else "value"
    if secret == "presence":
        keys["sizes"] = put(_sizes(keys))
    keys["published"] = _earlier(before, base)
    keys["target"] = dict(target) or {"epsilon": ask(_epsilon(preset)), "delta": ask(_delta(preset))}
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
    return Question(
        "epsilon", ask, "0.5 is a factor of 1.65; above 2 a promise means little.", (), preset.epsilon, number
    )


def _delta(preset: Preset) -> Question:
    ask = "How much probability may be left over?"
    return Question("delta", ask, "Far below one divided by the number of people.", (), preset.delta, number)


def _person(schema: Schema) -> Question:
    choices = tuple(Choice(name, kind) for name, kind in zip(schema.names, schema.types, strict=True))
    return Question("person", "Which column names the person?", "One row a person.", choices, schema.names[0])


def _public(names: Sequence[str]) -> Question:
    def read(question: Question, given: Any) -> dict[str, Any]:
        found = several(question, list(given) if isinstance(given, dict) else given)
        values = given if isinstance(given, dict) else {}
        return {
            name: None if values.get(name) is None else domain(replace(question, key=f"public.{name}"), values[name])
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
            str(name): domain(replace(question, key=f"confidential.{name}"), values) for name, values in given.items()
        }

    why = "Say what they may contain at most, from their definition: their values are never looked at."
    asked = "Which columns must stay hidden, and what may they contain?"
    return Question("confidential", asked, why, tuple(Choice(name, "") for name in names), read=read)


def _figures(public: Mapping[str, Any]) -> Question:
    why = (
        f"Counts, sums and means, split by {', '.join(public) or 'nothing'}; such as smokers: count where smoker = yes."
    )
    return Question("figures", "What do you want to publish?", why, read=figures)


def _check_columns(keys: Mapping[str, Any]) -> None:
    """SpecError if a figure uses a column that is neither public nor confidential."""
    declared = [*keys["public"], *keys["confidential"]]
    for figure in keys["figures"]:
        for name in (figure.get("column"), *figure.get("where", {}), *_listed(figure.get("by"))):
            if name is not None and name not in declared:
                raise SpecError(
                    f"Question figures needs declared columns ({', '.join(declared)}), but {figure['name']} uses "
                    f"{shown(name)}. Name it under public or confidential, or correct it."
                )


def _used(keys: Mapping[str, Any]) -> list[str]:
    """The confidential columns that a figure depends on."""
    named = {name for figure in keys["figures"] for name in (figure.get("column"), *figure.get("where", {}))}
    return [name for name in keys["confidential"] if name in named]


def _beliefs(put: Ask, keys: Mapping[str, Any]) -> dict[str, Any]:
    used = _used(keys)

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
        found = {str(name): belief(replace(question, key=f"beliefs.{name}"), some) for name, some in given.items()}
        for name, some in found.items():
            if not some.get("source"):
                raise SpecError(
                    f"{question.named} needs the source of what is said about {name}, but got none. Add source."
                )
        return found

    why = "From public sources only: this is what hides one person among the others."
    asked = "What does the attacker believe about them beforehand, and where can one read that?"
    return dict(put(Question("beliefs", asked, why, tuple(Choice(n, "") for n in used), read=read))) if used else {}


def _sizes(keys: Mapping[str, Any]) -> Question:
    by = dict.fromkeys(
        name
        for figure in keys["figures"]
        for name in (*_listed(figure.get("by")), *(n for n in figure.get("where", {}) if n in keys["public"]))
    )
    by |= dict.fromkeys(name for some in keys["beliefs"].values() for name in _listed(some.get("by")))

    def read(question: Question, given: Any) -> dict[str, Any]:
        if given is None:
            raise SpecError(f"{question.named} needs a number for each group, but got no answer. {question.why}")
        return {"by": [name for name in keys["public"] if name in by], "cells": given}

    why = "Where presence is secret they are not read from the data: give round numbers that anybody may know."
    return Question("sizes", f"How many persons are there at least, by {', '.join(by) or 'nothing'}?", why, read=read)


def _listed(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or [])


def _earlier(before: list[dict[str, Any]] | str, base: Path) -> list[dict[str, Any]]:
    """The figures of an earlier specification, as they were published; or those that were named."""
    if not isinstance(before, str):
        return before
    spec = load_spec(base / before)
    figures = (*spec.published, *spec.figures)
    return [figure.model_dump(exclude_defaults=True, exclude_none=True) for figure in figures]
