"""Columns and their values, what a record adds to a figure, and which facts about a person are secret."""
