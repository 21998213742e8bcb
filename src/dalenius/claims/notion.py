"""The definitions of privacy by name, and what their two numbers mean."""

from enum import StrEnum

from dalenius.facts.secret import Hidden, Presence, PresenceOnly, Value


class Notion(StrEnum):
    """What a guarantee is about. ε and δ are as below; where a notion has only one number, the other is 0."""

    INDISTINGUISHABLE = "indistinguishability"  # P(S) ≤ e^ε Q(S) + δ for every event, both ways
    POINTWISE = "point-wise indistinguishability"  # the ratio is within e^±ε but on a set of mass δ
    VARIATION = "total variation"  # δ: the largest difference of probabilities
    DIFFERENTIAL = "differential privacy"  # on neighbouring data
    SEMANTIC = "semantic privacy"  # ε: the largest shift of a belief (total variation), but with probability δ
    OBLIVIOUS = "reality-oblivious semantic privacy"  # the same, whatever the data are
    RATIO = "posterior ratio"  # ε: the largest |ln| of a ratio of posteriors, with the record and without
    DISTRIBUTIONAL = "distributional differential privacy"  # release and simulator, given a record
    COUPLED = "coupled-worlds privacy"  # release and simulator, given what is private
    INFERENCE = "inference-based privacy"  # posteriors (ε, δ)-alike, but with probability δ
    NOISELESS = "noiseless privacy"  # release given two values of a record, for one attacker
    PRESENCE = "noiseless privacy of presence"  # the same given two values of a record, or one and its absence
    PRESENCE_ALONE = "noiseless privacy of presence alone"  # given a value of a record and its absence
    PUFFERFISH = "Pufferfish privacy"  # release given two secrets, for each attacker
    POSTERIOR = "inference-based Pufferfish privacy"  # posterior and prior (ε, δ)-alike, but with probability δ
    ADDITIVE = "additive secrecy"  # δ: total variation on neighbouring data


def notion_of(secret: Hidden) -> Notion:
    """What a guarantee against one attacker is called, by what it hides. What is secret of a value in part, or of a
    whole household, are secrets of Pufferfish privacy.
    """
    match secret:
        case Value():
            return Notion.NOISELESS
        case Presence():
            return Notion.PRESENCE
        case PresenceOnly():
            return Notion.PRESENCE_ALONE
        case _:
            return Notion.PUFFERFISH
