"""Certificates: written, read again, judged again, signed."""
