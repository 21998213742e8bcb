from dalenius.desk.session.decision import Decision, decide, publish
from dalenius.desk.session.outcome import ReleaseOutcome, carry_out, check_folder, desk_folder, release_folder
from dalenius.desk.session.place import find_ledger
from dalenius.desk.session.reading import named_policies, unjudged
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
