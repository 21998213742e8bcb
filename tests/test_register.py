"""The demo's register is what its script writes, and has 20,000 patients."""

import gzip
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_register_is_what_its_script_writes():
    sys.path.insert(0, str(ROOT / "tools"))
    from make_register import files

    for name, content in files().items():
        bundled = (ROOT / "src" / "dalenius" / "desk" / "examples" / name).read_bytes()
        unpack = gzip.decompress if name.endswith(".gz") else bytes
        assert unpack(bundled) == unpack(content), f"{name} is out of date: run tools/make_register.py"
        if name.endswith(".gz"):
            lines = unpack(bundled).decode().splitlines()
            assert len(lines) == 20_001 and len({line.split(",")[0] for line in lines}) == 20_001
            assert len(bundled) < 200_000
