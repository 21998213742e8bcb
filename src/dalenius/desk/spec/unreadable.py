"""What is wrong with a text that is not YAML: where, what was expected there, and what to do."""

import yaml

QUOTE = "Put the value in quotes; a condition is written as {at_least: 10000}"
# What PyYAML says, in its order of precision; what it means, and what to do. {open} is where that began.
MEANINGS = (
    ("expected ',' or ']'", "a list{open} is not closed, or lacks a comma", "Write ] at its end, commas between items"),
    ("expected ',' or '}'", "braces{open} are not closed, or lack a comma", "Write } at the end, commas between keys"),
    (
        "mapping values are not allowed",
        "a colon stands where none is expected",
        "Put a value with a colon in quotes; indent keys that belong together alike",
    ),
    ("unexpected end of stream", "a quotation mark{open} is not closed", "Close it"),
    ("but found ']'", "there is a ] without a [", "Remove it, or open the list"),
    ("but found '}'", "there is a } without a {", "Remove it, or open the braces"),
    (
        "expected <block end>",
        "the line belongs neither to what stands above it nor to the keys outside",
        "Indent it like its neighbours, and write key: value, or dashes before all items of a list",
    ),
    (r"character '\t'", "a tab stands there", "Write spaces"),
    ("cannot start any token", "no value begins with such a character", QUOTE),
    ("undefined alias", "* refers to something that has no name", "Put the value in quotes"),
    ("chomping or indentation", "> and | begin a longer text", QUOTE),
    ("expected a comment or a line break", "> and | begin a longer text", QUOTE),
    ("could not find expected ':'", "a key before it has no colon", "Write key: value, with a space after the colon"),
    ("found another document", "--- begins a second document", "Keep one, and remove the other"),
    ("for merging", "<< takes over keys, and needs some", "Write the keys themselves"),
    ("constructor for the tag", "! begins a type that is not known", "Put the value in quotes"),
    (
        "escape character",
        "in double quotes a backslash begins a sign",
        "Write it twice, or use single quotes",
    ),
)


def unreadable(text: str, error: yaml.YAMLError, what: str) -> str:
    """What is needed, where the text is otherwise, and what to do."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return f"The {what} needs to be YAML, but it has characters that are not text. Save it as UTF-8 text."
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    where = f"line {mark.line + 1}, column {mark.column + 1}" if line else f"its end, after line {len(lines)},"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        means, remedy = "a tab stands at its beginning", "Indent with spaces"
    else:
        means, remedy = next(
            ((means, remedy) for found, means, remedy in MEANINGS if found in problem),
            ("something stands there that cannot be read", "Compare it with the examples in docs/spec.md"),
        )
    start = getattr(error, "context_mark", None)
    begun = f" that began in line {start.line + 1}, column {start.column + 1}," if start is not None else ""
    return f"The {what} needs to be YAML, but {where} is not: {means.replace('{open}', begun)}. {remedy}."
