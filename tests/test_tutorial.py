"""The tutorial is executed: its files are written, its commands are run, and what they print is what it shows."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from edges.desk import dalenius

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(console|yaml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STILL = re.compile(r"^still .*, \d+ s\n", re.MULTILINE)  # a slow machine: it says so every half minute


def steps(text: str) -> list[tuple[str, str]]:
    """Files ("file NAME", content) and commands ("$ ...", expected output), in order."""
    found = []
    for kind, content in BLOCK.findall(text):
        if kind == "yaml":
            name, _, rest = content.partition("\n")
            found.append((f"file {name.removeprefix('# ')}", rest))
        else:
            parts = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
            found += [("$ " + part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]
    return found


def printed(command: str) -> str:
    """What a command prints: cp from the repository, cat, and dalenius."""
    program, *arguments = shlex.split(command)
    if program == "cp":
        for name in arguments[:-1]:
            shutil.copy(ROOT / name, arguments[-1])
        return ""
    if program == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in arguments)
    assert program == "dalenius", command
    answer = dalenius(*arguments)
    return answer.out + STILL.sub("", answer.err)


def agrees(expected: str, found: str) -> bool:
    """Equal, where three dots on a line of their own stand for any lines."""
    pattern = "".join(
        ".*?" if line.strip() == "..." else re.escape(line) + "\n" for line in expected.rstrip("\n").splitlines()
    )
    if not expected.strip():
        return not found.strip()
    return re.fullmatch(pattern, found.rstrip("\n") + "\n", re.DOTALL) is not None


@pytest.mark.slow
def test_the_tutorial_is_true(tmp_path, monkeypatch):
    monkeypatch.delenv("DALENIUS_POLICY", raising=False)
    monkeypatch.chdir(tmp_path)
    todo = steps((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert len(todo) > 6
    for what, content in todo:
        if what.startswith("file "):
            Path(what.removeprefix("file ")).write_text(content, encoding="utf-8")
        else:
            found = printed(what.removeprefix("$ "))
            assert agrees(content, found), f"{what}\n{found}"
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_wrong_line_is_noticed():
    assert agrees("a\n...\nd\n", "a\nb\nc\nd\n") and not agrees("a\n...\ne\n", "a\nb\nd\n") and not agrees("a\n", "b\n")
