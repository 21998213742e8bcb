"""Which pairs of worlds must look alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID, Belief
from dalenius.claims import Notion, notion_of
from dalenius.facts.records import Label
from dalenius.facts.secret import WANTED, PresenceOnly, Secret, Value

VALUE = Value()


@final
@dataclass(frozen=True, slots=True)
class NoiselessPrivacy:
    """The release must look alike given one record is a and given it is b, to an attacker who believes `belief`.

    Both directions; every person; every pair of values of the domain (or of values and absence); the records that
    the attacker knows are the worst ones. Bhaskar et al. 2011, and Grining and Klonowski 2017 with Definition 1
    repaired: the record that is added is independent of the data.

    >>> import dalenius as dl
    >>> dl.noiseless(dl.IID(p="0.3", n=100)).belief.n
    100
    """

    belief: Belief
    secret: Secret = VALUE

    def __post_init__(self) -> None:
        if not isinstance(self.belief, Belief):
            raise InputError(
                f"Noiseless privacy needs a belief such as IID(p=0.1, n=1000), but got {self.belief!r}. Say what the "
                "attacker thinks of the records."
            )
        if not isinstance(self.secret, Secret):
            raise InputError(f"{WANTED}, but got {self.secret!r}. Write secret=dl.Presence().")

    @property
    def notion(self) -> Notion:
        """What other definitions may be inferred from."""
        return notion_of(self.secret)

    def __str__(self) -> str:
        return "noiseless privacy"


@final
@dataclass(frozen=True, slots=True)
class DifferentialPrivacy:
    """The release must look alike on neighbouring data, whatever the other records are: all of them are known.

    >>> import dalenius as dl
    >>> isinstance(dl.differential_privacy(), dl.judge.DifferentialPrivacy)
    True
    """

    domain: tuple[Label | Fraction, ...]
    secret: Secret

    @property
    def belief(self) -> IID:
        """One unknown record, the target's."""
        chances = {value: Fraction(1, len(self.domain)) for value in self.domain}
        return IID(values=chances, n=1)

    @property
    def notion(self) -> Notion | None:
        """What other definitions may be inferred from: records are replaced, not removed."""
        return Notion.DIFFERENTIAL if isinstance(self.secret, Value) else None

    def __str__(self) -> str:
        return "differential privacy, " + ("replace one" if isinstance(self.secret, Value) else "add or remove one")


Definition: TypeAlias = NoiselessPrivacy | DifferentialPrivacy


@final
@dataclass(frozen=True, slots=True)
class DistributionalPrivacy:
    """The release must look as it would without the person's record, given any value of it, to an attacker who believes
    `belief`: distributional differential privacy, with the simulator that leaves the record out.

    It is computed for counts and sums of records that are independent (or independent given a hidden part), exact or
    with noise, for truncated histograms and for choices. Bassily et al. 2013, repaired.

    >>> import dalenius as dl
    >>> isinstance(dl.distributional(dl.IID(p="0.3", n=100)), dl.judge.DistributionalPrivacy)
    True
    """

    belief: Belief

    def __post_init__(self) -> None:
        if not isinstance(self.belief, Belief):
            raise InputError(
                f"Distributional privacy needs a belief such as IID(p=0.1, n=1000), but got {self.belief!r}. Say what "
                "the attacker thinks of the records."
            )

    @property
    def notion(self) -> Notion:
        return Notion.DISTRIBUTIONAL

    def __str__(self) -> str:
        return "distributional differential privacy; the simulator leaves the person's record out"


def distributional(attacker: Belief) -> DistributionalPrivacy:
    """Distributional differential privacy against this attacker.

    >>> import dalenius as dl
    >>> print(dl.verify(dl.Count(), dl.distributional(dl.IID(p="0.3", n=1000)), epsilon=1, delta="1e-6").verdict)
    pass
    """
    return DistributionalPrivacy(attacker)


def noiseless(attacker: Belief, *, secret: Secret = VALUE) -> NoiselessPrivacy:
    """Noiseless privacy against this attacker, for the value of a record (or another secret).

    >>> import dalenius as dl
    >>> print(dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.3", n=1000)), epsilon=1, delta="1e-6").verdict)
    pass
    """
    return NoiselessPrivacy(attacker, secret)


def differential_privacy(
    domain: Iterable[Label | Fraction] = (0, 1),
    *,
    neighbours: Literal["replace", "add or remove"] = "replace",
) -> DifferentialPrivacy:
    """Differential privacy for records with values in `domain`.

    >>> import dalenius as dl
    >>> noisy = dl.Count() >> dl.two_sided_geometric(1)
    >>> print(dl.verify(noisy, dl.differential_privacy(), epsilon=1).delta.upper < 1e-15)
    True
    """
    match neighbours:
        case "replace":
            return DifferentialPrivacy(tuple(domain), Value())
        case "add or remove":
            return DifferentialPrivacy(tuple(domain), PresenceOnly())
        case _:
            raise InputError(f'neighbours must be "replace" or "add or remove", but got {neighbours!r}.')
