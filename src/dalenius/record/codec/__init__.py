"""One codec for what is written down: ledgers, certificates and decisions say the same things through it.

A part of it is loaded when it is first used: a ledger in which nothing is written yet needs next to none.
"""

from typing import TYPE_CHECKING

from dalenius.basics.homes import lazily
from dalenius.record.codec.canonical import canonical, digest, digests

if TYPE_CHECKING:
    from dalenius.record.codec.beliefs import (
        attacker_json,
        belief_json,
        belief_of,
        sample_json,
        sample_of,
        together_json,
        together_of,
    )
    from dalenius.record.codec.believed import believed_json, believed_of
    from dalenius.record.codec.claims import claim_json
    from dalenius.record.codec.figures import (
        channel_of,
        column_json,
        column_of,
        derived_json,
        figure_json,
        figure_of,
        numbers_json,
        numbers_of,
        where_json,
        where_of,
    )
    from dalenius.record.codec.form import Form, Json
    from dalenius.record.codec.numbers import bracket_text, cell_json, cell_of, text_or_none, value_json, value_of

__all__ = [
    "Form",
    "Json",
    "attacker_json",
    "belief_json",
    "belief_of",
    "believed_json",
    "believed_of",
    "bracket_text",
    "canonical",
    "cell_json",
    "cell_of",
    "channel_of",
    "claim_json",
    "column_json",
    "column_of",
    "derived_json",
    "digest",
    "digests",
    "figure_json",
    "figure_of",
    "numbers_json",
    "numbers_of",
    "sample_json",
    "sample_of",
    "text_or_none",
    "together_json",
    "together_of",
    "value_json",
    "value_of",
    "where_json",
    "where_of",
]

HOMES = {
    "record.codec.beliefs": (
        "attacker_json",
        "belief_json",
        "belief_of",
        "sample_json",
        "sample_of",
        "together_json",
        "together_of",
    ),
    "record.codec.believed": (
        "believed_json",
        "believed_of",
    ),
    "record.codec.claims": ("claim_json",),
    "record.codec.figures": (
        "channel_of",
        "column_json",
        "column_of",
        "derived_json",
        "figure_json",
        "figure_of",
        "numbers_json",
        "numbers_of",
        "where_json",
        "where_of",
    ),
    "record.codec.form": (
        "Form",
        "Json",
    ),
    "record.codec.numbers": (
        "bracket_text",
        "cell_json",
        "cell_of",
        "text_or_none",
        "value_json",
        "value_of",
    ),
}

__getattr__, __dir__ = lazily("dalenius.record.codec", HOMES)
