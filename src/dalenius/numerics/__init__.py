"""Certified numerics: brackets, laws on a lattice, divergences, curves. No files, no clock, no dice."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.enclosure.brackets import Bracket as Bracket
    from dalenius.numerics.compose import compose as compose
    from dalenius.numerics.curve import Curve as Curve
    from dalenius.numerics.dependent_moments import BlockMoments as BlockMoments
    from dalenius.numerics.dependent_moments import GraphMoments as GraphMoments
    from dalenius.numerics.law import Law as Law
    from dalenius.numerics.moments import Moments as Moments

__getattr__, __dir__ = lazily("dalenius.numerics", SPACES["numerics"])
