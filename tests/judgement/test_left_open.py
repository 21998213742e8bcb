"""What laws are left open bounds from above; from below only what is really meant does."""

from fractions import Fraction
from math import comb, exp

import pandas as pd
import pytest

import dalenius as dl


def binomial_delta(n: int, rate: Fraction, epsilon: float) -> float:
    """Exact: a count of n others against the same and one more, the worse way."""
    law = [float(comb(n, k) * rate**k * (1 - rate) ** (n - k)) for k in range(n + 1)]
    one, other = [*law, 0.0], [0.0, *law]
    steep = exp(epsilon)
    forth = sum(max(0.0, p - steep * q) for p, q in zip(one, other, strict=True))
    back = sum(max(0.0, q - steep * p) for p, q in zip(one, other, strict=True))
    return max(forth, back)


def decided(beliefs: object, columns: dict, figure: dict, n: int, target: dict, **keys: object) -> dl.Decision:
    table = pd.DataFrame({"p": range(n), **{name: [values[0]] * n for name, values in columns.items()}})
    spec = {
        "person": "p",
        "confidential": columns,
        "beliefs": beliefs,
        "attacker": {"knows": 0, "source": "to see"},
        "target": target,
        "figures": [figure] if isinstance(figure, dict) else figure,
        **keys,
    }
    return dl.decide(spec, table, margins=False)


@pytest.mark.slow
def test_one_of_several_laws_is_not_refused_for_laws_that_nobody_stated() -> None:
    laws = [{"x": "0.59", "y": "0.01", "z": "0.4"}, {"x": "0.01", "y": "0.59", "z": "0.4"}]
    figure = {"name": "f", "kind": "count", "where": {"v": ["x", "y"]}}
    target = {"epsilon": "0.5", "delta": "0.01"}
    decision = decided({"v": {"one_of": laws, "source": "s"}}, {"v": ["x", "y", "z"]}, figure, 100, target)
    (finding,) = decision.plan.findings
    truth = binomial_delta(99, Fraction(3, 5), 0.5)
    assert finding.delta.lower <= truth <= finding.delta.upper
    assert decision.verdict == "review"


@pytest.mark.slow
def test_two_columns_with_weights_are_not_refused_for_laws_that_are_no_products() -> None:
    belief = {"probabilities": {"yes": "0.9", "no": "rest"}, "weight": "0.5", "source": "s"}
    figure = {"name": "f", "kind": "count", "where": {"a": "yes", "b": "yes"}}
    columns = {"a": ["no", "yes"], "b": ["no", "yes"]}
    target = {"epsilon": "0.5", "delta": "0.05"}
    decision = decided({"a": belief, "b": belief}, columns, figure, 100, target)
    worst = max(
        binomial_delta(99, one * other, 0.5)
        for one in (Fraction(45, 100), Fraction(95, 100))
        for other in (Fraction(45, 100), Fraction(95, 100))
    )
    finding = max(decision.plan.findings, key=lambda one: one.delta.lower)
    assert finding.delta.lower <= worst + 1e-9


def test_listed_pairs_beside_other_figures_of_the_column_are_planned_for() -> None:
    belief = {"v": {"probabilities": {"a": "0.2", "b": "0.3", "c": "rest"}, "source": "s"}}
    figures = [
        {"name": "f", "kind": "count", "where": {"v": ["c", "b"]}},
        {"name": "g", "kind": "count", "where": {"v": ["c", "a"]}},
    ]
    secret = {"pairs": {"v": [["a", "c"]]}}
    target = {"epsilon": "0.5", "delta": "1e-6"}
    decision = decided(belief, {"v": ["a", "b", "c"]}, figures, 40, target, secret=secret)
    decision.look_for_change()
    assert decision.plan is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    ["ill,s,old,0,exact", "ill,s,old: three,,left out", "ill,s,old,3,left out", None, "ill,nobody knows,old,,left out"],
)
def test_rows_of_cells_that_are_left_out_are_those_of_the_certificate(row: str | None, tmp_path) -> None:
    from dalenius.record.certificate.recheck import recheck
    from dalenius.record.codec import digest
    from dalenius_checker.__main__ import run as checker
    from planning.test_suppression import count, people, spec

    asked = spec(count("ill", ["region", "age"], leave_out=[{"region": "s", "age": "old"}]))
    decision = dl.decide(asked, people(), ledger=tmp_path / "ledger.sqlite", margins=False)
    dl.release_folder(decision.within(0), tmp_path / "out")
    table, certificate = tmp_path / "out/figures.csv", tmp_path / "out/certificate.json"
    kept = table.read_text().splitlines()[:-1]
    forged = "\n".join([*kept, *([row] if row else [])]) + "\n"
    was = digest(table.read_bytes())
    table.write_text(forged)
    certificate.write_text(certificate.read_text().replace(was, digest(forged.encode())))
    assert recheck(certificate.read_bytes(), table.read_bytes()).code == 1
    assert checker([str(certificate), "--figures", str(table)])[0] == 1
