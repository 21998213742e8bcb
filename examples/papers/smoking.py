"""Smoking and cancer: what a study teaches about Alice, with her record in it and without.

Alice smokes. An insurer holds two theories equally likely: a smoker has cancer with chance 1/10 (smoking is harmless)
or 1/2. The study counts those with cancer among Alice and 40 other smokers. Record 0 is Alice's; record 1 is the number
of the others who have cancer. To take Alice out is to put in "no cancer".
Run: python examples/papers/smoking.py
"""

# ruff: noqa: INP001, T201 - a script that prints

from collections.abc import Hashable
from fractions import Fraction
from math import comb

from dalenius.papers.definitions.games import Games, Release
from dalenius.papers.worlds import Dataset, Finite

OTHERS = 40
RATIO = Fraction(1, 3)  # of the noise: e^-ε, so ε = ln 3


def smokers(chance: Fraction) -> Finite:
    """Alice and the number of others with cancer, all independent."""
    count: dict[Hashable, Fraction] = {
        k: comb(OTHERS, k) * chance**k * (1 - chance) ** (OTHERS - k) for k in range(OTHERS + 1)
    }
    return Finite.product([{0: 1 - chance, 1: chance}, count])


def noisy(x: Dataset) -> dict[Hashable, Fraction]:
    """The count with two-sided geometric noise, clamped to 0..41: (ln 3)-differentially private for Alice."""
    count = sum(int(str(part)) for part in x)
    peak = (1 - RATIO) / (1 + RATIO)
    inner: dict[Hashable, Fraction] = {t: peak * RATIO ** abs(t - count) for t in range(1, OTHERS + 1)}
    return {**inner, 0: RATIO**count / (1 + RATIO), OTHERS + 1: RATIO ** (OTHERS + 1 - count) / (1 + RATIO)}


def counted(x: Dataset) -> dict[Hashable, int]:
    """The count as it is."""
    return {sum(int(str(part)) for part in x): 1}


def named(x: Dataset) -> dict[Hashable, int]:
    """Alice's record in clear, beside the count of the others."""
    return {x: 1}


BELIEF = Finite.mixture([("1/2", smokers(Fraction(1, 10))), ("1/2", smokers(Fraction(1, 2)))])
RELEASES: dict[str, tuple[Release, Hashable]] = {
    "count with noise, ε = ln 3": (noisy, 20),
    "count as it is": (counted, 20),
    'count, and "Alice: no cancer"': (named, (0, 20)),
}


def cancer(games: Games, transcript: Hashable) -> tuple[Fraction, Fraction]:
    """How likely Alice has cancer after the transcript: with her record, and without."""
    ill = games.belief.record_is(0, 1)
    after, without = games.posteriors(transcript, 0)
    if after is None or without is None:
        message = f"{transcript} cannot be published in this world"
        raise ValueError(message)
    return sum(after[ill].tolist(), Fraction(0)), sum(without[ill].tolist(), Fraction(0))


def main() -> None:
    """Print one line for each release."""
    before = sum(BELIEF.mass[BELIEF.record_is(0, 1)].tolist(), Fraction(0))
    print(f"Alice has cancer: believed with chance {float(before):.3f} before the study. The study finds 20 cases.\n")
    print(f"{'release':30}{'with her record':>15}{'without it':>13}")
    for name, (release, transcript) in RELEASES.items():
        real, without = cancer(Games.of(release, BELIEF, default=0), transcript)
        print(f"{name:30}{float(real):15.3f}{float(without):13.3f}")
    print("\nWhat the study teaches about smoking it teaches about Alice, in it or not. Naming her tells more.")


if __name__ == "__main__":
    main()
