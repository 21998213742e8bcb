"""What a specification says of all records at once, against the table that it is about."""

from dataclasses import replace

from dalenius.basics.errors import DataError, InputError, SpecError
from dalenius.data import Table
from dalenius.desk.spec import Prepared
from dalenius.desk.spec.stances import order_columns
from dalenius.tables.contributions import Records
from dalenius.tables.figures import Frame


def drawn_frame(prepared: Prepared, table: Table) -> Frame:
    """The members of the population; how many of each stratum were drawn is read where it is public."""
    sample = prepared.sample
    if sample is None:
        raise InputError("There is no sample. Declare it.")
    found = dict.fromkeys(sample.members, 0) | table.groups(prepared.frame_columns, public=prepared.public)
    for cell, people in found.items():
        if people > sample.members.get(cell, 0):
            where = f" in {', '.join(map(str, cell))}" if cell else ""
            raise DataError(
                f"sample: the population has {sample.members.get(cell, 0)} members{where}, but the table has more rows "
                "there. Correct of, or the table."
            )
    drawn = {cell: found[cell] for cell in sample.members} if sample.design == "simple" else {}
    return Frame(prepared.frame_columns, sample.members, sample=replace(sample, drawn=drawn))


def check_believed(prepared: Prepared, frame: Frame, table: Table) -> None:
    """SpecError where figures tell of what a sample's table does not say, or stand in an order that is not there."""
    figures = (*prepared.history.figures, *prepared.figures)
    if frame.sample is not None:
        from dalenius.tables.drawing import check_drawn

        try:
            check_drawn(frame.sample, figures, Records(prepared.confidential, prepared.beliefs, frame))
        except InputError as error:
            raise SpecError(str(error)) from None
    names = table.columns()
    for column in order_columns(prepared.beliefs):
        if column not in names:
            raise DataError(
                f"order needs the column {column!r}, but the table has none of that name. Name the column by which the "
                "records stand in order."
            )
    for belief in prepared.beliefs:
        if belief.stance is None:
            continue
        from dalenius.tables.stances import Ordered

        last = max(belief.stance.known_at, default=0) if isinstance(belief.stance, Ordered) else 0
        if last > frame.size:
            raise SpecError(
                f"The belief about {belief} has a known record at place {last}, but there are {frame.size}. Correct it."
            )
