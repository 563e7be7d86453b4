"""Lines as the tools themselves write them: each is read, and written back as it was."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest

from grammar_store.errors import InputError
from grammar_store.export.formats import WriteOptions, write_rules
from grammar_store.export.reading import read_rules
from grammar_store.export.sidecar import sidecar_of

MOSES = r"""
[X][X] gekauft [X] ||| bought [X][X] [X] ||| 1 1 1 1 ||| 0-1 1-0 ||| 0.25 0.25 0.25 ||| |||
do not [X][X] [X] ||| n' [X][X] pas [X] ||| 1 1 1 1 2.718 ||| 2-1 ||| 1 1
das haus [X] ||| that building [X2] ||| 0.1 0.1 0.1 0.1 ||| 0-0 1-1 ||| 1 1 1 ||| |||
habe [X][X2] gesehen [X] ||| have seen [X][X2] [X1] ||| 1 1 1 1 ||| 0-0 1-2 2-1 ||| 1 1 1 ||| |||
[X][X1] und [X][X2] [X] ||| [X][X2] and [X][X1] [X1] ||| 1 1 1 1 ||| 0-2 1-1 2-0 ||| 1 1 1 ||| |||
<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
[X][S] [X][X1] [X] ||| [X][S] [X][X1] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
"""
JOSHUA = """
[X] ||| el chico ||| the boy ||| -1 sparse_test_feature=1 svd=1 the_boy=1
[S] ||| [NP-O,1] [NP-S,2] [VP,3] ||| [NP-S,2] [VP,3] [NP-O,1] ||| 0
[GOAL] ||| [GOAL,1] [X,2] ||| [GOAL,1] [X,2] ||| -1
"""
CDEC = """
[X] ||| A B C D [X,1] ||| B C D [X,1] ||| IsSingletonF=1.0 IsSingletonFE=1.0 ||| 0-0 3-1
[Z] ||| [Z] [Y] ||| [1] [2] ||| W1=1
"""
EXAMPLES = {
    form: text.removeprefix("\n").splitlines()
    for form, text in (("moses", MOSES), ("joshua", JOSHUA), ("cdec", CDEC))
}
CASES = [(form, line) for form, lines in EXAMPLES.items() for line in lines]

# What the lines say, by hand: left-hand side, source, target, all points, some features.
MEANING = {
    EXAMPLES["moses"][0]: ("X", "[X,1] gekauft", "bought [X,1]", "0-1 1-0", {"p(e|f)": 1.0}),
    EXAMPLES["moses"][1]: ("X", "do not [X,1]", "n' [X,1] pas", "2-1", {"p(5)": 2.718}),
    EXAMPLES["moses"][3]: (
        *("X1", "habe [X2,1] gesehen", "have seen [X2,1]", "0-0 1-2 2-1", {"lex(e|f)": 1.0}),
    ),
    EXAMPLES["moses"][4]: (
        *("X1", "[X1,1] und [X2,2]", "[X2,2] and [X1,1]", "0-2 1-1 2-0", {"p(f|e)": 1.0}),
    ),
    EXAMPLES["moses"][7]: ("S", "[S,1] [X1,2]", "[S,1] [X1,2]", "0-0 1-1", {"p(f|e)": 2.718}),
    EXAMPLES["joshua"][0]: (
        *("X", "el chico", "the boy", "", {"dense0": -1, "sparse_test_feature": 1, "svd": 1}),
    ),
    EXAMPLES["joshua"][1]: (
        *("S", "[NP-O,1] [NP-S,2] [VP,3]", "[NP-S,2] [VP,3] [NP-O,1]", "0-2 1-0 2-1", {}),
    ),
    EXAMPLES["cdec"][0]: (
        *("X", "A B C D [X,1]", "B C D [X,1]", "0-0 3-1 4-3", {"IsSingletonF": 1.0}),
    ),
    EXAMPLES["cdec"][1]: ("Z", "[Z,1] [Y,2]", "[Z,1] [Y,2]", "0-0 1-1", {"W1": 1.0}),
}


@pytest.mark.parametrize(("form", "ending"), [("moses", ""), ("joshua", ".gz"), ("cdec", "")])
def test_all_lines_of_a_format_in_one_file(tmp_path: Path, form: str, ending: str) -> None:
    given, path = tmp_path / "given", tmp_path / f"written{ending}"
    given.write_text("\n".join(EXAMPLES[form]) + "\n")
    assert write_rules(read_rules(given, form), path, form) == len(EXAMPLES[form])
    data = gzip.decompress(path.read_bytes()) if ending else path.read_bytes()
    assert sorted(data.decode().splitlines()) == sorted(EXAMPLES[form])


@pytest.mark.parametrize(("form", "line"), CASES)
def test_each_line(tmp_path: Path, form: str, line: str) -> None:
    given, path, made = tmp_path / "given", tmp_path / "written", tmp_path / "made"
    given.write_text(line + "\n")
    grammar = read_rules(given, form)
    (rule,) = grammar.rules().read_all().to_pylist()
    if line in MEANING:
        lhs, source, target, alignment, features = MEANING[line]
        assert (rule["lhs"], rule["source"], rule["target"]) == (lhs, source, target)
        assert rule["alignment"] == alignment
        found = dict(zip(grammar.feature_names, rule["features"], strict=True))
        assert {name: found[name] for name in features} == features
    write_rules(grammar, path, form)
    assert path.read_text() == line + "\n"
    # Made from its meaning alone, it means the same.
    bare = dataclasses.replace(grammar, read_as="")
    write_rules(bare, made, form, WriteOptions(features=grammar.feature_names))
    (again,) = read_rules(made, form).rules().read_all().to_pylist()
    assert again | {"as_read": line} == rule


@pytest.mark.parametrize(
    ("form", "lines"),
    [("moses", [EXAMPLES["moses"][0], *EXAMPLES["moses"][2:5]]), ("joshua", EXAMPLES["joshua"])],
)
def test_lines_in_our_own_form_are_made_from_their_meaning(
    tmp_path: Path, form: str, lines: list[str]
) -> None:
    """Without the lines as they stood, these are the same byte for byte."""
    given, path = tmp_path / "given", tmp_path / "written"
    given.write_text("\n".join(lines) + "\n")
    write_rules(dataclasses.replace(read_rules(given, form), read_as=""), path, form)
    assert sorted(path.read_text().splitlines()) == sorted(lines)


def test_a_signature_of_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text(EXAMPLES["cdec"][0] + "\n")
    write_rules(read_rules(path, "cdec"), path, "cdec")
    assert read_rules(path, "cdec").signature == "read from rules"
    with pytest.raises(InputError, match="is of the format cdec, not joshua"):
        read_rules(path, "joshua")
    path.write_text(EXAMPLES["cdec"][1] + "\n")
    with pytest.raises(InputError, match="is not about rules as it is: remove it"):
        read_rules(path, "cdec")
    sidecar_of(path).write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        read_rules(path, "cdec")


@pytest.mark.parametrize(
    ("form", "line", "said"),
    [
        ("moses", "das haus ||| the house ||| 1 1 1 1", "label such as [X]"),
        ("moses", "das [X]", "fields"),
        ("moses", "das [X] ||| the [X] ||| one", "'one' is not a number"),
        ("moses", "das [X] ||| the [X] ||| nan", "'nan' is not a number"),
        ("moses", "das [X] ||| the [X] ||| 1e999", "too large"),
        ("moses", "das [X] ||| the [X] ||| ١", "is not a number"),
        ("moses", "[X][X] a [X] ||| [X][X] b [X] ||| 1 1 1 1 ||| 1-1", "which gap"),
        ("moses", "[X][X] a [X] ||| b [X] ||| 1 1 1 1 ||| 1-0", "which gap"),
        ("moses", "[X][A] a [X] ||| [X][B] b [X] ||| 1 ||| 0-0", "A on the source side and B"),
        ("moses", "das [X] ||| the [X] ||| 1 ||| 0-1", "leads outside"),
        ("moses", "das [X] ||| the [X] ||| 1 ||| 0:0", "not of the form"),
        ("moses", "das [X,Y] ||| the [X,Y] ||| 1", "comma"),
        ("moses", "das [X] ||| the [X] ||| 1 ||| ||| ||| name", "a name and a value"),
        ("joshua", "[X] ||| a ||| b", "fields"),
        ("joshua", "X ||| a ||| b ||| 1", "left-hand side"),
        ("joshua", "[X] ||| ||| b ||| 1", "empty side"),
        ("joshua", "[X] ||| a [X,1] ||| b ||| 1", "not the same"),
        ("joshua", "[X] ||| a [X,1] ||| b [Y,1] ||| 1", "not on the source side"),
        ("joshua", "[X] ||| [X,1] [X,1] ||| [X,1] ||| 1", "twice"),
        ("joshua", "[X] ||| [X,a] ||| [X,a] ||| 1", "number that is none"),
        ("joshua", "[X] ||| a ||| b ||| w=1 w=2", "twice"),
        ("cdec", "[X] ||| a ||| b ||| w=", "is not a number"),
        ("cdec", "[X] ||| a ||| b ||| p(e|f)=-1e9", "no negative logarithm"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_line(
    tmp_path: Path, form: str, line: str, said: str
) -> None:
    path = tmp_path / "rules"
    sound = EXAMPLES[form][0]
    path.write_text(f"{sound}\n\n{line}\n{sound}\n")
    with pytest.raises(InputError) as refused:
        read_rules(path, form)
    assert refused.value.line == 3
    assert said in refused.value.message
