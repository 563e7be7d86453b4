"""The text of planted grammars: what it means, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar_store.errors import InputError
from grammar_store.planted import PlantedGrammar, planted_names, read_planted
from grammar_store.planted.grammar import Gap


def test_rules_as_written() -> None:
    grammar = PlantedGrammar.parse(
        "# a comment\n\n"
        "Top ->  der [N-1,1]\t[V,2] ||| the [V,2] [N-1,1]  ||| 2.5 \r\n"
        "N-1 -> Mann # Herr ||| man # mister\n"
        "V -> ruft an ||| calls ||| 1 ||| 1-0 0-0\n"
        "V -> -> ||| -> ||| |||\n"
    )
    assert grammar.start == "Top"
    assert grammar.labels == ["N-1", "V"]
    top, noun, call, arrow = grammar.rules
    assert top.source == ("der", Gap("N-1", 1), Gap("V", 2))
    assert top.target == ("the", Gap("V", 2), Gap("N-1", 1))
    assert (top.weight, top.links) == (2.5, ((0, 0),))
    assert noun.source == ("Mann", "#", "Herr")  # a # is a comment at the beginning only
    assert (noun.weight, noun.links) == (1.0, ((0, 0), (1, 1), (2, 2)))
    assert call.links == ((0, 0), (1, 0))
    assert (arrow.source, arrow.weight, arrow.links) == (("->",), 1.0, ((0, 0),))
    assert grammar.rules_of["V"] == [call, arrow]


FINE = "S -> a [A,1] ||| a [A,1]\nA -> b ||| b\n"

REFUSED = [
    ("", None, "no rule"),
    ("# nothing\n", None, "no rule"),
    ("S a ||| b", 1, "is not of the form"),
    ("S -> a", 1, "is not of the form"),
    ("S -> a ||| b ||| 1 ||| 0-0 ||| x", 1, "is not of the form"),
    ("S T -> a ||| b", 1, "'S T' is no name"),
    ("S,T -> a ||| b", 1, "is no name"),
    ("[S] -> a ||| b", 1, "is no name"),
    ("\n\nS -> ||| b", 3, "empty"),
    ("S -> a |||", 1, "empty"),
    ("S -> a ||| ||| 2", 1, "empty"),
    ("S -> a|||b ||| c", 1, "put spaces around"),
    (FINE + "A -> [A] c ||| c", 3, "'[A]' is no gap"),
    (FINE + "A -> [A,0] c ||| c", 3, "is no gap"),
    (FINE + "A -> [A,x] c ||| c", 3, "is no gap"),
    (FINE + "A -> c [A,2] ||| c [A,2]", 3, "numbered 1, 2"),
    (FINE + "A -> [A,2] c [A,1] ||| c [A,2] [A,1]", 3, "numbered 1, 2"),
    (FINE + "A -> c [A,1] ||| c", 3, "same gaps"),
    (FINE + "A -> c [A,1] ||| c [B,1]", 3, "same gaps"),
    (FINE + "A -> c [A,1] ||| c [A,1] [A,1]", 3, "same gaps"),
    ("S -> [A,1] ||| [A,1]\nA -> b ||| b", 1, "only renames A"),
    (FINE + "A -> c ||| c ||| 0", 3, "weight '0' is not a positive number"),
    (FINE + "A -> c ||| c ||| -1", 3, "positive"),
    (FINE + "A -> c ||| c ||| nan", 3, "positive"),
    (FINE + "A -> c ||| c ||| inf", 3, "positive"),
    (FINE + "A -> c ||| c ||| two", 3, "weight 'two'"),
    (FINE + "A -> c d ||| c", 3, "2 source and 1 target words"),
    (FINE + "A -> c ||| c ||| 1 ||| 0", 3, "link '0' is not of the form i-j"),
    (FINE + "A -> c ||| c ||| 1 ||| 0-1", 3, "link 0-1 joins no words"),
    (FINE + "A -> c [B,1] ||| c [B,1] ||| 1 ||| 1-1\nB -> d ||| d", 3, "joins no words"),
    (FINE + "A -> b ||| b ||| 7", 3, "the same rule is in line 2"),
    ("S -> a [A,1] ||| a [A,1]", 1, "A has no rule"),
    (FINE + "A -> c [S,1] ||| c [S,1]", 3, "S, the start, stands in a gap"),
    (FINE + "B -> c ||| c", 3, "B is never used"),
    (FINE + "B -> c [A,1] ||| c [A,1]\nC -> c [B,1] ||| c [B,1]", 3, "B is never used"),
    (FINE + "A -> c [A,1] ||| c [A,1] ||| 9.1", None, "may not end"),
    (FINE + "A -> c [A,1] [A,2] ||| c [A,1] [A,2]", None, "grow by a factor of 1 a level"),
    ("S -> a [A,1] ||| a [A,1]\nA -> c [A,1] ||| c [A,1]", None, "may not end"),
]


@pytest.mark.parametrize(("text", "line", "words"), REFUSED)
def test_refusals_name_file_and_line(
    tmp_path: Path, text: str, line: int | None, words: str
) -> None:
    with pytest.raises(InputError) as of_text:
        PlantedGrammar.parse(text)
    assert words in of_text.value.message
    assert of_text.value.line == line
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as of_file:
        read_planted(path)
    place = f"{path}:{line}" if line else str(path)
    assert str(of_file.value) == f"{place}: {of_text.value.message}"
    assert "\n" not in str(of_file.value)


def test_words_without_links_only_beside_gaps() -> None:
    rule = "A -> [A,1] , ||| [A,1] ; ||| 0.2 ||| 1-1\n"
    assert len(PlantedGrammar.parse(FINE + rule).rules) == 3
    unlinked = "S -> , [A,1] ||| [A,1]\nA -> b ||| b"
    with pytest.raises(InputError, match="1 source and 0 target words"):
        PlantedGrammar.parse(unlinked)


def test_growth_up_to_the_limit_is_fine() -> None:
    assert PlantedGrammar.parse(FINE + "A -> c [A,1] ||| c [A,1] ||| 8.9")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"S -> a ||| b\nS -> \xff ||| c\n")
    with pytest.raises(InputError, match=r"mine\.txt:2: invalid UTF-8"):
        read_planted(path)


def test_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(planted_names()) == 3
    for name in planted_names():
        assert len(read_planted(name).labels) >= 6
    with pytest.raises(InputError, match=r"nothing: no such file, .* which has agreement, order"):
        read_planted("nothing")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("S -> a ||| b\n")
    assert read_planted("mine").start == "S"
    assert read_planted(Path("mine")) == read_planted(str(tmp_path / "mine"))
