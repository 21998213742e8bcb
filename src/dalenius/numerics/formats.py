"""Where the writing of numbers was before."""

from dalenius.enclosure.formats import DECIMALS as DECIMALS
from dalenius.enclosure.formats import MOST_DIGITS as MOST_DIGITS
from dalenius.enclosure.formats import SHOWN as SHOWN
from dalenius.enclosure.formats import apart as apart
from dalenius.enclosure.formats import at_least as at_least
from dalenius.enclosure.formats import at_most as at_most
from dalenius.enclosure.formats import digits as digits
from dalenius.enclosure.formats import in_decimals as in_decimals
from dalenius.enclosure.formats import nearly as nearly
from dalenius.enclosure.formats import one_in as one_in
from dalenius.enclosure.formats import percent as percent
from dalenius.enclosure.formats import plain as plain
from dalenius.enclosure.formats import raised as raised
from dalenius.enclosure.formats import short as short
from dalenius.enclosure.formats import tick as tick
from dalenius.enclosure.formats import upwards as upwards
