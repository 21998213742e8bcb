"""A ledger and what is released beside it: what must hold after any death."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dalenius.data import complete
from dalenius.data.folder import holds
from dalenius.desk import curves
from dalenius.desk.session import carry_out
from dalenius.record.ledger import open_ledger
from dalenius.show.ledger import verified
from ledger.killing import events, leftovers
from ledger.stand import decided, up_to

NOISE = {"noise": {"geometric": 3}}
MEASURED = curves.measured


@dataclass
class Site:
    """A ledger, the folders that are released beside it, and how many of them are recorded."""

    place: str
    folder: Path
    recorded: int = 0
    keys: tuple[str, ...] = ()

    def ledger(self):
        return open_ledger(self.place, keys=self.keys)

    def work(self, number):
        """A release, to be done in another process."""
        return partial(self.release, number)

    def release(self, number, *, charts=False):
        """A dataset of its own for each attempt, so that all may go out; noise, so that no two draws are alike."""
        drawn, curves.measured = curves.measured, MEASURED if charts else curves.measured
        asked = decided(self.ledger(), [up_to(59, **NOISE)], dataset=f"set {number}")
        asked = asked.within(None) if charts else asked
        assert carry_out(asked, self.folder / f"out {number}").release is not None
        curves.measured = drawn

    def done(self, number):
        """A release that nobody kills."""
        self.release(number)
        self.recorded += 1
        return self

    def counted(self, number, *, crucial, charts=False) -> int:
        """How many events such a release has."""
        self.recorded += 1
        return events(partial(self.release, number, charts=charts), crucial=crucial)

    def check(self, number, code) -> bool:
        """Nothing is lost, nothing is out that is not recorded, and completion leaves no traces of the crash. Whether
        the release is recorded.
        """
        target, ledger = self.folder / f"out {number}", self.ledger()
        releases = ledger.releases()
        mine = [found for found in releases if found.folder == str(target)]
        assert len(releases) == self.recorded + len(mine) and len(mine) < 2
        if target.exists():
            assert mine, "a figure is out that is not in the ledger"
            assert holds(target, ledger.files(mine[0])), "a half-written folder"
        if code == 0:
            assert mine and target.exists()
        drawn = [ledger.files(found) for found in mine]
        complete(ledger)
        assert target.exists() == bool(mine)
        for found, files in zip(mine, drawn, strict=True):
            assert holds(target, files)
            assert ledger.files(found) == files
        assert not ledger.pending()
        assert leftovers(self.folder) == []
        self.recorded += len(mine)
        return bool(mine)

    def check_all(self):
        """The whole chain, every file in it, and every folder."""
        ledger = self.ledger()
        assert (verified(ledger)["entries"] if ledger.exists() else 0) == 2 * self.recorded
        assert len(list(self.folder.glob("out *"))) == self.recorded
