"""python -m dalenius."""

from dalenius.cli import main

main()
