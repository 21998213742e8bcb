"""Figure 5 of the noiseless paper: how much noise is needed beside uncertain data, by its formula and certified.

Run: python examples/papers/noiseless_figure_5.py [figure_5.svg]
"""

# ruff: noqa: INP001, T201 - a script that prints

import math
import sys
from fractions import Fraction
from pathlib import Path

import dalenius as dl

EPSILON, REACH = Fraction(1, 5), 10  # what is wanted, and how far one person moves the sum
DELTAS = ("1e-3", "1e-6")
SIZES = (800, 900, 1000, 1050, 1100, 1150, 1200, 1342, 1500, 1700, 1800, 1900, 2000, 2100, 2200, 2400)
LAPLACE = 2 * REACH**2 / float(EPSILON) ** 2  # the variance of Laplace noise that is enough for any data: 5000
FORMULA = "formula of the paper (not proved for all events)"


def formula(n: float) -> float:
    """The variance of the noise by Observation 2, for a sum of standard deviation n/10; it may be any noise."""
    return max(REACH**2 * math.log(n) / float(EPSILON) ** 2 - n * n / 100, 0.0)


def meets(target: float) -> float:
    """The n at which the formula asks for this variance: bisection on the falling side."""
    low, high = 500.0, 3000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if REACH**2 * math.log(middle) / float(EPSILON) ** 2 - middle**2 / 100 > target
            else (low, middle)
        )
    return high


def rate(n: int) -> Fraction:
    """Records that are 0 or 10 and have the variance n/100 each: the rate of tens, to four digits."""
    return Fraction(round(10_000 * (1 - math.sqrt(1 - 4 * n / 10_000)) / 2), 10_000)


def lattice(n: int, delta: Fraction) -> float:
    """The least variance of two-sided geometric noise, in tens, for records that are 0 or 10: exact, all events."""
    attacker = dl.noiseless(dl.IID(p=rate(n), n=n))
    if dl.curve(dl.Count(), attacker).delta(EPSILON).upper <= delta:
        return 0.0
    low, high = Fraction(1, 20), 1 / EPSILON  # the larger is differentially private
    while high > low * Fraction(101, 100):
        middle = (low + high) / 2
        noisy = dl.Count() >> dl.two_sided_geometric(middle)
        low, high = (low, middle) if dl.curve(noisy, attacker).delta(EPSILON).upper <= delta else (middle, high)
    x = math.exp(-1 / float(high))
    return REACH**2 * 2 * x / (1 - x) ** 2


def moments(n: int, delta: Fraction) -> float:
    """The least variance of normal noise if only range and variance are known; Laplace noise if that is less."""
    belief = dl.beliefs.RangeVariance(n=n, bounds=(0, REACH), variance=Fraction(n, 100))
    scale = belief.least_noise(dl.Sum(), epsilon=EPSILON, delta=delta)
    return LAPLACE if scale is None else min(LAPLACE, float(scale) ** 2)


def table() -> list[dict[str, float]]:
    """For each n the variance by the formula, and the certified ones."""
    rows = []
    for n in SIZES:
        row: dict[str, float] = {"n": n, "formula": formula(n)}
        for delta in DELTAS:
            row[f"lattice {delta}"], row[f"moments {delta}"] = lattice(n, Fraction(delta)), moments(n, Fraction(delta))
        rows.append(row)
    return rows


def draw(path: Path, rows: list[dict[str, float]]) -> None:
    """The chart, as SVG or PNG by the file's ending; needs the extra `charts`."""
    import altair as alt
    import vl_convert

    names = {"formula": FORMULA, "laplace": "Laplace noise: any data, delta 0"}
    names |= {f"lattice {delta}": f"certified, records 0 or 10, delta {delta}" for delta in DELTAS}
    names |= {f"moments {delta}": f"certified from range and variance, delta {delta}" for delta in DELTAS}
    fine = [{"n": n, "variance": formula(n), "line": FORMULA} for n in range(1068, SIZES[-1] + 1, 2)]
    values = [
        {"n": row["n"], "variance": LAPLACE if key == "laplace" else row[key], "line": name}
        for row in rows
        for key, name in names.items()
        if key != "formula"
    ]
    looks = {"formula": "#888888", "laplace": "#b3412e", "lattice": "#2a5c8a", "moments": "#2e8b57"}
    colors, dashes = [looks[key.split()[0]] for key in names], [[4, 4] if "1e-6" in key else [1, 0] for key in names]
    dashes[0] = [2, 2]
    key = alt.Legend(orient="bottom", columns=1, labelLimit=460, labelFontSize=12, symbolType="stroke", symbolSize=400)
    domain = list(names.values())
    lines = alt.Chart(alt.Data(values=fine + values)).mark_line(strokeWidth=2.5)
    x, y = "n:Q", "variance:Q"
    crossings = [{"n": n, "variance": at, "what": f"n = {n}"} for n, at in ((1120, LAPLACE), (1342, 0.0))]
    marks = alt.Chart(alt.Data(values=crossings)).encode(x=x, y=y)
    places = marks.mark_point(filled=True, color="#555555", size=60)
    words = marks.mark_text(align="left", dx=7, dy=-11, fontSize=13, color="#555555").encode(text="what:N")
    chart = lines.encode(
        x=alt.X(x, title="people, n (the sum has standard deviation n/10)").scale(zero=False, nice=False),
        y=alt.Y(y, title="variance of the noise that is needed").scale(domain=[0, 6000], clamp=True),
        color=alt.Color("line:N", title=None, legend=key).scale(domain=domain, range=colors),
        strokeDash=alt.StrokeDash("line:N", title=None, legend=key).scale(domain=domain, range=dashes),
    )
    title = "Noise beside uncertain data: one person moves the sum by 10, epsilon 0.2"
    whole = alt.layer(chart, places, words).properties(
        width=520, height=320, title=title, background="white", padding=12
    )
    spec = whole.configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal").to_dict()
    if path.suffix == ".svg":
        path.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(spec, scale=2))


def main(chart: Path | None = None) -> None:
    """Print the table, where the formula's curve crosses, and draw the chart if a file is named."""
    rows = table()
    print("Figure 5: a sum that one person moves by 10, of standard deviation n/10; variance of the noise for ε = 0.2")
    print("(n/10 for the variance is a misprint: with it the curve would cross at n = 261,892 and 316,638)\n")
    heads = ["formula*", *(f"{kind}, δ = {delta}" for delta in DELTAS for kind in ("0 or 10", "moments"))]
    print(f"{'n':>6}" + "".join(f"{head:>20}" for head in heads))
    for row in rows:
        cells = [row["formula"], *(row[f"{kind} {delta}"] for delta in DELTAS for kind in ("lattice", "moments"))]
        print(f"{row['n']:6}" + "".join(f"{cell:20.0f}" for cell in cells))
    laplace, none = meets(LAPLACE), meets(0.0)
    print(
        f"\n* the paper's formula meets Laplace noise (variance {LAPLACE:.0f}) at n = {math.floor(laplace)} "
        f"({laplace:.2f}) and falls"
    )
    print(
        f"  to zero at n = {math.ceil(none)} ({none:.2f}). It is not proved for all events, and false for some noises:"
    )
    print("  the shape of the noise matters, not its variance. The other columns are certified, for all events.")
    if chart is not None:
        draw(chart, rows)


if __name__ == "__main__":
    wanted = [Path(word) for word in sys.argv[1:] if word.endswith((".svg", ".png"))]
    main(wanted[0] if wanted else None)
