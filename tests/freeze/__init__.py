"""Certified answers of both engines, kept as they were: upper ends may fall, lower ends may rise."""
