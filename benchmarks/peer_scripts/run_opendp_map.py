"""What OpenDP's own map says of geometric noise on a vector of counts, by its scale and how far one person moves it."""

import json
import sys

import opendp.prelude as dp

dp.enable_features("contrib")


def epsilon(numbers: int, far: int, scale: float) -> float:
    """Of so many counts, which one person moves by `far` together."""
    space = dp.vector_domain(dp.atom_domain(T="i64"), size=numbers), dp.l1_distance(T="i64")
    return float(dp.m.make_laplace(*space, scale=scale).map(far))


asked = json.loads(sys.argv[1])
print(json.dumps([epsilon(*one) for one in asked]))
