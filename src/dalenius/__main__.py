"""python -m dalenius."""

from dalenius.cli import start

start()
