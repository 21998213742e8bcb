"""What the attacker thinks the data are."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.beliefs.around import Around as Around
    from dalenius.beliefs.around import Hull as Hull
    from dalenius.beliefs.at_least import AtLeast as AtLeast
    from dalenius.beliefs.belief import IID as IID
    from dalenius.beliefs.belief import Belief as Belief
    from dalenius.beliefs.belief import Independent as Independent
    from dalenius.beliefs.belief import fitted as fitted
    from dalenius.beliefs.blocks import Blocks as Blocks
    from dalenius.beliefs.brackets import Brackets as Brackets
    from dalenius.beliefs.estimated import Estimated as Estimated
    from dalenius.beliefs.hedged import Hedged as Hedged
    from dalenius.beliefs.histogram import ExactHistogram as ExactHistogram
    from dalenius.beliefs.markov import Markov as Markov
    from dalenius.beliefs.mixture import Mixture as Mixture
    from dalenius.beliefs.moments import RangeVariance as RangeVariance
    from dalenius.beliefs.one_of import OneOfTheModels as OneOfTheModels
    from dalenius.beliefs.sample_sizes import discarding as discarding
    from dalenius.beliefs.sampled import Sampled as Sampled
    from dalenius.beliefs.truncated import TruncatedHistogram as TruncatedHistogram
    from dalenius.beliefs.uniform_part import simulated_sum as simulated_sum
    from dalenius.beliefs.uniform_part import sum_by_value as sum_by_value
    from dalenius.beliefs.vertices import Rates as Rates

__getattr__, __dir__ = lazily("dalenius.beliefs", SPACES["beliefs"])
