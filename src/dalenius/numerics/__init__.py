"""Certified numerics: brackets, laws on a lattice, divergences, curves. No files, no clock, no dice."""
