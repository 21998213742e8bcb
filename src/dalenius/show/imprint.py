"""Which release a report is about, so that what somebody signs cannot be taken for another one."""

from dataclasses import dataclass
from typing import final

from dalenius.show.layout import item

UNRELEASED = "none: the figures were judged, and nothing was released"


@final
@dataclass(frozen=True, slots=True)
class Imprint:
    """When a report was made and by whom, about which people; and for a release what it is called, which entry of the
    ledger it is, and the SHA-256 of its certificate.
    """

    when: str
    author: str
    dataset: str
    ledger: str
    edition: str = ""
    release: str = ""
    entry: int = 0
    certificate: str = ""

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What is said, and of what."""
        of = f"{self.dataset}, edition {self.edition}" if self.edition else self.dataset
        where = f"entry {self.entry} of {self.ledger}" if self.entry else f"{self.ledger}, read and not changed"
        found = [
            ("release", self.release or UNRELEASED),
            ("dataset", of),
            ("date", self.when),
            ("made by", self.author),
            ("ledger", where),
            ("certificate", f"SHA-256 {self.certificate}" if self.certificate else ""),
        ]
        return [(name, told) for name, told in found if told]

    def text(self) -> str:
        """For a report in words."""
        return "\n".join(["This report is about:", *(item(f"{name}: {told}") for name, told in self.rows)]) + "\n"
