"""Mechanisms on worlds that can be listed."""
