"""`python -m benchmarks.risk_words`: risk in words beside riskcal, for Gaussian, Laplace and geometric noise.

riskcal runs in an environment of its own (.venv-peers-riskcal, made on the first run). Its numbers are floats of which
it gives no error; they must lie in our brackets, but for `CLOSE`, and the brackets must be narrow. Exact counts of
uncertain records, which it cannot do, are printed besides.
"""

import json
import subprocess
from fractions import Fraction

import dalenius as dl
from benchmarks.peers import HERE, environment
from dalenius.judge.risk import risk_of
from dalenius.numerics.curve import Curve
from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.pure import GeometricCurve, LaplaceCurve

CLOSE = 1e-9  # what its sums of a million floats may be off by
NARROW = 1e-6
KINDS = ("advantage", "guessed")


def main() -> int:
    """A line for each noise and scale; 1 if a number lies outside, or a bracket is wide."""
    python = environment("riskcal", ["riskcal==1.5.1"])
    if python is None:
        print("riskcal cannot be installed here")
        return 0
    script = HERE / "peer_scripts" / "run_riskcal.py"
    done = subprocess.run([python, script], check=False, capture_output=True, text=True, timeout=900)
    if done.returncode:
        print(f"riskcal fails here: {(done.stderr.strip().splitlines() or ['no message'])[-1][:120]}")
        return 0
    told = json.loads(done.stdout.splitlines()[-1])
    worst = widest = 0.0
    compared = 0
    print("noise      scale  numbers  farthest outside  widest bracket")
    for each in told["found"]:
        risk = risk_of(_curve(each["noise"], Fraction(str(each["scale"]))))
        pairs = [(risk.advantage, each["advantage"]), (risk.guessed(2), each["guessed"])]
        pairs += [(risk.found(str(rate)), share) for rate, share in zip(told["rates"], each["found"], strict=True)]
        outside = max(max(bracket.lower - value, value - bracket.upper, 0.0) for bracket, value in pairs)
        width = max(bracket.width for bracket, _ in pairs)
        print(f"{each['noise']:9}  {each['scale']:5}  {len(pairs):7}  {outside:16.1e}  {width:14.1e}")
        worst, widest, compared = max(worst, outside), max(widest, width), compared + len(pairs)
    print(f"{compared} numbers; at most {worst:.1e} outside (claimed: {CLOSE}), {widest:.1e} wide (claimed: {NARROW})")
    exact = risk_of(dl.curve(dl.Count(), dl.noiseless(dl.IID(p="0.1", n=10_000, known="0.1"))))
    print(f"an exact count of 10,000 records: advantage {exact.advantage}, at 1 in 100 found {exact.found('0.01')}")
    return int(worst > CLOSE or widest > NARROW)


def _curve(noise: str, scale: Fraction) -> Curve:
    if noise == "Gaussian":
        return GaussianCurve(1 / scale)
    return LaplaceCurve(1 / scale) if noise == "Laplace" else GeometricCurve(1, scale)


if __name__ == "__main__":
    raise SystemExit(main())
