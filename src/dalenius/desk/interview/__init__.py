"""Plain questions about a table and about who attacks: from answers to a commented specification."""

from dalenius.desk.interview.answers import file_asker
from dalenius.desk.interview.page import new_spec
from dalenius.desk.interview.preset import PRESETS, Preset, preset_named
from dalenius.desk.interview.question import Ask, Asking, Offer
from dalenius.desk.interview.talk import FIVE

__all__ = ["FIVE", "PRESETS", "Ask", "Asking", "Offer", "Preset", "file_asker", "new_spec", "preset_named"]
