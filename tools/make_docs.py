"""Write the generated pages: docs/cli.md from the command line's own help, docs/spec.md from the specification's
models, docs/theorems.md from the catalogue, and the JSON Schema of certificates.
"""

import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from pydantic import BaseModel
from typer.testing import CliRunner

from dalenius.basics.limits import LIMITS
from dalenius.cli import app
from dalenius.cli.app import COMMANDS, load
from dalenius.desk.audit.tables_file import TablesModel
from dalenius.desk.policy import Policy
from dalenius.desk.spec.model import SpecModel
from dalenius.papers.theorems import Paper, Status, Theorem, catalogue
from dalenius.record.certificate.document import json_schema
from dalenius.show.schemas import SHAPES, Shape

HERE = Path(__file__).parent.parent / "docs"
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parent / "tools")]


# One for each section; each is checked against its model when the page is written.
EXAMPLES = {
    "spec": """
data: survey.csv
person: person
public: {region: [north, south]}
confidential: {smoker: ["no", "yes"]}
beliefs: {smoker: {probabilities: {"yes": 0.2, "no": rest}, source: "Health survey 2025, table 7"}}
attacker: {knows: 0.05, source: the largest employer has 4 % of the respondents}
target: {epsilon: 0.5, delta: 1e-6}
figures: [{name: smokers, kind: count, where: {smoker: "yes"}, by: region}]
published: [{name: all smokers, kind: count, where: {smoker: "yes"}}]   # written as they were published
""",
    "domain": """
# ages in bins: {bins: [0, 18, 65, 120], missing: as a value}; dates: {unit: month, bounds: [2020-01, 2024-12]}
{unit: 1000, bounds: [0, 100000], round: nearest}
""",
    "record": """
# with rows: {cost: {bounds: [0, 900]}, fever: ["no", "yes"], day: {unit: day, bounds: [2024-01-01, 2024-12-31]}}
# {take: number of rows, where: fever = yes, limits: [0, 10]} or {take: first, of: fever, by: day}
{take: sum, of: cost, limits: [0, 5000], unit: 100}
""",
    "belief": """
by: region
cells:
  north: {"yes": 0.18, "no": rest}
  south: {"yes": 0.24, "no": rest}
source: Health survey 2025, table 7
# or how often each value occurred in a public sample: {counts: smokers.csv, confidence: 0.999, source: open file}
# or without probabilities: unknown; {none_above: 0.9, weight: 0.3, source: …}; {none_below: 0.01, source: …}
""",
    "attacker": "{knows: 0.05, source: the largest employer has 4 % of the respondents}",
    "sizes": "{by: region, cells: {north: 1400, south: 1900}}",
    "secret": "{within: {income: 500}, pairs: {diagnosis: [[flu, cancer], [flu, none]]}}",
    "share": "{points: 1, others: 5000000}",
    "members": "{having: flu, pairs: [[0, 1]]}",
    "together": "{column: household, weight: 0.5, source: household panel 2024}",
    "sample": "{of: {north: 120000, south: 80000}, by: region, design: stratified, source: the study's protocol}",
    "order": "{column: day, known: [1, 20]}",
    "scenario": '{weight: 0.5, probabilities: {"yes": 0.3, "no": rest}}',
    "target": "{epsilon: 0.5, delta: 1e-6}",
    "figure": """
# a list of labels is "one of these"; {name: women, kind: count, where: {sex: [f], smoker: ["yes"]}, by: [region, age]}
# {name: smoking, kind: percentage, of: {smoker: "yes"}, by: region}; {name: visits, kind: rate, column: visits}
# {name: odds, kind: ratio, of: {smoker: "yes"}, to: {smoker: "no"}}; {name: middle, kind: median, column: age}
{name: high incomes, kind: sum, column: income, where: {income: {at_least: 60000}}, by: region, noise: {geometric: 40}}
""",
    "computed": """
{name: smoking, kind: quotient, parts: [smokers], over: [respondents], times: 100}
""",
    "review": "{by: [anna, ben], signatures: 2, overrule: review}",
    "policy": """
name: Data office, rules of 2026
epsilon: 0.5
delta: 1e-6
known: 5 %
safe_threshold: 10   # this and others of ACRO's risk appetite are read
""",
    "edition": "{now: 7, since: joined}   # joined is public: numbers, or labels in order; or only a name: {now: May}",
    "series": "{editions: 12, changes: {diabetes: 0.01}, joins: 0.01, leaves: 0.01, source: last year's register}",
    "range": "{at_least: 20000, at_most: 60000}",
    "earned": "{chance: 0.25, epsilon: 0.5}   # or {between: [0.2, 0.3], scale: 2}",
    "hide": "{below: 10, zeros: hidden}",
    "noise": "{geometric: 4}   # or {gaussian: 3}, or {normal: 3}; where records have an order, or {quilt: 0.5}",
    "tables": """
tables: {by-age.csv: {columns: [sex]}}
variables: {age: {nested: {0-19: [0-9, 10-19], 20-39: [20-29, 30-39]}}}
rules: [hidden means 1 to 9]
known: [{group: {age: 0-9, sex: f}, at_least: 1}]   # the attacker's own child
different: [[north, northern]]
""",
    "table": '{measure: income, where: {employed: "yes"}, absent: hidden}',
    "variable": "{total: [everyone], nested: {0-19: [0-9, 10-19]}, labels: {female: f, male: m}}",
    "measure": "{unit: 1000, bounds: [0, 250000]}",
    "known": "{group: {age: 0-9, sex: f}, at_least: 1}",
    "likely": '{probabilities: {"yes": 0.1, "no": rest}, source: survey of 2025}',
}


def cli_page() -> str:
    """The help of every command."""
    load(COMMANDS)
    runner = CliRunner()
    commands = [
        "",
        *sorted(command.name or command.callback.__name__ for command in app.registered_commands if command.callback),
        *(
            f"{group.name} {command.name or command.callback.__name__}"
            for group in app.registered_groups
            if group.typer_instance is not None
            for command in group.typer_instance.registered_commands
            if command.callback
        ),
    ]
    parts = ["# Command line\n\nGenerated from the program's own help by `make docs`.\n"]
    for command in commands:
        shown = runner.invoke(
            app, [*command.split(), "--help"], prog_name="dalenius", env={"COLUMNS": "100", "NO_COLOR": "1"}
        ).output
        parts.append(f"## dalenius {command}".rstrip() + f"\n\n```text\n{shown.strip()}\n```\n")
    return "\n".join(parts)


def spec_page() -> str:
    """Every key of a specification and of a policy, with its meaning."""
    intro = (
        "# Specification\n\nGenerated from `desk/spec/model.py` and `desk/policy.py` by `make docs`. Keys without "
        "default are needed. [Choosing the numbers](choosing.md) says where to get them from.\n"
    )
    return _keys_page(intro, [SpecModel, Policy])


def tables_page() -> str:
    """Every key of a tables file, with its meaning."""
    intro = (
        "# The tables file\n\nGenerated from `desk/audit/tables_file.py` by `make docs`. It says what labels and marks "
        "mean in tables that are [audited](audit.md), where they do not say it themselves. All keys may be left out, "
        "but for the group of what is known.\n"
    )
    return _keys_page(intro, [TablesModel])


def _keys_page(intro: str, waiting: list[type[BaseModel]]) -> str:
    parts = [intro]
    seen: set[type[BaseModel]] = set()
    while waiting:
        model = waiting.pop(0)
        if model in seen:
            continue
        seen.add(model)
        name = re.sub("Model$", "", model.__name__).lower()
        parts.append(f"## {name}\n\n{' '.join((model.__doc__ or '').split())}\n")
        example = EXAMPLES[name]
        model.model_validate(yaml.safe_load(example))
        parts.append(f"```yaml\n{example.strip()}\n```\n")
        parts.append("| key | meaning | default |\n|---|---|---|")
        for key, field in model.model_fields.items():
            default = (
                "" if field.is_required() else f"`{field.default!r}`" if field.default not in (None, [], {}) else "none"
            )
            parts.append(f"| `{key}` | {field.description or ''} | {default} |")
            waiting += _models(field.annotation)
        parts.append("")
    return "\n".join(parts)


def _models(annotation: object) -> list[type[BaseModel]]:
    inside = [model for part in typing.get_args(annotation) for model in _models(part)]
    plain = isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias)
    return inside or ([annotation] if plain and issubclass(annotation, BaseModel) else [])


def theorems_page() -> str:
    """The catalogue, paper by paper, and every counterexample with its two numbers."""
    entries = catalogue()
    papers = list(dict.fromkeys(entry.paper for entry in entries))
    intro = (Path(__file__).parent / "theorems_intro.md").read_text(encoding="utf-8")
    parts = [intro, _counts(entries, papers)]
    for paper in papers:
        rows = [entry for entry in entries if entry.paper == paper]
        parts.append(f"## {paper.title}\n\n{paper.authors} ({paper.key}).\n")
        parts.append("| key | statement | status | printed | what holds | computed by |\n|---|---|---|---|---|---|")
        parts += [_row(entry) for entry in rows]
        parts.append("")
    parts.append("## Counterexamples\n\nRun when this page was written; the tests run them again.\n")
    parts.append("| key | promise | worlds | promised | true |\n|---|---|---|---|---|")
    for entry in entries:
        if entry.counterexample is not None:
            found = entry.counterexample()
            cells = (entry.key, found.promise, found.worlds, str(found.allowed), str(found.found))
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*parts, ""])


def _counts(entries: tuple[Theorem, ...], papers: list[Paper]) -> str:
    lines = [f"| paper | {' | '.join(Status)} |", "|---" * (len(Status) + 1) + "|"]
    for paper in papers:
        mine = [entry.status for entry in entries if entry.paper == paper]
        lines.append(f"| {paper.authors} | {' | '.join(str(mine.count(status)) for status in Status)} |")
    return "\n".join([*lines, ""])


def _row(entry: Theorem) -> str:
    names = dict.fromkeys((entry.number, *entry.covers))
    where = " ".join(f"`{name}`" for name in entry.uses)
    cells = (entry.key, ", ".join(names), str(entry.status), entry.says, entry.holds, where)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def limits_page() -> str:
    """Every limit on what is read."""
    parts = [
        (
            "# Limits\n\nGenerated from `basics/limits.py` by `make docs`. What is read from files, options and "
            "addresses is bounded before it is read, listed or computed. What is more is refused with exit code 2 and "
            "a message that names the limit. Only regular files are read: a device has no end. What dalenius does not "
            "promise is on [another page](known-limits.md).\n"
        ),
        "| what | at most | what to do instead |\n|---|---|---|",
    ]
    parts.append(
        "| Rows of a table | no limit of its own: 50 million rows of 5 million persons were [tried](data.md) | |"
    )
    parts += [f"| {limit.what} | {limit.most:,} {limit.unit}".rstrip() + f" | {limit.instead} |" for limit in LIMITS]
    return "\n".join([*parts, ""])


def json_page() -> str:
    """What every command prints with --json."""
    parts = [
        (
            "# JSON of every command\n\nGenerated from `show/schemas.py` by `make docs`. `dalenius schema COMMAND` "
            "prints the same as JSON Schema; the tests hold every command to it. Keys may be added in later versions; "
            "none gets another meaning. A bracket is a list of two numbers between which the true one certainly lies. "
            "Exact numbers are text. What a command refuses is `{verdict: null, errors: [...]}`, with exit code 2.\n"
        )
    ]
    for command in sorted(SHAPES):
        parts.append(f"## {command}\n\n| key | type | meaning |\n|---|---|---|")
        parts += [f"| `{key}` | {kind} | {said} |" for key, kind, said in _keys(SHAPES[command])]
        parts.append("")
    return "\n".join(parts)


def _keys(shape: Shape, before: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(shape, str):
        kind, _, said = shape.partition(": ")
        yield before or "…", kind.replace("?", ", or null"), said
    elif isinstance(shape, Mapping):
        for key, inner in shape.items():
            told = key.removesuffix("?") + (" (optional)" if key.endswith("?") else "")
            yield from _keys(inner, f"{before}.{told}" if before else told)
    else:
        yield from _keys(shape[0], f"{before}[]")


def released_page() -> str:
    """Everything that the papers have, with the words of a specification that release it."""
    from releasable.rows import KINDS, rows

    intro = (
        "# What the papers have, and the words that release it\n\nGenerated from `tests/releasable/` by `make docs`. "
        "Every row but the definitions on finite worlds is released by `tests/releasable/test_released.py`, from the "
        "command line to a certificate that `dalenius verify` and the independent checker confirm (or, where it says "
        "so, of which the checker says what it leaves open). The words stand in a [specification](spec.md) in place of "
        "the same keys of [this one](../tests/releasable/base.yaml). *As large as*: what runs in minutes.\n"
    )
    parts = [intro]
    for kind in KINDS:
        found = [row for row in rows() if row.kind == kind]
        parts += [f"## {kind.capitalize()}s\n"] if found else []
        for row in found:
            tests = ", ".join(f"`{test.removeprefix('tests/')}`" for test in row.tests)
            about = f"**{row.name}** ({', '.join(row.papers)}). As large as: {row.size}. Compared in {tests}."
            about += "" if row.confirmed or row.finite else " The checker leaves it open."
            about += " Python only: for teaching, on worlds that are listed." if row.finite else ""
            parts.append(about + (f"\n\n```yaml\n{row.words.strip()}\n```\n" if row.words else "\n"))
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    from api_pages import api_pages
    from attack_picture import attack_picture
    from gallery import gallery

    folders = ("src/dalenius/record/certificate", "checker/src/dalenius_checker")
    return {
        HERE / "cli.md": cli_page(),
        HERE / "spec.md": spec_page(),
        HERE / "tables-file.md": tables_page(),
        HERE / "theorems.md": theorems_page(),
        HERE / "limits.md": limits_page(),
        HERE / "released.md": released_page(),
        HERE / "json.md": json_page(),
        **{HERE / "api" / f"{name}.md": text for name, text in api_pages().items()},
        **{HERE / name: text for name, text in gallery().items()},
        HERE / "pictures" / "attacks.svg": attack_picture(),
        **{HERE.parent / folder / "certificate.schema.json": json_schema() for folder in folders},
    }


def main(arguments: list[str]) -> int:
    """Write the pages; with --check, only say which are out of date (exit code 1)."""
    made = pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(HERE.parent)} is out of date: run make docs")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
