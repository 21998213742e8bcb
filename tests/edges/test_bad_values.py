"""A specification that contradicts itself, or asks for what cannot be certified, is refused with words that help."""

import pytest

from edges.desk import INCOME, PEOPLE, SMOKERS, SPEC, people, spec


def figure(**changes) -> dict:
    return spec(figures=[{**SMOKERS, **changes}])


def belief(probabilities, **more) -> dict:
    return spec(beliefs={"smoker": {"probabilities": probabilities, "source": "a survey", **more}})


def by_region(cells, by="region") -> dict:
    return spec(beliefs={"smoker": {"by": by, "cells": cells, "source": "a survey"}})


WIDE = {"smoker": ["no", "yes"], "income": {"bounds": [0, 9000]}}
HALF = {"yes": "0.5", "no": "0.5"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("regression", "Ask for the numbers that it is fitted to: counts by the columns that it uses"),
        ("Linear_Regression", "nothing that it tells is beyond them"),
        ("survival table", "counts by binned time and by what happened"),
        ("Kaplan-Meier", "counts by binned time and by what happened"),
        ("weighted mean", "is written as kind: mean with weight: COLUMN"),
        ("medain", "Did you mean 'median'?"),
        ("fourier", "Choose one of count, sum, mean, percentage"),
    ],
)
def test_figures_that_cannot_be_judged_are_refused_with_what_to_ask_for(desk, kind, reason):
    message = desk.refusal(figure(kind=kind))
    assert f"Figure 'smokers': {kind!r} is " in message and reason in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("knows", "said"),
    [
        ("1.2", "below 1, or a number of records, but got 1.2"),
        ("1.0", "below 1, or a number of records, but got 1.0"),
        ("100 %", "below 1, or a number of records, but got 100 %"),
        ("120%", "below 1, or a number of records, but got 120%"),
        ("-0.1", "at least 0 and below 1"),
        (-3, "attacker.knows must be at least 0, but got -3"),
        (PEOPLE, f"below {PEOPLE}, the number of all of them"),
        (5000, f"below {PEOPLE}, the number of all of them"),
        ("abc", "attacker.knows must be a finite number, but got 'abc'"),
        ("nan", "must be a finite number, but got 'nan'"),
        ("inf", "must be a finite number, but got 'inf'"),
        ("", "must be a finite number, but got ''"),
        ("²", "must be a finite number"),
        ("1e999999999", "an exponent of at most 300"),
    ],
)
def test_a_known_share_that_leaves_nobody_unknown_or_is_no_number_is_refused(desk, knows, said):
    message = desk.refusal(spec(attacker={"knows": knows, "source": "x"}))
    assert said in message
    assert "Write" in message or "write" in message or "Correct" in message
    assert "differential_privacy" not in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"epsilon": "-0.1", "delta": "1e-6"}, "epsilon must be at least 0, but got -0.1"),
        ({"epsilon": "abc", "delta": "1e-6"}, "target.epsilon must be a finite number, but got 'abc'"),
        ({"epsilon": "inf", "delta": "1e-6"}, "target.epsilon must be a finite number"),
        ({"epsilon": "1000", "delta": "1e-6"}, "target.epsilon must be at most 100, but got 1000"),
        ({"epsilon": "1e400", "delta": "1e-6"}, "an exponent of at most 300"),
        ({"epsilon": "0.5", "delta": "1.5"}, "delta must lie between 0 and 1, but got 1.5"),
        ({"epsilon": "0.5", "delta": "-1e-9"}, "delta must lie between 0 and 1"),
        ({"epsilon": "0.5", "delta": "nan"}, "target.delta must be a finite number"),
    ],
)
def test_a_target_that_is_none_is_refused(desk, target, said):
    assert said in desk.refusal(spec(target=target))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (belief({"yes": "1.3", "no": "-0.3"}), "Probabilities must lie between 0 and 1, but yes has 1.3"),
        (belief({"yes": "1.3", "no": "rest"}), "Probabilities must lie between 0 and 1"),
        (
            spec(
                confidential={"smoker": ["no", "yes"], "stay": {"bounds": [0, 9]}},
                beliefs={"stay": {"probabilities": {"0": "0.7", "1": "0.6", "2 to 9": "rest"}, "source": "a survey"}},
            ),
            "already sum to 1.3. Correct them",
        ),
        (belief({"yes": "0.5", "no": "0.6"}), "Probabilities must sum to 1, but they sum to 1.1"),
        (belief({"yes": "0.3333", "no": "0.6666"}), 'they sum to 0.9999. Correct them; write thirds as "1/3"'),
        (belief({"yes": "0.3"}), "they sum to 0.3"),
        (belief({}), "they sum to 0."),
        (belief({"yes": "rest", "no": "rest"}), '"rest" may stand once'),
        (belief({"yes": "nan", "no": "rest"}), "the probability of yes must be a finite number, but got 'nan'"),
        (belief({"yes": "0.3", "YES": "0.3", "no": "0.4"}), "YES stands there twice"),
        (belief({"yes": "0.3", "maybe": "rest"}), "smoker needs one of no, yes, but got 'maybe'"),
        (belief({"yess": "0.3", "no": "rest"}), "Did you mean 'yes'?"),
        (belief(HALF, by="region", cells={"north": HALF}), "either probabilities, or by together with cells"),
        (belief(HALF, by="region"), "either probabilities, or by together with cells"),
        (belief(None), "either probabilities, or by together with cells"),
        (by_region({"north": HALF, "south": "0.3"}), "needs a probability for each value of smoker, but got '0.3'"),
        (by_region({"north": HALF, "nort": HALF}), "Did you mean 'north'?"),
        (by_region({"north": HALF, "NORTH": HALF, "south": HALF}), "NORTH stands there twice"),
        (by_region({"north": HALF}), "The belief about smoker says nothing for south. Add"),
        (by_region({"north": HALF}, by="regin"), "names 'regin', which is not declared. Did you mean 'region'?"),
        (by_region({"0": HALF}, by="income"), "needs a public column, but names 'income', which is confidential"),
        (by_region({"north": HALF}, by=["region", "region"]), "region stands there twice"),
        (spec(beliefs={"smokr": {"probabilities": HALF, "source": "x"}}), "Did you mean 'smoker'?"),
        (spec(beliefs={"region": {"probabilities": HALF, "source": "x"}}), "'region', which is not confidential"),
        (spec(beliefs=None), "The figures use smoker, but there is no belief about it. Add one under beliefs"),
    ],
)
def test_a_belief_that_is_none_is_refused(desk, content, said):
    assert said in desk.refusal(content)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (spec(figures=[SMOKERS, SMOKERS]), "'smokers' is used twice. Rename one of them."),
        (spec(figures=[SMOKERS], published=[SMOKERS]), "'smokers' is used twice"),
        (figure(column="income"), "a count has no column, but got income. Use where"),
        (spec(figures=[{"name": "a", "kind": "sum"}]), "a sum needs a column, but there is none. Add column: income."),
        (spec(figures=[{**INCOME, "column": "smoker"}]), "a sum needs numbers, but smoker has labels. Count"),
        (spec(figures=[{**INCOME, "column": "region"}]), "'region', which is not confidential"),
        (spec(figures=[{**INCOME, "column": "incme"}]), "Did you mean 'income'?"),
        (figure(kind="percentage"), "a percentage needs of, but there is none. Add of: {smoker: yes}."),
        (figure(kind="percentage", of={"nobody": "yes"}), "names 'nobody', which is not declared"),
        (figure(kind="percentage", of="income"), "of needs a condition or a column of labels, but income is numeric"),
        (figure(kind="rate"), "a rate needs of (who is counted) or column (what is summed), but there is neither"),
        (figure(kind="rate", of={"region": "north"}, per=0), "per needs a number above 0, but got 0"),
        (figure(kind="ratio", of={"region": "north"}), "a ratio needs to, but there is none"),
        (figure(kind="median", at="0.5"), "a median needs a column, but there is none. Add column: income."),
        (figure(kind="median", column="income", at="0.5"), "a median has no at, but got 0.5. Remove it."),
        (spec(confidential=WIDE, figures=[{**INCOME, "kind": "median"}]), "at most 200 values, but income has 9001"),
        (figure(kind="quantile", column="smoker", at="1.5"), "at is for a quantile, above 0 and at most 1"),
        (figure(kind="variance", column="smoker"), "a variance needs numbers, but smoker has labels"),
        (figure(weight="income"), "weight needs a public column, but names 'income', which is confidential"),
        (figure(weight="region"), "weight needs a column of numbers, but region has labels that are none"),
        (spec(computed=[{"name": "c", "kind": "total", "parts": ["x"]}]), "there is no 'x'. Name figures"),
        (spec(computed=[{"name": "c", "kind": "mode", "parts": ["smokers"]}]), "needs one of values for each of parts"),
        (spec(computed=[{"name": "c", "kind": "total", "parts": ["smokers"], "times": 2}]), "times is for a quotient"),
        (spec(computed=[{"name": "smokers", "kind": "total", "parts": ["smokers"]}]), "'smokers' is used twice"),
        (figure(by="smoker"), "smoker stands under by and under where. Keep one of them"),
        (figure(by="income"), "by needs a column of labels, but income is numeric. Declare bins for it"),
        (figure(by="regin"), "names 'regin', which is not declared. Did you mean 'region'?"),
        (figure(by=["region", "region"]), "by needs each column once, but region stands there twice"),
        (figure(where={"smokr": "yes"}), "names 'smokr', which is not declared. Did you mean 'smoker'?"),
        (figure(where={"smoker": "yess"}), "smoker needs one of no, yes, but got 'yess'. Did you mean 'yes'?"),
        (figure(where={"smoker": "perhaps"}), "Correct it, or add it to the domain."),
        (figure(where={"smoker": []}), "needs at least one value, but the list is empty"),
        (figure(where={"smoker": {"at_least": 1}}), "smoker has labels, so at_least and at_most do not apply"),
        (figure(where={"income": 1500}), "income = 1500 is not a multiple of 1000 between 0 and 9000"),
        (figure(where={"income": 10000}), "income = 10000 is not a multiple of 1000 between 0 and 9000"),
        (figure(where={"income": "much"}), "income must be a finite number, but got 'much'"),
        (figure(where={"income": True}), "income needs a number, but got true"),
        (figure(where={"income": {}}), "needs at_least or at_most, but has neither"),
        (figure(where={"income": {"at_least": 5000, "at_most": 1000}}), "got 5000 and 1000. Swap them."),
        (figure(round=0), "round needs a number from 1 to 100000, but got 0. Write 5"),
        (figure(round=-5), "but got -5"),
        (figure(round=10**9), "but got 1000000000"),
        (figure(noise={"geometric": 0}), "noise needs a scale above 0, but got 0. Leave noise out"),
        (figure(noise={"gaussian": -1}), "noise needs a scale above 0, but got -1"),
        (figure(noise={"geometric": "abc"}), "the scale of the noise must be a finite number, but got 'abc'"),
        (
            figure(noise={"geometric": 1, "gaussian": 1}),
            "its scale (or quilt or distance), but got geometric and gaussian",
        ),
        (
            figure(noise={}),
            "needs one of geometric, gaussian and normal with its scale (or quilt or distance), but got none",
        ),
        (figure(noise={"geometric": "1e300"}), "at most 1099511627776 units, but got 1e300"),
        (figure(noise={"gaussian": "1e9"}), "gaussian noise needs a scale of at most 100000 units"),
        (figure(noise={"normal": "1e-9"}), "Normal noise needs a scale from 2^-10"),
    ],
)
def test_a_figure_that_cannot_be_is_refused(desk, content, said):
    assert said in desk.refusal(content)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("income", "said"),
    [
        (
            {"unit": 1000},
            "Column income: a domain needs bounds (of numbers), bins or values (labels)",
        ),
        ({"unit": 1000, "bounds": [0, ".inf"]}, "a bound must be a finite number, but got '.inf'"),
        ({"unit": 1000, "bounds": ["-inf", 0]}, "a bound must be a finite number"),
        ({"unit": 1000, "bounds": [9000, 0]}, "Bounds must be [lower, upper], but got [9000, 0]. Swap them."),
        ({"unit": 1000, "bounds": [0, 9500]}, "multiples of the unit 1000, but got 9500"),
        ({"unit": 0, "bounds": [0, 9000]}, "A unit must be positive, but got 0"),
        ({"unit": "-1", "bounds": [0, 9000]}, "A unit must be positive"),
        ({"unit": "1e-9", "bounds": [0, 9000]}, "Use a coarser unit."),
        ({"unit": 1, "bounds": [0, 10**15]}, "Use a coarser unit."),
    ],
)
def test_a_sum_of_an_unbounded_column_or_one_without_a_lattice_is_refused(desk, income, said):
    beliefs = {"income": {"probabilities": {0: "0.5", 9000: "0.5"}, "source": "x"}}
    message = desk.refusal(spec(figures=[INCOME], confidential={"income": income}, beliefs=beliefs))
    assert said in message
    assert "income" in message
    assert len(message.splitlines()) == 1


def test_columns_have_one_role_only(desk):
    both = {"region": ["north", "south"], "smoker": ["no", "yes"]}
    assert "'smoker' is listed as both" in desk.refusal(spec(public=both))
    message = desk.refusal(spec(confidential={"id": ["a"], "smoker": ["no", "yes"]}))
    assert "The person column 'id' only names the person" in message
    assert "The person column 'region'" in desk.refusal(spec(person="region"))


def test_a_domain_lists_every_label_once(desk):
    assert "lists each value once" in desk.refusal(spec(public={"region": ["north", "north"]}))
    assert "lists each value once, but got True again" in desk.refusal(spec(public={"region": [1, True]}))
    assert "needs at least one value" in desk.refusal(spec(public={"region": []}))


def test_a_numeric_column_cannot_split_a_figure(desk):
    table = people()
    table["age"] = [40] * PEOPLE
    content = spec(public={"age": {"bounds": [0, 100]}}, figures=[{**SMOKERS, "by": "age"}])
    assert "by needs a column with a list of labels, but age is numeric. Declare its labels." in desk.refusal(
        content, table
    )


def present(sizes, **changes) -> dict:
    return spec(secret="presence", sizes=sizes, **changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (present(None), "the sizes of the groups are not read from the data. Declare them under sizes."),
        (spec(sizes={"cells": 400}), "sizes is only for secret: presence"),
        (present({"cells": 400}), "that figures and beliefs use (region), but is by none"),
        (
            present({"by": "region", "cells": {"north": -5, "south": 5}}),
            "whole numbers from 0 to 10000000000, but got -5",
        ),
        (present({"by": "region", "cells": {"north": "2.5", "south": 5}}), "but got 2.5"),
        (present({"by": "region", "cells": {"north": True, "south": 5}}), "but got True"),
        (present({"by": "region", "cells": 400}), "needs an entry for each value of region, but got 400"),
        (
            present({"by": "region", "cells": {"north": 200}}),
            "a number for every group, but there is none for south",
        ),
        (present({"by": "region", "cells": {"north": 0, "south": 0}}), "at least one person"),
        (
            present(
                {"by": "region", "cells": {"north": 200, "south": 200}},
                computed=[{"name": "c", "kind": "quotient", "parts": ["smokers"]}],
            ),
            "needs a figure under over, since where presence is secret there is no public number of people",
        ),
    ],
)
def test_secret_presence_needs_the_size_of_every_group(desk, content, said):
    assert said in desk.refusal(content)


@pytest.mark.parametrize("wrong", ["none_above", "e_", "1e_", "1e1_", "1e1__9", "1e+_1"])
def test_a_word_that_looks_like_a_number_with_an_exponent_is_no_number(desk, wrong):
    beliefs = {**SPEC["beliefs"], "income": {"probabilities": {"0 to 9000": 1, wrong: 0}, "source": "x"}}
    told = desk.refusal(spec(beliefs=beliefs, figures=[INCOME]))
    assert "must be a finite number" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bounds", "rows"),
    [
        ({"at_most": "1e300"}, 3),
        ({"at_least": "-1e300"}, 3),
        ({"at_least": 100, "at_most": "9" * 200}, 1),
    ],
    ids=str,
)
def test_a_condition_on_rows_may_reach_further_than_numbers_of_an_engine(desk, bounds, rows):
    """Of each of two hundred persons three rows: 0, 50 and 100."""
    table = {"id": [f"P{k // 3}" for k in range(600)], "cost": [50 * (k % 3) for k in range(600)]}
    content = spec(
        public=None,
        confidential=None,
        rows={"cost": {"unit": 25, "bounds": [0, 250]}},
        per_person={"dear": {"take": "number of rows", "where": {"cost": bounds}, "limits": [0, 3]}},
        beliefs={"dear": {"probabilities": {"0 to 3": 1}, "source": "x"}},
        figures=[{"name": "dear", "kind": "sum", "column": "dear"}],
        target={"epsilon": "3", "delta": "0.5"},
    )
    answer = desk.release(content, table, "--seconds", "1")
    assert answer.code == 0, answer
    assert [row["value"] for row in desk.figures()] == [str(200 * rows)]
