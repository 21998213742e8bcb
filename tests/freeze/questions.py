"""The questions whose answers are kept: a name that never changes, and what is asked as plain data.

`ask.py` says how a description is read. A question whose `take` is "decision" is a specification with a table; every
other one takes a number from what `of` describes.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import cycle, product
from typing import Any

from .releases import releases

Description = dict[str, Any]
Named = Iterator[tuple[str, Description]]


def questions() -> dict[str, Description]:
    """All of them, each under its name."""
    found: dict[str, Description] = {}
    for topic in TOPICS:
        for name, question in topic():
            if name in found:
                raise ValueError(f"two questions are called {name!r}")
            found[name] = question
    return found


# Words of descriptions.


def made(name: str, *of: Any, **given: Any) -> Description:
    """A call of the library."""
    return {"name": name} | ({"of": list(of)} if of else {}) | ({"with": given} if given else {})


def table(mapping: Mapping[Any, Any]) -> Description:
    return {"map": [[list(key) if isinstance(key, tuple) else key, value] for key, value in mapping.items()]}


def pipe(*steps: Description) -> Description:
    return {"pipe": list(steps)}


def noiseless(belief: Description, secret: Description | None = None) -> Description:
    return made("noiseless", belief, **({} if secret is None else {"secret": secret}))


def verified(release: Description, definition: Description, epsilon: str, delta: str | None = None) -> Description:
    """δ at ε; with a target also a verdict."""
    target = {"epsilon": epsilon} | ({} if delta is None else {"delta": delta})
    return {"of": made("verify", release, definition, **target), "take": "delta"}


def at(curve: Description, epsilon: str) -> Description:
    return {"of": curve, "take": "delta of the curve", "epsilon": epsilon}


def yes(rate: str) -> dict[int, str]:
    return {0: str(1 - Fraction(rate)), 1: rate}


COUNT, SUM, MEAN, EXACT = made("Count"), made("Sum"), made("Mean"), made("Exact")
VALUE, PRESENCE, PRESENCE_ONLY = made("Value"), made("Presence"), made("PresenceOnly")
SECRETS = {"value": VALUE, "presence": PRESENCE, "presence only": PRESENCE_ONLY}
EPSILONS = ["0", "1/5", "1/2", "1", "5/2"]

VISITS = {0: "1/2", 1: "2/7", 2: "3/14"}
OTHERS = {0: "1/3", 1: "1/3", 2: "1/3"}
FAR = {0: "3/5", 1: "1/5", 5: "1/5"}
COUPLE = {(0, 0): "1/2", (0, 1): "3/20", (1, 0): "3/20", (1, 1): "1/5"}
SINGLE = {(0,): "13/20", (1,): "7/20"}
STICKY = {0: {0: "4/5", 1: "1/5"}, 1: {0: "3/10", 1: "7/10"}}
AROUND = {0: {1: "2/3", 2: "1/3"}, 1: {0: "1/2", 1: "1/2"}, 2: {0: "1"}}

CHANNELS: dict[str, list[Description]] = {
    "exact": [EXACT],
    "rounded 2": [made("Rounded", 2)],
    "rounded 3": [made("Rounded", 3)],
    "rounded 5": [made("Rounded", 5)],
    "geometric 1/2": [made("two_sided_geometric", "1/2")],
    "geometric 2": [made("two_sided_geometric", "2")],
    "rational 1/3": [made("rational_geometric", "1/3")],
    "gaussian 1": [made("discrete_gaussian", "1")],
    "rounded gaussian 1/2": [made("rounded_gaussian", "1/2")],
    "rounded 2, geometric 1": [made("Rounded", 2), made("two_sided_geometric", "1")],
    "geometric 1, rounded 3": [made("two_sided_geometric", "1"), made("Rounded", 3)],
}


def known(belief: Description, number: object) -> Description:
    return {**belief, "with": {**belief["with"], "known": number}} if number else belief


# A dozen records or less, where an oracle knows the truth.

SMALL: dict[str, tuple[Description, Description]] = {
    "8 of rate 0.3": (COUNT, made("IID", p="0.3", n=8)),
    "12 of rate 1/20": (COUNT, made("IID", p="1/20", n=12)),
    "6 of three values": (SUM, made("IID", values=table(VISITS), n=6)),
    "5 of values far apart": (SUM, made("IID", values=table(FAR), n=5)),
    "5 of different rates": (COUNT, made("Independent", rates=["1/10", "3/10", "1/2", "1/2", "9/10"])),
    "6 of two kinds": (SUM, made("Independent", groups=[[table(VISITS), 4], [table(OTHERS), 2]])),
}


def small_independent() -> Named:
    """Every channel under every independent belief, knowing nobody or two; ε goes round."""
    turn = cycle(EPSILONS)
    for (name, (figure, belief)), (channel, steps), number in product(SMALL.items(), CHANNELS.items(), (0, 2)):
        epsilon = next(turn)
        asked = noiseless(known(belief, number))
        label = f"small/{name}, {number} known, {channel}, eps {epsilon}"
        yield label, verified(pipe(figure, *steps), asked, epsilon, "1/20")


def small_secrets() -> Named:
    """Whether somebody is there at all, and values to within a margin."""
    turn = cycle(EPSILONS)
    beliefs = ["8 of rate 0.3", "6 of three values", "5 of different rates"]
    for name, (channel, steps), secret in product(beliefs, CHANNELS.items(), ("presence", "presence only")):
        figure, belief = SMALL[name]
        epsilon, number = next(turn), 1 if len(channel) > 10 else 0
        asked = noiseless(known(belief, number), SECRETS[secret])
        yield (
            f"secret/{secret}, {name}, {number} known, {channel}, eps {epsilon}",
            verified(pipe(figure, *steps), asked, epsilon, "1/100"),
        )
    spread = made("IID", values=table(dict.fromkeys(range(6), "1/6")), n=5)
    for k, channel in product(("1/2", "1", "2"), ("exact", "rounded 3", "geometric 2")):
        asked = noiseless(spread, made("Within", k))
        yield f"secret/within {k}, {channel}", verified(pipe(SUM, *CHANNELS[channel]), asked, "1/2", "1/20")


def small_edges() -> Named:
    """Impossible values, certain records, one record, declared values that nobody has, means."""
    beliefs = {
        "even values, an odd one declared": made("IID", values=table({0: "1/2", 2: "1/2"}), n=9, domain=[0, 1, 2]),
        "one record": made("IID", p="1/2", n=1),
        "two records": made("IID", p="1/100", n=2),
        "rates of 0 and 1": made("Independent", rates=["0", "1", "1/2", "1/2", "1/2"]),
        "rate almost 1": made("IID", p="999/1000", n=10),
        "a value far away declared": made("IID", values=table(yes("2/5")), n=8, domain=[0, 1, 7]),
        "negative values": made("IID", values=table({-2: "1/4", 0: "1/2", 3: "1/4"}), n=6),
    }
    for (name, belief), figure, (channel, epsilon) in product(
        beliefs.items(), ("Sum", "Mean"), (("exact", "1/2"), ("rounded 2", "0"), ("geometric 2", "1/5"))
    ):
        if figure == "Sum" or channel == "exact":
            yield (
                f"edge/{name}, {figure}, {channel}",
                verified(pipe(made(figure), *CHANNELS[channel]), noiseless(belief), epsilon, "1/10"),
            )


CHOICES = {
    "majority": [made("majority")],
    "majority, ties no": [made("majority", ties="no")],
    "threshold 3": [made("threshold", 3)],
    "threshold 2 5": [made("threshold", 2, 5)],
    "geometric 1, threshold 3": [made("two_sided_geometric", "1"), made("threshold", 3)],
}


def small_choices() -> Named:
    """What is chosen by a total instead of told."""
    for name, (choice, steps), number in product(("8 of rate 0.3", "5 of different rates"), CHOICES.items(), (0, 1)):
        figure, belief = SMALL[name]
        for epsilon in ("0", "1/2"):
            yield (
                f"choice/{name}, {number} known, {choice}, eps {epsilon}",
                verified(pipe(figure, *steps), noiseless(known(belief, number)), epsilon, "1/10"),
            )
    for choice in ("threshold 3", "threshold 2 5"):
        figure, belief = SMALL["8 of rate 0.3"]
        yield (
            f"choice/presence only, {choice}",
            verified(pipe(figure, *CHOICES[choice]), noiseless(belief, PRESENCE_ONLY), "1/5", "1/10"),
        )


VOTES = {"red": "2/5", "blue": "7/20", "green": "1/4"}


def small_histograms() -> Named:
    """All cells, or the most frequent value."""
    cells = made("Histogram", *VOTES)
    shown = {
        "exact": EXACT,
        "mode": made("mode", *VOTES),
        "mode, last of ties": made("mode", *VOTES, ties="last"),
    }
    for (name, step), n, epsilon in product(shown.items(), (3, 6, 8), ("0", "1/2")):
        belief = made("IID", values=table(VOTES), n=n)
        yield (
            f"histogram/{n} votes, {name}, eps {epsilon}",
            verified(pipe(cells, step), noiseless(belief), epsilon, "1/10"),
        )


JOINT: dict[str, tuple[Description, list[int]]] = {
    "couples and singles": (made("Blocks", [[table(COUPLE), 2], [table(SINGLE), 1]]), [0, 1, 2]),
    "repeated visits": (made("Blocks", values=table(yes("3/10")), sizes=table({1: 3, 2: 2})), [0, 1]),
    "a hidden rate": (
        made("Mixture", [["1/3", made("IID", p="1/5", n=5)], ["2/3", made("IID", p="3/5", n=5)]]),
        [0, 1, 2],
    ),
    "a chain": (
        made("Markov", start=table(yes("2/5")), moves=table({k: table(v) for k, v in STICKY.items()}), n=6),
        [0, 1, 2],
    ),
    "a chain of three values": (
        made("Markov", start=table(VISITS), moves=table({k: table(v) for k, v in AROUND.items()}), n=5),
        [0, 1],
    ),
}


def small_joint() -> Named:
    """Records that move together."""
    turn = cycle(["0", "1/5", "1", "5/2"])
    for name, (belief, numbers) in JOINT.items():
        for number, channel in product(numbers, ("exact", "rounded 2", "geometric 2")):
            asked = {**belief, "with": {**belief.get("with", {}), "known": number}} if number else belief
            epsilon = next(turn)
            yield (
                f"joint/{name}, {number} known, {channel}, eps {epsilon}",
                verified(pipe(SUM, *CHANNELS[channel]), noiseless(asked), epsilon, "1/5"),
            )
    chain = JOINT["a chain"][0]["with"]
    for places, epsilon in (([3], "1/5"), ([2, 4], "1/5"), ([1, 6], "1"), ([1, 2, 5], "0")):
        belief = made("Markov", **chain, known_at=places)
        yield f"joint/a chain known at {places}", verified(pipe(COUNT, EXACT), noiseless(belief), epsilon, "1/5")
    for values, epsilon in (({3: 1}, "1/5"), ({2: 0, 5: 1}, "1/2")):
        belief = made("Markov", **chain, known_at=table(values), target_at=4)
        yield f"joint/a chain with {values}", verified(pipe(COUNT, EXACT), noiseless(belief), epsilon, "1/5")


CLASSES: dict[str, Description] = {
    "rates from 1/5 to 7/10": made("Rates", between=["1/5", "7/10"], n=5),
    "a part of yes/no": made("AtLeast", table(yes("2/5")), weight="3/5", n=5),
    "a part of three values": made("AtLeast", table(VISITS), weight="3/5", n=4),
    "around a table": made("Around", table(VISITS), "1/10", n=3),
    "around a table of yes/no": made("Around", table(yes("2/5")), "1/10", n=5),
    "between two tables": made("Hull", [table(VISITS), table(OTHERS)], n=4),
    "from counts": made("Estimated", table({0: 30, 1: 20}), confidence="9/10", n=5),
    "from counts of three values": made("Estimated", table({0: 21, 1: 12, 2: 9}), confidence="9/10", n=4),
    "brackets": made("Brackets", [[0, 1, "3/5"], [2, 2, "2/5"]], n=5),
}


def small_classes() -> Named:
    """Laws that are known within a class only."""
    turn = cycle(["0", "1/5", "1", "5/2"])
    for (name, belief), number, channel in product(CLASSES.items(), (0, 1), ("exact", "rounded 2", "geometric 2")):
        epsilon = next(turn)
        yield (
            f"class/{name}, {number} known, {channel}, eps {epsilon}",
            verified(pipe(SUM, *CHANNELS[channel]), noiseless(known(belief, number)), epsilon, "1/5"),
        )


MEMBERS = {0: 3, 1: 2, 2: 1}
DESIGNS: dict[str, Description] = {
    "each by chance": {"rate": "1/2"},
    "each rarely": {"rate": "1/7"},
    "three of them": {"size": 3},
    "two or four": {"sizes": table({2: "1/3", 4: "2/3"})},
    "one by one": {"size": 4, "replace": True},
    "Poisson": {"poisson": "1/2"},
}


def small_samples() -> Named:
    """Everybody's value is known, but not who was drawn."""
    turn = cycle(["0", "1/5", "1"])
    for (name, design), secret, number in product(DESIGNS.items(), SECRETS, (0, 1)):
        epsilon = next(turn)
        belief = made("Sampled", table(MEMBERS), **design, **({"known": number} if number else {}))
        yield (
            f"sample/{name}, {secret}, {number} known, eps {epsilon}",
            verified(pipe(SUM, EXACT), noiseless(belief, SECRETS[secret]), epsilon, "1/5"),
        )
    for name in ("each by chance", "three of them"):
        for channel, epsilon in (("exact", "1/5"), ("rounded 3", "0"), ("geometric 2", "1/5")):
            belief = made("Sampled", table(MEMBERS), **DESIGNS[name], participation="secret")
            yield (
                f"sample/{name}, participation secret, {channel}",
                verified(pipe(SUM, *CHANNELS[channel]), noiseless(belief), epsilon, "1/5"),
            )


# Real sizes.

PEOPLE = [
    ("1/10", 1000, 0, "1/2", "1e-6"),
    ("1/10", 1000, "1/5", "1/2", "1e-6"),
    ("1/10", 1000, 999, "1/2", "1e-6"),
    ("1/2", 1000, 0, "1/10", "1e-6"),
    ("1/100", 1000, 0, "1", "1e-6"),
    ("1/10", 10_000, "1/5", "3/10", "1e-9"),
    ("3/10", 10_000, "1/20", "1/5", "1e-9"),
    ("1/1000", 10_000, "1/20", "1", "1e-6"),
    ("1/10", 100_000, "1/10", "1/10", "1e-9"),
    ("1/100", 100_000, "1/2", "1/5", "1e-9"),
    ("1/2", 1_000_000, "1/10", "1/100", "1e-9"),
    ("1/1000", 1_000_000, "1/10", "1/2", "1e-12"),
    ("1/10000", 1_000_000, 0, "1", "1e-6"),
]


def real_counts() -> Named:
    """Counts of yes/no records, exact, rounded and with noise."""
    for rate, n, number, epsilon, delta in PEOPLE:
        belief = made("IID", p=rate, n=n, known=number)
        yield (
            f"count/{n} of rate {rate}, {number} known, eps {epsilon}",
            verified(pipe(COUNT, EXACT), noiseless(belief), epsilon, delta),
        )
    beliefs = {
        "1000 of rate 1/10": made("IID", p="1/10", n=1000, known="1/5"),
        "100000 of rate 1/100": made("IID", p="1/100", n=100_000, known="1/10"),
        "30 of rate 1/2": made("IID", p="1/2", n=30, known=3),
    }
    for (name, belief), (channel, steps) in product(beliefs.items(), CHANNELS.items()):
        if channel != "exact":
            yield f"count/{name}, {channel}", verified(pipe(COUNT, *steps), noiseless(belief), "1/5", "1e-3")
    for (name, belief), secret in product(beliefs.items(), ("presence", "presence only")):
        yield f"count/{name}, {secret}", verified(pipe(COUNT, EXACT), noiseless(belief, SECRETS[secret]), "1/2", "1e-6")
    for (name, belief), delta in product(beliefs.items(), ("0", "1e-9", "1e-3")):
        curve = made("curve", pipe(COUNT, made("two_sided_geometric", "3")), noiseless(belief))
        yield f"count/{name}, epsilon at {delta}", {"of": curve, "take": "epsilon of the curve", "delta": delta}


GROUPS = {
    "two kinds": [["1/20", 700], ["2/5", 300]],
    "five kinds": [["1/100", 400], ["1/20", 300], ["1/10", 200], ["3/10", 80], ["9/10", 20]],
    "thirty kinds": [[f"{k}/62", 20 + k] for k in range(1, 31)],
    "a large and a small kind": [["1/50", 900_000], ["1/2", 1000]],
}


def real_independent() -> Named:
    """People of different kinds, and as many rates as people."""
    for (name, groups), number in product(GROUPS.items(), (0, "1/20", "1/2")):
        belief = made("Independent", groups=[[table(yes(rate)), n] for rate, n in groups], known=number)
        yield f"kinds/{name}, {number} known", verified(pipe(COUNT, EXACT), noiseless(belief), "1/2", "1e-6")
    for n, number, channel in product((101, 301), (0, "1/10"), ("exact", "rounded 5", "geometric 2")):
        belief = made("Independent", rates=[f"{k % 97 + 1}/200" for k in range(n)], known=number)
        yield (
            f"kinds/{n} rates, {number} known, {channel}",
            verified(pipe(COUNT, *CHANNELS[channel]), noiseless(belief), "1/2", "1e-4"),
        )


LAWS: dict[str, dict[int, str]] = {
    "visits": {0: "1/2", 1: "3/10", 2: "1/5"},
    "dice": dict.fromkeys(range(1, 7), "1/6"),
    "rare large": {0: "9/10", 1: "9/100", 20: "1/100"},
    "even": {0: "1/2", 2: "1/2"},
    "twenty values": dict.fromkeys(range(20), "1/20"),
}


def real_sums() -> Named:
    """Totals and means of several values."""
    for (name, law), n, number in product(LAWS.items(), (200, 5000), (0, "1/10")):
        belief = made("IID", values=table(law), n=n, known=number)
        figure = MEAN if n == 200 else SUM
        yield (
            f"sum/{name}, {n} records, {number} known",
            verified(pipe(figure, EXACT), noiseless(belief), "1/2", "1e-6"),
        )
    for (name, law), channel in product(
        LAWS.items(), ("rounded 5", "geometric 2", "gaussian 1", "rounded gaussian 1/2")
    ):
        belief = made("IID", values=table(law), n=300, known=10)
        yield f"sum/{name}, {channel}", verified(pipe(SUM, *CHANNELS[channel]), noiseless(belief), "1", "1e-3")
    for k, n in product(("1/2", "1", "3"), (100, 3000)):
        belief = made("IID", values=table(LAWS["twenty values"]), n=n)
        yield (
            f"sum/twenty values, {n} records, within {k}",
            verified(pipe(SUM, EXACT), noiseless(belief, made("Within", k)), "1/2", "1e-6"),
        )
    mixed = made("Independent", groups=[[table(LAWS["visits"]), 600], [table({0: "4/5", 1: "1/10", 2: "1/10"}), 400]])
    for number, channel in product((0, 30), ("exact", "geometric 2")):
        yield (
            f"sum/two kinds of visits, {number} known, {channel}",
            verified(pipe(SUM, *CHANNELS[channel]), noiseless(known(mixed, number)), "1/2", "1e-6"),
        )


def real_classes() -> Named:
    """Classes of laws, of real size."""
    visits, other = table({0: "1/2", 1: "3/10", 2: "1/5"}), table({0: "7/10", 1: "1/5", 2: "1/10"})
    beliefs = {
        "rates from 1/50": (COUNT, made("Rates", between=["1/50", "3/10"], n=10_000, known="1/5")),
        "rates from 1/10, few": (COUNT, made("Rates", between=["1/10", "1/2"], n=200)),
        "a quarter of visits": (SUM, made("AtLeast", visits, weight="1/4", n=5000, known=500)),
        "a weight each": (SUM, made("AtLeast", visits, weights=[f"{k % 9 + 1}/10" for k in range(600)], known=20)),
        "around visits": (SUM, made("Around", visits, "1/20", n=5000, known=500)),
        "between visits": (SUM, made("Hull", [visits, other], n=5000, known=500)),
        "counts of smokers": (
            COUNT,
            made("Estimated", table({0: 4100, 1: 900}), confidence="999/1000", n=2000, known="1/20"),
        ),
        "counts of visits": (
            SUM,
            made("Estimated", table({0: 5000, 1: 3000, 2: 2000}), confidence="999/1000", n=2000),
        ),
        "fitted": (COUNT, made("fitted", made("IID", p="9/50", n=10_000))),
    }
    for (name, (figure, belief)), (channel, epsilon) in product(
        beliefs.items(), (("exact", "1/5"), ("exact", "1/2"), ("geometric 2", "1/5"), ("rounded 5", "1/2"))
    ):
        release = pipe(figure, *CHANNELS[channel])
        if (channel, epsilon) == ("exact", "1/2"):
            asked = verified(release, noiseless(belief), epsilon, "1e-6")
        else:
            asked = at(made("curve", release, noiseless(belief)), epsilon)
        yield f"class/{name}, {channel}, eps {epsilon}", asked


def real_joint() -> Named:
    """Households, hidden rates and chains of real size."""
    homes = made("Blocks", [[table(COUPLE), 400], [table(SINGLE), 200]], known="1/20")
    visits = made("Blocks", values=table(yes("1/10")), sizes=table({1: 800, 3: 50}))
    twins = made("Blocks", values=table(yes("1/2")), sizes=table({2: 50}), known=50)
    hidden = made("Mixture", [["1/2", made("IID", p="1/10", n=1000)], ["1/2", made("IID", p="3/10", n=1000)]])
    near = made("Mixture", [["1/2", made("IID", p="1/10", n=500)], ["1/2", made("IID", p="1/8", n=500)]], known=10)
    half = table(yes("1/2"))
    moves = table({0: table(yes("1/4")), 1: table(yes("3/4"))})
    slow = table({0: table(yes("1/10")), 1: table(yes("9/10"))})
    chains = {
        "a chain of 200": made("Markov", start=half, moves=moves, n=200),
        "a chain of 2000": made("Markov", start=half, moves=moves, n=2000),
        "a chain of 2000, 2 known": made("Markov", start=half, moves=moves, n=2000, known=2),
        "a chain of 2000, 100 known": made("Markov", start=half, moves=moves, n=2000, known=100),
        "a chain of 2000 known at 999 and 1001": made("Markov", start=half, moves=moves, n=2000, known_at=[999, 1001]),
        "a slow chain of 100000": made("Markov", start=half, moves=slow, n=100_000),
        "a chain of a million": made("Markov", start=half, moves=moves, n=1_000_000),
        "a chain that alternates": made(
            "Markov", start=half, moves=table({0: table({1: "1"}), 1: table({0: "1"})}), n=11
        ),
    }
    beliefs = {"homes": homes, "visits": visits, "twins": twins, "hidden rate": hidden, "near rates": near, **chains}
    for (name, belief), epsilon in product(beliefs.items(), ("1/10", "1/2", "1")):
        yield f"together/{name}, eps {epsilon}", at(made("curve", COUNT, noiseless(belief)), epsilon)
    for name, steps in (("majority", [made("majority")]), ("geometric 2", CHANNELS["geometric 2"])):
        yield (
            f"together/a chain of 200, {name}",
            at(made("curve", pipe(COUNT, *steps), noiseless(chains["a chain of 200"])), "1/5"),
        )
    for name, steps in (("rounded 5", CHANNELS["rounded 5"]), ("geometric 2", CHANNELS["geometric 2"])):
        yield f"together/homes, {name}", at(made("curve", pipe(COUNT, *steps), noiseless(homes)), "1/5")
        yield f"together/hidden rate, {name}", at(made("curve", pipe(COUNT, *steps), noiseless(hidden)), "1/5")


INCOMES = [
    [0, 9_999, "0.12"],
    [10_000, 19_999, "0.2"],
    [20_000, 29_999, "0.21"],
    [30_000, 49_999, "0.27"],
    [50_000, 99_999, "0.15"],
    [100_000, 499_999, "0.049"],
    [500_000, 9_999_999, "0.001"],
]


def real_wide() -> Named:
    """Incomes by brackets, and what range and variance alone tell."""
    heaped = [[low, high - 999, weight, 1000] for low, high, weight in INCOMES]
    many = made("Brackets", INCOMES, n=100_000, bounds=[0, 10_000_000], known="1/10")
    rounders = made("Brackets", heaped, n=100_000, bounds=[0, 10_000_000])
    within = made("Within", 1000)
    for epsilon in ("1/10", "1/2", "1"):
        yield f"wide/incomes, eps {epsilon}", at(made("curve", SUM, noiseless(many)), epsilon)
        yield f"wide/incomes within 1000, eps {epsilon}", at(made("curve", SUM, noiseless(many, within)), epsilon)
        yield f"wide/heaped within 1000, eps {epsilon}", at(made("curve", SUM, noiseless(rounders, within)), epsilon)
    yes_no = made("RangeVariance", n=1001, bounds=[0, 1], variance="1/4")
    ten_million = made("RangeVariance", n=10_000_001, bounds=[0, 1], variance="1/4")
    total = made("RangeVariance", n=50_000, bounds=[0, 200_000], total="2e13", known="1/100")
    for scale, epsilon in product(("7/10", "1", "2"), ("1/5", "1/2")):
        release = pipe(COUNT, made("rounded_gaussian", scale))
        yield (
            f"variance/yes and no, noise {scale}, eps {epsilon}",
            verified(release, noiseless(yes_no), epsilon, "1e-6"),
        )
    release = pipe(made("Sum", unit=100), made("rounded_gaussian", 1200))
    yield "variance/total", at(made("curve", release, noiseless(total)), "1/2")
    for name, belief in (("thousand", yes_no), ("ten million", ten_million)):
        least = made("least noise by variance", belief, COUNT, epsilon="1/2", delta="1e-6")
        yield f"variance/least noise of a {name}", {"of": least, "take": "at most"}


def real_samples() -> Named:
    """Samples of a population of a hundred thousand."""
    population = table({0: 90_000, 1: 10_000})
    designs: dict[str, Description] = {
        "rate 1/50": {"rate": "1/50"},
        "Poisson 1/50": {"poisson": "1/50"},
        "size 2000": {"size": 2000},
        "2000 one by one": {"size": 2000, "replace": True},
        "1900 or 2000": {"sizes": table({1900: "1/2", 2000: "1/2"})},
        "nearly all": {"size": 99_999},
    }
    for (name, design), secret in product(designs.items(), SECRETS):
        belief = made("Sampled", population, **design)
        yield f"sample/{name}, {secret}", at(made("curve", COUNT, noiseless(belief, SECRETS[secret])), "1/2")
    for name, number in product(("rate 1/50", "size 2000"), (10, 500)):
        belief = made("Sampled", population, **designs[name], known=number)
        yield f"sample/{name}, {number} known", at(made("curve", COUNT, noiseless(belief)), "1/2")
    for epsilon in ("1/100", "1/10"):
        belief = made("Sampled", population, rate="1/50", participation="secret")
        yield (
            f"sample/rate 1/50, participation secret, eps {epsilon}",
            at(made("curve", COUNT, noiseless(belief)), epsilon),
        )
    parties = made("Histogram", *VOTES)
    survey = made("Sampled", table({"red": 4000, "blue": 3500, "green": 250}), rate="1/10")
    for least, epsilon in product((10, 20), ("1/2", "1")):
        yield (
            f"sample/truncated at {least}, eps {epsilon}",
            verified(pipe(parties, made("Truncated", least)), made("distributional", survey), epsilon, "1e-6"),
        )


def real_histograms() -> Named:
    """Whole histograms, truncated ones, modes and models."""
    faces = table(dict.fromkeys(range(1, 7), "1/6"))
    for secret, epsilon in product(("value", "presence only"), ("1/5", "1/2")):
        curve = made("histogram curve", SECRETS[secret], cells=faces, n=3000, known="1/10")
        yield f"histogram/faces, {secret}, eps {epsilon}", at(curve, epsilon)
    votes = made("IID", values=table(VOTES), n=1000)
    for name, step in (("exact", EXACT), ("mode", made("mode", *VOTES))):
        for epsilon in ("0", "1/2"):
            release = pipe(made("Histogram", *VOTES), step)
            yield f"histogram/1000 votes, {name}, eps {epsilon}", verified(release, votes, epsilon, "1e-6")
    many = made("IID", values=table(VOTES), n=100_000, known="1/100")
    yield "histogram/mode of 100000", at(made("mode_curve", made("mode", *VOTES), many), "0")
    yield "histogram/cells of a Poisson sample", at(made("poisson cells", 20, [5, 12, 40, 500]), "1/2")
    yield "histogram/cells of a sample", at(made("bernoulli cells", 20, [41, 101, 5000], "1/5"), "1/2")
    scheme = made("discarding", 300, epsilon="1/2", delta="1/1000")
    yield "histogram/cells after discarding", at(made("drawn cells", 15, ["1/10"], scheme), "1")
    yield "histogram/discarded", {"of": made("expected to be discarded", scheme), "take": "bracket"}
    quarters = made("likeliest_rate", "1/4", "3/4")
    for n, number, epsilon in ((61, 0, "0"), (61, 5, "0"), (301, 20, "1/10")):
        asked = made("selection_guarantee", quarters, n=n, known=number, epsilon=epsilon, delta="1e-4")
        yield f"model/quarters of {n}, {number} known", {"of": asked, "take": "delta"}
    asked = made("selection_guarantee", quarters, n=61, least_prior="1/4", delta="0")
    yield "model/quarters with a prior", {"of": asked, "take": "epsilon"}
    for n in (21, 61, 201):
        belief = made("distributional", made("OneOfTheModels", n=n))
        yield f"model/one of two rates, {n} records", verified(pipe(COUNT, quarters), belief, "0", "1e-4")
    ages = [table({k: f"{k + shift}/{45 + 10 * shift}" for k in range(10)}) for shift in (1, 3)]
    asked = made("selection_guarantee", made("likeliest_model", *ages), n=2000, known=10, epsilon="0", delta="1e-6")
    yield "model/ages", {"of": asked, "take": "delta"}


def real_choices() -> Named:
    """Majorities and thresholds of up to a million records."""
    large = made("IID", p="1/2", n=1_000_001, known="1/10")
    for (name, steps), epsilon in product(
        (("majority", [made("majority")]), ("threshold", [made("threshold", 500_000, 500_500)])), ("0", "1/100", "1/10")
    ):
        yield (
            f"choice/a million, {name}, eps {epsilon}",
            verified(pipe(COUNT, *steps), noiseless(large), epsilon, "1e-3"),
        )
    small = made("IID", p="1/2", n=101)
    whole = made("curve", pipe(COUNT, made("majority")), noiseless(small, PRESENCE_ONLY))
    yield "choice/101 by presence", at(whole, "0")
    yield "choice/101 disagreement", {"of": made("disagreement", whole), "take": "bracket"}
    yield "choice/101 epsilon", {"of": whole, "take": "epsilon of the curve", "delta": "0"}


# Mechanisms with a theorem of their own, noise, composition and rules.

STATED: dict[str, Description] = {
    "hedged 1000": made("HedgedCount", "1/2", n=1000, epsilon="0.9", alpha="0.001"),
    "hedged 20": made("HedgedCount", "1/2", n=20, epsilon="0.1", alpha="0.001"),
    "hedged 1000, corrected": made("HedgedCount", "1/2", n=1000, epsilon="0.9", alpha="0.001", cut="corrected"),
    "hedged 500, value": made("HedgedCount", "0.3", n=500, epsilon="1", alpha="0.01", pairs="value"),
    "ball 1000": made("BallCount", "1/2", n=1000, epsilon="0.9", beta="0.3"),
    "ball 50": made("BallCount", "0.2", n=50, epsilon="0.5", beta="0.1"),
    "single prior 20": made("SinglePriorCount", "0.3", n=20, epsilon="0.5"),
    "single prior 20, value": made("SinglePriorCount", "0.3", n=20, epsilon="0.5", pairs="value"),
    "single prior 100000": made("SinglePriorCount", "0.01", n=100_000, epsilon="0.2"),
    "single prior cells": made(
        "SinglePriorHistogram",
        table({"A": "0.11", "B": "0.39", "other": "0.5"}),
        n=100,
        eligible=["A", "B"],
        noise="0.25",
        rest="0.5",
        exact=1,
    ),
    "sum within": made("SumWithin", 1000, epsilon=1),
    "sum within, coarse": made("SumWithin", 50, epsilon="1/2", unit=10),
    "business": made("BusinessTotal", 50_000, epsilon="0.5", unit=100),
    "geometric mean": made("GeometricMeanWithin", "0.9", epsilon=1),
    "response 3/4": made("RandomizedResponse", keep="3/4"),
    "response of 1": made("RandomizedResponse", epsilon=1),
    "laplace": made("LaplaceNoise", 1, epsilon=1),
    "laplace of 5": made("LaplaceNoise", 5, epsilon="1/2"),
    "gaussian": made("GaussianNoise", 1, scale=3),
    "gaussian within": made("within", 1, epsilon=1, delta="1e-6"),
    "discrete gaussian": made("DiscreteGaussianNoise", 1, scale=3),
    "discrete gaussian of 4": made("DiscreteGaussianNoise", 4, scale=2),
    "local laplace": made("LocalLaplaceNoise", "1/2", epsilon=1, delta="1/100"),
    "response total": made("ResponseTotal", made("RandomizedResponse", epsilon=1), made("IID", p="1/10", n=1000)),
    "response total, 999 known": made(
        "ResponseTotal", made("RandomizedResponse", epsilon=1), made("IID", p="1/10", n=1000, known=999)
    ),
}
SHORT_CHAIN = made(
    "Markov",
    start=table({0: "2/3", 1: "1/3"}),
    moves=table({0: table({0: "9/10", 1: "1/10"}), 1: table({0: "1/5", 1: "4/5"})}),
    n=30,
)


def stated() -> Named:
    """What each says of itself: its ε, and δ along its own curve."""
    for name, mechanism in STATED.items():
        if not name.startswith("response total"):
            yield f"stated/{name}", {"of": made("verify", mechanism), "take": "epsilon"}
        for epsilon in ("0", "1/2"):
            yield f"stated/{name}, curve at {epsilon}", at(mechanism, epsilon)
        if name.startswith(("hedged", "ball", "single prior")) and "cells" not in name:
            yield f"stated/{name}, window", {"of": mechanism, "take": "window"}
    steps = {
        "single prior": pipe(COUNT, made("SinglePrior", "0.3", n=20, epsilon="0.5")),
        "margin": pipe(made("Sum", unit=10), made("ValueMargin", 1000, epsilon=1)),
        "business margin": pipe(made("Sum", unit=100), made("BusinessMargin", 50_000, epsilon="0.5")),
        "relative margin": pipe(made("GeometricMean"), made("RelativeMargin", "0.9", epsilon=1)),
        "ball": pipe(COUNT, made("InBall", "1/2", n=1000, epsilon="0.9", beta="0.3")),
        "hedged": pipe(COUNT, made("Hedged", "1/2", n=1000, epsilon="0.9", alpha="0.001")),
        "quilt": pipe(SUM, made("QuiltNoise", SHORT_CHAIN, epsilon=1)),
        "wasserstein": pipe(SUM, made("WassersteinNoise", SHORT_CHAIN, epsilon=1)),
        "least": pipe(SUM, made("LeastNoise", SHORT_CHAIN, epsilon=1)),
    }
    for name, release in steps.items():
        yield f"step/{name}", {"of": made("verify", release), "take": "epsilon"}
    asked = made("verify", steps["single prior"], made("IID", p="0.3", n=20), delta=0)
    yield "step/single prior by value", {"of": asked, "take": "epsilon"}
    local = pipe(made("RandomizedResponse", epsilon=1), COUNT)
    yield "step/local count", verified(local, made("differential_privacy"), "1", "1e-12")
    for rate, epsilon in product(("1/10", "1/2"), ("1/20", "1/10", "1/5")):
        yield f"step/local count of rate {rate}, eps {epsilon}", verified(local, made("IID", p=rate, n=1000), epsilon)


def chain_noise() -> Named:
    """Noise for records that move together."""
    for epsilon in ("1/2", "1"):
        for name in ("quilt noise", "wasserstein noise"):
            yield (
                f"chain/{name} for {epsilon}",
                {"of": made(name, SHORT_CHAIN, COUNT, epsilon=epsilon), "take": "at most"},
            )
        least = made("least chain noise", SHORT_CHAIN, COUNT, epsilon=epsilon)
        yield f"chain/least noise for {epsilon}", {"of": least, "take": "bracket"}
    for scale in (2, 6):
        yield (
            f"chain/epsilon of scale {scale}",
            {
                "of": made("exact_epsilon", SHORT_CHAIN, COUNT, scale=scale),
                "take": "bracket",
            },
        )
    yield "chain/distance", {"of": made("wasserstein distance", SHORT_CHAIN, COUNT), "take": "at most"}


NOISES = {
    "geometric 2": made("two_sided_geometric", 2),
    "geometric 1/2": made("two_sided_geometric", "1/2"),
    "rational 1/3": made("rational_geometric", "1/3"),
    "gaussian 1": made("discrete_gaussian", 1),
    "gaussian 3": made("discrete_gaussian", 3),
    "rounded gaussian 2": made("rounded_gaussian", 2),
}


def differential() -> Named:
    """Against whoever knows every record but one."""
    for (name, noise), epsilon in product(NOISES.items(), ("0", "1/2", "1")):
        yield f"dp/{name}, eps {epsilon}", verified(pipe(COUNT, noise), made("differential_privacy"), epsilon, "1e-3")
    for name, epsilon in product(("geometric 2", "gaussian 3"), ("1/2", "1")):
        for neighbours in ("replace", "add or remove"):
            asked = made("differential_privacy", [0, 1, 2, 5], neighbours=neighbours)
            yield (
                f"dp/sum, {name}, {neighbours}, eps {epsilon}",
                verified(pipe(SUM, NOISES[name]), asked, epsilon, "1e-3"),
            )
    for name in ("geometric 2", "gaussian 3"):
        curve = made("curve", pipe(COUNT, NOISES[name]), made("differential_privacy"))
        yield f"dp/{name}, epsilon", {"of": curve, "take": "epsilon of the curve", "delta": "1e-6"}
    for epsilon, delta in (("1", "1e-6"), ("1/10", "1e-9"), ("5", "1e-3")):
        asked = made("least_scale", epsilon, delta)
        yield f"dp/least normal noise for {epsilon} and {delta}", {"of": asked, "take": "at most"}


def composed() -> Named:
    """Several releases together."""
    parts = {
        "response 3/4": made("RandomizedResponse", keep="3/4"),
        "response 2/3": made("RandomizedResponse", keep="2/3"),
    }
    curves = {name: made("curve of", part) for name, part in parts.items()} | {
        name: made("curve", pipe(COUNT, noise), made("differential_privacy")) for name, noise in NOISES.items()
    }
    listed = {
        "1 response": [["response 3/4", 1]],
        "5 responses": [["response 3/4", 5]],
        "20 responses": [["response 2/3", 20]],
        "two kinds of responses": [["response 3/4", 3], ["response 2/3", 4]],
        "10 geometric": [["geometric 2", 10]],
        "100 gaussian": [["gaussian 3", 100]],
        "4 rational": [["rational 1/3", 4]],
        "geometric and gaussian": [["geometric 2", 3], ["gaussian 3", 2]],
        "rounded gaussian twice": [["rounded gaussian 2", 2]],
    }
    for (name, items), epsilon in product(listed.items(), ("1/2", "2")):
        given = made("parts", *([curves[part], count] for part, count in items))
        yield f"compose/{name}, eps {epsilon}", at(made("compose", given), epsilon)
    for name, epsilon in product(("10 geometric", "100 gaussian"), ("1e-6", "1e-3")):
        given = made("parts", *([curves[part], count] for part, count in listed[name]))
        yield (
            f"compose/{name}, epsilon at {epsilon}",
            {
                "of": made("compose", given),
                "take": "epsilon of the curve",
                "delta": epsilon,
            },
        )
    column = made("curve", COUNT, noiseless(made("IID", p="1/10", n=2000)))
    for about in ("different people", "independent columns"):
        given = made("parts", [column, 2])
        yield f"compose/exact counts of {about}", at(made("compose", given, about=about), "1/2")
    pair = [made("LaplaceNoise", 1, epsilon="0.5"), made("BallCount", "1/2", n=1000, epsilon="0.9", beta="0.3")]
    yield "compose/a ball count and noise", {"of": made("combine", *pair), "take": "bracket"}


def rules() -> Named:
    """What rules of thumb are worth."""
    listed = {
        "below 5": made("Hide below", 5),
        "below 10": made("Hide below", 10),
        "below 20": made("Hide below", 20),
        "below 10, rounded 5": made("Hide below", 10, base=5),
        "rounded 5": made("Hide below", 1, base=5),
        "rounded 10": made("Hide below", 1, base=10),
        "suppress 1 to 10": made("suppress 1 to 10"),
        "census counts": made("census counts"),
        "census 2000": made("census 2000"),
    }
    for (name, rule), epsilon in product(listed.items(), ("1", "2")):
        yield f"rule/{name}, eps {epsilon}", {"of": made("rule worth", rule, epsilon=epsilon), "take": "delta"}
    attacks = {
        "4 known": made("rule against", known=4),
        "rate 1/2": made("rule against", rate="1/2"),
        "value": made("rule against", secret="value"),
    }
    for (name, against), least in product(attacks.items(), (5, 10)):
        asked = made("rule worth", made("Hide below", least), epsilon="1", against=against)
        yield f"rule/below {least} against {name}", {"of": asked, "take": "delta"}
    for epsilon, delta in (("1", "1e-6"), ("1/2", "1e-6"), ("2", "1e-9")):
        asked = made("threshold needed", epsilon=epsilon, delta=delta)
        yield f"rule/threshold needed for {epsilon} and {delta}", {"of": asked, "take": "at most"}
    yield "rule/base needed", {"of": made("base needed", epsilon="1", delta="1e-6"), "take": "at most"}
    for least in (3, 10, 200):
        curve = made("difference curve", least, rates=["1/10", "1/2"])
        yield f"rule/groups that differ by {least}", at(curve, "1")
    asked = made("difference needed", epsilon="1", delta="1e-6", rates=["1/10", "1/2"])
    yield "rule/difference needed", {"of": asked, "take": "at most"}
    for p in (5, 10):
        asked = made("p percent precision", p, delta="1/20", uncertain="1/2")
        yield f"rule/{p} percent", {"of": asked, "take": "at least"}
        asked = made("p percent delta", p, precision="1/50", uncertain="1/2")
        yield f"rule/{p} percent, delta", {"of": asked, "take": "at most"}
    asked = made("dominance precision", 2, 80, delta="1/20", uncertain="1/2")
    yield "rule/dominance", {"of": asked, "take": "at least"}
    moments = {
        "moments": (made("Moments", records=1_000_000, variance=250_000, third=125_000), 1),
        "blocks": (made("BlockMoments", blocks=500_000, size=2, variance=2_000_000, third=1_000_000), 4),
    }
    for (name, (given, shift)), events in product(moments.items(), ("half-lines", "intervals", 4)):
        asked = made("threshold_guarantee", given, shift=shift, events=events, epsilon="1/10", delta="1/100")
        yield f"rule/buckets from {name}, {events}", {"of": asked, "take": "delta"}
    for n, density, number, epsilon in ((201, "1/4", 100, "1/2"), (51, "1/2", 0, "1")):
        asked = made("simulated_sum", n, density=density, known=number)
        yield f"density/simulated sum of {n}", at(asked, epsilon)
        yield f"density/sum of {n} by value", at(made("sum_by_value", n, density=density, known=number), epsilon)


def calibrated() -> Named:
    """One number that is solved for."""
    attacker = noiseless(made("IID", p="1/10", n=1000, known="1/5"))
    for unknown, epsilon, delta, take in (
        ("noise", "3/10", "1e-4", "at most"),
        ("n", "1/2", "1e-6", "at most"),
        ("known", "1/2", "1e-3", "at least"),
        ("epsilon", None, "1e-6", "at most"),
        ("delta", "1/2", None, "at most"),
    ):
        target = {name: text for name, text in (("epsilon", epsilon), ("delta", delta)) if text is not None}
        yield f"solved/{unknown}", {"of": made("calibrated", COUNT, attacker, unknown, **target), "take": take}
    few = noiseless(made("IID", p="1/50", n=100))
    asked = made("calibrated", COUNT, few, "rounding", epsilon="1", delta="1e-2", ladder=[2, 5, 10])
    yield "solved/rounding", {"of": asked, "take": "at most"}
    wide = noiseless(made("IID", values=table(LAWS["dice"]), n=200, known=20))
    asked = made("calibrated", SUM, wide, "noise", epsilon="1/2", delta="1e-4")
    yield "solved/noise of a sum", {"of": asked, "take": "at most"}


# More than a second each.
SLOW = (
    "kinds/a large and a small kind",
    "kinds/301 rates",
    "kinds/thirty kinds",
    "kinds/two kinds, 1/20 known",
    "class/rates from 1/50",
    "class/counts of smokers",
    "together/a chain of 2000 known at",
    "together/a chain of 2000, ",
    "sum/two kinds of visits",
    "choice/a million",
    "rule/difference needed",
    "rule/below 10 against value",
    "decide/three figures, 20000 people",
    "decide/smokers and their points, 20000 people",
    "decide/income by region, 700 people",
    "decide/rows and columns of few",
)

TOPICS = (
    small_independent,
    small_secrets,
    small_edges,
    small_choices,
    small_histograms,
    small_joint,
    small_classes,
    small_samples,
    real_counts,
    real_independent,
    real_sums,
    real_classes,
    real_joint,
    real_wide,
    real_samples,
    real_histograms,
    real_choices,
    stated,
    chain_noise,
    differential,
    composed,
    rules,
    calibrated,
    releases,
)
