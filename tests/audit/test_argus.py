"""A table as τ-ARGUS takes it, with its .rda file and its list of codes."""

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError

RDA = """   <SEPARATOR> ","
   <SAFE> s
   <UNSAFE> u
   <PROTECT> z
ACTIVITY
  <RECODABLE>
  <TOTCODE> "T"
  <HIERARCHICAL>
  <HIERCODELIST> "act.hrc"
  <HIERLEADSTRING> "@"
SIZE
  <RECODABLE>
  <TOTCODE> "Every size"
VAL
  <NUMERIC> <RESPONSE>
N_OBS
  <NUMERIC>
  <FREQUENCY>
STATUS
  <STATUS>
"""
TAB = """"01","small",100,10,"s"
"01","large",50,5,"u"
"01","Every size",150,15,"s"
"0","small",130,12,"s"
"0","large",70,10,"s"
"0","Every size",200,22,"s"
"02","small",30,2,"s"
"02","large",20,5,"u"
"02","Every size",50,7,"s"
"06","small",60,8,"s"
"06","large",40,6,"s"
"06","Every size",100,14,"s"
"T","small",190,20,"s"
"T","large",110,16,"s"
"T","Every size",300,36,"s"
"""


def write(folder, tab=TAB, rda=RDA):
    (folder / "act.tab").write_text(tab)
    (folder / "act.rda").write_text(rda)
    (folder / "act.hrc").write_text("0\n@01\n@02\n06\n")
    return folder


def test_a_table_of_tau_argus_is_read_with_its_codes(tmp_path):
    found = dl.audit(write(tmp_path), remedy=False)
    assert found.verdict == "fail"
    numbers = {each["name"]: (each["low"], each["high"]) for each in found.json()["numbers"]}
    assert numbers["act.tab: ACTIVITY = 01, SIZE = large"] == (50, 50)
    assert numbers["act.tab: ACTIVITY = 02, SIZE = large"] == (20, 20)
    assert all(each["measure"] == "VAL" for each in found.json()["numbers"])
    assert any("N_OBS of act.tab is taken not to be published" in note for note in found.notes)


def test_counts_of_tau_argus_are_counts_and_other_codes_of_statuses_are_read(tmp_path):
    tab = "\n".join(
        ",".join((*line.split(",")[:2], line.split(",")[3], "N" if '"u"' in line else "J")) for line in TAB.splitlines()
    )
    rda = (
        RDA.replace("VAL\n  <NUMERIC> <RESPONSE>\n", "")
        .replace("<SAFE> s", "<SAFE> J")
        .replace("<UNSAFE> u", "<UNSAFE> N")
    )
    found = dl.audit(write(tmp_path, tab, rda), remedy=False)
    assert {(each["low"], each["high"]) for each in found.json()["numbers"]} == {(5, 5)}


def test_an_rda_file_that_does_not_fit_is_refused_in_words(tmp_path):
    with pytest.raises(InputError, match=r"its \.rda file names"):
        dl.audit(write(tmp_path, rda=RDA.replace("N_OBS\n  <NUMERIC>\n  <FREQUENCY>\n", "")))
    with pytest.raises(InputError, match="RESPONSE"):
        dl.audit(write(tmp_path, rda=RDA.replace("<RESPONSE>", "").replace("<FREQUENCY>", "")))
    with pytest.raises(InputError, match="elsewhere"):
        dl.audit(write(tmp_path, rda=RDA.replace("act.hrc", "../act.hrc")))


def test_what_is_no_csv_in_a_folder_is_said_not_to_be_audited(tmp_path):
    (tmp_path / "t.csv").write_text("region,count\nnorth,20\nsouth,30\n")
    assert dl.audit(tmp_path).verdict == "pass"
    (tmp_path / "more.xlsx").write_bytes(b"PK")
    (tmp_path / "read me.txt").write_text("Tables of the year.\n")
    found = dl.audit(tmp_path)
    assert found.verdict == "review" and found.answer.startswith("Not decided")
    assert sum("Not audited: " in note for note in found.notes) == 2
