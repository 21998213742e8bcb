"""Certified numerics: brackets, laws on a lattice, divergences, curves. No files, no clock, no dice."""

from dalenius.basics.homes import SPACES, lazily

__getattr__ = lazily("dalenius.numerics", SPACES["numerics"])
