"""Definitions on a world of 2^20 datasets, listed one by one: every record a secret."""

from benchmarks.claim import Row, at_most
from benchmarks.timing import peak_bytes, printed

RECORDS = 20
WORLD = f"""
import math, time
import dalenius as dl
from dalenius.papers.finite import *
started = time.perf_counter()
world = Finite.product_of_floats([{{0: 0.5, 1: 0.5}}] * {RECORDS})
noise = dl.Count() >> dl.mechanisms.rational_geometric("1/2")
made = FiniteMechanism.of(noise, world)
"""
JOBS = {
    "differential privacy": """
found = Neighbours.replace(world).epsilon(made).value
assert found.lower <= math.log(2) <= found.upper and found.width < 1e-9, found
""",
    "Pufferfish": """
pairs = value_pairs(world)
assert len(pairs) == 20
found = Pufferfish(pairs, (world,)).epsilon(made).value
assert found.lower <= math.log(2) and found.width < 1e-9, found
""",
    "coupled worlds": """
counts = FiniteMechanism.of(dl.Count(), world)
hides = tuple(
    Hide(FiniteMechanism((0, 1), world.codes[:, i]), FiniteMechanism(counts.outputs, counts.state - world.codes[:, i]))
    for i in range(20)
)
worlds = CoupledWorlds((world,), hides).worlds(made)
canonical = Simulator.of(lambda count: dict(zip(made.outputs, made.rows[count], strict=True)), range(21))
found = coupled_epsilon(worlds, canonical)
assert found.upper <= math.log(2) + 1e-9, found
""",
    "semantic privacy": """
found = worst_shift(Games.on(world, made, default=0)).size
assert found.upper <= math.tanh(math.log(2) / 2) + 1e-9, found
""",
}
CLOCK = "print(time.perf_counter() - started)"


def finite_worlds() -> list[Row]:
    """From an empty list of datasets to the verdict, in less than 10 s and 2 GB."""
    rows = []
    for name, job in JOBS.items():
        rows += [
            at_most(f"{name}, 2^{RECORDS} datasets, {RECORDS} secrets: time", printed(WORLD + job + CLOCK), 10, " s"),
            at_most(f"{name}, the same: peak memory", peak_bytes(WORLD + job) / 1e9, 2, " GB"),
        ]
    return rows
