"""Attacks that the papers describe, as an attacker would carry them out."""
