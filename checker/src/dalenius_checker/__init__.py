"""An independent checker of certificates of dalenius. It shares no code with it."""

__version__ = "0.1.0"
