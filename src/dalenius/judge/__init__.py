"""One question, one judge: how much the numbers that cover a group of people tell about one of them."""

from dalenius.basics.homes import SPACES, lazily

__getattr__ = lazily("dalenius.judge", SPACES["judge"])
