"""`python -m benchmarks [NAME ...]`: measure (all, or those named), print a table, exit 1 if a claim fails."""

import sys
import time
from collections.abc import Callable

from benchmarks.attackers import attackers
from benchmarks.audit_mechanism import audit_mechanism
from benchmarks.claim import Row
from benchmarks.composition import composition, noises
from benchmarks.curve_speed import curve_speed
from benchmarks.finite_worlds import finite_worlds
from benchmarks.gauntlet import gauntlet
from benchmarks.law_size import law_size
from benchmarks.law_speed import law_speed
from benchmarks.ledger import ledger
from benchmarks.linked import linked
from benchmarks.linked_census import linked_census
from benchmarks.markov import markov
from benchmarks.noise_saved import noise_saved
from benchmarks.planning import planning
from benchmarks.released import released
from benchmarks.series import series
from benchmarks.special import special
from benchmarks.start_up import start_up
from benchmarks.tables import tables
from benchmarks.theorem import theorem
from benchmarks.tightness import tightness
from benchmarks.wide import wide

BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    job.__name__: job
    for job in (
        law_speed,
        law_size,
        curve_speed,
        finite_worlds,
        tightness,
        composition,
        noises,
        theorem,
        markov,
        wide,
        planning,
        noise_saved,
        linked,
        linked_census,
        ledger,
        released,
        attackers,
        series,
        special,
        start_up,
        tables,
        gauntlet,
        audit_mechanism,
    )
}
VERDICTS = {True: "ok", False: "FAILED", None: "-"}


def main(names: list[str]) -> int:
    """The exit code."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    failures = 0
    for name in names or BENCHMARKS:
        started = time.perf_counter()
        rows = BENCHMARKS[name]()
        print(f"\n{name} ({time.perf_counter() - started:.0f} s)")
        for row in rows:
            print(f"  {VERDICTS[row.ok]:8}{row.claim:64}  {row.measured:34}  {row.limit}".rstrip(), flush=True)
        failures += sum(row.ok is False for row in rows)
    print(f"\n{failures} claims failed." if failures else "\nEvery claim holds.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
