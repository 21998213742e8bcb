"""The law of a count over a million people, beside those who compute it too."""

import numpy as np
from fast_poibin import PoiBin

from benchmarks import people
from benchmarks.claim import Row, at_most, remark
from benchmarks.fft_tree import fft_tree
from benchmarks.timing import medians
from dalenius.numerics.law import Floats, Law

SHARE = 1 / 5


def law_speed() -> list[Row]:
    """The law of a count over 1,000,000 people with different probabilities, rates near 1e-6 too, takes at most a fifth
    of the time of fast-poibin and of an FFT tree; its certified total-variation error is at most 1e-9, and both agree.

    A tree that cuts its laws to windows is shown too: nothing is claimed about it.
    """
    return [row for crowd in people.CROWDS for row in _beside(crowd.__name__, crowd(people.MILLION))]


def _beside(name: str, rates: Floats) -> list[Row]:
    found: dict[str, Floats] = {}
    seconds = medians(
        {
            "ours": lambda: people.law(rates),
            "fast-poibin": lambda: found.update(poibin=PoiBin(rates).pmf),
            "tree": lambda: found.update(tree=fft_tree(rates)[1]),
            "trimmed": lambda: fft_tree(rates, trim=True),
        }
    )
    law = people.law(rates)
    times = {peer: f"{seconds['ours'] * 1e3:.0f} ms against {seconds[peer] * 1e3:.0f} ms" for peer in seconds}
    ratios = {peer: seconds["ours"] / seconds[peer] for peer in seconds}
    apart = max(_distance(law, mass) for mass in found.values())
    title = f"law of 1e6 {name} rates"
    return [
        at_most(f"{title}: time / fast-poibin's", ratios["fast-poibin"], SHARE, note=times["fast-poibin"]),
        at_most(f"{title}: time / an FFT tree's", ratios["tree"], SHARE, note=times["tree"]),
        remark(f"{title}: time / a tree's cut to windows", f"{ratios['trimmed']:.3g} ({times['trimmed']})"),
        at_most(f"{title}: certified total variation", law.additive, 1e-9),
        at_most(f"{title}: distance to both peers", apart, 1e-9),
    ]


def _distance(law: Law, whole: Floats) -> float:
    """Total variation between the law and masses on 0, 1, 2, ...; both may miss a little mass, which counts in full."""
    inside = whole[law.start : law.stop]
    return float(np.abs(inside - law.mass[: len(inside)]).sum() + whole[: law.start].sum() + whole[law.stop :].sum())
