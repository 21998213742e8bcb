"""Columns and their values, what a record adds to a figure, and which facts about a person are secret."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.facts.secret import Presence as Presence
    from dalenius.facts.secret import PresenceOnly as PresenceOnly
    from dalenius.facts.secret import Value as Value
    from dalenius.facts.secret import Within as Within
    from dalenius.facts.statistics import Count as Count
    from dalenius.facts.statistics import Histogram as Histogram
    from dalenius.facts.statistics import Mean as Mean
    from dalenius.facts.statistics import Statistic as Statistic
    from dalenius.facts.statistics import Sum as Sum

__getattr__, __dir__ = lazily("dalenius.facts", SPACES["facts"])
