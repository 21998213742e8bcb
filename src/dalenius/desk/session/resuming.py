"""What was recorded but cut short is written first; and if that is what is asked for now, then all is done."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from dalenius.data.completion import complete
from dalenius.data.engine import Table
from dalenius.desk.past import declared, fingerprint
from dalenius.desk.policy import Policy
from dalenius.desk.session.approval import JUDGEMENT
from dalenius.desk.session.dataset import with_dataset
from dalenius.desk.session.decision import person_of, records_table, table_of
from dalenius.desk.session.place import find_ledger
from dalenius.desk.session.reading import read_spec
from dalenius.desk.spec import Prepared, build
from dalenius.record.ledger import Ledger, Recorded


@final
@dataclass(frozen=True, slots=True)
class Resumed:
    """What was left to do from before: in words, and the release that was meant for the same folder and is just what is
    asked for now, if it is there.
    """

    ledger: str
    told: tuple[str, ...] = ()
    same: Recorded | None = None


def resume(
    spec: Path,
    target: Path,
    *,
    data: object | None = None,
    policy: Path | str | None = None,
    ledger: str | Path | None = None,
    ledger_keys: Sequence[str | Path] | None = None,
) -> Resumed:
    """Write the folders of releases that were recorded but cut short. If one of them is what is asked for now (the same
    folder, specification, policies and persons), then that is done.
    """
    model, policies = read_spec(spec, spec.parent, policy)
    place = find_ledger(ledger, model.ledger, spec.parent, ledger_keys)
    place.check_key()
    found = complete(place)
    told = tuple(map(str, found))
    written = [one.release for one in found if not one.problem and one.folder == target.absolute()]
    if not written:
        return Resumed(place.shown, told)
    asked, _ = with_dataset(build(model, spec.parent), model, data, place)
    table = table_of(model, data, spec.parent)
    same = (
        release
        for release in written
        if release.declares(declared(asked)) and _held(place, release, policies) and _persons(release, asked, table)
    )
    return Resumed(place.shown, told, next(same, None))


def _held(ledger: Ledger, release: Recorded, policies: Sequence[Policy]) -> bool:
    """Whether a release was held to these policies: its certificate, or what stands for it, has their limits."""
    files = ledger.files(release)
    found = json.loads(files["certificate.json" if release.certified else JUDGEMENT])
    return bool(found["policies"] == json.loads(json.dumps([policy.limits() for policy in policies])))


def _persons(release: Recorded, asked: Prepared, table: Table) -> bool:
    """Whether the table has the persons of the release, with their public values; where presence is secret, that is not
    looked at.
    """
    before = release.fingerprint
    if before is None:
        return True
    table = records_table(asked, table, asked.frame_columns)
    method, marks = table.marks(asked.frame_columns, person=person_of(asked), public=asked.public)
    return before == fingerprint(asked, method, marks, before.columns, asked.edition)
