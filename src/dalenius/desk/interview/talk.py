"""The interview itself: which questions are asked, in which order, and what the answers mean for a specification."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias, final

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.phrases import (
    as_written,
    belief,
    domain,
    figures,
    hidden,
    number,
    records,
    share,
)
from dalenius.desk.interview.preset import Preset
from dalenius.desk.interview.question import Ask, Asking, Offer, chosen, knows_nothing, offered, several, shown, text
from dalenius.desk.interview.schema import Schema
from dalenius.desk.interview.trial import read_rows, so_far, tried
from dalenius.desk.spec.load import load_spec
from dalenius.desk.spec.persons import EACH_ROW
from dalenius.enclosure.formats import plain
from dalenius.facts.records import Categories, Column

SECRET = Asking(
    "secret",
    "What is secret?",
    "It decides which facts about a person must look alike after the release.",
    (
        Offer("value", "what a record says; who is in the data may be known"),
        Offer("presence", "both: what a record says, and whether somebody is in the data at all"),
        Offer("within", "a value to within a margin"),
        Offer("total", "what a company adds up to; one record a company"),
    ),
    "value",
)
ATTACKER = Asking(
    "attacker",
    "Who attacks?",
    "The promise is against this attacker; what they know already cannot be hidden from them.",
    (
        Offer("outsider", "anybody, with nobody's record"),
        Offer("group", "an employer, a clinic, an insurer or a club with the records of its own people"),
        Offer("insider", "somebody who has seen part of the data"),
        Offer("competitor", "a firm with its own record and those of its partners"),
    ),
    "group",
)
KNOWS = Asking(
    "knows",
    "What share of the records do they already know?",
    "Take the largest group that could pool its records, and round up: from 0 % to below 100 % of all records, or how "
    "many.",
    default="5 %",
    read=share,
)
BECAUSE = Asking(
    "because",
    "Why does no attacker know more?",
    "It is printed in the report with your name under it, so that somebody else can check it.",
    read=text,
)
POPULATION = Asking(
    "population",
    "Is this a sample, or everybody?",
    "A sample of which anybody may know who was drawn is judged like everybody, which is the careful reading: answer "
    "everybody then, and let all other answers be about those who were drawn.",
    (
        Offer("everybody", "all of them, as in a register; or who was drawn may be known"),
        Offer("sample", "drawn from more, and nobody knows who"),
    ),
    "everybody",
)
MEMBERS = (
    "members",
    "How many members does the population have?",
    "A number from the protocol or a register: 20000; where there are groups, for each of them: {{{groups}: 120000}}.",
)
RATE = (
    "rate",
    "With which probability was a member drawn?",
    "From the protocol: 0.02; where it differs between groups, for each of them: {{{groups}: 0.02}}.",
)
TAKING_PART = Asking(
    "taking_part",
    "Is it a secret whether a person was drawn?",
    "If it may be known that somebody took part (but not who else), only what is true of them is hidden.",
    (
        Offer("secret", "whether a person was drawn is hidden, and what is true of them"),
        Offer("known", "that this person was drawn may be known, but not who else"),
    ),
    "secret",
)
DRAWN_BECAUSE = "drawn_because", "Where does it stand how the sample was drawn?"
EDITION = (
    "edition",
    "Which edition of the table is this, and which public column says since when a row is in it?",
    (
        "Rows stay in the table, so that earlier editions are parts of it: 3 since joined, or 3 since joined until "
        "left. Write no if people do not come and go."
    ),
)
SERIES = (
    "series",
    "How many editions are announced, and how likely does a value change from one to the next?",
    (
        "What changes hides people from one edition to the next: 12 editions, smoker changes 0.01, joins 0.02, leaves "
        "0.02. Write none if nothing is known of it."
    ),
)
VISITS, ONE_RECORD = "visits", "visits of one person, of which one record is made"
TOGETHER = Asking(
    "together",
    "Which rows say something about each other?",
    "People are hidden by others whose records say nothing about theirs: of what moves together, one record at most.",
    (
        Offer("nobody", "each row is one record that says nothing about any other"),
        Offer("households", "people of one household, which a column names"),
        Offer(VISITS, "visits of one person; figures cannot go out before there is one row a person"),
        Offer("owners", "firms of one owner, which a column names"),
        Offer("others", "in another way; figures can only go out if a column names who belongs together"),
    ),
)
ONE_EACH = {  # what the answers mean where one record is made of a person's rows
    "nobody": "each person's record says nothing about any other",
    VISITS: f"{ONE_RECORD}, and nothing else",
}
UNKNOWN = "unknown"
NAMED = ("households", "owners", "others")  # what a column may name


def _together(*, several: bool) -> Asking:
    """Which rows go together; or which records, where they are made of several rows."""
    if not several:
        return TOGETHER
    choices = tuple(replace(offer, means=ONE_EACH.get(offer.word, offer.means)) for offer in TOGETHER.choices)
    return replace(TOGETHER, ask="Which persons' records say something about each other?", choices=choices)


def _own(question: Asking, given: Any) -> str:
    """A weight above 0 and below 1, or that nobody can say."""
    told = str(given).strip()
    return UNKNOWN if told == UNKNOWN else number(question, told)


OWN = Asking(
    "own",
    "How much of a record is its own, whatever the others that belong to it say?",
    "The least weight with which a record still follows its probabilities: 0.5 is half of the time. Write unknown if "
    "nobody can say; then figures cannot go out, since all of a household may answer alike.",
    default=UNKNOWN,
    read=_own,
)
OWN_BECAUSE = Asking("own_because", "Where does that weight come from?", BECAUSE.why, read=text)


PUBLISHED = Asking(
    "published",
    "What has been published from these data before?",
    "Figures that differ by a few people give these away by subtraction, so all that is out is judged together. Write "
    "nothing, an earlier release.yaml, or the figures.",
    (Offer("nothing", "these are the first figures"),),
    "nothing",
)


def _header(question: Asking, given: Any) -> str:
    """Whether the names of a text's columns may be shown; not, as long as nobody said that they are names."""
    if given is None:
        return "unsaid"
    if chosen(question, "yes" if given is True else "no" if given is False else given) == "no":
        raise SpecError(
            f"{question.named}: the names of the columns are needed, but there are none. Put a line with them before "
            "the first record, and start anew."
        )
    return "yes"


HEADER = Asking(
    "header",
    "Does the first line of the file name its columns?",
    "It is shown if you say so. A record is never shown.",
    (Offer("yes", "the first line has the names of the columns"), Offer("no", "it is a record already")),
    read=_header,
)
ROWS = Asking(
    "rows",
    "Has everybody one row in the table?",
    "Several rows of a person, such as visits, are made one record first, which is what is hidden.",
    (
        Offer("one", "one row a person"),
        Offer("several", "some have more: one record a person is made of them"),
    ),
    "one",
)
PER_PERSON = Asking(
    "per_person",
    "What is taken of a person's rows?",
    "One line each, such as visits: number of rows, 0 to 10; or cost: sum of cost, 0 to 5000; or ever: any where fever "
    "= yes. All other columns must say the same in all rows of a person.",
    read=records,
)
PERSON = frozenset({"id", "uuid", "person", "patient", "respondent", "participant", "subject", "pseudonym"})
MOST_NAMED = 8  # values of a column
MOST_GROUPS = 200  # whose sizes are asked for one by one
Read: TypeAlias = Callable[[Asking, Any], Any]
FIVE = (SECRET, ATTACKER, POPULATION, TOGETHER, PUBLISHED)
KEYS = (
    *(
        "header",
        "person",
        "rows",
        "row_columns",
        "per_person",
        "public",
        "confidential",
        "figures",
        "beliefs",
        "knows",
        "because",
        "sizes",
        "margin",
        "epsilon",
        "delta",
        "household",
        "own",
        "own_because",
        "design",
        "members",
        "rate",
        "taking_part",
        "drawn_because",
        "edition",
        "series",
        "series_because",
    ),
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
    count = _Count(first_line=bool(schema.source.first_line), target=not target)
    answer = count.counting(ask)

    def put(question: Asking, part: str = "") -> Any:
        usual = preset.answers.get(question.key, question.default)
        question = tried(question, part, keys, base) if part else question
        return answer(replace(question, default=usual))

    named = not schema.source.first_line or put(HEADER) == "yes"
    unlisted = "" if named else f"the {len(schema.names)} columns of the table"

    def put_columns(question: Asking, part: str = "") -> Any:
        return put(replace(question, unlisted=unlisted), part)

    keys["person"] = put_columns(_person(schema))
    left = [name for name in schema.names if name.strip() and name != keys["person"]]  # row numbers may have no name
    many_rows = keys["person"] != EACH_ROW and put(ROWS) == "several"
    count.known("rows", 3 if keys["person"] == EACH_ROW else 0 if many_rows else 2)
    if many_rows:
        keys["rows"] = put_columns(_row_columns(left, schema), "confidential")  # domains are tried as any others
        keys["per_person"] = put(PER_PERSON, "per_person")
        left = [name for name in left if name not in keys["rows"]]
        keys |= read_rows(keys)
    keys["public"] = put_columns(_public(left, schema), "public")
    left = [name for name in left if name not in keys["public"]]
    keys["confidential"] = put_columns(_confidential(left, schema, several=many_rows), "confidential")
    keys["figures"] = put(_figures(keys), "figures")
    keys["beliefs"] = _beliefs(put, keys, base)
    count.known("beliefs", 0 if keys["beliefs"] else 1)
    secret = put(SECRET)
    count.known("sizes", 0 if secret == "presence" else 1)
    who = put(ATTACKER)
    known = put(_knows(who), "attacker")
    keys["attacker"] = {"knows": known, "source": put(BECAUSE)}
    keys["population"] = put(POPULATION)
    if keys["population"] == "sample":
        keys |= _sample(put, keys, base, count)
    else:
        count.known("sample", 4)
    keys["together"] = put(_together(several=many_rows))
    moving = keys["together"]
    count.known("household", 0 if moving in NAMED else 2)
    if moving in NAMED:
        homes = [name for name in left if name not in keys["confidential"]]
        home, own = put_columns(_household(homes)), put(OWN)
        count.known("own", 0 if own != UNKNOWN and home != NONE else 1)
        if own != UNKNOWN and home != NONE:
            keys["together"] = {"column": home, "weight": own, "source": put(OWN_BECAUSE)}
    else:
        count.known("own", 1)
    apart = keys["together"] == "nobody" or isinstance(keys["together"], Mapping)
    wide = _numeric(keys) if secret == "within" and apart else []
    count.known("margin", 0 if wide else 1)
    keys["published"] = put(PUBLISHED.reading(_published(base)), "published")
    if preset.name == "monthly":
        keys |= _editions(put, count)
    else:
        count.known("editions", 3)
    keys["secret"] = "presence" if secret == "presence" else "value"
    if secret == "presence":
        keys["sizes"] = put(_sizes(keys, base), "sizes")
    if wide:
        keys["secret"] = put(_margin(wide, household=isinstance(keys["together"], Mapping)), "secret")
    keys["target"] = dict(target) or {
        "epsilon": _target(answer, _epsilon(preset), base),
        "delta": _target(answer, _delta(preset), base),
    }
    return Talk({key: value for key, value in keys.items() if value not in ([], {})}, _notes(keys, secret, who, moving))


@final
class _Count:
    """Which question it is, of how many: those that may still fall away are counted until that is known."""

    def __init__(self, *, first_line: bool, target: bool) -> None:
        self.open = {"rows", "beliefs", "sizes", "margin", "household", "own", "sample", "editions"}
        # with those of several rows, of sizes, of households, of samples and of editions
        self.most = 13 + first_line + 2 * target + 3 + 1 + 3 + 4 + 3
        self.asked = 0

    def known(self, part: str, fewer: int) -> None:
        """How many questions fell away."""
        self.open.discard(part)
        self.most -= fewer

    def counting(self, ask: Ask) -> Ask:
        """Who asks the same, and says where we are."""

        def asking(question: Asking) -> Any:
            self.asked += 1
            return ask(replace(question, place=f"{self.asked} of {'at most ' * bool(self.open)}{self.most}"))

        return asking


def _notes(keys: Mapping[str, Any], secret: str, who: str, moving: str) -> dict[str, str]:
    told = {choice.word: choice.means for question in FIVE for choice in question.choices}
    hidden = "value" if (secret, keys["secret"]) == ("within", "value") else secret  # no margin was named
    return {
        "secret": told[hidden],
        "attacker": told[who],
        "person": f"the unit of protection, one {'record' if 'per_person' in keys else 'row'} each",
        "population": told[keys["population"]],
        "together": ONE_EACH.get(moving, told[moving]) if "per_person" in keys else told[moving],
    }


NONE = "none"


def _household(names: Sequence[str]) -> Asking:
    choices = (*(Offer(name, "") for name in names), Offer(NONE, "no column does; figures cannot go out"))
    why = "It is taken as known to anybody who belongs to which. Whoever belongs to nobody has a value of their own."
    return Asking("household", "Which column names those who belong together?", why, choices, NONE)


def _sample(put: Callable[..., Any], keys: Mapping[str, Any], base: Path, count: "_Count") -> dict[str, dict[str, Any]]:
    """How the sample was drawn; nothing if nobody can say."""
    by = list(so_far({key: part for key, part in keys.items() if key != "population"}, base).frame_columns)
    groups = ", ".join(by)
    strata = f"of each group by {groups} " if by else ""
    choices = [
        Offer("stratified" if by else "simple", f"{strata}so many as the table has, every set of them equally likely"),
        Offer("Bernoulli", "every member by a coin of their own, with the same probability"),
        *([Offer("Poisson", f"every member by a coin, with a probability for each {groups}")] if by else []),
        Offer(UNKNOWN, "figures cannot go out then"),
    ]
    why = (
        "That nobody knows who was drawn hides people only if chance alone decided it. If those were taken who "
        f"answered or seemed typical, write {UNKNOWN}."
    )
    design = put(Asking("design", "How was the sample drawn?", why, tuple(choices), UNKNOWN))
    count.known("sample", 0 if design != UNKNOWN else 3)
    if design == UNKNOWN:
        return {}
    coins = design in ("Bernoulli", "Poisson")
    found: dict[str, Any] = {"of": put(_amount(MEMBERS, by)), **({"by": by} if by else {}), "design": design}
    if coins:
        found["rate"] = put(_amount(RATE, by if design == "Poisson" else []))
    else:
        found["taking_part"] = put(TAKING_PART)

    def read(question: Asking, given: Any) -> dict[str, Any]:
        whole = {**found, "source": text(question, given)}
        so_far({**keys, "sample": whole}, base)
        return whole

    return {"sample": put(Asking(*DRAWN_BECAUSE, BECAUSE.why, read=read))}


def _amount(words: tuple[str, str, str], by: Sequence[str]) -> Asking:
    """A number, or one for each group."""
    key, asked, why = words

    def read(question: Asking, given: Any) -> Any:
        told = as_written(question, given)
        if by and isinstance(told, Mapping):
            return told
        if by:
            raise SpecError(f"{question.named} needs a number for each {', '.join(by)}, but got {shown(given)}. {why}")
        return _whole(number(question, told))

    return Asking(
        key, f"{asked[:-1]}, by {', '.join(by)}?" if by else asked, why.format(groups=" or ".join(by)), read=read
    )


def _editions(put: Callable[..., Any], count: "_Count") -> dict[str, Any]:
    """Which edition it is, and what changes from one to the next; nothing if people do not come and go."""
    edition = put(Asking(*EDITION, (), "no", _edition))
    count.known("editions", 0 if edition else 2)
    if not edition:
        return {}
    series = put(Asking(*SERIES, (), "none", _series))
    if not series:
        count.most -= 1
        return {"edition": edition}
    return {
        "edition": edition,
        "series": {**series, "source": put(replace(OWN_BECAUSE, key="series_because", ask=CHANGES))},
    }


CHANGES = "Where do these numbers come from?"
_EDITION = re.compile(r"^(?P<now>\S+)\s+since\s+(?P<since>\S+)(?:\s+until\s+(?P<until>\S+))?$")
_CHANGE = re.compile(
    r"^(?:(?P<editions>\d+)\s+editions|(?P<name>.+?)\s+changes\s+(?P<chance>\S+)|(?P<flow>joins|leaves)\s+(?P<share>\S+))$"
)


def _edition(question: Asking, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    told = str(given).strip()
    if given is False or told.lower() in ("no", "none", ""):
        return {}
    found = _EDITION.match(told)
    if found is None:
        raise SpecError(f"{question.named} needs no, or such as 3 since joined, but got {shown(given)}. {question.why}")
    return {key: _whole(part) for key, part in found.groupdict().items() if part is not None}


def _series(question: Asking, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    told = str(given).strip()
    if told.lower() in ("none", "nothing", ""):
        return {}
    found: dict[str, Any] = {"changes": {}}
    for part in re.split(r"\s*[,;]\s*", told):
        match = _CHANGE.match(part)
        if match is None:
            raise SpecError(f"{question.named} cannot be answered by {shown(part)}. {question.why}")
        if match["editions"]:
            found["editions"] = int(match["editions"])
        elif match["name"]:
            found["changes"][match["name"]] = number(question, match["chance"])
        else:
            found[match["flow"]] = number(question, match["share"])
    if "editions" not in found:
        raise SpecError(
            f"{question.named} needs how many editions are announced, but got {shown(given)}. {question.why}"
        )
    return found


def _epsilon(preset: Preset) -> Asking:
    ask = "How much more likely may an outcome be under one fact about a person than under another, on the log scale?"
    why = "A number from 0 up, mostly 0.1 to 2: 0.5 is a factor of 1.65; above 2 a promise means little."
    return Asking("epsilon", ask, why, (), preset.epsilon, number)


def _delta(preset: Preset) -> Asking:
    ask = "How much probability may be left over?"
    why = "A number from 0 to 1, far below one divided by the number of people; mostly 1e-9 to 1e-4."
    return Asking("delta", ask, why, (), preset.delta, number)


def _person(schema: Schema) -> Asking:
    every = zip(schema.names, schema.types, strict=True)
    choices = tuple(Offer(name, kind) for name, kind in every if name.strip())
    choices += (Offer(EACH_ROW, "no column does: every row is a person of its own, which is assumed then"),)
    names = [name for name in schema.names if says_person(name)]
    why = "A person is what is protected, with all their rows."
    default = names[0] if len(names) == 1 else None
    return Asking("person", "Which column names the person?", why, choices, default)


def says_person(name: str) -> bool:
    """Whether a column says by its name that it names somebody.

    >>> [name for name in ("id", "patientId", "PERSON_NR", "age", "idle", "affairs") if says_person(name)]
    ['id', 'patientId', 'PERSON_NR']
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(part.lower() in PERSON for part in parts)


def _public(names: Sequence[str], schema: Schema) -> Asking:
    def read(question: Asking, given: Any) -> dict[str, Any]:
        given = _with_domains(as_written(question, given), names)
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
        "Figures can be split by them, such as region; their values are then listed from the data. Of numbers and "
        "dates say what they may contain: region; age: bins 0, 18, 65, 120. Write none if none."
    )
    return Asking("public", ask, why, tuple(Offer(name, "") for name in names), "none", read=read)


def _with_domains(given: Any, names: Sequence[str]) -> Any:
    """Columns, some with what they may contain ("region, sex; age: bins 0, 18, 65"), as keys; anything else as it is.

    >>> _with_domains("region, sex; age: bins 0, 18", ["region", "sex", "age"])
    {'region': None, 'sex': None, 'age': 'bins 0, 18'}
    """
    if not isinstance(given, str) or ":" not in given or given.strip() in names:
        return given
    found: dict[str, Any] = {}
    for part in given.split(";"):
        name, colon, domain_of = part.partition(":")
        if colon:
            found[name.strip()] = domain_of.strip() or None
        else:
            found |= {one.strip(): None for one in part.split(",") if one.strip()}
    return found


def _row_columns(names: Sequence[str], schema: Schema) -> Asking:
    """Which columns of a row are read: as confidential ones are declared."""
    asked = "Which columns differ from row to row of a person and are needed, and what may they contain?"
    why = "Only to make one record of them: what is not listed is not read. Write none if only rows are counted."
    return replace(_confidential(names, schema, several=True), key="row_columns", ask=asked, why=why)


def _confidential(names: Sequence[str], schema: Schema, *, several: bool = False) -> Asking:
    """Columns with what they may contain; where records are made of rows, there may be none."""
    suggested = {name: list(schema.suggested[name]) for name in names if name in schema.suggested}

    def read(question: Asking, given: Any) -> dict[str, Any]:
        if several and (given in ({}, [], None) or str(given).strip().lower() in ("", "none", "nothing")):
            return {}
        if isinstance(given, str | list) and suggested:  # only names: their types say the rest
            named = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
            given = dict.fromkeys(named) if all(name in suggested for name in named) else given
        if isinstance(given, dict):
            given = {name: suggested.get(name) if values is None else values for name, values in given.items()}
        if not isinstance(given, dict) or not given:
            raise SpecError(
                f"{question.named} needs columns with what they may contain, but got {shown(given)}. Write smoker: "
                "[no, yes], or stay: 0 to 60."
            )
        for name in given:
            if name not in names:
                raise SpecError(
                    f"{question.named} needs some of: {offered(question)}; but got {shown(name)}. Correct it."
                )
        return {
            str(name): hidden(replace(question, key=f"{question.key}.{name}"), values) for name, values in given.items()
        }

    why = "Say what they may contain at most, from their definition: their values are never looked at."
    asked = "Which columns must stay hidden, and what may they contain?"
    told = {name: f"{', '.join(map(as_label, labels[:5]))}, by its type" for name, labels in suggested.items()}
    return Asking("confidential", asked, why, tuple(Offer(name, told.get(name, "")) for name in names), read=read)


def as_label(label: object) -> str:
    """As a specification writes it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _figures(keys: Mapping[str, Any]) -> Asking:
    split = ", ".join(keys["public"]) or "nothing"
    why = (
        f"Counts, sums, means, percentages, medians and others, split by {split}; such as smokers: count where "
        "smoker = yes and age > 17, or smoking: percentage of smoker = yes. Add how it is shown, if not as it is: "
        "hidden below 10, rounded to 5, with geometric noise 4."
    )
    return Asking("figures", "What do you want to publish?", why, read=figures)


def _knows(who: str) -> Asking:
    """Who attacks and how much they know go together: the specification has only the number."""

    def read(question: Asking, given: Any) -> str:
        found = share(question, given)
        nobody = not found.rstrip("%").strip("0./")
        if nobody == (who == "outsider"):
            return found
        other = "attacker: outsider" if nobody else "0, or attacker: group (or insider, competitor)"
        means = next(choice.means for choice in ATTACKER.choices if choice.word == who)
        raise SpecError(
            f"{question.named} needs a number that goes with attacker: {who} ({means}), but got {shown(given)}. Write "
            f"{'how many they know, or ' if nobody else ''}{other}."
        )

    return replace(KNOWS, default="0" if who == "outsider" else KNOWS.default, read=read)


def _beliefs(put: Callable[[Asking, str], Any], keys: Mapping[str, Any], base: Path) -> dict[str, Any]:
    asked = so_far(keys, base)
    hidden = frozenset[str]().union(*(figure.confidential(asked.confidential) for figure in asked.figures))
    used = [name for name in asked.confidential if name in hidden]

    def entry(question: Asking, name: str, given: Any) -> dict[str, Any]:
        found = belief(replace(question, key=f"beliefs.{name}"), given)
        if not found.get("source"):
            raise SpecError(
                f"{question.named} needs the source of what is said about {name}, but got none. Add source."
            )
        return found

    def read(question: Asking, given: Any) -> dict[str, Any]:
        if isinstance(given, str) and knows_nothing(given):
            given = dict.fromkeys(used, given)
        if not isinstance(given, dict):
            raise SpecError(
                f"{question.named} needs a line for each of {', '.join(used)}; but got {shown(given)}. Add them."
            )
        missing = [name for name in used if name not in given]
        if missing:
            raise SpecError(
                f"{question.named} needs an answer for {missing[0]}, but there is none. Add {missing[0]}: "
                "{counts: FILE, source: ...}, {probabilities: ..., source: ...} or unknown."
            )
        return {str(name): entry(question, str(name), some) for name, some in given.items()}

    why = (
        "From public sources only: this is what hides one person among the others. If nobody knows, write unknown: "
        "then nothing is assumed, and the answer says what one would have to assume at the least."
    )
    words = "What does the attacker believe about them beforehand, and where can one read that?"
    choices = tuple(Offer(name, _may_be(asked.confidential[name])) for name in used)
    return dict(put(Asking("beliefs", words, why, choices, read=read, entry=entry), "beliefs")) if used else {}


def _may_be(column: Column) -> str:
    """What a column may contain, in a few words."""
    if not isinstance(column, Categories):
        ends = f"{plain(column.lower)} to {plain(column.upper)}"
        return ends if column.missing is None else f"{ends}, {column.missing}"
    some = [str(label) for label in column.values[:MOST_NAMED]]
    return ", ".join(some) + (f", ... {column.values[-1]}" if column.size > len(some) else "")


def _sizes(keys: Mapping[str, Any], base: Path) -> Asking:
    order = list(so_far({**keys, "secret": "value"}, base).frame_columns)
    domains = [keys["public"][name] for name in order]
    listed = all(isinstance(values, list) for values in domains) and prod(map(len, domains)) <= MOST_GROUPS
    groups = {", ".join(map(str, cell)): cell for cell in product(*domains)} if listed and order else {}

    def read(question: Asking, given: Any) -> dict[str, Any]:
        if given is None:
            raise SpecError(f"{question.named} needs a number for each group, but got no answer. {question.why}")
        given = as_written(question, given)
        if isinstance(given, dict) and groups and given.keys() == groups.keys():
            given = _nested([(groups[word], _whole(number)) for word, number in given.items()])
        return {"by": order, "cells": _whole(given)}

    why = "Where presence is secret they are not read from the data: give round numbers that anybody may know."
    asked = f"How many persons are there at least, by {', '.join(order) or 'nothing'}?"
    return Asking("sizes", asked, why, tuple(Offer(word, "") for word in groups), read=read)


WHOLE = "whole"


def _numeric(keys: Mapping[str, Any]) -> list[str]:
    """The confidential columns of numbers."""
    return [name for name, given in keys["confidential"].items() if isinstance(given, Mapping) and "bounds" in given]


def _margin(names: Sequence[str], *, household: bool) -> Asking:
    """To within what a value is hidden, or the total of a household."""

    def read(question: Asking, given: Any) -> Any:
        told = str(given).strip()
        if told == WHOLE:
            return "value"
        name, _, margin = (part.strip() for part in told.partition(":"))
        if name not in names or not margin:
            raise SpecError(
                f"{question.named} needs one of {', '.join(names)} with its margin, such as {names[0]}: 500 or "
                f"{names[0]}: 10 %, but got {shown(given)}."
            )
        key, size = ("percent", margin.rstrip("% ")) if margin.endswith("%") else ("within", margin)
        found: dict[str, Any] = {key: {name: number(question, size)}}
        return {"of": "household", **found} if household else found

    what = "a household's total of which" if household else "which"
    why = (
        f"Write {names[0]}: 500 for ±500 or {names[0]}: 10 % for ten per cent: the bounds of a value that seem likely "
        "may be told then, what lies closer together may not. Write whole if nothing of it may be told."
    )
    return Asking("margin", f"To within what is {what} column hidden?", why, (), WHOLE, read)


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


def _published(base: Path) -> Read:
    """Nothing, an earlier specification by its path (its figures, and what was out before them), or figures."""

    def read(question: Asking, given: Any) -> list[dict[str, Any]]:
        if given is None:
            raise SpecError(f"{question.named} needs nothing, a file or figures, but got no answer. Write nothing.")
        told = given.strip() if isinstance(given, str) else None
        if told in ("", "nothing", "none"):
            return []
        if told is None or not told.endswith((".yaml", ".yml")):
            return figures(question, given)
        spec = load_spec(base / told)
        if spec.edition is not None:
            raise SpecError(
                f"{question.named} needs figures of all rows, but {told} has an edition, and its figures are of some "
                "rows only. Write these figures out with their conditions, or let the ledger remember that release."
            )
        return [
            figure.model_dump(exclude_defaults=True, exclude_none=True) for figure in (*spec.published, *spec.figures)
        ]

    return read


def _target(ask: Ask, question: Asking, base: Path) -> str:
    return str(ask(tried(question, "target", {}, base)))
