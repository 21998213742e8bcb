"""Charts as pictures, drawn in a process of its own: where memory is short the drawing library ends its process, and
that must not be ours.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from dalenius.basics.errors import OutputError

Form: TypeAlias = Literal["svg", "png"]

CHILD = """
import base64, json, sys
import vl_convert
pictures = []
for chart, form in json.load(sys.stdin):
    if form == "svg":
        pictures.append(vl_convert.vegalite_to_svg(chart).encode())
    else:
        pictures.append(vl_convert.vegalite_to_png(chart, scale=2))
json.dump([base64.b64encode(picture).decode() for picture in pictures], sys.stdout)
"""


def pictures(charts: Sequence[tuple[dict[str, Any], Form]]) -> list[bytes]:
    """Each chart (Vega-Lite) in its form; OutputError if it cannot be drawn."""
    done = subprocess.run(  # noqa: S603 - our own words, in our own interpreter
        [sys.executable, "-c", CHILD], input=json.dumps(list(charts)), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise OutputError(
            "The chart could not be drawn: the drawing library (vl-convert-python) stopped, mostly for want of memory. "
            "Leave the chart out, or allow more memory."
        )
    return [base64.b64decode(picture) for picture in json.loads(done.stdout)]
