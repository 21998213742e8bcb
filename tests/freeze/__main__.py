"""Write the answers anew: `PYTHONPATH=src:tests python -m freeze`; with words, only questions that begin with one."""

import sys
import tempfile
from pathlib import Path

from .ask import ask
from .kept import read, write
from .questions import questions
from .truth import text, truths


def main(beginnings: list[str]) -> None:
    """Ask, find the truth where an oracle knows it, and keep both; what was not asked stays as it was."""
    asked = questions()
    chosen = {name: one for name, one in asked.items() if not beginnings or name.startswith(tuple(beginnings))}
    kept = {key: answer for key, answer in read().items() if key.split(" | ")[0] in asked.keys() - chosen.keys()}
    for place, (name, question) in enumerate(chosen.items()):
        with tempfile.TemporaryDirectory() as folder:
            answers = ask(name, question, Path(folder))
        exact = truths(name, question)
        for key, answer in answers.items():
            known = {"truth": [*dict.fromkeys(map(text, exact[key]))]} if key in exact else {}
            kept[key] = {**answer, **known}
        print(f"\r{place + 1} of {len(chosen)}", end="", flush=True)
    order = {name: place for place, name in enumerate(asked)}
    write(dict(sorted(kept.items(), key=lambda item: order[item[0].split(" | ")[0]])), asked)
    print()


main(sys.argv[1:])
