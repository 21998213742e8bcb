"""What happens at a reviewers' desk, without a data engine; to be done here or in another process."""

from dataclasses import replace
from pathlib import Path
from unittest import mock

from dalenius.desk.policy import policy_of
from dalenius.desk.review import approve, reject, submit
from dalenius.desk.session import carry_out
from dalenius.record.ledger import open_ledger
from ledger.stand import decided, up_to

TWO = {"by": ["anna", "ben"], "signatures": 2, "overrule": "fail"}
TELLING = [up_to(58), up_to(59, "all")]  # the second less the first is one person
HARMLESS = [up_to(59, noise={"geometric": 3})]
UNDRAWN = mock.patch("dalenius.desk.curves.measured", return_value=((), None, ()))  # charts reach no disk
WORDS = "the ministry asked"


def asked(place, figures=TELLING, review=TWO, **changes):
    """A decision under a policy with these words about reviews."""
    policies = () if review is None else (policy_of({"name": "Rules", "review": review}),)
    return replace(decided(place, figures, **changes).within(0), policies=policies)


def approved(place, figures=TELLING, **changes):
    """A decision that two persons have approved, and its submission."""
    found = asked(place, figures, **changes)
    name = submit(found, WORDS, user="cleo").id
    approve(found.ledger, name, "nobody is in it", user="anna")
    return found, approve(found.ledger, name, "it is old", user="ben")


def submitting(place: str, number: object) -> None:
    """Put something before reviewers."""
    with UNDRAWN:
        submit(asked(place, dataset=f"set {number}"), WORDS, user="cleo")


def deciding(place: str, name: str) -> None:
    """Reject it."""
    reject(open_ledger(place), name, "no", user="ben")


def releasing(place: str, folder: Path, number: object, name: str) -> None:
    """Let out what was approved."""
    with UNDRAWN:
        carry_out(asked(place, dataset=f"set {number}"), folder / f"out {number}", submission=name)
