"""Ledgers that are signed: whoever rewrites them without the key is noticed; and keys that are changed or lost."""

import json
import os
from pathlib import Path

import pytest
from sqlalchemy import text

from dalenius.basics.errors import InputError, LedgerError
from dalenius.data import complete
from dalenius.desk.session import carry_out, find_ledger
from dalenius.record.certificate.signing import new_key
from dalenius.record.ledger import open_ledger
from dalenius.record.ledger.entry import FIRST, sealed
from dalenius.record.ledger.keys import Keys, read_keys
from dalenius.show.ledger import lines, listed, listed_json, verified, verified_text, vouch_for
from edges.desk import Desk, dalenius
from ledger.killing import child, ended, steps
from ledger.site import Site
from ledger.stand import FULL, decided, up_to
from ledger.test_store import change, without_triggers

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_charts")]
TABLES = ("dalenius_entries", "dalenius_files", "dalenius_signatures")


def key(folder, name="mine"):
    new_key(folder / name)
    return folder / name


def release(ledger, folder, name):
    return carry_out(decided(ledger, [up_to(59)], dataset=name), folder / name).release


def freed(place) -> list[str]:
    """Statements that take the triggers away, those of signatures too."""
    found = without_triggers(place)
    return [*found, "ALTER TABLE dalenius_signatures DISABLE TRIGGER ALL"] if "://" in place else found


def rewrite(place, *, signatures="kept", keys=None) -> None:
    """What somebody can do who has the database, but not the key: another number in the first release, and every hash
    after it made anew. The chain is unbroken then.
    """
    entries, previous = open_ledger(place).entries(), FIRST
    for entry in entries:
        body = entry.body.replace('"numbers":[[[],"40"]]', '"numbers":[[[],"41"]]') if entry.number == 1 else entry.body
        seal = sealed(entry.number, entry.kind, entry.release, entry.dataset, body, previous)
        with open_ledger(place).database.writing() as connection:
            for statement in freed(place) if entry.number == 1 else ():
                connection.execute(text(statement))
            values = {"body": body, "previous": previous, "hash": seal, "number": entry.number}
            asked = (
                "UPDATE dalenius_entries SET body = :body, previous = :previous, hash = :hash WHERE number = :number"
            )
            connection.execute(text(asked), values)
        previous = seal
    if signatures != "kept":
        change(place, "DELETE FROM dalenius_signatures")
    if keys is not None:
        made = [keys.sign(entry) for entry in open_ledger(place).entries()]
        with open_ledger(place).database.writing() as connection:
            for one in made:
                row = {"number": one.number, "key": one.key, "signature": one.signature}
                connection.execute(text("INSERT INTO dalenius_signatures VALUES (:number, :key, :signature)"), row)


def test_a_ledger_that_is_rewritten_whole_is_unbroken_and_noticed_by_the_key_alone(place, tmp_path):
    mine, other = key(tmp_path), key(tmp_path, "other")
    signed = open_ledger(place, keys=[mine])
    for name in ("a", "b"):
        release(signed, tmp_path, name)
    noted = signed.entries()[-1].hash
    found = verified(open_ledger(place, keys=[f"{mine}.pub"]), noted)
    assert (found["entries"], found["signed"], found["signatures_checked"]) == (4, 4, True)
    assert "a key that you named answers for all of them" in verified_text(found)
    rewrite(place)
    found = verified(open_ledger(place))  # what the chain does not show
    assert found["entries"] == 4 and not found["signatures_checked"]
    assert "They were not checked" in verified_text(found) and "--holds HASH" in verified_text(found)
    with pytest.raises(LedgerError, match="needs an entry"):
        verified(open_ledger(place), noted)
    stranger = read_keys([other])
    for signatures, keys, said in (
        ("kept", None, r"that of entry 1 \(release R1\) does not fit"),
        ("cut", None, r"entries 1 to 4 are not\."),
        ("cut", stranger, rf"entries 1 to 4 are not \(but {next(iter(stranger.trusted))[:12]}"),
    ):
        rewrite(place, signatures=signatures, keys=keys)
        for use in (
            lambda: verified(open_ledger(place, keys=[f"{mine}.pub"])),
            lambda: listed(signed),
            lambda: complete(signed),
            lambda: decided(signed, [up_to(59)], dataset="c"),
        ):
            with pytest.raises(LedgerError, match=said):
                use()
    assert not (tmp_path / "c").exists()


def test_who_has_no_key_reads_and_adds_nothing(place, tmp_path):
    mine = key(tmp_path)
    release(open_ledger(place, keys=[mine]), tmp_path, "a")
    for keys, said in (([], "none is named"), ([f"{mine}.pub"], "only public keys are named")):
        ledger = open_ledger(place, keys=keys)
        decision = decided(ledger, [up_to(59)], dataset="b")
        with pytest.raises(LedgerError, match=f"Needed your private key .*{said}. Nothing was released"):
            carry_out(decision, tmp_path / "b")
        assert len(ledger.releases()) == 1 and not (tmp_path / "b").exists()
    with pytest.raises(LedgerError, match="private key to sign"):
        vouch_for(open_ledger(place), open_ledger(place).entries()[-1].hash)
    with pytest.raises(Exception, match="append-only"):
        change(place, "UPDATE dalenius_signatures SET key = 'x'")
    with pytest.raises(Exception, match="append-only"):
        change(place, "DELETE FROM dalenius_signatures")


def test_a_ledger_of_before_is_readable_and_signed_when_somebody_answers_for_it(place, tmp_path):
    release(open_ledger(place), tmp_path, "a")
    head = open_ledger(place).entries()[-1].hash
    mine = key(tmp_path)
    signed = open_ledger(place, keys=[mine])
    with pytest.raises(LedgerError, match=r"entries 1 to 2 are not\. .* `dalenius ledger sign` answers"):
        decided(signed, [up_to(59)], dataset="b")
    with pytest.raises(LedgerError, match="needs an entry"):
        vouch_for(signed, "0" * 64)
    assert len(open_ledger(place).entries()) == 2
    assert vouch_for(signed, head).number == 3
    assert release(signed, tmp_path, "b").id == "R2"
    found = verified(signed)
    assert (found["entries"], found["signed"]) == (5, 3)
    assert [one["signed_by"] for one in listed_json(signed)] == [None, next(iter(signed.keys.trusted))]
    assert "nobody" in listed(signed) and "signed by" in listed(signed)
    assert [("signature" in json.loads(line)) for line in lines(signed)] == [False, False, True, True, True]
    rewrite(place)
    with pytest.raises(LedgerError, match="that of entry 3"):
        signed.entries()


def test_keys_that_are_changed_and_keys_that_are_lost(place, tmp_path):
    old, new, third = key(tmp_path, "old"), key(tmp_path, "new"), key(tmp_path, "third")
    release(open_ledger(place, keys=[old]), tmp_path, "a")
    with pytest.raises(LedgerError, match="name that public key too"):
        open_ledger(place, keys=[new]).entries()
    release(open_ledger(place, keys=[new, f"{old}.pub"]), tmp_path, "b")  # the old key is given up
    assert verified(open_ledger(place, keys=[new]))["entries"] == 4
    old.unlink()
    new.unlink()  # lost, and so is the public half: somebody looks, and answers anew
    (tmp_path / "new.pub").unlink()
    head = open_ledger(place).entries()[-1].hash
    assert vouch_for(open_ledger(place, keys=[third]), head).number == 5
    assert release(open_ledger(place, keys=[third]), tmp_path, "c").id == "R3"
    assert verified(open_ledger(place, keys=[f"{third}.pub"]), head)["signed"] == 7
    change(place, *freed(place), *(f"DELETE FROM {table} WHERE number > 5" for table in reversed(TABLES)))
    assert verified(open_ledger(place, keys=[f"{third}.pub"]))["entries"] == 5  # what a key does not show


def test_somebody_who_adds_in_between_without_a_key_is_noticed_before_recording(place, tmp_path):
    mine = key(tmp_path)
    signed = open_ledger(place, keys=[mine])
    release(signed, tmp_path, "a")
    decision = decided(signed, [up_to(59)], dataset="b")
    change(place, *freed(place), "DELETE FROM dalenius_signatures WHERE number = 2")
    with pytest.raises(LedgerError, match="entry 2 is not"):
        carry_out(decision, tmp_path / "b")
    assert len(open_ledger(place).entries()) == 2 and not (tmp_path / "b").exists()


def test_files_that_are_no_keys(tmp_path):
    mine, other = key(tmp_path), key(tmp_path, "other")
    with pytest.raises(LedgerError, match="one private key"):
        read_keys([mine, other])
    mine.chmod(0o640)
    with pytest.raises(LedgerError, match=r"others may read .* chmod 600"):
        read_keys([mine])
    (tmp_path / "text").write_text("a text")
    for wrong, said in (
        (tmp_path / "text", "public key in PEM"),
        (Path("/dev/zero"), "cannot be read"),
        (3, "of the type int"),
    ):
        with pytest.raises(InputError, match=said):
            read_keys([wrong])
    with pytest.raises(LedgerError, match="a list of files"):
        find_ledger(tmp_path / "x.sqlite", None, tmp_path, str(mine))
    assert b"PRIVATE" in mine.read_bytes() and "private" not in repr(Keys(b"x"))


def test_a_kill_at_any_step_of_a_signed_release_loses_nothing(places, quick_path):
    site = Site(next(places), quick_path, keys=(str(key(quick_path)),)).done("warm")
    chosen = steps(site.work("stepped"))[:: 1 if FULL else 10]
    site.recorded += 1
    for number in chosen:
        code = ended(child(site.work(number), number, crucial=True))
        assert code in (0, -9), code
        site.check(number, code)
    site.check_all()
    assert verified(site.ledger())["signed"] == 2 * site.recorded


def test_the_command_line_signs_and_checks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert dalenius("key", "new", "mine").code == 0
    place = ["--ledger", "ledger.sqlite"]
    assert Desk(tmp_path).release(None, None, *place, "--ledger-key", "mine").code == 0
    assert "Signatures: 2, by" in dalenius("ledger", "verify", *place).out
    assert dalenius("ledger", "verify", *place, "--ledger-key", "mine.pub", "--json").json["signatures_checked"]
    answer = dalenius("release", "release.yaml", "-o", "more", *place, "--seconds", 0)
    assert answer.code == 2 and "Name it with --ledger-key" in answer.err
    monkeypatch.setenv("DALENIUS_LEDGER_KEYS", os.pathsep.join(["mine"]))
    head = dalenius("ledger", "verify", *place, "--json").json["head"]
    answer = dalenius("ledger", "sign", *place, "--holds", head)
    assert answer.code == 0 and answer.out.startswith(
        f"Signed: entries 1 to 2 of {tmp_path / 'ledger.sqlite'} (entry 3"
    )
    assert "answers for all of them (3 signatures" in dalenius("ledger", "verify", *place).out
    assert dalenius("ledger", "list", *place, "--ledger-key", "nosuch").code == 2


def test_whoever_signs_for_all_entries_signs_once_and_is_about_no_release(tmp_path):
    place, mine = str(tmp_path / "ledger.sqlite"), key(tmp_path)
    release(open_ledger(place), tmp_path, "a")
    noted = open_ledger(place).entries()[-1].hash
    assert dalenius("ledger", "sign", "--ledger", place, "--ledger-key", mine, "--holds", noted).code == 0
    public = ("--ledger", place, "--ledger-key", f"{mine}.pub")
    assert "all of them (1 signature, by" in dalenius("ledger", "verify", *public).out
    rewrite(place)
    assert "but that of entry 3 does not fit" in dalenius("ledger", "verify", *public).err


def test_a_signature_that_is_garbage_is_damage_and_one_without_its_entry_shows_what_was_cut_off(tmp_path):
    place, mine = str(tmp_path / "ledger.sqlite"), key(tmp_path)
    release(open_ledger(place, keys=[mine]), tmp_path, "a")
    good = Path(place).read_bytes()
    for statement, said in (
        ("UPDATE dalenius_signatures SET signature = 'é' WHERE number = 2", "entry 2 .* does not fit"),
        ("UPDATE dalenius_signatures SET number = 'x' WHERE number = 2", "entry 2 is not"),
        ("DELETE FROM dalenius_entries WHERE number = 2", "entries were cut off at its end"),
    ):
        Path(place).write_bytes(good)
        change(place, *freed(place), statement)
        with pytest.raises(LedgerError, match=said):
            open_ledger(place, keys=[Path(f"{mine}.pub")]).entries()
