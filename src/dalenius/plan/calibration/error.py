"""What a channel does to a figure: the absolute error that is to be expected."""

from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import row_of


def expected_error(channel: Chain) -> float:
    """The expected absolute error of the published number, in units of the figure.

    Noise: E|K|, whatever the figure. Rounding: if every place between two multiples is equally likely, b/4 for even
    bases b and (b² - 1)/4b for odd ones. Several links: their errors added up, which is an upper bound. A cost to
    compare plans by, not a bound that privacy rests on.

    >>> from dalenius.mechanisms import Rounded
    >>> expected_error(Chain((Rounded(10),)))
    2.5
    """
    whole, step = 0.0, 1
    for link in channel.links:
        row = row_of(link)
        whole += row.error(row.size(link)) * step
        step *= link.step
    return whole
