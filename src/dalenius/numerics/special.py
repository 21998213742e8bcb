"""Special functions of scipy, loaded when they are first used: most requests need none of them."""

from typing import Any


def erfcx(x: Any) -> Any:
    """exp(x²) erfc(x)."""
    from scipy.special import erfcx as scaled

    return scaled(x)


def gammaln(x: Any) -> Any:
    """Ln |Γ(x)|."""
    from scipy.special import gammaln as logarithm

    return logarithm(x)
