from typing import TYPE_CHECKING

from dalenius.basics.homes import lazily
from dalenius.desk.session.decision import Decision, decide, publish
from dalenius.desk.session.place import find_ledger
from dalenius.desk.session.reading import named_policies, unjudged

if TYPE_CHECKING:
    from dalenius.desk.session.outcome import ReleaseOutcome, carry_out, check_folder, desk_folder, release_folder
    from dalenius.desk.session.resuming import Resumed, resume

__all__ = [
    "Decision",
    "ReleaseOutcome",
    "Resumed",
    "carry_out",
    "check_folder",
    "decide",
    "desk_folder",
    "find_ledger",
    "named_policies",
    "publish",
    "release_folder",
    "resume",
    "unjudged",
]

__getattr__, __dir__ = lazily(
    "dalenius.desk.session",
    {
        "desk.session.outcome": ("ReleaseOutcome", "carry_out", "check_folder", "desk_folder", "release_folder"),
        "desk.session.resuming": ("Resumed", "resume"),
    },
)
