"""python -m dalenius_checker certificate.json: does the claim hold? Computed again, from the certificate alone.

python -m dalenius_checker audit.json: do the proofs of an audit add up? In whole numbers, from the audit alone.
"""

import argparse
import csv
import hashlib
import os
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dalenius_checker import audit, believed, editions, homes, people, rounded
from dalenius_checker.believed import Believer
from dalenius_checker.document import OLDER, RefusedError, UnreadableError, check, compare, read, require
from dalenius_checker.groups import Examiner
from dalenius_checker.homes import Householder
from dalenius_checker.laws import ZERO, Bounds, TooLargeError
from dalenius_checker.moves import Mover
from dalenius_checker.topics import Taker

AGREES, REFUSES, UNREADABLE, UNDECIDED, DEFECT = 0, 1, 2, 3, 70
WAS = " In version 4 presence meant each value against absence only; here it means every two values as well."


class OpenError(Exception):
    """A delta that is neither confirmed nor contradicted: it may well be less than this program's bound."""


def examined(c: Any) -> list[str]:
    """What could not be computed, or not as closely as is stated; RefusedError if the rest contradicts the
    certificate.
    """
    check(c)
    together = hasattr(c, "together")
    if together:
        homes.check(c)
    believed.check(c)
    if getattr(getattr(c, "series", None), "shown", None):
        editions.check(c)
    left, listed = [], {moves.group: moves for moves in c.moves}
    for place, kind in enumerate(c.kinds):
        groups = [group for group, (at, _) in enumerate(c.groups) if at == place]
        bits, most = digits(c, kind.delta[1] or c.wanted / 10**12 or Fraction(1)), limit(c, kind)
        try:
            if kind.evidence.method == "moves" and set(groups) <= listed.keys():
                for group in groups:
                    confirm(Mover(c, listed[group], bits).bounds(most), kind.delta, most, f"kind {place}: delta")
            elif kind.evidence.method == "rounded":
                confirm(rounded.bounds(c, place, bits), kind.delta, most, f"kind {place}: delta")
            elif kind.evidence.method == "apart":
                for group in groups:
                    confirm(Taker(c, group, bits).bounds(most), kind.delta, most, f"kind {place}: delta")
            elif kind.evidence.method == "series" and getattr(getattr(c, "series", None), "shown", None):
                worst = max(editions.upper(c, group, bits) for group in groups)
                confirm(Bounds(ZERO, worst), kind.delta, most, f"kind {place}: delta")
            elif kind.evidence.method == "atom":
                if any(hasattr(part, "believed") for part in kind.parts):
                    confirm(Believer(c, kind, bits).bounds(kind.known, most), kind.delta, most, f"kind {place}: delta")
                    continue
                more = min(kind.people - 1, c.attacker.largest_known or 0)
                each = [Householder(c, one, bits) if together else Examiner(c, one, bits) for one in scenarios(kind)]
                found = Bounds(ZERO, ZERO)
                for examiner in each:
                    bounds = examiner.bounds(kind.known, most)
                    found = Bounds(max(found.lower, bounds.lower), max(found.upper, bounds.upper))
                confirm(found, kind.delta, most, f"kind {place}: delta")
                for examiner in each if more > kind.known else ():
                    about = f"kind {place}: delta with largest_known = {more} known records"
                    examiner.bits = digits(c, c.wanted or Fraction(1))
                    confirm(examiner.bounds(more, c.wanted), [ZERO, c.wanted], c.wanted, about)
            else:
                raise TooLargeError(f"its evidence {kind.evidence.method[:40]!r} is not known here, or not listed")
        except (TooLargeError, OpenError) as error:
            left.append(f"kind {place} ({kind.people} people): {error}")
    return left


def digits(c: Any, least: Fraction) -> int:
    """How many binary digits masses have, so that a delta as small as this one can be seen."""
    depth = max(0, min(1200, least.denominator.bit_length() - least.numerator.bit_length()))
    return 44 + depth + 2 * int(c.epsilon) + int(c.people.all).bit_length()


def scenarios(kind: Any) -> list[Any]:
    """The kind in each scenario, all of which must be safe."""
    further = max((len(part.also) for part in kind.parts), default=0)
    rest = ([part.also[at] for part in kind.parts] for at in range(further))
    return [kind, *(SimpleNamespace(**{**vars(kind), "parts": parts}) for parts in rest)]


def confirm(found: Bounds, stated: list[Fraction], most: Fraction, about: str) -> None:
    """RefusedError if what was found contradicts what is stated, OpenError if it does not confirm it either."""
    words = f"stated as {float(stated[0]):.6g} to {float(stated[1]):.6g}"
    require(stated[0] <= found.upper, f"{about} is found to be at most {float(found.upper):.6g}, and {words}")
    require(found.lower <= most, f"{about} is found to be at least {float(found.lower):.6g}, and {words}")
    if found.upper > most:
        raise OpenError(f"it is found to be at most {float(found.upper):.6g}, which leaves open what is {words}")


def limit(c: Any, kind: Any) -> Fraction:
    """What must be found of a delta so that it is confirmed: what is stated, to a thousandth; if there are several
    figures, whose losses are put on a grid, to a tenth; for normal noise, where laws are known in part, and topic by
    topic, what is wanted; 0, if it is below 10^-12 of what is wanted.
    """
    wanted: Fraction = c.wanted
    normal = any(c.figures[place].noise and c.figures[place].noise[0] == "normal" for place in kind.figures)
    changed = any(c.figures[at].channel for at in kind.figures)  # which counts for nothing in beliefs about all
    unsure = any(changed if hasattr(part, "believed") else part.estimated for part in kind.parts)
    if normal or kind.evidence.method in ("apart", "series") or unsure:
        return wanted
    slack = Fraction(11, 10) if len(kind.figures) > 1 else Fraction(1001, 1000)
    return min(wanted, kind.delta[1] * slack or wanted / 10**12)


def run(arguments: list[str]) -> tuple[int, str]:
    """The exit code, and what to say."""
    words = "0 agrees; 1 refuses; 2 unreadable, or no certificate of this version; 3 undecided; 70 a defect, no answer."
    parser = argparse.ArgumentParser(prog="dalenius_checker", description=__doc__, epilog=f"Exit codes: {words}")
    parser.add_argument("certificate", type=Path, help="certificate.json, or audit.json")
    parser.add_argument("--figures", type=Path, help="the published figures.csv: is the certificate about this file?")
    parser.add_argument("--table", type=Path, action="append", default=[], help="a table: is the audit about it?")
    given, was = parser.parse_args(arguments), ""
    try:
        content = given.certificate.read_bytes()
        if audit.claimed(content):
            return AGREES, audited(content, [table.read_bytes() for table in given.table])
        if given.table:
            return UNREADABLE, "UNREADABLE: --table goes with an audit.json, and this is none."
        c = read(content)
        was = WAS if (c.schema, c.secret) == (OLDER, "presence") else ""
        left = examined(c)
        if given.figures:
            compare(c, given.figures.read_bytes())
    except (UnreadableError, people.NoAuditError, OSError) as error:
        return UNREADABLE, f"UNREADABLE: {error}."
    except (RefusedError, people.RefusedError, LookupError, ValueError, csv.Error) as error:
        return REFUSES, f"REFUSES: {error}.{was}"
    except (TooLargeError, people.TooLongError, MemoryError, OverflowError) as error:
        return UNDECIDED, f"UNDECIDED: too large: {str(error) or 'not enough memory'}."
    if left:
        return UNDECIDED, "\n".join(["UNDECIDED: not everything could be confirmed. All else agrees.", *left])
    words = f"AGREES: delta is at most {float(c.wanted):g} at epsilon {float(c.epsilon):g} for all {len(c.groups)} "
    nobody = [f" It says that nobody is in {figure.name}." for figure in c.figures if figure.least is None]
    made = [" It was made for this file of figures."] if given.figures else []
    return AGREES, "".join([words, "groups of people.", *nobody, *made, was])


def audited(content: bytes, tables: list[bytes]) -> str:
    """What an audit says, if its proofs add up, and if it is about these tables."""
    document = audit.load(content)
    words = audit.examined(document)
    for table in tables:
        listed = hashlib.sha256(table).hexdigest() in document["tables"].values()
        people.require(listed, "it was not made for this table: its sha256 is not listed")
    made = f" It was made for {'this table' if len(tables) == 1 else 'these tables'}." if tables else ""
    return f"AGREES: all that is said is so. {words}.{made}"


def main() -> None:
    """Run, print if that can be, and end with the exit code: one that is an answer only if there is one."""
    try:
        code, words = run(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 - whatever it is, it is neither agreement nor refusal
        code, words = DEFECT, f"FAILED: a defect of this program ({type(error).__name__}), and no answer. Report it."
    if sys.stdout is not None:
        try:
            sys.stdout.buffer.write(f"{words}\n".encode(sys.stdout.encoding, "backslashreplace"))
            sys.stdout.flush()
        except (OSError, ValueError):
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
            )  # what is left in the buffer goes nowhere, too
    raise SystemExit(code)


if __name__ == "__main__":
    main()
