"""Plain questions: what they accept, what they refuse, and that nobody looks at confidential values."""

import copy
import gzip
from unittest.mock import ANY

import duckdb
import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

import dalenius as dl
import dalenius.data.source as source
from dalenius.basics.errors import DaleniusError, OutputError, SpecError
from dalenius.cli import app
from dalenius.desk.interview import PRESETS, file_asker, new_spec, preset_named
from dalenius.desk.spec import load_spec
from edges.desk import as_csv, dalenius, people
from edges.desk import spec as desk_spec

ANSWERS = {
    "person": "id",
    "public": ["region"],
    "confidential": {"smoker": ["no", "yes"], "income": "0 to 9000 by 1000"},
    "figures": [{"smokers": "count where smoker = yes by region"}, "income: mean of income"],
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 9000": 1}, "source": "tax tables"},
    },
    "secret": "value",
    "attacker": "group",
    "knows": "5 %",
    "because": "the largest employer",
    "population": "everybody",
    "together": "nobody",
    "published": "nothing",
    "delta": "1e-3",
}
FIVE = ("secret", "attacker", "population", "together", "published")


@pytest.fixture
def room(tmp_path):
    (tmp_path / "people.csv").write_text(as_csv(people()), encoding="utf-8")
    return tmp_path


def answers(**changes):
    found = {key: value for key, value in {**copy.deepcopy(ANSWERS), **changes}.items() if value is not None}
    return yaml.safe_dump(found, sort_keys=False)


def ask(room, text, *more):
    (room / "answers.yaml").write_text(text, encoding="utf-8")
    return dalenius("new", room / "people.csv", "-o", room / "new.yaml", "--answers", room / "answers.yaml", *more)


@pytest.mark.slow
def test_answers_become_a_specification_that_check_accepts(room):
    answer = ask(room, answers())
    assert (answer.code, answer.err) == (0, "")
    spec = load_spec(room / "new.yaml")
    assert spec.data == "people.csv" and spec.attacker.knows == "5%"
    assert spec.public == {"region": ["north", "south"]}
    assert [(figure.kind, figure.column, figure.by) for figure in spec.figures] == [
        ("count", None, ["region"]),
        ("mean", "income", []),
    ]
    assert dalenius("check", room / "new.yaml", "--quick").code in (0, 1, 3)
    text = (room / "new.yaml").read_text(encoding="utf-8")
    assert text.count("\n#") >= 8  # commented


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in ANSWERS if key != "delta"])
def test_a_missing_answer_names_the_question_and_nothing_is_written(room, key):
    answer = ask(room, answers(**{key: None}))
    assert answer.code == 2 and f"Question {key} (" in answer.err
    assert "Traceback" not in answer.err and not (room / "new.yaml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("key", FIVE)
def test_a_missing_answer_to_one_of_the_five_lists_the_choices(room, key):
    told = ask(room, answers(**{key: None})).err
    assert "The choices: " in told and " (" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"secret": "valeu"}, "Did you mean value?"),
        ({"secret": True}, "needs one of: value"),
        ({"attacker": ["group"]}, "needs one of: outsider"),
        ({"knows": "a lot"}, "needs a share (5 %, 0.05 or 1/20)"),
        ({"knows": "-3"}, "needs a share"),
        ({"knows": "150 %"}, "below 1"),
        ({"because": "  "}, "needs some text"),
        ({"person": "person"}, "Question person"),
        ({"public": ["regoin"]}, "needs some of: the 4 columns of the table; but got 'regoin'"),
        ({"public": ["region", "region"]}, "region twice"),
        ({"public": 3}, "needs a list of"),
        ({"public": ["region", "smoker"]}, "but got 'smoker'"),
        ({"confidential": "smoker"}, "needs columns with what they may contain"),
        ({"confidential": {"smoker": []}}, "needs labels"),
        ({"confidential": {"smoker": ["yes"]}}, "needs at least two values"),
        ({"confidential": {"smoker": "yes, yes"}}, "needs at least two values"),
        ({"confidential": {"income": "5 to 5"}}, "needs at least two values"),
        ({"confidential": {"smoke": ["no"]}}, "but got 'smoke'"),
        ({"confidential": {"smoker": ["no", "yes"], "income": "9000 to 0"}}, "Bounds must be"),
        ({"figures": []}, "at least one figure"),
        ({"figures": ["smokers count"]}, "a name and what it is"),
        ({"figures": ["a: medium of income"]}, '"count", "sum of COLUMN"'),
        ({"figures": ["a: count where smoker ~ yes"]}, "but got '~' at character 8"),
        ({"figures": ["a: count where nobody = 1"]}, "names 'nobody', which is not declared"),
        ({"figures": ["a: count where region = north or smoker = yes"]}, "chooses between both"),
        ({"confidential": {"smoker": "[no, yes"}}, "Close them"),
        ({"knows": "0"}, "goes with attacker: group"),
        ({"attacker": "outsider"}, "goes with attacker: outsider"),
        ({"beliefs": {"smoker": {"probabilities": {"yes": 1}, "source": "x"}}}, "an answer for income"),
        ({"beliefs": "guess"}, "a line for each of smoker, income"),
        ({"together": "familes"}, "needs one of: nobody"),
        ({"published": "earlier.yaml"}, "Needed the specification, a YAML file, at"),
        ({"published": 7}, "a name and what it is"),
        ({"epsilon": "small"}, "Question epsilon"),
        ({"preset": "hospital"}, "A preset is one of: survey"),
        ({"sekret": "value"}, "Did you mean secret?"),
        ({"colour": "red"}, "no question is called so"),
    ],
)
def test_a_wrong_answer_is_explained_and_nothing_is_written(room, changes, told):
    answer = ask(room, answers(**changes))
    assert answer.code == 2 and told in answer.err, answer.err
    assert "Traceback" not in answer.err and not (room / "new.yaml").exists()


@pytest.mark.parametrize(
    ("key", "answer", "advice"),
    [
        ("population", "sample", "write population: everybody"),
        ("together", "households", "one row a household"),
        ("together", "visits", "one record a person"),
        ("together", "owners", "one row an owner"),
        ("together", "others", "docs/beliefs.md"),
    ],
)
def test_an_answer_that_cannot_be_judged_stops_the_release(room, key, answer, advice):
    """The specification carries it, and no command passes over it."""
    told = ask(room, answers(**{key: answer}))
    assert told.code == 0 and f"It will be refused as it is: {key}: {answer}" in told.out and advice in told.out
    assert getattr(load_spec(room / "new.yaml"), key) == answer
    before = {path.name for path in room.iterdir()}
    for command in (["check"], ["plan"], ["release", "-o", room / "out"], ["explain"]):
        refused = dalenius(command[0], room / "new.yaml", *command[1:])
        assert refused.code == 2 and refused.out == "" and f"Error: {key}: {answer} says that" in refused.err
        assert advice in refused.err
    assert {path.name for path in room.iterdir()} == before
    for spec in (load_spec(room / "new.yaml"), desk_spec(**{key: answer}), room / "new.yaml"):
        with pytest.raises(SpecError, match=f"{key}: {answer} says that"):
            dl.decide(spec, pd.DataFrame(people()), margins=False)


@pytest.mark.slow
def test_all_that_cannot_be_judged_is_told_at_once(room):
    told = ask(room, answers(population="sample", together="visits"))
    assert told.out.count("It will be refused") == 2
    assert dalenius("check", room / "new.yaml").err.count("says that") == 2
    (room / "new.yaml").unlink()
    assert "refused" not in ask(room, answers()).out


def test_an_earlier_specification_of_some_rows_only_is_not_taken_for_one_of_all(room):
    earlier = desk_spec(
        public={"region": ["north", "south"], "since": [1, 2]}, edition={"now": 1, "since": "since"}, published=None
    )
    (room / "earlier.yaml").write_text(yaml.safe_dump(earlier), encoding="utf-8")
    told = ask(room, answers(published="earlier.yaml"))
    assert told.code == 2 and "has an edition" in told.err and not (room / "new.yaml").exists()


@pytest.mark.parametrize(
    ("phrase", "where", "by"),
    [
        ("count where income > 0", "income > 0", None),
        ("count where income < 3000 and smoker != no by region", "income < 3000 and smoker != no", ["region"]),
        ("count  where smoker in (no, yes)", "smoker in (no, yes)", None),
        ("sum of income where not (income between 1000 and 3000)", "not (income between 1000 and 3000)", None),
        ("count where smoker = 'yes' by region", "smoker = 'yes'", ["region"]),
    ],
)
def test_conditions_are_those_of_a_specification(room, phrase, where, by):
    told = ask(room, answers(figures=[{"some": phrase}]))
    assert (told.code, told.err) == (0, "")
    (figure,) = load_spec(room / "new.yaml").figures
    assert figure.where == where and figure.by == (by or [])


def test_a_quoted_label_may_hold_words_of_a_figure(tmp_path):
    table = {**people(), "smoker": ["stand by me", "sum where"] * 200}
    (tmp_path / "people.csv").write_text(as_csv(table), encoding="utf-8")
    text = answers(
        confidential={"smoker": ["stand by me", "sum where"]},
        figures=["a: count where smoker = 'stand by me' by region"],
        beliefs={"smoker": {"probabilities": {"stand by me": "0.3", "sum where": "rest"}, "source": "s"}},
    )
    assert ask(tmp_path, text).code == 0
    (figure,) = load_spec(tmp_path / "new.yaml").figures
    assert figure.where == "smoker = 'stand by me'" and figure.by == ["region"]


@pytest.mark.parametrize(
    ("header", "offered"),
    [("affairs,age,region", None), ("age,patient_id,region", "patient_id"), ("id,personId,region", None)],
)
def test_a_column_is_offered_as_the_person_only_if_its_name_says_so(tmp_path, monkeypatch, header, offered):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(f"{header}\n0,1,north\n1,2,south\n", encoding="utf-8")
    answer = CliRunner().invoke(app, ["new", "people.csv"], input="yes\n\n")
    first = answer.output.split("Which columns may anybody know")[0]
    assert (f"[{offered}]" in first) if offered else ("[" not in first and "nothing was typed" in first)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("{yes: 0.3, no: rest}", {"probabilities": {"yes": "0.3", "no": "rest"}}),
        ("yes: 3/10, no: rest", {"probabilities": {"yes": "3/10", "no": "rest"}}),
        ("{probabilities: {yes: 0.3, no: rest}, weight: 0.8}", {"probabilities": ANY, "weight": "0.8"}),
        ("{counts: survey.csv, by: region, confidence: 0.999}", {"counts": "survey.csv", "by": "region"}),
        ("{by: region, cells: {north: {yes: 0.3, no: rest}, south: {yes: 0.2, no: rest}}}", {"by": "region"}),
    ],
)
def test_beliefs_are_written_as_in_a_specification(room, monkeypatch, typed, meant):
    monkeypatch.chdir(room)
    counts = "region,smoker,count\nnorth,yes,30\nnorth,no,70\nsouth,yes,40\nsouth,no,160\n"
    (room / "survey.csv").write_text(counts, encoding="utf-8")
    head = ["yes", "id", "", "region", "smoker", "[no, yes]", "", "smokers: count where smoker = yes by region", ""]
    rest = ["a survey", "value", "group", "5 %", "the largest employer", "everybody", "nobody", "nothing", "", ""]
    answer = typing([*head, "yes 0.3, no rest", typed, *rest])
    assert answer.exit_code == 0, answer.output
    assert "needs probabilities ({yes: 0.1, no: rest})" in answer.output
    found = load_spec(room / "release.yaml")
    assert found.confidential == {"smoker": ["no", "yes"]}
    assert {key: getattr(found.beliefs["smoker"], key) for key in meant} == meant
    assert found.beliefs["smoker"].source == "a survey"


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "secret: [value", "secret: value\nsecret: value\n", "a" * 5])
def test_an_answers_file_that_is_no_list_of_answers(room, text):
    answer = ask(room, text)
    assert answer.code == 2 and answer.err.startswith("Error: ") and not (room / "new.yaml").exists()


def test_an_existing_file_is_never_overwritten(room):
    (room / "new.yaml").write_text("mine", encoding="utf-8")
    answer = ask(room, answers())
    assert answer.code == 2 and "is there already" in answer.err
    assert (room / "new.yaml").read_text(encoding="utf-8") == "mine"


def test_confidential_columns_are_never_read(room, monkeypatch):
    asked = []
    run = source.Source.run
    monkeypatch.setattr(source.Source, "run", lambda self, query: (asked.append(str(query)), run(self, query))[1])
    selected = []
    select = source.Source.select

    def watched(self, names):
        found = select(self, names)
        selected.append((tuple(names), len(asked)))
        return found

    monkeypatch.setattr(source.Source, "select", watched)
    assert ask(room, answers()).code == 0
    assert len(asked) == 1  # one question to the data: the values of the public column
    assert selected[-1] == (("region",), 0)


@pytest.mark.slow
def test_secrets_of_the_table_stand_in_no_file_and_in_no_message(room):
    table = people()
    table["smoker"][0] = "SENTINEL-7731"
    (room / "people.csv").write_text(as_csv(table), encoding="utf-8")
    answer = ask(room, answers())
    shown = answer.out + answer.err + (room / "new.yaml").read_text(encoding="utf-8")
    assert answer.code == 0 and "SENTINEL" not in shown


def test_names_that_yaml_or_a_reader_could_misread_survive(tmp_path):
    names = ['id: "1"', "re#gion", "smoker, [x]"]
    rows = [",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names)]
    rows += [f"P{n},{'no' if n % 2 else 'yes'},{'true' if n % 3 else '1'}" for n in range(300)]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = answers(
        person=names[0],
        public=[names[1]],
        confidential={names[2]: ["true", "1"]},
        figures=[{"name": "- a: {b}", "kind": "count", "where": {names[2]: "true"}}],
        beliefs={names[2]: {"probabilities": {"true": "0.5", "1": "rest"}, "source": "x: # y\nz 'q' \"w\" ü"}},
    )
    answer = ask(tmp_path, text)
    assert answer.code == 0, answer.err
    spec = load_spec(tmp_path / "new.yaml")
    assert spec.person == names[0] and spec.figures[0].name == "- a: {b}"
    assert spec.public == {"re#gion": ["no", "yes"]} and spec.confidential[names[2]] == ["true", "1"]


@pytest.mark.slow
def test_what_was_published_before_is_taken_from_an_earlier_specification(room):
    assert ask(room, answers()).code == 0
    (room / "new.yaml").rename(room / "earlier.yaml")
    more = [{"smokers now": "count where smoker = yes"}]
    beliefs = {"smoker": ANSWERS["beliefs"]["smoker"], "income": ANSWERS["beliefs"]["income"]}
    assert ask(room, answers(published="earlier.yaml", figures=more, beliefs=beliefs)).code == 0
    spec = load_spec(room / "new.yaml")
    assert [figure.name for figure in spec.published] == ["smokers", "income"]


def test_presence_asks_for_sizes(room):
    figures = ["smokers: count where smoker = yes by region"]
    assert "Question sizes" in ask(room, answers(secret="presence", figures=figures)).err
    text = answers(secret="presence", figures=figures, sizes={"north": 100, "south": 100})
    assert ask(room, text).code == 0
    assert load_spec(room / "new.yaml").secret == "presence"


@pytest.mark.parametrize(
    ("margin", "secret"),
    [
        ("income: 5000", {"within": {"income": "5000"}}),
        ("income: 10 %", {"percent": {"income": "10"}}),
        ("whole", None),
        (None, None),
    ],
)
def test_a_margin_is_asked_for_where_a_value_is_hidden_to_within_one(room, margin, secret):
    more = {} if margin is None else {"margin": margin}
    told = ask(room, answers(secret="within", **more))
    assert told.code == 0, told.err
    found = load_spec(room / "new.yaml").secret
    assert (found == "value") if secret is None else (found.model_dump(exclude_defaults=True) == secret)


@pytest.mark.parametrize(
    "columns", [{"smoker": ["no", "yes"], "income": "0 to 9000 by 1000"}, {"smoker": ["no", "yes"]}]
)
def test_where_no_margin_is_named_the_file_says_that_all_of_a_value_is_hidden(room, columns):
    figures = [{"smokers": "count where smoker = yes by region"}]
    beliefs = {"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}}
    told = ask(room, answers(secret="within", confidential=columns, figures=figures, beliefs=beliefs))
    assert told.code == 0
    text = (room / "new.yaml").read_text(encoding="utf-8")
    assert "# what a record says; who is in the data may be known\nsecret: value\n" in text


@pytest.mark.parametrize("margin", ["smoker: 5", "income", "income: much", "income: 0.001"])
def test_a_margin_that_says_nothing_is_asked_for_again(room, margin):
    told = ask(room, answers(secret="within", margin=margin))
    assert told.code == 2
    assert "income" in told.err


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_answers_what_is_usual_and_leaves_the_source_and_the_history_to_people(room, preset):
    usual = dict.fromkeys(("secret", "attacker", "knows", "population", "delta"))
    answer = ask(room, answers(**usual, preset=preset.name))
    assert answer.code == 0, answer.err
    spec = load_spec(room / "new.yaml")
    assert (spec.target.epsilon, spec.target.delta) == (preset.epsilon, preset.delta)
    assert preset.why.split(".")[0] in (room / "new.yaml").read_text(encoding="utf-8")
    (room / "new.yaml").unlink()
    assert "Question published" in ask(room, answers(**usual, preset=preset.name, published=None)).err
    assert "Question because" in ask(room, answers(**usual, preset=preset.name, because=None)).err
    assert "Question together" in ask(room, answers(**usual, preset=preset.name, together=None)).err


def test_two_presets_that_differ_are_refused(room):
    assert "Keep one" in ask(room, answers(preset="survey"), "--preset", "monthly").err


def test_on_a_terminal_wrong_answers_are_asked_again(room, monkeypatch):
    monkeypatch.chdir(room)
    typed = [
        *("yes", "id", "", "region", "smoker", "no, yes", "", "smokers: count where smoker = yes by region", ""),
        *("{yes: 0.3, no: rest}", "a survey", "valeu", "value", "group", "5 %", "the largest employer"),
        *("everybody", "nobody", "nothing", "", ""),
    ]
    answer = CliRunner().invoke(app, ["new", "people.csv"], input="\n".join(typed) + "\n")
    assert answer.exit_code == 0, answer.output
    assert "Did you mean value?" in answer.output and "Written: release.yaml" in answer.output
    assert load_spec(room / "release.yaml").target.epsilon == "0.5"


def test_row_numbers_without_a_name_are_not_offered_as_a_column(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(",region,smoker\n1,north,yes\n2,south,no\n")
    typed = ["yes", "each row", "region", "smoker", "no, yes"]
    answer = CliRunner().invoke(app, ["new", "people.csv"], input="\n".join(typed) + "\n")
    assert "  - region" in answer.output and "2 of" in answer.output
    assert not [line for line in answer.output.splitlines() if line.strip() in ("-", "- :", "- : text (CSV)")]


def test_without_a_terminal_and_without_answers_nothing_is_written(room, monkeypatch):
    monkeypatch.chdir(room)
    answer = CliRunner().invoke(app, ["new", "people.csv"], input="yes\nid\n")
    assert isinstance(answer.exception, SpecError) and "--answers" in str(answer.exception)
    assert not (room / "release.yaml").exists()


def test_a_public_column_of_too_many_values_needs_its_domain(room):
    table = people()
    table["age"] = list(range(len(table["id"])))
    (room / "people.csv").write_text(as_csv(table), encoding="utf-8")
    assert "at most 200 different values" in ask(room, answers(public=["region", "age"])).err
    assert ask(room, answers(public={"region": None, "age": "0 to 500"})).code == 0


@pytest.mark.slow
def test_a_gap_in_a_public_column_is_a_value(room):
    table = people()
    table["region"][3] = ""
    (room / "people.csv").write_text(as_csv(table), encoding="utf-8")
    assert ask(room, answers()).code == 0
    column = load_spec(room / "new.yaml").public["region"]
    assert (column.values, column.missing) == (["north", "south"], "as a value")
    assert dalenius("check", room / "new.yaml", "--quick").code in (0, 1, 3)


def test_no_table_and_no_folder(room):
    assert dalenius("new", room / "nothing.csv", "-o", room / "new.yaml").code == 2
    (room / "answers.yaml").write_text(answers(), encoding="utf-8")
    told = dalenius("new", room / "people.csv", "-o", room / "no" / "new.yaml", "--answers", room / "answers.yaml")
    assert told.code == 2 and "Create it first" in told.err


@pytest.mark.slow
@pytest.mark.parametrize("address", ["duckdb://{}?table=people", "{}?table=people"])
def test_an_address_is_written_so_that_it_is_found(room, address):
    with duckdb.connect(room / "office.duckdb") as database:
        database.execute("CREATE TABLE people AS FROM read_csv(?, all_varchar = true)", [str(room / "people.csv")])
        database.execute("CREATE TABLE others (id INT)")
    (room / "answers.yaml").write_text(answers(), encoding="utf-8")
    (room / "below").mkdir()
    target = room / "below" / "new.yaml"
    data = address.format(room / "office.duckdb")
    told = dalenius("new", data, "-o", target, "--answers", room / "answers.yaml")
    assert (told.code, told.err) == (0, "")
    spec = load_spec(target)
    assert (spec.data, spec.table) == ("../office.duckdb", "people")
    assert dalenius("check", target, "--quick").code in (0, 1, 3)
    told = dalenius("new", room / "office.duckdb", "-o", room / "other.yaml", "--answers", room / "answers.yaml")
    assert told.code == 2 and "?table=" in told.err


def test_a_first_line_that_is_a_record_is_not_quoted(room):
    record = "4711,north,HIV positive\n"
    (room / "people.csv").write_text(record * 2, encoding="utf-8")
    told = ask(room, answers())
    assert told.code == 2 and "seems to be a record" in told.err
    (room / "release.yaml").write_text(yaml.safe_dump(desk_spec(), sort_keys=False), encoding="utf-8")
    other = dalenius("check", room / "release.yaml")
    assert other.code == 2 and "If its first line is a record" in other.err
    assert not any(word in told.err + other.err for word in ("4711", "HIV"))


def test_in_python(room):
    (room / "answers.yaml").write_text(answers(), encoding="utf-8")
    asker, preset, left = file_asker(room / "answers.yaml")
    text = new_spec(room / "people.csv", room / "new.yaml", asker, preset, base=room, finish=left.refuse)
    assert text == (room / "new.yaml").read_text(encoding="utf-8")
    with pytest.raises(OutputError, match="already"):
        new_spec(room / "people.csv", room / "new.yaml", asker, preset)
    with pytest.raises(SpecError, match="Did you mean survey"):
        preset_named("surveys")
    with gzip.open(room / "people.csv.gz", "wt") as file:
        file.write(as_csv(people()))
    asker, preset, left = file_asker(room / "answers.yaml")
    new_spec(room / "people.csv.gz", room / "packed.yaml", asker, preset, base=room)
    assert issubclass(SpecError, DaleniusError)


TYPED = [
    *("yes", "id", "one", "region", "smokr", "smoker", "5 to", "no, yes", ""),
    *("a: count where smokr = yes", "smokers: count where smoker = yes by region", "smokers: count", ""),
    *("yes: 0.3, no: 0.3", "yes: 0.3, no: rest", "", "a survey", "value", "group", "150 %", "5 %", "back", "10 %"),
    *("the largest employer", "everybody", "", "nobody", "earlier.yaml", "nothing", "200", "0.5", "2", "1e-3"),
]


def typing(lines, *more):
    return CliRunner().invoke(app, ["new", "people.csv", *more], input="\n".join(lines) + "\n")


def test_every_wrong_answer_is_asked_again_by_itself(room, monkeypatch):
    monkeypatch.chdir(room)
    answer = typing(TYPED)
    assert answer.exit_code == 0, answer.output
    spec = load_spec(room / "release.yaml")
    assert spec.attacker.knows == "10%" and [figure.name for figure in spec.figures] == ["smokers"]
    assert (spec.target.epsilon, spec.target.delta) == ("0.5", "1e-3")
    assert "id: text (CSV)" in answer.output and "nothing was typed" in answer.output
    told = (
        "but got 'smokr'",
        "needs labels ([no, yes]), a range",
        "names 'smokr'",
        "is used twice",
        "must sum to 1",
    )
    for words in (*told, "below 1", "at earlier.yaml, but there is none", "between 0 and 1"):
        assert words in answer.output, words


@pytest.mark.slow
@pytest.mark.parametrize("cut", [2, 8, 11, 17, 32])
def test_an_interview_that_is_cut_short_goes_on_where_it_was(room, monkeypatch, cut):
    monkeypatch.chdir(room)
    answer = typing(TYPED[:cut], "--keep", "kept.yaml")
    assert "--keep kept.yaml goes on" in str(answer.exception) and not (room / "release.yaml").exists()
    kept = yaml.safe_load((room / "kept.yaml").read_text(encoding="utf-8"))
    assert kept["person"] == "id"
    assert typing(TYPED[cut:], "--keep", "kept.yaml").exit_code == 0
    assert dalenius("new", "people.csv", "-o", "again.yaml", "--answers", "kept.yaml").code == 0
    assert load_spec(room / "again.yaml") == load_spec(room / "release.yaml")


def test_what_types_say_is_suggested_and_each_row_may_be_a_person(tmp_path):
    import duckdb

    with duckdb.connect(tmp_path / "people.duckdb") as database:
        database.execute("CREATE TYPE region AS ENUM ('north', 'south', 'isles')")
        database.execute("CREATE TABLE people (region region, smoker BOOLEAN)")
        database.execute("INSERT INTO people SELECT 'north', range % 3 = 0 FROM range(300)")
    given = {
        **{
            key: ANSWERS[key]
            for key in ("secret", "attacker", "knows", "because", "population", "together", "published")
        },
        "person": "each row",
        "public": "region",
        "confidential": "smoker",
        "figures": "smokers: count where smoker = true by region",
        "beliefs": {"smoker": {"probabilities": {"true": 0.3, "false": 0.7}, "source": "so"}},
        "epsilon": 1,
        "delta": "1e-3",
    }
    (tmp_path / "answers.yaml").write_text(yaml.safe_dump(given), encoding="utf-8")
    answer = dalenius(
        "new", tmp_path / "people.duckdb", "-o", tmp_path / "new.yaml", "--answers", tmp_path / "answers.yaml"
    )
    assert answer.code == 0, answer.err
    written = yaml.safe_load((tmp_path / "new.yaml").read_text())
    assert written["public"] == {"region": ["north", "south", "isles"]}
    assert written["confidential"] == {"smoker": [False, True]} and written["person"] == "each row"


def test_who_does_not_know_says_so(room):
    assert ask(room, answers(beliefs="I don't know")).code == 0
    text = (room / "new.yaml").read_text(encoding="utf-8")
    assert "smoker: unknown" in text and "income: unknown" in text
    assert all(belief.unknown for belief in load_spec(room / "new.yaml").beliefs.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        "smoker,count\nyes,300\nno,700\n",
        "region,no,yes\nnorth,350,150\nsouth,350,150\n",
        "smoker,percent,base\nyes,30.0,1000\nno,70.0,1000\n",
        "region,no,yes,base\nnorth,70.0,30.0,1000\nsouth,65.0,35.0,500\n",
    ],
    ids=["long", "wide", "percentages", "wide percentages"],
)
def test_a_public_table_may_come_from_a_file(room, table):
    (room / "survey.csv").write_text(table, encoding="utf-8")
    by = " by region" if table.startswith("region") else ""
    beliefs = {"smoker": {"counts": "survey.csv", "confidence": "0.999", "source": "open file"}, "income": "unknown"}
    beliefs["smoker"] |= {"by": "region"} if by else {}
    assert ask(room, answers(beliefs=beliefs)).code == 0
    written = load_spec(room / "new.yaml").beliefs["smoker"]
    (room / "new.yaml").unlink()
    monkey = ["yes", "id", "one", "region", "smoker", "no, yes", "", "a: count where smoker = yes", ""]
    monkey += [f"{room}/survey.csv{by}", "open file", "value", "outsider", "0", "why", "", "nobody", "nothing", "", ""]
    typed = CliRunner().invoke(
        app, ["new", str(room / "people.csv"), "-o", str(room / "new.yaml")], input="\n".join(monkey) + "\n"
    )
    assert typed.exit_code == 0, typed.output
    assert load_spec(room / "new.yaml").beliefs["smoker"].counts == written.counts


@pytest.mark.slow
def test_a_question_mark_explains_and_going_back_loses_nothing(room, monkeypatch):
    monkeypatch.chdir(room)
    lines = ["?", "yes", "id", "?", "one", "region", "smoker", "no, yes", "", "a: count where smoker = yes", ""]
    lines += ["?", "back"]  # from the beliefs to the figures: they are still there
    lines += ["b: count", "", "back"]  # and once more
    lines += [
        "- b",
        "",
        "unknown",
        "value",
        "back",
        "",
        "group",
        "back",
        "",
        "",
        "",
        "because",
        "",
        "nobody",
        "",
        "",
        "",
    ]
    answer = typing(lines)
    assert answer.exit_code == 0, answer.output
    spec = load_spec(room / "release.yaml")
    assert [figure.name for figure in spec.figures] == ["a"]
    assert spec.beliefs["smoker"].unknown
    for words in ("so far: a: count where smoker = yes", "Visits, prescriptions", "If nobody knows", "1 of at most 30"):
        assert words in " ".join(answer.output.split()), words
    assert "16 of 16. How much probability" in answer.output


def test_what_newcomers_type_first_is_understood_or_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n // 3},{'ns'[n // 3 % 2]},{n % 2}" for n in range(120)]
    (tmp_path / "people.csv").write_text("\n".join(["id,region,again", *rows]) + "\n", encoding="utf-8")
    lines = ["yes", "id", "several", "again", "0, 1", ""]
    lines += ["relapses: number of rows where again = 1"]  # without limits
    lines += ["relapses: number of rows where again = 1 from 0 to 2", "", "region", "none"]  # nothing else is hidden
    lines += ["a: count by regoin", "b: mean of relapses by region", ""]
    lines += ["{0: 0.2, 1: 0.5, 2: rest}", "a trial", "value", "group", "5 %", "I don't know", "one practice"]
    lines += ["", "nobody", "nothing", "", ""]
    answer = typing(lines)
    assert answer.exit_code == 0, answer.output
    told = " ".join(answer.output.split())
    for words in (
        "needs limits, to which a number of rows is clipped",
        "Did you mean 'region'?",
        "- relapses: 0 to 2",
        "needs a reason that somebody else can check",
        "nobody: each person's record says nothing about any other",
    ):
        assert words in told, words
    spec = load_spec(tmp_path / "release.yaml")
    assert spec.per_person["relapses"].limits == ("0", "2") and spec.attacker.source == "one practice"


def test_several_columns_may_be_joined_by_and(room):
    answer = ask(room, answers(figures=["smokers: count by region and smoker", "income: mean of income"]))
    assert answer.code == 0, answer.err
    assert "by: [region, smoker]" in (room / "new.yaml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_several_rows_bins_dates_and_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["id,region,born,day,cost,age,fever"]
    rows += [
        f"{n % 40},{'ns'[n % 40 % 2]},{1950 + n % 40},2024-0{1 + n % 9}-01,{n % 7},{20 + n % 40},"
        f"{'yes' if n % 3 else ''}"
        for n in range(120)
    ]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    lines = [
        "yes",
        "id",
        "several",
        "cost",
        "0 to 9",
        "day",
        "2024-01-01 to 2024-12-31",
        "fever",
        "no, yes or missing",
        "",
    ]
    lines += [
        "visits: number of rows where cost > 2, 0 to 5",
        "spent: sum of cost, 0 to 20",
        "odd",
        "ever: any where fever = yes",
    ]
    lines += ["first: first of fever by day", "", "region; born: bins 1900, 1970, 2000", "age"]
    lines += ["bins 0, 30, 99", ""]
    lines += ["a: count where ever = yes by region", "b: mean of visits", "c: count by age", "", "unknown", "unknown"]
    lines += ["unknown", "value", "outsider", "0", "why", "", "visits", "nothing", "", ""]
    answer = typing(lines)
    assert answer.exit_code == 0, answer.output
    assert "needs a name and what is taken" in answer.output
    assert "# visits of one person, of which one record is made" in (tmp_path / "release.yaml").read_text()
    spec = load_spec(tmp_path / "release.yaml")
    assert spec.per_person["visits"].take == "number of rows" and spec.per_person["visits"].limits == ("0", "5")
    assert spec.per_person["first"].by == "day"
    assert spec.rows["fever"].missing == "as a value" and spec.rows["day"].unit == "day"
    assert spec.public["born"].bins == ["1900", "1970", "2000"]
    assert spec.confidential["age"].bins == ["0", "30", "99"]
    assert dalenius("check", tmp_path / "release.yaml", "--quick").code == 1


SAMPLE = {"population": "sample", "figures": "smokers: count where smoker = yes", "delta": "1e-2", "knows": "5"}


@pytest.mark.parametrize(
    ("changes", "sample"),
    [
        ({"design": "simple", "members": 20000}, {"of": 20000, "design": "simple", "taking_part": "secret"}),
        (
            {"design": "Bernoulli", "members": "20000", "rate": "0.02"},
            {"of": 20000, "design": "Bernoulli", "rate": 0.02},
        ),
        (
            {
                "figures": "smokers: count where smoker = yes by region",
                "design": "stratified",
                "members": {"north": 10000, "south": 30000},
                "taking_part": "known",
            },
            {"by": ["region"], "of": {"north": 10000, "south": 30000}, "design": "stratified", "taking_part": "known"},
        ),
        (
            {
                "figures": "smokers: count where smoker = yes by region",
                "design": "Poisson",
                "members": "{north: 10000, south: 30000}",
                "rate": "{north: 0.02, south: 0.01}",
            },
            {"by": ["region"], "of": ANY, "rate": ANY, "design": "Poisson"},
        ),
    ],
    ids=["simple", "coins", "strata", "coins of strata"],
)
def test_how_a_sample_was_drawn_is_asked_for(room, changes, sample):
    beliefs = {"smoker": ANSWERS["beliefs"]["smoker"]}
    text = answers(**{**SAMPLE, "beliefs": beliefs, "drawn_because": "the protocol", **changes})
    answer = ask(room, text)
    assert (answer.code, answer.err) == (0, "")
    written = yaml.safe_load((room / "new.yaml").read_text(encoding="utf-8"))["sample"]
    assert written == {**sample, "source": "the protocol"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"design": "whoever answered"}, "needs one of: simple"),
        ({"design": "simple"}, "Question members"),
        ({"design": "simple", "members": "many"}, "needs a number"),
        ({"design": "simple", "members": 20000}, "Question drawn_because"),
        ({"design": "simple", "members": 20000, "drawn_because": "?", "secret": "presence", "sizes": 90}, "sample"),
        ({"design": "Bernoulli", "members": 20000, "rate": 2, "drawn_because": "?"}, "sample"),
    ],
)
def test_bad_answers_about_a_sample_name_the_question(room, changes, told):
    beliefs = {"smoker": ANSWERS["beliefs"]["smoker"]}
    answer = ask(room, answers(**{**SAMPLE, "beliefs": beliefs, **changes}))
    assert answer.code == 2 and told in answer.err, answer.err
    assert "Traceback" not in answer.err and not (room / "new.yaml").exists()


def test_editions_are_asked_for_where_the_table_comes_out_every_month(room):
    frame = people()
    frame["joined"] = [1 + place % 3 for place in range(len(frame["id"]))]
    (room / "people.csv").write_text(as_csv(frame), encoding="utf-8")
    keys = {
        "public": {"region": None, "joined": "1 to 12"},
        "edition": "3 since joined",
        "series": "12 editions, smoker changes 0.01, joins 0.02",
        "series_because": "a panel",
    }
    answer = ask(room, answers(**keys), "--preset", "monthly")
    assert (answer.code, answer.err) == (0, "")
    written = yaml.safe_load((room / "new.yaml").read_text(encoding="utf-8"))
    assert written["edition"] == {"now": 3, "since": "joined"}
    assert written["series"] == {"editions": 12, "changes": {"smoker": 0.01}, "joins": 0.02, "source": "a panel"}
    for bad, told in (({"edition": "monthly"}, "3 since joined"), ({"series": "often"}, "cannot be answered")):
        (room / "new.yaml").unlink(missing_ok=True)
        answer = ask(room, answers(**{**keys, **bad}), "--preset", "monthly")
        assert answer.code == 2 and told in answer.err
