"""One contract for every channel that can be released: what its row and its period say is what it does."""

import numpy as np
import pytest

from dalenius.basics.errors import InputError
from dalenius.mechanisms import Chain, Exact
from dalenius.mechanisms.channel import Channel
from dalenius.mechanisms.registry import ROWS, ChannelRow, made, row_of, written
from dalenius.numerics.law import Law

SIZES = {True: ["1/2", "3", "7"], False: ["2", "3", "10"]}  # of noise, and of all else
LAW = Law(-7, np.array([0.1, 0.4, 0.3, 0.2]), np.zeros(4), 0.0)
SEVERAL = {  # of what is made of more than one number
    "earned": ["1/5 2/5 2", "1/2 1/2 1/3"],
    "choose": ["1/5 2/5 1/2", "1/2 1/3"],
    "order": ["5 1/2", "2 0"],
    "moved": ["5 1/2 3", "2 0 1/2"],
    "model": ["2 1/3 2/3 1/4 3/4", "3 1/2 1/4 1/4 1/3 1/3 1/3"],
}
CASES = [(row, size) for row in ROWS.values() for size in SEVERAL.get(row.name, SIZES[bool(row.drawn)])]


def masses(law: Law) -> dict[int, float]:
    return {law.start + place: float(mass) for place, mass in enumerate(law.mass) if mass > 1e-14}


@pytest.mark.parametrize(("row", "size"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_moving_the_input_by_a_period_moves_the_output_by_one(row: ChannelRow, size: str) -> None:
    """Of noise: by as much as the input. Whoever declares a period that is none gets false numbers, so it is tried."""
    channel = made(row.name, size)
    if channel.hides:  # whoever asks for the period of what has none is refused
        with pytest.raises(InputError):
            _ = channel.period
        return
    step = channel.period or 1
    for times in (1, 2, 5, -3):
        moved, plain = channel.push(LAW.shifted(times * step)), channel.push(LAW).shifted(times)
        assert masses(moved) == pytest.approx(masses(plain), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(("row", "size"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_what_rolls_no_dice_does_what_its_law_says(row: ChannelRow, size: str) -> None:
    channel = made(row.name, size)
    assert channel.random == bool(row.drawn)
    if row.apply is not None:
        for total in range(-25, 26):
            pushed = masses(channel.push(Law(total, np.ones(1), np.zeros(1), 0.0)))
            assert pushed == pytest.approx({row.apply(total, channel): 1.0})


@pytest.mark.parametrize(("row", "size"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_what_is_written_is_read_again(row: ChannelRow, size: str) -> None:
    channel = made(row.name, size)
    assert written(channel) == (row.name, size)
    assert made(*written(channel)) == channel
    assert row_of(channel) is row
    assert row.error(row.size(channel)) >= 0


def test_what_has_no_row_is_not_released() -> None:
    assert len({row.recorded for row in ROWS.values()}) == len(ROWS)
    wrong: list[Channel] = [Exact(), Chain(())]
    for channel in wrong:
        with pytest.raises(InputError):
            written(channel)
    several = [("geometric", "1 2"), ("earned", "1"), ("earned", "0 1/2 1"), ("choose", "1/2"), ("choose", "1 0")]
    for name, numbers in [("unknown", "1"), *several]:
        with pytest.raises(InputError):
            made(name, numbers)
