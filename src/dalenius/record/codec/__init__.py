"""One codec for what is written down: ledgers, certificates and decisions say the same things through it."""

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
from dalenius.record.codec.canonical import canonical, digest, digests
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
from dalenius.record.codec.runs import runs, vectors

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
    "runs",
    "sample_json",
    "sample_of",
    "text_or_none",
    "together_json",
    "together_of",
    "value_json",
    "value_of",
    "vectors",
    "where_json",
    "where_of",
]
