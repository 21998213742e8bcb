"""What happens to a statistic before it is published."""

from dalenius.mechanisms.channel import (
    Channel,
    DiscreteGaussian,
    Exact,
    Rounded,
    TwoSidedGeometric,
    discrete_gaussian,
    two_sided_geometric,
)
from dalenius.mechanisms.mechanism import Chain, Mechanism

__all__ = [
    "Chain",
    "Channel",
    "DiscreteGaussian",
    "Exact",
    "Mechanism",
    "Rounded",
    "TwoSidedGeometric",
    "discrete_gaussian",
    "two_sided_geometric",
]
