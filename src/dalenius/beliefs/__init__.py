"""What the attacker thinks the data are."""

from dalenius.basics.homes import SPACES, lazily

__getattr__ = lazily("dalenius.beliefs", SPACES["beliefs"])
