"""How time and memory grow with the number of people."""

from benchmarks import people
from benchmarks.claim import Row, at_most
from benchmarks.timing import medians, peak_bytes

TEN_MILLION = """
from benchmarks import people
law = people.law(people.uniform(10_000_000))
assert law.additive <= 1e-9, law.additive
"""


def law_size() -> list[Row]:
    """Ten times the people take at most eleven times the time (1e5 to 1e6), and ten million fit in 2 GB."""
    few, many = people.uniform(people.MILLION // 10), people.uniform(people.MILLION)
    seconds = medians({"few": lambda: people.law(few), "many": lambda: people.law(many)}, repetitions=15)
    return [
        at_most("law: time of 1e6 people / of 1e5", seconds["many"] / seconds["few"], 11),
        at_most("law of 1e7 people: peak memory", peak_bytes(TEN_MILLION) / 1e9, 2, " GB"),
    ]
