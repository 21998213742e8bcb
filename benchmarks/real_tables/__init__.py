"""Thirty real tables out of packages on PyPI, and for each a specification by somebody who knows the table."""
