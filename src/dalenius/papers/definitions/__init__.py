"""Definitions of privacy on worlds that can be listed."""
