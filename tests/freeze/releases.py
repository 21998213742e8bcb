"""Questions to `decide`: specifications with tables, as plain data.

A table is a list of [public values, number of people]; confidential values decide nothing, so they are not stated.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from releasable import rows

Description = dict[str, Any]
Table = list[list[Any]]

REGIONS, SEXES = ["north", "south"], ["f", "m"]
COLUMNS: Description = {
    "smoker": ["no", "yes"],
    "ill": ["no", "some", "much"],
    "points": {"unit": 1, "bounds": [0, 3]},
    "income": {"unit": 1000, "bounds": [0, 20000]},
}
STATED: Description = {
    "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
    "ill": {"probabilities": {"no": "0.6", "some": "0.3", "much": "0.1"}, "source": "a survey"},
    "points": {"probabilities": {0: "0.4", 1: "0.3", 2: "0.2", 3: "0.1"}, "source": "a register"},
    "income": {
        "probabilities": {"0 to 4000": "0.3", "5000 to 9000": "0.4", "10000 to 20000": "0.3"},
        "source": "tax tables",
    },
}
SMOKERS = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}
SMOKERS_BY = {**SMOKERS, "by": "region"}
POINTS = {"name": "points", "kind": "sum", "column": "points"}
INCOME = {"name": "income", "kind": "sum", "column": "income"}
WOMEN = {"name": "women who smoke", "kind": "count", "where": {"smoker": "yes", "sex": "f"}}


def specification(figures: list[Description], **changes: Any) -> Description:
    """A specification that has what its figures use, and what is stated besides."""
    beliefs = {**STATED, **changes.pop("beliefs", {})}
    used = [column for column in COLUMNS if any(_uses(figure, column) for figure in figures)]
    used += [column for column in changes.pop("also", []) if column not in used]
    return {
        "person": "id",
        "public": changes.pop("public", {"region": REGIONS}),
        "confidential": {column: COLUMNS[column] for column in used},
        "beliefs": {column: beliefs[column] for column in used},
        "attacker": {"knows": changes.pop("knows", 0), "source": "an argument"} | changes.pop("attacker", {}),
        "target": {"epsilon": changes.pop("epsilon", "0.5"), "delta": changes.pop("delta", "1e-3")},
        "figures": figures,
        **changes,
    }


def _uses(figure: Mapping[str, Any], column: str) -> bool:
    where = figure.get("where", {})
    return figure.get("column") == column or (column in where.split() if isinstance(where, str) else column in where)


def decided(spec: Description, table: Table, **more: Any) -> Description:
    return {"take": "decision", "specification": spec, "table": table, **more}


def by_region(north: int, south: int) -> Table:
    return [[["north"], north], [["south"], south]]


def by_both(*counts: int) -> Table:
    return [[list(cell), count] for cell, count in zip(product(REGIONS, SEXES), counts, strict=True)]


BOTH = {"region": REGIONS, "sex": SEXES}
SMALL_FIGURES: dict[str, list[Description]] = {
    "a count": [SMOKERS],
    "a count by region": [SMOKERS_BY],
    "a total": [POINTS],
    "a mean by region": [{**POINTS, "name": "mean points", "kind": "mean", "by": "region"}],
    "a total and a region": [
        SMOKERS,
        {**SMOKERS, "name": "in the north", "where": {"smoker": "yes", "region": "north"}},
    ],
    "a count and a total by region": [SMOKERS_BY, {**POINTS, "by": "region"}],
    "two counts of one column": [
        {"name": "some", "kind": "count", "where": {"ill": "some"}},
        {"name": "much", "kind": "count", "where": {"ill": "much"}},
    ],
    "a rounded count": [{**SMOKERS, "round": 3}],
    "a truncated total": [{**POINTS, "truncate": [1, 2]}],
    "a rounded total by region": [{**POINTS, "by": "region", "round": 2}],
    "high points": [{"name": "high points", "kind": "count", "where": {"points": {"at_least": 2}}}],
}
RATES_BY_REGION: Description = {
    "smoker": {
        "by": "region",
        "cells": {"north": {"yes": "0.2", "no": "rest"}, "south": {"yes": "0.5", "no": "rest"}},
        "source": "table 7",
    }
}


def small() -> Iterator[tuple[str, Description]]:
    """Eleven people or less, where an oracle knows the truth."""
    for (name, figures), number in product(SMALL_FIGURES.items(), (0, 2)):
        spec = specification(figures, knows=number, epsilon="0.5", delta="0.2")
        yield f"decide small/{name}, {number} known", decided(spec, by_region(6, 5))
    for name in ("a count", "a count by region", "a total and a region"):
        spec = specification(SMALL_FIGURES[name], beliefs=RATES_BY_REGION, knows=1, epsilon="1", delta="0.3")
        yield f"decide small/{name}, rates by region", decided(spec, by_region(5, 4))
    linked = [SMOKERS_BY, {**SMOKERS, "name": "by sex", "by": "sex"}]
    for counts, epsilon in (((2, 2, 2, 2), "1"), ((3, 1, 2, 4), "0.5"), ((1, 3, 3, 3), "0.2")):
        spec = specification(linked, public=BOTH, epsilon=epsilon, delta="0.3")
        yield f"decide small/linked tables of {counts}", decided(spec, by_both(*counts))
    for epsilon, delta in (("0.5", "0.5"), ("2", "0.1")):
        spec = specification([SMOKERS], secret="presence", sizes={"cells": 9}, public={}, epsilon=epsilon, delta=delta)
        yield f"decide small/presence, eps {epsilon}", decided(spec, [[[], 10]])


def beliefs() -> Iterator[tuple[str, Description]]:
    """Every way to state a belief, and every way to state what is known, of three sizes."""
    smokers = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}
    counted = {"counts": "counts.csv", "confidence": "0.999", "source": "an open file"}
    forms: dict[str, Description] = {
        "stated": {"smoker": smokers},
        "by region": RATES_BY_REGION,
        "with weight": {"smoker": {**smokers, "weight": "0.8"}},
        "within": {"smoker": {**smokers, "within": "0.05"}},
        "from counts": {"smoker": counted},
        "from counts by region": {"smoker": {**counted, "counts": "regions.csv", "by": "region"}},
        "fitted": {"smoker": {**smokers, "fitted": True}},
    }
    files = {
        "counts.csv": "smoker,count\nyes,3000\nno,7000\n",
        "regions.csv": "region,smoker,count\nnorth,yes,900\nnorth,no,3600\nsouth,yes,2500\nsouth,no,2500\n",
    }
    sizes = {"500": by_region(300, 200), "6000": by_region(4000, 2000)}
    for (name, form), (size, table) in product(forms.items(), sizes.items()):
        spec = specification([SMOKERS_BY], beliefs=form, knows="0.05")
        yield f"decide/belief {name}, {size} people", decided(spec, table, files=files, known=True)
    for name, attacker in (
        ("nobody", {"knows": 0}),
        ("50", {"knows": 50}),
        ("a fifth", {"knows": "0.2"}),
        ("a fifth in every group", {"knows": "0.2", "in_every_group": True}),
        ("half in every group", {"knows": "1/2", "in_every_group": True}),
    ):
        for size, table in sizes.items():
            spec = specification([SMOKERS_BY], attacker=attacker)
            yield f"decide/known {name}, {size} people", decided(spec, table, known=True)
    nested = {
        "smoker": {
            "by": ["region", "sex"],
            "cells": {
                region: {sex: {"yes": rate, "no": "rest"} for sex, rate in zip(SEXES, rates, strict=True)}
                for region, rates in (("north", ("0.1", "0.2")), ("south", ("0.3", "0.4")))
            },
            "source": "table 8",
        }
    }
    for name, figures in (("by both", [{**SMOKERS, "by": ["region", "sex"]}]), ("by region", [SMOKERS_BY])):
        spec = specification(figures, beliefs=nested, public=BOTH, knows="0.02")
        yield f"decide/belief by region and sex, {name}", decided(spec, by_both(400, 500, 600, 700))
    for ill in ({"within": "0.02"}, {"weight": "0.9"}):
        spec = specification(
            [{"name": "ill", "kind": "count", "where": {"ill": ["some", "much"]}, "by": "region"}],
            beliefs={"ill": {**STATED["ill"], **ill}},
        )
        yield f"decide/belief of three values {ill}", decided(spec, by_region(800, 900))


def shapes() -> Iterator[tuple[str, Description]]:
    """Several figures, totals, means, conditions, rounding, truncation and noise, of some hundreds of people."""
    ill = {"name": "ill", "kind": "count", "where": {"ill": "much"}, "by": "region"}
    mean = {"name": "mean points", "kind": "mean", "column": "points", "by": "region"}
    listed: dict[str, list[Description]] = {
        "two columns": [SMOKERS_BY, ill],
        "three figures": [SMOKERS_BY, ill, {**POINTS, "by": "region"}],
        "points by region": [{**POINTS, "by": "region"}],
        "mean points": [mean],
        "income by region": [{**INCOME, "by": "region"}],
        "income where high": [{**INCOME, "where": {"income": {"at_least": 10000}}}],
        "income truncated": [{**INCOME, "truncate": [2000, 12000]}],
        "income rounded": [{**INCOME, "round": 5}],
        "smokers rounded": [{**SMOKERS_BY, "round": 5}],
        "smokers rounded to ten": [{**SMOKERS, "round": 10}],
        "a condition in words": [
            {"name": "well off or ill", "kind": "count", "where": "income >= 10000 or ill = much", "by": "region"}
        ],
        "all answers": [
            {"name": f"ill {value}", "kind": "count", "where": {"ill": value}, "by": "region"}
            for value in COLUMNS["ill"]
        ],
        "women and all": [SMOKERS, WOMEN],
        "by sex and region": [SMOKERS_BY, {**SMOKERS, "name": "by sex", "by": "sex"}],
        "smokers and their points": [SMOKERS_BY, {**POINTS, "where": {"smoker": "yes"}, "by": "region"}],
    }
    for (name, figures), (size, counts) in product(
        listed.items(), (("700", (200, 150, 150, 200)), ("20000", (5000, 5000, 4000, 6000)))
    ):
        spec = specification(figures, public=BOTH, knows="0.01", delta="1e-4")
        yield f"decide/{name}, {size} people", decided(spec, by_both(*counts))
    for noise, epsilon in product(({"geometric": 2}, {"geometric": 5}, {"gaussian": 3}, {"normal": 4}), ("0.5", "1")):
        words = " ".join(f"{kind} {scale}" for kind, scale in noise.items())
        for name, figures in (
            ("one figure", [{**SMOKERS_BY, "noise": noise}]),
            ("figures that share people", [{**SMOKERS, "noise": noise}, {**WOMEN, "noise": noise}]),
        ):
            spec = specification(figures, public=BOTH, knows="0.05", epsilon=epsilon)
            yield f"decide/noise {words}, {name}, eps {epsilon}", decided(spec, by_both(20, 30, 25, 15))
    spec = specification([SMOKERS_BY, {**POINTS, "noise": {"geometric": 10}}], public=BOTH, knows="0.05", delta="1e-2")
    yield "decide/noise beside an exact table", decided(spec, by_both(400, 300, 350, 250))


def large() -> Iterator[tuple[str, Description]]:
    """A hundred thousand people and a million."""
    for size, counts in (("100000", (60_000, 40_000)), ("1000000", (600_000, 400_000))):
        spec = specification([SMOKERS_BY], knows="0.1", epsilon="0.1", delta="1e-9")
        yield f"decide/smokers of {size} people", decided(spec, by_region(*counts), known=True)
    cells = [f"c{place:03d}" for place in range(120)]
    spec = specification([{**SMOKERS, "by": "district"}], public={"district": cells}, knows=3, delta="1e-4")
    table = [[[cell], 60 + 7 * place] for place, cell in enumerate(cells)]
    yield "decide/smokers of 120 districts", decided(spec, table)
    linked = [{**SMOKERS, "by": "row"}, {**SMOKERS, "name": "by column", "by": "column"}]
    places = list(product(range(4), range(5)))
    public = {"row": [f"r{row}" for row in range(4)], "column": [f"c{column}" for column in range(5)]}
    grid = [[[f"r{row}", f"c{column}"], 40 + 3 * row + 2 * column] for row, column in places]
    for number in (0, 5):
        spec = specification(linked, public=public, knows=number, delta="1e-2")
        yield f"decide/rows and columns, {number} known", decided(spec, grid)
    few = [[[f"r{row}", f"c{column}"], 3 + (row * column) % 4] for row, column in places]
    for beside in ([], [{**SMOKERS, "name": "all"}]):
        spec = specification([*linked, *beside], public=public, epsilon="1", delta="1e-2")
        yield f"decide/rows and columns of few, {len(beside)} beside", decided(spec, few)
    cross = [*linked, {**SMOKERS, "name": "cells", "by": ["row", "column"]}]
    spec = specification(cross, public=public, epsilon="1", delta="1e-2")
    yield "decide/rows, columns and cells", decided(spec, grid)


def presence() -> Iterator[tuple[str, Description]]:
    """Where it is secret who is in the table."""
    for epsilon, knows in product(("0.5", "1"), (0, "0.05")):
        for name, figures in (("smokers", [SMOKERS_BY]), ("points", [{**POINTS, "by": "region"}])):
            spec = specification(
                figures,
                secret="presence",
                sizes={"by": "region", "cells": {"north": 400, "south": 300}},
                epsilon=epsilon,
                knows=knows,
            )
            yield f"decide/presence, {name}, {knows} known, eps {epsilon}", decided(spec, by_region(410, 305))


def history() -> Iterator[tuple[str, Description]]:
    """What is out already counts: stated in the specification, or in the ledger."""
    women = {**WOMEN, "name": "women before"}
    for name, published in (
        ("a total", [{**SMOKERS, "name": "all before"}]),
        ("women", [women]),
        ("women by region", [{**women, "by": "region"}]),
        ("noise", [{**SMOKERS, "name": "noisy before", "noise": {"gaussian": 4}}]),
        ("the same", [{**SMOKERS_BY, "name": "same before"}]),
    ):
        spec = specification([SMOKERS_BY], public=BOTH, published=published, knows="0.01")
        yield f"decide/published {name}", decided(spec, by_both(300, 250, 30, 200))
    table = by_both(900, 800, 850, 25)
    first = specification([{**SMOKERS, "name": "first"}], public=BOTH)
    second = specification([{**SMOKERS_BY, "name": "second"}], public=BOTH)
    sexes = specification([{**SMOKERS, "name": "sexes", "by": "sex"}], public=BOTH)
    noisy = specification([{**SMOKERS, "name": "noisy", "noise": {"gaussian": 20}}], public=BOTH)
    for name, before, now in (
        ("a total, then regions", [first], second),
        ("a total and regions, then sexes", [first, second], sexes),
        ("regions, then noise", [second], noisy),
        ("noise, then noise", [noisy], {**noisy, "figures": [{**noisy["figures"][0], "name": "again"}]}),
    ):
        yield f"decide/ledger: {name}", decided(now, table, before=before)


def planned() -> Iterator[tuple[str, Description]]:
    """Figures that need a change: what it costs, and how they fare after it."""
    far = {"probabilities": {0: "0.5", 1: "0.3", 2: "0.199", 3: "0.001"}, "source": "a register"}
    for name, figures, table, more in (
        ("a small count", [SMOKERS], by_region(20, 15), {}),
        ("small regions", [SMOKERS_BY], by_region(900, 60), {}),
        ("known records", [SMOKERS_BY], by_region(900, 700), {"knows": "0.3"}),
        ("a total", [POINTS], by_region(30, 30), {"delta": "1e-4"}),
        ("a total with a rare value", [POINTS], by_region(250, 150), {"beliefs": {"points": far}, "delta": "1e-6"}),
        ("a mean", [{**POINTS, "kind": "mean", "name": "mean points"}], by_region(25, 25), {"epsilon": "1"}),
        (
            "two that share people",
            [SMOKERS, {**SMOKERS, "name": "north", "where": {"smoker": "yes", "region": "north"}}],
            by_region(400, 12),
            {},
        ),
        ("two columns", [SMOKERS, POINTS], by_region(30, 20), {}),
        ("presence", [SMOKERS], [[[], 60]], {"secret": "presence", "sizes": {"cells": 50}, "public": {}}),
    ):
        yield f"plan/{name}", decided(specification(figures, **more), table, planned=True)


def little_said() -> Iterator[tuple[str, Description]]:
    """Beliefs that say little: what nobody exceeds, one of several laws, nothing at all, two columns at once."""
    forms: dict[str, Description] = {
        "none above": {"smoker": {"none_above": "0.8", "source": "an argument"}},
        "none above, with weight": {"smoker": {"none_above": "0.8", "weight": "0.9", "source": "an argument"}},
        "none below": {"smoker": {"none_below": "0.1", "source": "an argument"}},
        "one of two laws": {
            "smoker": {"one_of": [{"yes": "0.2", "no": "rest"}, {"yes": "0.4", "no": "rest"}], "source": "two surveys"}
        },
        "unknown": {"smoker": "unknown"},
    }
    for (name, form), size in product(forms.items(), (900, 6000)):
        if size < 6000 and "weight" in name:
            continue  # takes seconds, and is alike
        spec = specification([SMOKERS_BY], beliefs=form, knows="0.02", delta="1e-4")
        yield f"decide/little said: {name}, {size} people", decided(spec, by_region(size // 2, size // 2), known=True)
    for name, form in (
        ("none below", {"none_below": "0.05", "source": "an argument"}),
        ("none below, with weight", {"none_below": "0.05", "weight": "0.9", "source": "an argument"}),
        ("one of two laws", {"one_of": [{0: "0.4", 1: "0.6"}, {1: "0.5", 2: "0.5"}], "source": "two surveys"}),
    ):
        spec = specification([POINTS], beliefs={"points": form}, knows=5, delta="1e-3")
        yield f"decide/little said of points: {name}", decided(spec, by_region(300, 200))
    both = {"no": {0: "0.3", 1: "0.2", 2: "0.1", 3: "0.1"}, "yes": {0: "0.1", 1: "0.1", 2: "0.05", 3: "0.05"}}
    for figures in ([SMOKERS_BY], [{**POINTS, "by": "region"}], [SMOKERS_BY, {**POINTS, "by": "region"}]):
        spec = specification(figures, also=["smoker", "points"], knows="0.01", epsilon="1", delta="1e-3")
        spec["beliefs"] = [{"columns": ["smoker", "points"], "probabilities": both, "source": "a survey"}]
        told = " and ".join(figure["name"] for figure in figures)
        yield f"decide/columns that move together: {told}", decided(spec, by_region(2000, 1500))


def secrets() -> Iterator[tuple[str, Description]]:
    """What of a column is secret, where not all of it is."""
    for name, secret in (
        ("to within 2000", {"within": {"income": 2000}}),
        ("to within 10 per cent", {"percent": {"income": 10}}),
        ("in which interval", {"intervals": {"income": [0, 5000, 10000, 25000]}}),
        ("two pairs", {"pairs": {"income": [[0, 20000], [0, 5000]]}}),
    ):
        for figures in ([INCOME], [{**INCOME, "noise": {"geometric": 4}}]):
            spec = specification(figures, secret=secret, knows=3, delta="1e-4")
            noisy = ", noisy" if "noise" in figures[0] else ""
            yield f"decide/secret of income: {name}{noisy}", decided(spec, by_region(200, 150))
    spec = specification([SMOKERS_BY], secret={"pairs": {"smoker": [["no", "yes"]]}}, delta="1e-4")
    yield "decide/secret of smokers: the one pair", decided(spec, by_region(500, 400))


def kinds() -> Iterator[tuple[str, Description]]:
    """Figures that are computed from others, tables by a confidential column, missing values, bins."""
    of: Description = {"of": {"smoker": "yes"}}
    for name, figure in (
        ("a percentage", {"kind": "percentage", **of, "by": "region"}),
        ("a ratio", {"kind": "ratio", **of, "to": {"smoker": "no"}}),
        ("a rate", {"kind": "rate", "column": "points"}),
        ("a variance", {"kind": "variance", "column": "points"}),
        ("a median", {"kind": "median", "column": "points"}),
        ("a ninth decile", {"kind": "quantile", "column": "points", "at": "0.9"}),
        ("the largest", {"kind": "largest", "column": "points"}),
        ("the mode", {"kind": "mode", "column": "ill"}),
        ("by ill", {"kind": "count", "by": "ill"}),
        ("points by ill", {"kind": "sum", "column": "points", "by": "ill"}),
    ):
        used = [column for column in ("smoker", "points", "ill") if column in str(figure)]
        spec = specification([{"name": "it", **figure}], also=used, knows="0.01", delta="1e-3")
        yield f"decide/kind: {name}", decided(spec, by_region(900, 700))
    spec = specification([SMOKERS_BY], knows="0.01")
    spec["confidential"] = {"smoker": {"values": ["no", "yes"], "missing": "as a value"}}
    chances = {"yes": "0.3", "no": "0.65", "missing": "0.05"}
    spec["beliefs"] = {"smoker": {"probabilities": chances, "source": "a survey"}}
    yield "decide/what is missing is a value", decided(spec, by_region(900, 700))


def together() -> Iterator[tuple[str, Description]]:
    """Records that move together, and a table that comes every month."""
    homes = [f"h{place:03d}" for place in range(400)]
    table = [[[REGIONS[place % 2], home], 1 + place % 3] for place, home in enumerate(homes)]
    for weight, epsilon in product(("0.5", "0.9"), ("0.5", "1")):
        moving = {"column": "home", "weight": weight, "source": "a panel"}
        public = {"region": REGIONS, "home": homes}
        spec = specification([SMOKERS_BY], public=public, together=moving, epsilon=epsilon, delta="1e-3")
        yield f"decide/households, weight {weight}, eps {epsilon}", decided(spec, table)


def released() -> Iterator[tuple[str, Description]]:
    """What docs/released.md lists: every word that a specification has for something in the papers."""
    people = rows.table()
    for row in rows.rows():
        if row.words:
            yield f"released/{row.id}", decided(row.specification, people, files={"counts.csv": rows.COUNTS})


def releases() -> Iterator[tuple[str, Description]]:
    """All of them."""
    for topic in (
        small,
        beliefs,
        shapes,
        large,
        presence,
        history,
        planned,
        little_said,
        secrets,
        kinds,
        together,
        released,
    ):
        yield from topic()
