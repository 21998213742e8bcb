"""The answers that are kept, one a line, and the rule by which new ones are compared with them."""

import hashlib
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from .truth import ends

ANSWERS, ALLOWED = (Path(__file__).parent / name for name in ("answers.json", "allowed.json"))
HAIR = 1e-9  # of an end: floats that are added up in another order
Answer = Mapping[str, Any]


def read() -> dict[str, dict[str, Any]]:
    return json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}


def allowed() -> dict[str, str]:
    """Answers that may change in the wrong direction, each with a reason."""
    return json.loads(ALLOWED.read_text(encoding="utf-8"))


def write(answers: Mapping[str, Answer], questions: Mapping[str, Mapping[str, Any]]) -> None:
    """One line an answer; with a fingerprint of its question, so that no question changes unseen."""
    lines = []
    for key, answer in answers.items():
        whole = {**answer, "question": fingerprint(questions[question_of(key)])}
        lines.append(f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(whole, ensure_ascii=False)}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def question_of(key: str) -> str:
    """The name of the question that an answer belongs to."""
    return key.split(" | ", maxsplit=1)[0]


def fingerprint(question: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:12]


def complaints(before: Answer, now: Answer | None) -> list[str]:
    """What moved the wrong way: an upper end up, a lower end down, pass to anything else, fail to pass."""
    if now is None:
        return ["there is no such answer any more"]
    found = []
    if before.get("given") == now.get("given"):  # after another change, other numbers are to be expected
        found += _moved(before, now)
    if before["verdict"] == "pass" != now["verdict"] or (before["verdict"] == "fail" and now["verdict"] == "pass"):
        found.append(f"the verdict was {before['verdict']} and is {now['verdict']}")
    return found


def _moved(before: Answer, now: Answer) -> list[str]:
    found = []
    for end, sign in (("upper", 1), ("lower", -1)):
        old, new = before[end], now[end]
        if (old is None) != (new is None):
            found.append(f"the {end} end was {old} and is {new}")
        elif old is not None:
            found += [f"the {end} end was {old} and is {new}"] if _worse(float(old), float(new), sign) else []
    return found


def _worse(old: float, new: float, sign: int) -> bool:
    """Whether the new end is further out than a hair; what is not a number is."""
    return not (new == old or sign * (new - old) <= HAIR * abs(old)) or math.isnan(new)


def misses(answer: Answer) -> list[str]:
    """Where a bracket does not hold the exact value that an oracle found."""
    if "truth" not in answer:
        return []
    believed, declared = ends(answer["truth"][0]), ends(answer["truth"][-1])
    found = []
    if Fraction(float(answer["lower"])) > believed[1]:
        found.append(f"the lower end {answer['lower']} is above the truth {answer['truth'][0]}")
    if Fraction(float(answer["upper"])) < declared[0]:
        found.append(f"the upper end {answer['upper']} is below the truth {answer['truth'][-1]}")
    return found
