"""Where brackets were before."""

from dalenius.enclosure.brackets import Bracket as Bracket
from dalenius.enclosure.brackets import around as around
