"""`python -m benchmarks.noise_alone`: what noise alone needs, dalenius beside OpenDP's own map.

OpenDP runs in an environment of its own (.venv-peers-opendp_map, made on the first run). Counts of all k values of a
column, in one table (by a public column) and in two (that, and of everybody); geometric noise.
"""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

from benchmarks.peers import HERE, environment
from dalenius.facts.records import Categories, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS, row_of
from dalenius.plan import AddNoise, Question, Target, plan
from dalenius.plan.judging import docket_of
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

VALUES = range(2, 51)
PLANNED = (2, 3, 10, 50)  # for which the whole plan is made; for others that scale is judged
MOST = {1: 2.0, 2: 4.0}  # scale at epsilon 1, by the number of tables
CLOSE = 1e-9


def main() -> int:
    """A line for every tenth k, and the largest difference; 1 if a claim is not met."""
    python = environment("opendp_map", ["opendp==0.16.0"])
    if python is None:
        print("opendp cannot be installed here")
        return 0
    ours, asked = list[tuple[int, int, float, float]](), list[list[float]]()
    for tables in (1, 2):
        for values in VALUES:
            scale, epsilon = _planned(values, tables)
            ours.append((values, tables, scale, epsilon))
            asked.append([values * (3 if tables == 2 else 1), 2 * tables, scale])
    script = HERE / "peer_scripts" / "run_opendp_map.py"
    done = subprocess.run([python, script, json.dumps(asked)], check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    worst, most = 0.0, {1: 0.0, 2: 0.0}
    for (values, tables, scale, epsilon), their in zip(ours, theirs, strict=True):
        worst, most[tables] = max(worst, abs(epsilon - their)), max(most[tables], scale)
        if values % 10 == 0:
            print(f"{values:3} values, {tables} tables: scale {scale:g}, epsilon {epsilon:.12g}, OpenDP {their:.12g}")
    print(f"largest scale at epsilon 1: {most[1]:g} in one table (claimed: 2), {most[2]:g} in two (claimed: 4)")
    print(f"largest difference from OpenDP's map: {worst:.3g} (claimed: at most {CLOSE:g})")
    return int(worst > CLOSE or any(most[tables] > MOST[tables] for tables in MOST))


def _planned(values: int, tables: int) -> tuple[float, float]:
    """The scale that the plan offers by noise alone (or that it would), and the epsilon that it is judged to have."""
    labels = tuple(f"value {place}" for place in range(values))
    belief = ColumnBelief("answer", {(): tuple((label, Fraction(1, values)) for label in labels)}, "alike")
    frame = Frame(("region",), {("north",): 20, ("south",): 20})
    target, attacker = Target(Fraction(1), Fraction(0)), Attacker(1, source="x")
    question = Question(frame, {"answer": Categories(labels)}, (belief,), attacker, Value(), target)
    asked = [Figure(label, "count", None, Where((("answer", OneOf((label,))),)), ("region",)) for label in labels]
    if tables == 2:
        asked += [Figure(f"all {one.name}", "count", None, one.where) for one in asked]
    if values in PLANNED:
        found = plan(asked, History(), question, ladder=(2,))
        if not isinstance(found, AddNoise):
            raise SystemExit(f"no noise was planned for {values} values: {type(found).__name__}")
        way = next(one for one in found.alternatives if one.way == "noise alone" and one.certified)
        changed = [figure for change in way.changes for figure in change.becomes]
    else:
        noise = Chain((ROWS["geometric"].made(Fraction(2 * tables)),))
        changed = [replace(figure, channel=noise) for figure in asked]
    scale = max(float(row_of(link).size(link)) for figure in changed for link in figure.channel.links)
    return scale, float(docket_of(question).pure(changed))


if __name__ == "__main__":
    sys.exit(main())
