"""python -m dalenius_checker certificate.json: does the claim hold? Computed again, from the certificate alone."""

import argparse
import csv
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius_checker.document import RefusedError, UnreadableError, check, compare, read, require
from dalenius_checker.groups import Examiner
from dalenius_checker.laws import TooLargeError
from dalenius_checker.moves import Mover

AGREES, REFUSES, UNREADABLE, TOO_LARGE = 0, 1, 2, 3


def examined(c: Any) -> list[str]:
    """What could not be computed; RefusedError if the rest contradicts the certificate, or does not confirm it."""
    check(c)
    left, listed = [], {moves.group: moves for moves in c.moves}
    for place, kind in enumerate(c.kinds):
        groups = [group for group, (at, _) in enumerate(c.groups) if at == place]
        least = kind.delta[1] or c.wanted / 10**12 or Fraction(1)
        depth = min(1200, least.denominator.bit_length() - least.numerator.bit_length())
        bits, most = 44 + depth + 2 * int(c.epsilon) + c.people.all.bit_length(), limit(c, kind)
        try:
            if kind.evidence.method == "moves" and set(groups) <= listed.keys():
                found = [Mover(c, listed[group], bits).upper() for group in groups]
            elif kind.evidence.method == "atom":
                examiner, more = Examiner(c, kind, bits), min(kind.people - 1, c.attacker.largest_known or 0)
                found = [examiner.upper(kind.known, most)]
                fine = more <= kind.known or examiner.upper(more, c.wanted) <= c.wanted
                require(fine, f"kind {place}: with {more} known records delta is not confirmed: largest_known")
            else:
                raise TooLargeError(f"its evidence {kind.evidence.method[:40]!r} is not known here, or not listed")
            words = f"kind {place}: delta is found to be at most {float(max(found)):.6g}, and stated as "
            fine = kind.delta[0] <= min(found) and max(found) <= most
            require(fine, words + f"{float(kind.delta[0]):.6g} to {float(kind.delta[1]):.6g}")
        except TooLargeError as error:
            left.append(f"kind {place} ({kind.people} people): {error}")
    return left


def limit(c: Any, kind: Any) -> Fraction:
    """What must be found of a delta so that it is confirmed: what is stated, to a thousandth; if there are several
    figures, whose losses are put on a grid, to a tenth; for normal noise, and where laws are known in part (unless all
    have one law, for one number that is not rounded), what is wanted; 0, if it is below 10^-12 of what is wanted.
    """
    wanted: Fraction = c.wanted
    normal = any(c.figures[place].noise and c.figures[place].noise[0] == "normal" for place in kind.figures)
    every = len(kind.figures) == len(kind.parts[0].least) == c.figures[kind.figures[0]].base == 1
    if normal or (any(part.estimated for part in kind.parts) and not every):
        return wanted
    slack = Fraction(11, 10) if len(kind.figures) > 1 else Fraction(1001, 1000)
    return min(wanted, kind.delta[1] * slack or wanted / 10**12)


def run(arguments: list[str]) -> tuple[int, str]:
    """The exit code, and what to say."""
    words = "0 agrees; 1 refuses; 2 unreadable, or no certificate of this version; 3 too large."
    parser = argparse.ArgumentParser(prog="dalenius_checker", description=__doc__, epilog=f"Exit codes: {words}")
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--figures", type=Path, help="the published figures.csv: is the certificate about this file?")
    given = parser.parse_args(arguments)
    try:
        c = read(given.certificate.read_bytes())
        left = examined(c)
        if given.figures:
            compare(c, given.figures.read_bytes())
    except (UnreadableError, OSError) as error:
        return UNREADABLE, f"UNREADABLE: {error}."
    except (RefusedError, LookupError, ValueError, csv.Error) as error:
        return REFUSES, f"REFUSES: {error}."
    except (TooLargeError, MemoryError, OverflowError) as error:
        return TOO_LARGE, f"TOO LARGE: {str(error) or 'not enough memory'}."
    if left:
        return TOO_LARGE, "\n".join(["TOO LARGE: not everything was computed. All else agrees.", *left])
    words = f"AGREES: delta is at most {float(c.wanted):g} at epsilon {float(c.epsilon):g} for all {len(c.groups)} "
    nobody = [f" It says that nobody is in {figure.name}." for figure in c.figures if figure.least is None]
    made = [" It was made for this file of figures."] if given.figures else []
    return AGREES, "".join([words, "groups of people.", *nobody, *made])


def main() -> None:
    """Run, print, and end with the exit code."""
    code, words = run(sys.argv[1:])
    sys.stdout.write(words + "\n")
    raise SystemExit(code)


if __name__ == "__main__":
    main()
