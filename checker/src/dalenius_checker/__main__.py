"""python -m dalenius_checker certificate.json: does the claim hold? Computed again, from the certificate alone."""

import argparse
import hashlib
import sys
from fractions import Fraction
from pathlib import Path

from dalenius_checker.consistent import check
from dalenius_checker.document import Certificate, RefusedError, UnreadableError, read
from dalenius_checker.groups import Examiner
from dalenius_checker.laws import TooLargeError
from dalenius_checker.signature import check_signature

AGREES, REFUSES, UNREADABLE, TOO_LARGE = 0, 1, 2, 3
KNOWN_METHODS = ("atom",)


def examined(certificate: Certificate) -> list[str]:
    """What could not be computed; RefusedError if the rest contradicts the certificate, or does not confirm it."""
    check(certificate)
    examiner, left = Examiner.of(certificate), []
    for place, kind in enumerate(certificate.kinds):
        if kind.method not in KNOWN_METHODS:
            left.append(f"kind {place} ({kind.people} people): its evidence {kind.method[:40]!r} is not known here")
            continue
        try:
            lower, upper = examiner.bounds(place, kind.known)
            _compare(place, kind.delta, (lower, upper), certificate.wanted)
            if certificate.largest_known is not None:
                known = min(kind.people - 1, certificate.largest_known)
                if examiner.bounds(place, known)[1] > certificate.wanted:
                    raise RefusedError(
                        f"kind {place}: with {known} known records delta is not confirmed: largest_known"
                    )
        except TooLargeError as error:
            left.append(f"kind {place} ({kind.people} people): {error}")
    return left


def _compare(place: int, stated: tuple[Fraction, Fraction], found: tuple[Fraction, Fraction], wanted: Fraction) -> None:
    if found[0] > stated[1]:
        raise RefusedError(
            f"kind {place}: delta is at least {float(found[0]):.6g}, above the {float(stated[1]):.6g} stated"
        )
    if found[1] < stated[0]:
        raise RefusedError(
            f"kind {place}: delta is at most {float(found[1]):.6g}, below the {float(stated[0]):.6g} stated"
        )
    if found[1] > wanted:
        raise RefusedError(
            f"kind {place}: delta is only confirmed up to {float(found[1]):.6g}, above the {float(wanted):.6g} wanted"
        )


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
    try:
        content = _bytes(given.certificate)
        signature = given.signature or given.certificate.with_suffix(".sig")
        if given.key is not None:
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
    return AGREES, (
        f"AGREES: delta is at most {float(certificate.wanted):g} at epsilon {float(certificate.epsilon):g} for all "
        f"{len(certificate.groups)} groups of people.{about}{signed}"
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
