"""Certificates: the checker, which shares no code with the engine, agrees; whatever is changed is caught.

By default with certificates that are stored here; CERTIFICATES=500 makes as many new ones (half an hour), or takes them
from the folder CERTIFICATES_FROM, where they were made before.
"""

import itertools
import json
import os
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from certificates.genuine import beside_a_public_count, in_two_words
from certificates.random_specs import releases
from certificates.tampering import DECLARED, places, resealed, sort_of, tampered
from dalenius.basics.errors import InputError
from dalenius.record.certificate.again import NEAR as LITTLE
from dalenius.record.certificate.again import Again
from dalenius.record.certificate.document import CertificateModel, json_schema
from dalenius.record.certificate.recheck import recheck, verify_certificate
from dalenius.record.certificate.signing import new_key, sign
from dalenius_checker.__main__ import limit, run
from dalenius_checker.document import check, read

FOLDER = Path(__file__).parent / "stored"
STORED = tuple(path.read_bytes() for path in sorted(FOLDER.glob("*.json")))
QUICK = tuple(path.read_bytes() for path in sorted(FOLDER.glob("*.json")) if path.stem != "11_14")  # it takes long
EXAMPLE, MOVES = ((FOLDER / f"{name}.json").read_bytes() for name in ("example", "moves_2"))
FRESH = int(os.environ.get("CERTIFICATES", "0"))
MANY = FRESH or len(QUICK)
SEED = int(os.environ.get("CERTIFICATES_SEED", "11"))
NEAR = 1 + LITTLE
ROOT = Path(__file__).parents[2]
SHIPPED = tuple(
    ROOT / folder / "certificate.schema.json"
    for folder in ("src/dalenius/record/certificate", "checker/src/dalenius_checker")
)


@cache
def some(count: int) -> tuple[bytes, ...]:
    if "CERTIFICATES_FROM" in os.environ:
        made = sorted(Path(os.environ["CERTIFICATES_FROM"]).glob("*.json"))
        return tuple(path.read_bytes() for path in made[:count])
    return tuple(itertools.islice(releases(SEED), count)) if FRESH else QUICK[:count]


def checked(folder: Path, certificate: bytes) -> tuple[int, str]:
    (folder / "certificate.json").write_bytes(certificate)
    return run([str(folder / "certificate.json")])


def verified(certificate: bytes) -> int:
    try:
        return recheck(certificate).code
    except InputError:
        return 2


@pytest.mark.slow
def test_the_checker_agrees_with_random_certificates(tmp_path):
    """Random specifications, none of them too large: it says the same of all."""
    for certificate in some(MANY) if FRESH else STORED:
        code, words = checked(tmp_path, certificate)
        assert code == 0, words


@pytest.mark.slow
def test_the_checker_agrees_with_what_was_once_refused(tmp_path):
    """One quantity in two words, with noise; moves beside a public count."""
    for certificate in (*in_two_words(), beside_a_public_count()):
        code, words = checked(tmp_path, certificate)
        assert code == 0, words


@pytest.mark.slow
def test_the_engine_computes_its_own_certificates_again():
    for certificate in some(MANY):
        found = recheck(certificate)
        assert found.code == 0, found.text()


@pytest.mark.slow
def test_certificates_keep_to_the_schema_that_is_shipped():
    for shipped in SHIPPED:
        assert shipped.read_text(encoding="utf-8") == json_schema(), "run make docs"
    for certificate in some(MANY):
        jsonschema.validate(json.loads(certificate), json.loads(json_schema()))


def test_a_changed_number_is_caught_by_the_hash(tmp_path):
    dice, seen = random.Random(SEED), Counter()
    for _, certificate in zip(range(2 * MANY), itertools.cycle(some(MANY)), strict=False):
        document, path = tampered(certificate, dice, seen)
        content = json.dumps(document).encode()
        assert verified(content) in (1, 2), path
        assert checked(tmp_path, content)[0] in (1, 2), path


@pytest.mark.slow
def test_a_changed_number_is_caught_though_the_hash_was_made_anew(tmp_path):
    """Every one that claims more than holds, or that the numbers contradict; of every sort of number in turn.

    What passes must be another true claim, and that is computed, not taken for granted. For the engine, every delta
    that it finds for the changed document is at most what is stated (`still_true`). For the checker, no delta is surely
    above what it confirms (`limit`: a tenth for linked figures, the delta that is wanted for some): there its bounds
    may be the better ones, so that only a lower bound can tell (`refuted`). These are: a larger epsilon or delta, fewer
    records in γ*, a policy that is kept all the same, a law or a scale of noise on which no bound depends, values that
    are truncated more widely. Only the hash and a signature tell that such a number was changed, as they do of what is
    declared (`DECLARED`).
    """
    dice, seen = random.Random(SEED), Counter()
    passed = Counter()
    for _, certificate in zip(range(MANY), itertools.cycle(some(MANY)), strict=False):
        document, path = tampered(certificate, dice, seen)
        content = resealed(document)
        code, words = checked(tmp_path, content)
        assert code != 0 or not refuted(content), (path, words)
        assert verified(content) != 0 or still_true(content), path
        passed[sort_of(path)] += code == 0
    if FRESH >= 100:
        everywhere = {sort_of(path) for one in some(MANY) for path in places(json.loads(one))}
        assert everywhere - seen.keys() == {sort for sort in everywhere if {sort[0], sort[-1]} & set(DECLARED)}
        assert passed.total() < MANY / 4, passed


def still_true(content: bytes) -> bool:
    """Whether every delta that the engine finds for the changed document is at most what it states."""
    model = CertificateModel.model_validate_json(content)
    again, wanted = Again.of(model), Fraction(model.claim.delta_wanted)
    most = model.attacker.largest_known or 0
    for group, (place, _) in enumerate(model.groups):
        kind = model.kinds[place]
        moved = kind.evidence.method == "moves"
        found = again.moves_upper(group) if moved else again.upper(place, kind.known)
        if found > Fraction(kind.delta[1]) * NEAR or (not moved and again.upper(place, most) > wanted):
            return False
    return True


def refuted(content: bytes) -> bool:
    """Whether a delta is certainly above what is stated (by more than the checker may leave open), or what is wanted:
    where probabilities are only known from below, the checker's bounds may be the better ones.
    """
    model, certificate = CertificateModel.model_validate_json(content), read(content)
    check(certificate)
    again, wanted = Again.of(model), Fraction(model.claim.delta_wanted)
    for group, (place, _) in enumerate(model.groups):
        kind, largest = model.kinds[place], limit(certificate, certificate.kinds[place])
        if kind.evidence.method == "moves":
            if again.moves_upper(group) > wanted:
                return True
            continue
        most = min(model.attacker.largest_known or 0, kind.people - 1)
        for known, upper in ((kind.known, largest), (most, wanted)):
            # what the engine takes as exact, though it is not published by itself, is no lower bound
            lowest = [again.judge.judged(replace(one, known=known)).delta.lower for one in again.groups[place]]
            if kind.alone and len(lowest) == 1 and lowest[0] > upper:
                return True
    return False


def at(*path):
    def change(document, value):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (at("claim", "epsilon"), "2/5"),
        (at("claim", "delta_wanted"), "1/100000000"),
        (at("claim", "delta_at_most"), "1e-8"),
        (at("attacker", "knows"), "1/30"),
        (at("attacker", "largest_known"), 450),
        (at("attacker", "largest_known"), 100),
        (at("people", "all"), 5300),
        (at("people", "in_no_figure"), 100),
        (at("figures", 0, "unit"), "2"),
        (at("figures", 0, "most"), "3"),
        (at("figures", 0, "channel"), [["geometric", "4"]]),
        (at("domains", 0), [[[0], [1], 3]]),
        (at("laws", 0), [[[0], [1], 2, "1/2"]]),
        (at("kinds", 0, "people"), 1200),
        (at("kinds", 0, "known"), 10),
        (at("kinds", 0, "alone"), False),
        (at("kinds", 3, "delta"), ["0", "1e-8"]),
        (at("kinds", 0, "parts", 0, "types"), [[0, 1200]]),
        (at("kinds", 0, "evidence", "method"), "faith"),
        (at("groups", 0), [1, [0]]),
    ],
)
def test_a_stronger_claim_is_caught_by_both_with_the_hash_made_anew(tmp_path, change, value):
    document = json.loads(EXAMPLE)
    change(document, value)
    content = resealed(document)
    assert verified(content) in (1, 3)
    assert checked(tmp_path, content)[0] in (1, 3)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("packings", 0, 0, 0), 10_000),
        (("packings", 0, 0, 1, 0, 0), 10_000),
        (("packings", 0, 0, 1, 0, 1), 7),
        (("packings", 0, 0, 2), []),
        (("packings", 0), []),
        (("packings",), []),
        (("ways", 0, "change", 0, 1), 3),
        (("ways", 0, "change", 0, 0), 50),
        (("ways", 0, "rate"), "1"),
        (("ways",), []),
        (("group",), 10_000),
    ],
)
def test_moves_that_are_none_are_caught_by_both(tmp_path, path, value):
    document = json.loads(MOVES)
    for way in document["moves"][0]["ways"]:
        way["packing"] = 0
    del document["moves"][0]["packings"][1:]
    at("moves", 0, *path)(document, value)
    content = resealed(document)
    assert verified(content) in (1, 2)
    assert checked(tmp_path, content)[0] in (1, 2)


def test_moves_that_are_not_listed_are_not_confirmed(tmp_path):
    content = resealed({**json.loads(MOVES), "moves": []})
    assert verified(content) == 3
    assert checked(tmp_path, content)[0] == 3


@pytest.mark.parametrize("version", [3, 6])
def test_certificates_of_another_version_are_unreadable_for_both(tmp_path, version):
    changed = resealed({**json.loads(MOVES), "schema": f"dalenius/certificate/{version}"})
    assert (verified(changed), checked(tmp_path, changed)[0]) == (2, 2)
    assert "version" in checked(tmp_path, changed)[1]


LIMITS = dict.fromkeys(("sha256", "epsilon", "delta", "known", "safe_threshold"))


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"sha256": "0" * 64, "epsilon": "1/2", "delta": "1/1000", "known": "1/50", "safe_threshold": 800}, True),
        ({"epsilon": "2/5"}, False),
        ({"delta": "1/10000000"}, False),
        ({"known": "3/50"}, False),
        ({"known": "2"}, False),
        ({"safe_threshold": 801}, False),
    ],
)
def test_a_claim_that_is_less_strict_than_its_policy_is_refused_by_both(tmp_path, limits, kept):
    content = resealed({**json.loads(EXAMPLE), "policies": [{"name": "the office", **LIMITS, **limits}]})
    assert verified(content) == checked(tmp_path, content)[0] == (0 if kept else 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        EXAMPLE[:-200],
        b"[]",
        EXAMPLE.replace(b"certificate/4", b"certificate/6"),
        EXAMPLE.replace(b": 5200", b": 5e3"),
    ],
)
def test_what_is_no_certificate_is_unreadable_for_both(tmp_path, content):
    with pytest.raises(InputError, match="certificate"):
        recheck(content)
    assert checked(tmp_path, content)[0] == 2


def test_a_signature_fits_one_key_and_one_content(tmp_path):
    file, key, other = tmp_path / "certificate.json", tmp_path / "key", tmp_path / "other"
    file.write_bytes(EXAMPLE)
    public, stranger = new_key(key), new_key(other)
    assert key.stat().st_mode & 0o777 == 0o600
    assert sign(file, key) == tmp_path / "certificate.sig"
    assert verify_certificate(file, None, public, None).code == 0
    assert verify_certificate(file, None, stranger, None).code == 1
    file.write_bytes(EXAMPLE.replace(b"the largest employer", b"The largest employer"))
    assert verify_certificate(file, None, public, None).code == 1
    (tmp_path / "certificate.sig").write_bytes(b"no signature")
    with pytest.raises(InputError, match="base64"):
        verify_certificate(file, None, public, None)
    with pytest.raises(InputError, match="Needed a new file"):
        new_key(key)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "fail"}, "wrong entry at verdict"),
        ({"kinds": None}, "wrong entry at kinds"),
        ({"more": 1}, "wrong entry at more"),
        ({"answer": "YES."}, "answer is not what belongs to such a claim"),
        ({"people": {"all": 1, "in_no_figure": 0}}, "not valid: .*the people of all groups"),
        ({"laws": []}, "not valid"),
    ],
)
def test_what_is_not_valid_is_not_signed_however_well_it_is_sealed(tmp_path, change, said):
    file, key = tmp_path / "certificate.json", tmp_path / "key"
    file.write_bytes(resealed(json.loads(EXAMPLE) | change))
    new_key(key)
    with pytest.raises(InputError, match=said):
        sign(file, key)
    assert not (tmp_path / "certificate.sig").exists()


def test_figures_that_are_not_those_of_the_certificate_are_refused(tmp_path):
    (tmp_path / "figures.csv").write_bytes(b"figure,value\n")
    (tmp_path / "certificate.json").write_bytes(EXAMPLE)
    assert recheck(EXAMPLE, b"figure,value\n").code == 1
    assert run([str(tmp_path / "certificate.json"), "--figures", str(tmp_path / "figures.csv")])[0] == 1
