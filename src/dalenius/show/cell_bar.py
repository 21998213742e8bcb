"""Progress in a notebook: a bar below the cell that is running, which goes when the cell is done."""

import sys
import time
from typing import Any, final


def notebook() -> Any:
    """The shell of the notebook in which this runs; None anywhere else."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def silent(_what: str, _done: int, _of: int) -> None:
    """Nobody watches."""


def watched(progress: Any) -> Any:
    """The progress that somebody asked for; in a notebook a bar, if nobody did."""
    shell = notebook() if progress is None or progress is silent else None
    if shell is not None:
        return CellBar(shell)
    return progress or silent


@final
class CellBar:
    """Work that is over within a second shows nothing."""

    LATE, OFTEN = 1.0, 0.2  # seconds

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._begun: float | None = None
        self._drawn = 0.0
        self._shown: Any = None

    def __call__(self, what: str, done: int, of: int) -> None:
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
            self._shell.events.register("post_run_cell", self._over)
        if now - self._begun < self.LATE or now - self._drawn < self.OFTEN:
            return
        from dalenius.show.html.notebook import bar_fragment

        self._drawn = now
        self._show(bar_fragment(what, done, of, int(now - self._begun)))

    def _show(self, text: str) -> None:
        page = {"text/html": text}
        display = sys.modules["IPython"].display
        if self._shown is None:
            self._shown = display.display(page, raw=True, display_id=True)
        else:
            self._shown.update(page, raw=True)

    def _over(self, *_: object) -> None:
        self._shell.events.unregister("post_run_cell", self._over)
        if self._shown is not None:
            self._show("")
        self._begun, self._shown = None, None
