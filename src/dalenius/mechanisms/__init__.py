"""What happens to a statistic before it is published."""

from dalenius.basics.homes import SPACES, lazily
from dalenius.mechanisms.channel import (
    Channel,
    DiscreteGaussian,
    Exact,
    RationalGeometric,
    Rounded,
    RoundedGaussian,
    TwoSidedGeometric,
    discrete_gaussian,
    rational_geometric,
    rounded_gaussian,
    two_sided_geometric,
)
from dalenius.mechanisms.mechanism import Chain, Mechanism

__all__ = [
    "Chain",
    "Channel",
    "DiscreteGaussian",
    "Exact",
    "Mechanism",
    "RationalGeometric",
    "Rounded",
    "RoundedGaussian",
    "TwoSidedGeometric",
    "discrete_gaussian",
    "rational_geometric",
    "rounded_gaussian",
    "two_sided_geometric",
]

__getattr__ = lazily("dalenius.mechanisms", SPACES["mechanisms"])
