"""Errors that nobody foresaw: a defect of dalenius, told without a value that it may have stumbled over."""

from pathlib import Path
from traceback import walk_tb

DEFECT = 70  # EX_SOFTWARE of sysexits.h: no answer, neither yes nor no
PACKAGE = Path(__file__).parents[1]
EVERYWHERE = ("cli/__init__.py", "cli/app.py")  # every command comes through these


def describe_defect(error: BaseException) -> str:
    """The kind of error and the places in dalenius that it came through; not its own words, which may quote data.

    >>> describe_defect(KeyError("a secret"))
    'dalenius failed by itself (KeyError). This is a defect, and no answer: ... its own words may quote data.'
    """
    files = ((Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__))
    ours = ((path.relative_to(PACKAGE).as_posix(), line) for path, line in files if path.is_relative_to(PACKAGE))
    places = [f"{name}:{line}" for name, line in ours if name not in EVERYWHERE]
    where = f" at {' > '.join(places)}" if places else ""
    return (
        f"dalenius failed by itself ({type(error).__name__}{where}). This is a defect, and no answer: the figures were "
        "neither allowed nor refused. Report it with this line; what else the error says is not shown, because its own "
        "words may quote data."
    )
