"""The picture of the page on attacks: how often each is right, by defence."""

import sys
from html import escape
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from examples.attacks import ATTACKS, Played

RUNS, SEED = 4000, 20
WIDTH, LEFT, ROW, BAR = 640, 150, 62, 15
COLOURS = {"rule": "#b3412e", "noise": "#a36a00", "dalenius": "#2e8b57"}
FONT = 'font-family="system-ui, sans-serif" font-size="13"'
NAMES = {"rule": "rule of thumb", "noise": "noise", "dalenius": "dalenius"}


def played() -> list[Played]:
    """Every attack, with dice of its own."""
    return [attack(np.random.default_rng(SEED + place), RUNS) for place, attack in enumerate(ATTACKS)]


def attack_picture() -> str:
    """Bars from half right, which is guessing, to always right."""
    found = played()
    height = 70 + ROW * len(found)
    wide = WIDTH - LEFT - 60
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" {FONT}>',
        "<title>How often each attack is right</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        *(
            f'<rect x="{LEFT + 160 * place}" y="16" width="12" height="12" fill="{COLOURS[key]}"/>'
            f'<text x="{LEFT + 160 * place + 18}" y="27" fill="#222222">{NAMES[key]}</text>'
            for place, key in enumerate(COLOURS)
        ),
    ]
    for place, each in enumerate(found):
        top = 46 + ROW * place
        lines.append(f'<text x="12" y="{top + 28}" fill="#222222">{escape(each.attack)}</text>')
        for at, key in enumerate(COLOURS):
            right = float(getattr(each, key))
            length = max(1.0, 2 * (right - 0.5) * wide)
            y = top + (BAR + 2) * at
            lines.append(
                f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="{BAR}" fill="{COLOURS[key]}"/>'
                f'<text x="{LEFT + length + 6:.0f}" y="{y + 12}" fill="#222222">{right:.0%}</text>'
            )
    lines.append(f'<text x="{LEFT}" y="{height - 8}" fill="#555555">bars begin at one half, which is guessing</text>')
    return "\n".join([*lines, "</svg>", ""])
