"""What happens to a total before it is published: plain functions of the total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .laws import BallLaw, Law, mixture, pushforward
from .noise import add_noise

Channel = Callable[[Any], Any] | BallLaw
"""A function of the total, or additive integer noise.

The function returns what is published, or a dict (a law) from which it is drawn.
"""


def exact(total: Any) -> Any:
    """Publish the total itself."""
    return total


def rounded_down(base: int) -> Callable[[int], int]:
    """Publish the largest multiple of `base` that is at most the total."""
    return lambda total: total // base * base


def rounded_half_up(base: int) -> Callable[[int], int]:
    """Publish the nearest multiple of `base`; halfway totals go up."""
    return lambda total: (2 * total + base) // (2 * base) * base


def suppressed_below(threshold: int) -> Callable[[int], int | str]:
    """Publish the total, or "few" if it is below the threshold."""
    return lambda total: "few" if total < threshold else total


def parity(total: int) -> int:
    """Publish whether the total is odd."""
    return total % 2


def publish(law: Law, channel: Channel) -> Law | BallLaw:
    """The law of what is published, if the total has the given law."""
    if isinstance(channel, BallLaw):
        return add_noise(law, channel)
    images = {total: channel(total) for total in law}
    if all(isinstance(image, dict) for image in images.values()):
        return mixture(list(law.values()), [images[total] for total in law])
    return pushforward(law, images.__getitem__)
