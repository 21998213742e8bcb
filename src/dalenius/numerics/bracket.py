"""Where brackets were before."""

from dalenius.enclosure.brackets import Bracket, around

__all__ = ["Bracket", "around"]
