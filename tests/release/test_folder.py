"""A folder is written whole or not at all."""

import os
from pathlib import Path

import pytest

from dalenius.basics.errors import OutputError
from dalenius.data import write_folder

FILES = {"figures.csv": b"a,b\n1,2\n", "report.txt": "ε = 0.5\n".encode(), "empty": b""}


def everything(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def refused(target, files=FILES) -> str:
    with pytest.raises(OutputError) as caught:
        write_folder(target, files)
    return str(caught.value)


def test_all_files_are_written_and_nothing_else(tmp_path):
    write_folder(tmp_path / "out", FILES)
    assert everything(tmp_path) == ["out"]
    assert {entry.name: entry.read_bytes() for entry in (tmp_path / "out").iterdir()} == FILES


def test_a_relative_target_is_written_below_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_folder(Path("out"), FILES)
    assert everything(tmp_path / "out") == sorted(FILES)


def test_the_folder_is_readable_as_the_user_is_used_to(tmp_path):
    (tmp_path / "usual").mkdir()
    write_folder(tmp_path / "out", FILES)
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("make", [lambda p: p.mkdir(), lambda p: p.touch(), lambda p: p.symlink_to("nowhere")])
def test_a_target_that_exists_is_left_alone(tmp_path, make):
    target = tmp_path / "out"
    make(target)
    assert "Choose a new folder" in refused(target)
    assert everything(tmp_path) == ["out"]
    assert not target.is_dir() or everything(target) == []


def test_a_missing_parent_is_named(tmp_path):
    assert str(tmp_path / "nowhere") in refused(tmp_path / "nowhere" / "out")
    assert everything(tmp_path) == []


def test_a_parent_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    assert "there is none" in refused(tmp_path / "file" / "out")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which nobody may write, not even root")
def test_an_unwritable_parent_is_refused():
    assert "Choose a folder that you may write to" in refused(Path("/proc/self/out"))


@pytest.mark.parametrize("step", ["write", "rename"])
def test_nothing_is_left_behind_when_the_disk_fails(tmp_path, monkeypatch, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", fail) if step == "write" else (Path, "rename", fail)))
    assert "No space left on device" in refused(tmp_path / "out")
    assert everything(tmp_path) == []


def test_nothing_is_left_behind_when_it_is_interrupted(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "out", FILES)
    assert everything(tmp_path) == []


def test_a_file_cannot_be_written_outside_the_folder(tmp_path):
    for name in ("../escaped", "a/b/c", "/etc/x", "a/..", "a/", "./a", "", "..", "."):
        with pytest.raises(OutputError):
            write_folder(tmp_path / "out", {name: b"x"})
    assert everything(tmp_path) == []


def test_a_name_may_say_one_folder_inside(tmp_path):
    write_folder(tmp_path / "out", {"a.csv": b"1", "sums/a.csv.txt": b"2", "sums/b.csv.txt": b"3"})
    assert (tmp_path / "out" / "sums" / "b.csv.txt").read_bytes() == b"3"
    assert everything(tmp_path / "out") == ["a.csv", "sums"] and everything(tmp_path) == ["out"]
