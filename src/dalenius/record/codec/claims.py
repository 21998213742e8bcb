"""What is claimed, as JSON."""

from dalenius.plan import Target
from dalenius.record.codec.form import Json


def claim_json(target: Target, most: str | float, *, evidence: str) -> dict[str, Json]:
    """What was asked for, and the delta that holds: exact text in a certificate, a float in a decision."""
    return {
        "definition": "noiseless privacy",
        "events": "all events",
        "evidence": evidence,
        "epsilon": str(target.epsilon),
        "delta_wanted": str(target.delta),
        "delta_at_most": most,
    }
