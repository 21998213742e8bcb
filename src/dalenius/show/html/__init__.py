"""The report for the person who signs: one page that needs no network, no script and no other file."""

from dalenius.show.html.account import Account, Policed
from dalenius.show.html.page import report_html

__all__ = ["Account", "Policed", "report_html"]
