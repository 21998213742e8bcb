"""What somebody who sees a release can come to believe about one person: bounds from a curve, and exact posteriors."""

from dalenius.attacks.odds import Odds, Points, odds_from
from dalenius.attacks.posterior import Outcome, compared, outcomes, posteriors

__all__ = ["Odds", "Outcome", "Points", "compared", "odds_from", "outcomes", "posteriors"]
