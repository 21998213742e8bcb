"""An independent oracle: exact answers for small cases, rigorous balls for large ones.

Nothing here imports the library under test. Laws are dicts of Fractions; real numbers are
`flint.arb` balls that contain the truth. `lower` and `upper` turn a ball into exact bounds.
"""

from .balls import least_epsilon as least_epsilon
from .balls import lower as lower
from .balls import upper as upper
from .balls import width as width
from .binomial import closed_form_profile as closed_form_profile
from .binomial import shift_profile as shift_profile
from .composition import composed_by_ratio as composed_by_ratio
from .composition import composed_copies as composed_copies
from .composition import composed_hockey_stick as composed_hockey_stick
from .datasets import by_datasets as by_datasets
from .laws import BallLaw as BallLaw
from .laws import Law as Law
from .laws import bernoulli as bernoulli
from .laws import both_ways as both_ways
from .laws import convolve as convolve
from .laws import curve_epsilon as curve_epsilon
from .laws import curve_ratio as curve_ratio
from .laws import hockey_stick as hockey_stick
from .laws import max_divergence as max_divergence
from .laws import mixture as mixture
from .laws import power as power
from .laws import product as product
from .laws import pushforward as pushforward
from .laws import shift as shift
from .laws import sum_of as sum_of
from .laws import total_variation as total_variation
from .linear import combination as combination
from .linear import revealed_atoms as revealed_atoms
from .noise import add_noise as add_noise
from .noise import discrete_gaussian as discrete_gaussian
from .noise import shift_balls as shift_balls
from .noise import two_sided_geometric as two_sided_geometric
from .noiseless import Problem as Problem
from .noiseless import Worst as Worst
from .noiseless import pairs_of_worlds as pairs_of_worlds
from .noiseless import worst_delta as worst_delta
from .noiseless import worst_epsilon as worst_epsilon
from .poisson_binomial import profile as profile
from .poisson_binomial import profile_of_types as profile_of_types

# laws.binomial and poisson_binomial.poisson_binomial share their names with modules:
# import them from there.
