"""What publishing something of a histogram guarantees: all cells, the large ones, or a choice."""

from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import FITTED, IID
from dalenius.beliefs.designs import Bernoulli, Independently, Poisson
from dalenius.beliefs.fixed_size import WithoutReplacement
from dalenius.beliefs.histogram import ExactHistogram
from dalenius.beliefs.one_of import OneOfTheModels
from dalenius.beliefs.sampled import Sampled
from dalenius.beliefs.truncated import TruncatedHistogram
from dalenius.claims import Evidence, Guarantee
from dalenius.enclosure.brackets import around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.facts.secret import PresenceOnly, Value
from dalenius.facts.statistics import Count, Histogram
from dalenius.judge.definition import DistributionalPrivacy, NoiselessPrivacy
from dalenius.judge.selection import selection_guarantee
from dalenius.mechanisms.channel import Exact
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.histogram_release import HistogramRelease, Truncated
from dalenius.mechanisms.models import LikeliestModel, Mode
from dalenius.mechanisms.modes import mode_curve
from dalenius.numerics.curve import Curve

SOURCE = "Bassily et al. 2013, Coupled-worlds privacy, Theorems 10 and 13 to 15 (repaired)"
MODELS = "The likeliest model is judged under noiseless(...) or distributional(...) of OneOfTheModels(n=...)"
Asked = NoiselessPrivacy | DistributionalPrivacy


def histogram_curve(release: HistogramRelease, asked: object) -> Curve:
    """δ(ε) of what is shown of a histogram, under the definition that it is computed for."""
    match release.shown, asked:
        case Exact(), NoiselessPrivacy(belief=IID() as belief, secret=Value()):
            release.figure.check(belief.domain())
            cells = {value if isinstance(value, str | int) else str(value): p for value, p in belief.marginal}
            return ExactHistogram(cells, belief.n, belief.known).curve(Value())
        case Mode() as shown, NoiselessPrivacy(belief=IID() as belief, secret=Value()):
            return mode_curve(shown, belief)
        case Mode() as shown, DistributionalPrivacy(belief=IID() as belief):
            return mode_curve(shown, belief, secret=PresenceOnly())
        case Truncated(least=least), DistributionalPrivacy(belief=Sampled() as belief):
            return _truncated(TruncatedHistogram(least), release, belief)
        case _:
            raise InputError(f"{_needs(release)}, but got {asked}{_of(asked)}. Ask for that.")


def _needs(release: HistogramRelease) -> str:
    match release.shown:
        case Exact():
            return "An exact histogram is judged under noiseless(IID(values=..., n=...)), for the value of a record"
        case Mode():
            return "The most frequent value is judged under noiseless(IID(...)) or distributional(IID(...))"
        case Truncated():
            return "A truncated histogram is judged under distributional(Sampled(...))"
        case LikeliestModel():
            return MODELS


def _of(asked: object) -> str:
    return f" of {asked.belief}, {getattr(asked, 'secret', '')}" if isinstance(asked, Asked) else ""


def _truncated(shown: TruncatedHistogram, release: HistogramRelease, belief: Sampled) -> Curve:
    if belief.known:
        raise InputError(
            f"A truncated histogram is judged for attackers who know of nobody whether they were drawn, but got "
            f"known={belief.known}. Leave it out, or judge the figure itself under noiseless(...)."
        )
    single = isinstance(release.figure, Count)
    if isinstance(release.figure, Histogram):
        release.figure.check(belief.cells)
        members = list(belief.cells.values())
    else:
        release.figure.check(belief.cells)
        members = [sum(size for value, size in belief.cells.items() if release.figure.contribution(value))]
    match belief.design:
        case Bernoulli(rate=rate):
            return shown.bernoulli(members, rate)
        case Poisson(rate=rate):
            return shown.poisson([(size - 1) * rate for size in members])
        case Independently(sizes=sizes):
            return shown.draws([Fraction(size, belief.members) for size in members], _chances(sizes))
        case WithoutReplacement(sizes=sizes) if not single:
            return shown.sample(members, _chances(sizes))
    raise InputError(
        f"One truncated count of {belief} is not judged: how many others were drawn would show in the rest. Publish "
        "the whole histogram, Histogram(...) >> Truncated(k)."
    )


def _chances(sizes: tuple[tuple[int, int], ...]) -> dict[int, Fraction]:
    whole = sum(weight for _, weight in sizes)
    return {size: Fraction(weight, whole) for size, weight in sizes}


def histogram_guarantee(
    release: HistogramRelease, asked: object, at: Fraction | None, target: Fraction | None
) -> Guarantee:
    """What is shown of a histogram, as a guarantee at this ε or δ."""
    if isinstance(release.shown, LikeliestModel):
        return model_guarantee(release.shown, release, asked, at, target)
    whole = histogram_curve(release, asked)
    if not isinstance(asked, Asked):
        raise InputError(f"{_needs(release)}, but got {asked}. Ask for that.")
    wanted = target or Fraction(0)
    belief = asked.belief
    return Guarantee(
        definition=str(asked),
        hides="the value of any one record" if isinstance(asked, NoiselessPrivacy) else "whether a record was used",
        attacker=str(belief),
        release=str(release),
        epsilon=around(at, at) if at is not None else whole.epsilon(wanted),
        delta=whole.delta(at) if at is not None else around(wanted, wanted),
        target_epsilon=at,
        target_delta=target,
        because="computed from the law of the counts that a person changes, over all cells, both directions",
        assumes=(*belief.assumes, *((FITTED,) if belief.fitted else ()), *ASSUMPTIONS),
        breaks=(belief.breaks, "another figure about overlapping records that is not judged together with this one"),
        evidence=Evidence.HEURISTIC if belief.fitted else Evidence.COMPUTED,
        sources=(SOURCE, *belief.sources),
        notion=asked.notion,
    )


def model_guarantee(
    shown: object, release: object, asked: object, at: Fraction | None, target: Fraction | None
) -> Guarantee:
    """The choice of a model, for records that follow one of them."""
    match shown, asked:
        case (LikeliestModel() | LikeliestRate()) as choice, (
            NoiselessPrivacy(belief=OneOfTheModels() as belief, secret=Value())
            | DistributionalPrivacy(belief=OneOfTheModels() as belief)
        ):
            return selection_guarantee(
                choice,
                n=belief.n,
                known=belief.known,
                least_prior=belief.least_prior,
                noiseless=isinstance(asked, NoiselessPrivacy),
                epsilon=at,
                delta=target,
            )
        case _:
            raise InputError(f"{MODELS}, but got {asked}{_of(asked)} for {release}. Ask for that.")
