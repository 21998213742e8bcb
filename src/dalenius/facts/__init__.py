"""Columns and their values, what a record adds to a figure, and which facts about a person are secret."""

from dalenius.basics.homes import SPACES, lazily

__getattr__ = lazily("dalenius.facts", SPACES["facts"])
