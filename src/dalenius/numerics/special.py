"""Special functions of scipy, loaded when they are first used: most requests need none of them."""

from typing import Any


def gammaln(x: Any) -> Any:
    """Ln |Γ(x)|."""
    from scipy.special import gammaln as logarithm

    return logarithm(x)
