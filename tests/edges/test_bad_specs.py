"""A specification that is not one is refused with words that help."""

import pytest
import yaml

from edges.desk import SMOKERS, dalenius, spec


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("\n\n", "it is empty"),
        ("# only a comment\n", "it is empty"),
        ("null\n", "it is empty"),
        ("- a\n- b\n", "it is a list"),
        ("hello\n", "it is a single value"),
        ("person:\n\tid\n", "line 2, column 1 is not: a tab stands at its beginning. Indent with spaces"),
        ("figures:\n\t- name: a\n", "line 2, column 1 is not: a tab stands at its beginning"),
        ("person: a: b\n", "line 1, column 10 is not: a colon stands where none is expected. Put"),
        ("figures: [1, 2\n", "its end, after line 1, is not: a list that began in line 1, column 10, is not closed"),
        ("figures: {a: 1}}\n", "there is a } without a {. Remove it"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1 is not: --- begins a second document. Keep one"),
        ("person: *nobody\n", "* refers to something that has no name. Put"),
        ("data: {{ file }}\n", "Line 1: a key must be a word or a number"),
        ("? [a, b]\n: 1\n", "Line 1: a key must be a word or a number"),
        ("person: !!int abc\n", "something in it cannot be read"),
        ("person: !!bool abc\n", "something in it cannot be read"),
        ("person: !!timestamp abc\n", "something in it cannot be read"),
        ("person: !!python/object:os.system {}\n", "! begins a type that is not known"),
        ("person: \x00\n", "characters that are not text"),
        ("[" * 3000, "cannot be read"),
    ],
)
def test_text_that_is_no_specification_is_refused(desk, text, said):
    message = desk.refusal(text)
    assert said in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("data: a\nperson: id\ndata: b\n", 3, "data"),
        ("beliefs:\n  smoker: {source: a, source: b}\n", 2, "source"),
        ("beliefs:\n  smoker:\n    probabilities:\n      1: 0.5\n      1: 0.5\n", 5, "1"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_line(desk, text, line, key):
    message = desk.refusal(text)
    assert f"Line {line}: the key" in message
    assert f"{key}" in message
    assert "stands twice. Remove one of them." in message


@pytest.mark.slow
def test_yaml_may_share_parts_and_begin_with_a_byte_order_mark(desk):
    text = yaml.safe_dump(spec(), sort_keys=False)
    shared = text.replace("attacker:\n", "attacker:\n  <<: {in_every_group: true}\n")
    assert desk.check("\ufeff" + shared).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "key", "meant"),
    [
        ([], "persn", "person"),
        ([], "confidental", "confidential"),
        ([], "figure", "figures"),
        ([], "belief", "beliefs"),
        (["attacker"], "know", "knows"),
        (["target"], "epsiln", "epsilon"),
        (["beliefs", "smoker"], "probabilites", "probabilities"),
        (["confidential", "income"], "bound", "bounds"),
        (["figures", 0], "nois", "noise"),
        (["figures", 0], "wher", "where"),
    ],
)
def test_a_misspelt_key_is_refused_with_the_nearest_one(desk, path, key, meant):
    content = spec()
    place = content
    for part in path:
        place = place[part]
    place[key] = place.pop(meant, "x")
    message = desk.refusal(content)
    assert f"{key}: there is no such key. Did you mean {meant!r}?" in message


def test_misspelt_keys_inside_conditions_noise_and_sizes_are_found_too(desk):
    figure = {**SMOKERS, "where": {"income": {"atleast": 2000}}}
    assert desk.refusal(spec(figures=[figure])) == (
        "Error: figures, entry 1, where.income.atleast: there is no such key. Did you mean 'at_least'?\n"
    )
    assert "Did you mean 'geometric'?" in desk.refusal(spec(figures=[{**SMOKERS, "noise": {"geometrc": 1}}]))
    unknown = spec(figures=[{**SMOKERS, "noise": {"xyz": 1}}])
    assert "The keys here are geometric, gaussian, normal, quilt, distance." in desk.refusal(unknown)
    assert "Did you mean 'cells'?" in desk.refusal(spec(secret="presence", sizes={"cell": 3}))


def test_everything_that_is_wrong_with_the_keys_is_said_at_once(desk):
    message = desk.refusal("persn: id\nfoo: 1\n")
    for key in ("person", "attacker", "target", "figures"):
        assert f"Error: {key}: this key is needed, but it is not there. Add it. It means: " in message
    assert "persn: there is no such key. Did you mean 'person'?" in message
    assert "foo: there is no such key. The keys here are data, table, person," in message


@pytest.mark.parametrize("key", ["person", "attacker", "target", "figures"])
def test_a_key_that_is_needed_is_missed(desk, key):
    assert f"{key}: this key is needed" in desk.refusal(spec(**{key: None}))


def test_the_data_must_be_named_somewhere(desk):
    assert "data: this key is needed, but it is not there. Name a CSV or Parquet" in desk.refusal(spec(data=None))


@pytest.mark.slow
@pytest.mark.parametrize("source", [None, "", "   "])
def test_every_belief_and_the_attacker_need_a_source(desk, source):
    belief = {"probabilities": {"yes": "0.3", "no": "rest"}} | ({} if source is None else {"source": source})
    assert "beliefs.smoker.source" in desk.refusal(spec(beliefs={"smoker": belief}))
    attacker = {"knows": "0.1"} | ({} if source is None else {"source": source})
    message = desk.refusal(spec(attacker=attacker))
    assert "attacker.source" in message
    assert "why no attacker knows more" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"figures": []}, "figures needs at least one entry, but got []"),
        ({"figures": {"a": 1}}, "figures needs a list, but got {'a': 1}"),
        ({"figures": [None]}, "figures, entry 1 needs keys with values, but got nothing"),
        ({"figures": [{**SMOKERS, "name": ""}]}, "figures, entry 1, name needs some text, but got ''"),
        ({"figures": [{**SMOKERS, "name": 5}]}, "figures, entry 1, name needs text, but got 5"),
        ({"figures": [SMOKERS, {"name": "b"}]}, "figures, entry 2, kind: this key is needed"),
        ({"figures": [{**SMOKERS, "round": "abc"}]}, "round needs a whole number, but got 'abc'"),
        ({"figures": [{**SMOKERS, "round": "2.5"}]}, "round needs a whole number, but got '2.5'"),
        ({"figures": [{**SMOKERS, "round": True}]}, "round needs a number, but got true"),
        ({"figures": [{**SMOKERS, "noise": 5}]}, "noise needs keys with values, but got 5"),
        ({"public": {"region": ["north", None]}}, "public.region, entry 2 needs a label, but got nothing"),
        ({"confidential": {"smoker": "yes or no"}}, "confidential.smoker needs keys with values or a list"),
        ({"confidential": {"smoker": None}}, "confidential.smoker needs keys with values or a list, but got nothing"),
        ({"confidential": {"income": {"bounds": [0]}}}, "one more entry is needed here"),
        ({"confidential": {"income": {"bounds": [0, 1, 2]}}}, "bounds needs fewer entries"),
        ({"confidential": {"income": {"bounds": [0, None]}}}, "bounds, entry 2 needs a number, but got nothing"),
        ({"attacker": {"knows": [1], "source": "x"}}, "attacker.knows needs a number, but got [1]"),
        ({"attacker": {"knows": True, "source": "x"}}, "attacker.knows needs a number, but got true"),
        ({"target": {"epsilon": True, "delta": "1e-3"}}, "target.epsilon needs a number, but got true"),
        ({"target": {"epsilon": "0.5"}}, "target.delta: this key is needed"),
        ({"secret": "presense"}, "secret needs 'value' or 'presence' or keys with values, but got 'presense'"),
        ({"beliefs": {"smoker": {"probabilities": "half", "source": "x"}}}, "probabilities needs keys with values"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(desk, changes, said):
    message = desk.refusal(spec(**changes))
    assert said in message
    assert len(message.splitlines()) == 1
    assert "Model" not in message and "input should" not in message


def test_a_specification_that_is_missing_or_not_a_text_file_is_refused(tmp_path):
    for path, said in ((tmp_path / "nowhere.yaml", "but there is none"), (tmp_path, "but it is a folder")):
        answer = dalenius("check", path)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err and str(path) in answer.err
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x81")
    assert "UTF-8" in dalenius("check", tmp_path / "binary.yaml").err


@pytest.mark.parametrize("arguments", [[], ["check"], ["chek", "x"], ["check", "x", "--jsn"], ["release", "x"]])
def test_a_wrong_command_line_is_refused_with_its_usage(arguments):
    answer = dalenius(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert "Usage: dalenius" in answer.err
