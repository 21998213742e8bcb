r"""Complex exponentials and logarithms with a small error near 0, and what is linear in the frequency.

Everything here returns values and bounds on their absolute errors, side by side, and not `Balls`: where nothing is
known of a logarithm its real part may still be bounded from above, and the value is then that bound.

**exp(x + iy) - 1** = g - (g + 1) d + i (g + 1) sin y, g = e^x - 1, d = 2 sin²(y/2): nothing cancels but what must.
*Proof.* g, sin y and sin(y/2) err by `LIBM` units relatively, d by 2 `LIBM` + 2, g + 1 by `LIBM` |g| + g + 1. So the
error of the imaginary part is at most (g + 1) |sin y| (`LIBM` + 2) + |g| |sin y| `LIBM` units, that of the real part
|g| (`LIBM` + 2) + (g + 1) d (2 `LIBM` + 5) + |g| d `LIBM`, squares of units aside: less than (`LIBM` + 4) (|g| +
(g + 1) |sin y|) + (3 `LIBM` + 8) (|g| |sin y| + (|g| + 2) d).

**log(1 + s)**, s = x + iy: half of log1p(2x + |s|²), and the angle of 1 + s. *Proof.* |s|² errs by two units and 2x +
|s|² by one of itself and two of |s|²; log1p passes that on by 1 / (1 + 2x + |s|²), at least `room`. The sum 1 + x errs
by a unit of itself, which turns the angle by |y (1 + x)| / |1 + s|² of one.
"""

from collections.abc import Sequence

import numpy as np

from dalenius.enclosure.balls import Floats
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.enclosure.transforms import Complexes, frequency_error

HUGE = 1e100  # beyond, the one in 1 + s is lost anyway
LEAST = 1e-300  # a room that is none
LOOSE = 0.5  # an error of a logarithm from which on its value is not used


def expm1_complex(x: Floats, y: Floats) -> tuple[Complexes, Floats]:
    """exp(x + iy) - 1, and a bound on its error for exact x and y."""
    half, turn, grown = np.sin(y / 2), np.sin(y), np.expm1(x)
    drop = 2 * half * half
    value = grown - (grown + 1) * drop + 1j * ((grown + 1) * turn)
    first, second = (
        np.abs(grown) + (grown + 1) * np.abs(turn),
        np.abs(grown) * np.abs(turn) + (np.abs(grown) + 2) * drop,
    )
    return value, UNIT * ((LIBM + 4) * first + (3 * LIBM + 8) * second)


def expm1_on_grid(theta: Floats, t: Floats) -> tuple[Complexes, Floats]:
    """exp(w) - 1 at w = θ + it, and a bound on its error where the true t is up to `GRID` units from the one given."""
    value, error = expm1_complex(theta, t)
    return value, error + frequency_error(np.abs(t)) * np.exp(theta) * (1.0 + 2.0 * LIBM * UNIT)


def log1p_complex(s: Complexes) -> tuple[Complexes, Floats]:
    """log(1 + s), and a bound on the error of computing it from an exact s."""
    size = np.abs(s)
    huge = size > HUGE
    x, y = np.where(huge, 0.0, s.real), np.where(huge, 0.0, s.imag)
    norm = x * x + y * y  # within two units, which the square of |s| is not
    square = np.maximum(2 * x + norm, -1.0)
    with np.errstate(divide="ignore"):
        real, angle = np.where(huge, np.log(size), 0.5 * np.log1p(square)), np.arctan2(s.imag, 1 + s.real)
    off = np.abs(square) + 2 * norm
    room = np.maximum(1 + square - off * UNIT, LEAST)
    inside = np.where(huge, 5.0, (off + 2 * np.abs(y * (1 + x))) / (2 * room))
    with np.errstate(invalid="ignore"):
        return real + 1j * angle, UNIT * (inside + LIBM * (np.abs(real) + np.abs(angle)))


def moved(
    value: Complexes, error: Floats, steps: int, theta: Floats, t: Floats, *, scale: float = 0.0
) -> tuple[Complexes, Floats]:
    """`value` + steps (θ + it) + scale, and its error, where the value is within `error` and the scale within `LIBM` +
    8 units: steps is a float up to a unit, and there are two products and two sums. The t that is given counts. Real
    parts that are upper bounds stay such, and those of values that are not known within `LOOSE` any more become such.
    """
    turn = steps * (theta + 1j * t)
    total = value + turn + scale if scale else value + turn
    lost = UNIT * (4 * np.abs(turn) + 2 * np.abs(value) + (LIBM + 12) * abs(scale))
    off = error + lost
    sure = off < LOOSE
    return total if sure.all() else np.where(sure, total, total + (lost + np.where(error < LOOSE, error, 0.0))), off


def together(values: Sequence[Complexes], errors: Sequence[Floats]) -> tuple[Complexes, Floats]:
    """The sum of several, and its error: a unit a step. Where that is `LOOSE` or more, the real part is an upper bound:
    parts that are values are raised by their errors.
    """
    total, lost = np.sum(values, axis=0), (len(values) + 2) * UNIT * np.sum(np.abs(values), axis=0)
    error = np.sum(errors, axis=0) + lost
    slack = np.sum([np.where(part < LOOSE, part, 0.0) for part in errors], axis=0)
    return np.where(error < LOOSE, total, total.real + slack + lost + 1j * total.imag), error
