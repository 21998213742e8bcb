"""python -m dalenius_checker certificate.json: does the claim hold? Computed again, from the certificate alone."""

import argparse
import hashlib
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dalenius_checker.consistent import check
from dalenius_checker.document import RefusedError, UnreadableError, read
from dalenius_checker.groups import Examiner
from dalenius_checker.laws import TooLargeError
from dalenius_checker.moves import Movers
from dalenius_checker.signature import check_signature

AGREES, REFUSES, UNREADABLE, TOO_LARGE = 0, 1, 2, 3


def examined(certificate: Any) -> list[str]:
    """What could not be computed; RefusedError if the rest contradicts the certificate, or does not confirm it."""
    check(certificate)
    examiner, left = Examiner.of(certificate), []
    movers, listed = Movers(certificate, examiner), {moves.group: moves for moves in certificate.moves}
    for place, kind in enumerate(certificate.kinds):
        groups = [group for group, (at, _) in enumerate(certificate.groups) if at == place]
        name = f"kind {place} ({kind.people} people)"
        try:
            if kind.evidence.method == "atom":
                _compare(name, kind.delta, examiner.upper(kind, kind.known, kind.delta[1]), examiner, kind)
                more = min(kind.people - 1, certificate.attacker.largest_known or 0)
                if more > kind.known and examiner.upper(kind, more, examiner.wanted) > examiner.wanted:
                    raise RefusedError(f"{name}: with {more} known records delta is not confirmed: largest_known")
            elif kind.evidence.method == "moves" and set(groups) <= listed.keys():
                for group in groups:
                    _compare(f"group {group}", kind.delta, movers.upper(listed[group]), examiner, kind)
            else:
                left.append(f"{name}: its evidence {kind.evidence.method[:40]!r} is not known here, or not listed")
        except TooLargeError as error:
            left.append(f"{name}: {error}")
    return left


def _compare(name: str, stated: tuple[Fraction, Fraction], found: Fraction, examiner: Examiner, kind: Any) -> None:
    if found < stated[0]:
        raise RefusedError(f"{name}: delta is at most {float(found):.6g}, below the {float(stated[0]):.6g} stated")
    slack = examiner.slack(kind)
    most = examiner.wanted if slack is None else min(examiner.wanted, stated[1] * slack)
    if found > most:
        raise RefusedError(f"{name}: delta is only confirmed up to {float(found):.6g}, above {float(most):.6g}")


def run(arguments: list[str]) -> tuple[int, str]:
    """The exit code, and what to say."""
    parser = argparse.ArgumentParser(
        prog="dalenius_checker",
        description="Computes the claim of a certificate again, by a method of its own, from the certificate alone.",
        epilog="Exit codes: 0 agrees; 1 refuses; 2 unreadable, or no certificate of this version; 3 too large.",
    )
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--figures", type=Path, help="the published figures.csv: is the certificate about this file?")
    parser.add_argument("--key", type=Path, help="a public key in PEM: is the certificate signed with it?")
    parser.add_argument("--signature", type=Path, help="the signature; by default certificate.sig beside it")
    given = parser.parse_args(arguments)
    if given.key is not None and find_spec("cryptography") is None:
        return (
            UNREADABLE,
            "MISSING: --key needs the package cryptography, not installed here: pip install cryptography.",
        )
    try:
        content = _bytes(given.certificate)
        if given.key is not None:
            signature = given.signature or given.certificate.with_suffix(".sig")
            check_signature(content, _bytes(signature), _bytes(given.key))
        certificate = read(content)
        if (
            given.figures is not None
            and hashlib.sha256(_bytes(given.figures)).hexdigest() != certificate.figures_sha256
        ):
            raise RefusedError("figures.csv is not the file that the certificate is about: its sha256 differs")
        left = examined(certificate)
    except UnreadableError as error:
        return UNREADABLE, f"UNREADABLE: {error}."
    except RefusedError as error:
        return REFUSES, f"REFUSES: {error}."
    except (TooLargeError, MemoryError, OverflowError) as error:
        return TOO_LARGE, f"TOO LARGE: {str(error) or 'not enough memory'}."
    if left:
        return TOO_LARGE, "\n".join(["TOO LARGE: not everything was computed. All else agrees.", *left])
    signed = "" if given.key is None else " The signature fits."
    about = "" if given.figures is None else " It is about these figures."
    claim = certificate.claim
    return AGREES, (
        f"AGREES: delta is at most {float(claim.delta_wanted):g} at epsilon {float(claim.epsilon):g} for all "
        f"{len(certificate.groups)} group{'s' * (len(certificate.groups) != 1)} of people.{about}{signed}"
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot read {path}: {error.strerror}") from None


def main() -> None:
    """Run, print, and end with the exit code."""
    code, words = run(sys.argv[1:])
    sys.stdout.write(words + "\n")
    raise SystemExit(code)


if __name__ == "__main__":
    main()
