"""Random releases that pass, and their certificates: random people, figures, channels, beliefs, secrets, attackers."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import count

from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Between, Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain, Rounded, discrete_gaussian, rounded_gaussian, two_sided_geometric
from dalenius.plan import AddNoise, Coarsen, Publish, Question, Target, largest_known, plan
from dalenius.plan.finding import Finding, entry_sizes, judged_atoms, known_in, stands_alone
from dalenius.record.certificate.written import certificate
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Cover, History, atoms_of

REGIONS, SEXES = ("north", "south", "east"), ("f", "m")
FIGURES = b"figure,value\nsmokers,17\n"


def shares(dice: random.Random, size: int) -> list[Fraction]:
    cuts = sorted(dice.sample(range(1, 100), size - 1))
    return [Fraction(b - a, 100) for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]


def belief(dice: random.Random, name: str, values: tuple[object, ...], share: float) -> ColumnBelief:
    by = ("region",) if dice.random() < share else ()
    cells = [(region,) for region in REGIONS] if by else [()]
    table = {cell: tuple(zip(values, shares(dice, len(values)), strict=True)) for cell in cells}
    least = None
    if dice.random() < 0.25:
        weight = Fraction(dice.choice([95, 90, 70]), 100)
        least = {cell: tuple((value, weight * chance) for value, chance in law) for cell, law in table.items()}
    return ColumnBelief(name, table, f"a table about {name}", by, least=least, differ="somewhat" if least else "")


def channel(dice: random.Random) -> Chain:
    noise = dice.choice([two_sided_geometric, discrete_gaussian, rounded_gaussian])
    links = [[], [], [], [Rounded(dice.randint(2, 6))], [noise(dice.randint(2, 25))]]
    links.append([noise(dice.randint(2, 25)), Rounded(dice.randint(2, 6))])
    return Chain(tuple(dice.choice(links)))


def figure(dice: random.Random, name: str, *, presence: bool) -> Figure:
    tests = []
    if dice.random() < 0.3:
        tests.append(("sex", OneOf(("f",))))
    kind = dice.choice(["count", "count", "sum", "mean"])
    if (kind == "count" and (presence or dice.random() < 0.9)) or (kind == "sum" and dice.random() < 0.3):
        jobs = dice.sample("abc", dice.randint(1, 2))
        ill = ("ill", dice.choice([OneOf((Fraction(1),)), Between(lower=Fraction(1))]))
        tests.append(dice.choice([("smoker", OneOf(("yes",))), ("job", OneOf(tuple(jobs))), ill]))
    by = dice.choice([(), (), ("region",), ("sex",)])
    kind = "sum" if presence and kind == "mean" else kind
    column = None if kind == "count" else dice.choice(["income", "income", "ill"])
    return Figure(name, kind, column, Where(tuple(tests)), by, channel(dice))


def passes(figures: tuple[Figure, ...], history: History, question: Question) -> Publish | None:
    """The plan, if the figures may go out; what would make others safe is not looked for, which takes long."""
    atoms = atoms_of((*history.figures, *figures), question.frame, question.columns)
    target = question.target
    docket = Docket.of(
        question.columns, question.beliefs, question.frame, question.secret, target.epsilon, target.delta
    )
    sizes, found = entry_sizes(atoms), []
    for atom in sorted(atoms, key=lambda atom: atom.size):
        known, alone = known_in(atom, sizes, question), stands_alone(atom, atoms)
        delta = docket.atom(atom, known, alone=alone).delta
        if not delta.certainly_at_most(target.delta):
            return None
        found.append(Finding(atom, delta if alone else Bracket(0.0, delta.upper), Verdict.PASS, known))
    return Publish(tuple(found))


def even(dice: random.Random, column: Categories | Numbers) -> tuple[tuple[object, Fraction], ...]:
    """Probabilities that are not far from equal."""
    weights = [dice.randint(8, 12) for _ in column.values]
    return tuple((value, Fraction(weight, sum(weights))) for value, weight in zip(column.values, weights, strict=True))


def linked(dice: random.Random) -> tuple[tuple[Figure, ...], History, Question]:
    """Tables with margins of few people a cell, which mostly pass by moves; sometimes of two answers, or of numbers."""
    rows, columns, few = dice.randint(4, 6), dice.randint(4, 6), dice.randint(5, 9)
    groups = {(row, column): dice.randint(few, 2 * few) for row in range(rows) for column in range(columns)}
    by = dice.choice([(), (), ("row",)])
    cells = [(row,) for row in range(rows)] if by else [()]
    yes, score = Categories(("no", "yes")), Numbers(Fraction(1), Fraction(0), Fraction(2))
    names = {"a": yes, "b": yes} if dice.random() < 0.1 else {"a": score} if dice.random() < 0.2 else {"a": yes}
    figures = []
    for name, column in names.items():
        kind, of, where = (
            ("sum", name, Where()) if column is score else ("count", None, Where(((name, OneOf(("yes",))),)))
        )
        figures += [Figure(f"{name} by {cut}", kind, of, where, (cut,)) for cut in ("row", "column")]
        figures += [Figure(f"all {name}", kind, of, where, (), channel(dice))] if dice.random() < 0.3 else []
    beliefs = tuple(ColumnBelief(name, {cell: even(dice, of) for cell in cells}, "?", by) for name, of in names.items())
    whole = dice.random() < 0.5
    attacker = Attacker(dice.randint(0, 3) if whole else Fraction(1, 50), not whole and dice.random() < 0.5, "why")
    secret = Presence() if dice.random() < 0.2 else Value()
    target = Target(Fraction(dice.choice(["2", "3"])), Fraction(dice.choice(["0.2", "0.1", "0.05"])))
    out = dice.choice([0, 0, 1])
    question = Question(Frame(("row", "column"), groups), names, beliefs, attacker, secret, target)
    return tuple(figures[out:]), History(tuple(figures[:out])), question


def by_moves(figures: tuple[Figure, ...], history: History, question: Question) -> Publish | None:
    """The plan, if the figures may go out; moves are looked for."""
    target = question.target
    docket = Docket.of(
        question.columns, question.beliefs, question.frame, question.secret, target.epsilon, target.delta
    )
    cover = Cover.of((*history.figures, *figures), question.frame, question.columns)
    found = judged_atoms(cover, docket, question, lambda _what, _done, _of: None)
    return Publish(found) if all(finding.verdict == Verdict.PASS for finding in found) else None


def policies(question: Question) -> list[dict[str, object]]:
    """A policy that demands just what is claimed."""
    attacker, target = question.attacker, question.target
    share = attacker.known if isinstance(attacker.known, Fraction) and not attacker.in_every_group else None
    known = None if share is None else str(share)
    limits = {"epsilon": str(target.epsilon), "delta": str(target.delta), "known": known, "safe_threshold": 1}
    return [{"name": "the office", "sha256": None, **limits}]


def releases(seed: int) -> Iterator[bytes]:
    """Certificates of random releases, those that pass, without end; one in eight by moves, if these help; some after
    the change that is planned for them. One quantity occurs in several words: what is ill is added up, or counted.
    """
    dice = random.Random(seed)
    for number in count(1):
        if number % 8 == 0:
            figures, history, asked = linked(dice)
            moved = by_moves(figures, history, asked)
            while moved is None or not any(finding.ways for finding in moved.findings):
                figures, history, asked = linked(dice)
                moved = by_moves(figures, history, asked)
            yield certificate(
                moved,
                asked,
                figures,
                history.figures,
                version="0.1.0",
                largest_known=None,
                table=FIGURES,
                policies=policies(asked),
            )
        presence = dice.random() < 0.25
        top = dice.randint(1, 5)
        columns = {
            "smoker": Categories(("no", "yes")),
            "job": Categories(("a", "b", "c")),
            "ill": Numbers(Fraction(1), Fraction(0), Fraction(1)),
            "income": Numbers(Fraction(1000), Fraction(0 if dice.random() < 0.8 else 1000), Fraction(1000 * (top + 1))),
        }
        crowd = dice.choice([8, 25, 60])
        frame = Frame(
            ("region", "sex"),
            {(region, sex): dice.randint(crowd // 2, crowd * 2) for region in REGIONS for sex in SEXES},
        )
        # of three linked figures the checker computes laws of up to two million points: of some fifty people
        names = ["one", "two", "three"][: dice.choice([1, 1, 1, 2, 3 if crowd == 8 else 2])]
        some = tuple(figure(dice, name, presence=presence) for name in names)
        before = History((figure(dice, "old", presence=presence),) if dice.random() < 0.15 else ())
        known = dice.choice([0, 3, Fraction(1, 50), Fraction(1, 10)])
        # several laws take the engine long: with several figures, or (since γ* is looked for) with several values
        alone = len(some) == 1 and not before.figures
        shared = {"smoker": 0.4 * alone, "job": 0.4 * alone, "ill": 0.4 * alone, "income": 0.02 * alone}
        question = Question(
            frame,
            columns,
            tuple(belief(dice, name, column.values, shared[name]) for name, column in columns.items()),
            Attacker(known, dice.random() < 0.3, "an argument"),
            Presence() if presence else Value(),
            Target(
                Fraction(dice.choice(["0.5", "1", "2", "3"])), Fraction(dice.choice(["0.2", "0.05", "1e-3", "1e-6"]))
            ),
        )
        found = passes(some, before, question)
        if found is None and number % 4 == 1:
            better = plan(some, before, question)
            some = better.figures if isinstance(better, Coarsen | AddNoise) else some
            found = passes(some, before, question)
        if found is not None:
            most = largest_known(found, question)
            yield certificate(found, question, some, before.figures, version="0.1.0", largest_known=most, table=FIGURES)
