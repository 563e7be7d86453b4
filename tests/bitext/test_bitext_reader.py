"""Reading bitexts: what comes back, in batches and as a corpus, and what is told about it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from malformed import COMPRESS

from grammar_store.bitext import (
    BITEXT_SCHEMA,
    BitextFiles,
    Corpus,
    ReadReport,
    Side,
    read_bitext,
    reader,
    unescape_symbol,
)
from grammar_store.errors import InputError, OptionError

HOSTILE = [
    *("\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u00a0", "\u3000"),
    *("\t", "\r", "\ufeff", "\u200b", "\u202e", "\u200d", "\x7f", "\x1b", "\x01", "\ufffd"),
    *('"', "'", "`", "\\", ",", ";", "|", "||", "||||", "#", "%s", "{}", "$name", "--", "NULL"),
    *("e\u0301", "\u00e9", "\u0301", "שלום", "مرحبا", "😀", "👩‍👩‍👧", "\U0010ffff", "٣", "ß"),
    *("[_]", "[X1,1]", r"[\_]", "[X]", "0-0", "-1", "1e5", "''", "; DROP TABLE bitext", "a"),
]
TOKENS = st.lists(
    st.sampled_from([token.replace(" ", "") for token in HOSTILE])
    | st.characters(exclude_categories=["Cs"], exclude_characters="\n\0 "),
    min_size=1,
    max_size=3,
).map("".join)
SENTENCES = st.lists(TOKENS, max_size=4)


@st.composite
def sentence_pairs(draw: st.DrawFn) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    source, target = draw(SENTENCES), draw(SENTENCES)
    cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
    return source, target, draw(st.lists(st.sampled_from(cells), max_size=6)) if cells else []


BITEXTS = st.lists(sentence_pairs(), min_size=1, max_size=8)


def write(path: Path, lines: Sequence[str], suffix: str = "") -> Path:
    path = path.with_name(path.name + suffix)
    path.write_bytes(COMPRESS[suffix]("".join(line + "\n" for line in lines).encode()))
    return path


def write_three(
    folder: Path, pairs: Sequence[tuple[str, str, str]], suffix: str = ""
) -> BitextFiles:
    columns = zip(*pairs, strict=True) if pairs else ([], [], [])
    names = ("source", "target", "alignment")
    return BitextFiles(
        *[
            write(folder / name, list(column), suffix)
            for name, column in zip(names, columns, strict=True)
        ]
    )


def read(
    files: BitextFiles, batch_size: int = 3
) -> tuple[Corpus, ReadReport, list[dict[str, object]]]:
    batches: list[pa.Table] = []
    corpus, report = read_bitext(files, batches.append, batch_size)
    assert all(batch.schema == BITEXT_SCHEMA for batch in batches)
    assert all(0 < len(batch) <= batch_size for batch in batches)
    return corpus, report, pa.concat_tables(batches).to_pylist()


def problem(files: BitextFiles) -> str:
    with pytest.raises(InputError) as raised:
        read_bitext(files)
    return str(raised.value)


def sentences(side: Side) -> list[list[str]]:
    """The symbols of each sentence, read back from the arrays."""
    return [
        [side.symbols[token] for token in side.tokens[start:end]]
        for start, end in zip(side.starts[:-1], side.starts[1:], strict=True)
    ]


def link_lists(corpus: Corpus) -> list[list[tuple[int, int]]]:
    return [
        [(int(i), int(j)) for i, j in corpus.links[start:end]]
        for start, end in zip(corpus.link_starts[:-1], corpus.link_starts[1:], strict=True)
    ]


@settings(deadline=None)
@given(pairs=BITEXTS, spaces=st.integers(1, 3), suffix=st.sampled_from(list(COMPRESS)))
def test_three_files_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[list[str], list[str], list[tuple[int, int]]]],
    spaces: int,
    suffix: str,
) -> None:
    lines = [
        (
            (" " * spaces).join(source),
            " ".join(target) + " " * (spaces - 1),
            " ".join(f"{i}-{j}" for i, j in links),
        )
        for source, target, links in pairs
    ]
    files = write_three(tmp_path_factory.getbasetemp(), lines, suffix)
    corpus, report, rows = read(files)

    assert len(corpus) == report.sentences == len(pairs)
    for side, column in ((corpus.source, 0), (corpus.target, 1)):
        tokens = [pair[column] for pair in pairs]
        assert [[unescape_symbol(s) for s in sentence] for sentence in sentences(side)] == tokens
        # Ids are dense and in order of first appearance.
        assert [unescape_symbol(s) for s in side.symbols] == list(dict.fromkeys(chain(*tokens)))
    assert link_lists(corpus) == [sorted(set(links)) for _, _, links in pairs]
    assert rows == [
        {
            "sentence_id": number,
            "source": " ".join(source),
            "target": " ".join(target),
            "alignment": " ".join(f"{i}-{j}" for i, j in sorted(set(links))),
            "source_classes": None,
            "target_classes": None,
        }
        for number, (source, target, links) in enumerate(pairs, start=1)
    ]
    assert report.fingerprints == {
        role: hashlib.sha256("".join(line[column] + "\n" for line in lines).encode()).hexdigest()
        for column, role in enumerate(("source", "target", "alignment"))
    }


@settings(deadline=None)
@given(pairs=BITEXTS)
def test_the_combined_file_and_from_text_agree_with_three_files(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[list[str], list[str], list[tuple[int, int]]]],
) -> None:
    assume(not any("|||" in source + target for source, target, _ in pairs))
    folder = tmp_path_factory.getbasetemp()
    lines = [
        (" ".join(source), " ".join(target), " ".join(f"{i}-{j}" for i, j in links))
        for source, target, links in pairs
    ]
    three, _, rows = read(write_three(folder, lines))
    combined, report, combined_rows = read(
        BitextFiles(write(folder / "combined", [" ||| ".join(line) for line in lines]))
    )
    assert combined_rows == rows
    assert list(report.fingerprints) == ["combined"]
    for other in (combined, Corpus.from_text(lines)):
        assert (other.source.symbols, other.target.symbols) == (
            three.source.symbols,
            three.target.symbols,
        )
        for one, two in (
            (other.source.tokens, three.source.tokens),
            (other.source.starts, three.source.starts),
            (other.target.tokens, three.target.tokens),
            (other.target.starts, three.target.starts),
            (other.links, three.links),
            (other.link_starts, three.link_starts),
        ):
            assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("a b ||| c ||| 0-0", ("a b", "c", "0-0")),
        ("a ||| b |||", ("a", "b", "")),
        ("a ||| b ||| ", ("a", "b", "")),
        ("|||  |||", ("", "", "")),
        ("||| |||", ("", "", "")),
        (" ||| b ||| ", ("", "b", "")),
        ("a  |||  b  |||  0-0 ", ("a", "b", "0-0")),
        ("a||| |||| ||| b|||c ||| 1-0 0-0", ("a||| ||||", "b|||c", "0-0 1-0")),
    ],
)
def test_fields_of_a_combined_line(tmp_path: Path, line: str, row: tuple[str, str, str]) -> None:
    _, _, rows = read(BitextFiles(write(tmp_path / "text", [line])))
    assert (rows[0]["source"], rows[0]["target"], rows[0]["alignment"]) == row


def test_classes_are_the_symbols(tmp_path: Path) -> None:
    files = write_three(tmp_path, [("das Haus", "the house", "0-0 1-1"), ("Haus", "house", "0-0")])
    source_classes = write(tmp_path / "s", ["Haus\t7", "das\t[_]", "Tür\t7"], ".gz")
    target_classes = write(tmp_path / "t", ["the\t2", "house\t2"])
    corpus, report, rows = read(
        BitextFiles(files.source, files.target, files.alignment, source_classes, target_classes)
    )
    assert sentences(corpus.source) == [[r"[\_]", "7"], ["7"]]
    assert corpus.source.symbols == [r"[\_]", "7"]
    assert sentences(corpus.target) == [["2", "2"], ["2"]]
    assert [(row["source"], row["source_classes"]) for row in rows] == [
        ("das Haus", "[_] 7"),
        ("Haus", "7"),
    ]
    assert [(row["target"], row["target_classes"]) for row in rows] == [
        ("the house", "2 2"),
        ("house", "2"),
    ]
    assert set(report.fingerprints) == {
        *("source", "target", "alignment", "source_classes", "target_classes")
    }
    assert (
        report.fingerprints["source_classes"]
        == hashlib.sha256("Haus\t7\ndas\t[_]\nTür\t7\n".encode()).hexdigest()
    )


def test_classes_for_one_side_and_factors_for_the_other(tmp_path: Path) -> None:
    combined = write(tmp_path / "text", ["das Haus ||| the house ||| 0-0", "||| ||| "])
    corpus, report, rows = read(
        BitextFiles(
            combined,
            source_classes=write(tmp_path / "classes", ["das\t2", "Haus\t3"]),
            target_factors=write(tmp_path / "factors", ["DET  N ", ""]),
        )
    )
    assert sentences(corpus.source) == [["2", "3"], []]
    assert sentences(corpus.target) == [["DET", "N"], []]
    assert [(row["source_classes"], row["target_classes"]) for row in rows] == [
        ("2 3", "DET N"),
        ("", ""),
    ]
    assert list(report.fingerprints) == ["combined", "target_factors", "source_classes"]


def test_classes_of_one_side_only(tmp_path: Path) -> None:
    combined = write(tmp_path / "text", ["das Haus ||| the house ||| 0-0"])
    factors = write(tmp_path / "factors", ["D N"])
    corpus, _, rows = read(BitextFiles(combined, source_factors=factors))
    assert (corpus.source.symbols, corpus.target.symbols) == (["D", "N"], ["the", "house"])
    assert (rows[0]["source_classes"], rows[0]["target_classes"]) == ("D N", None)


def test_one_file_may_have_two_roles(tmp_path: Path) -> None:
    text = write(tmp_path / "text", ["a b", "c"])
    corpus, report = read_bitext(
        BitextFiles(text, text, write(tmp_path / "links", ["0-0", "0-0"]), source_factors=text)
    )
    assert corpus.source.symbols == corpus.target.symbols == ["a", "b", "c"]
    assert report.fingerprints["source"] == report.fingerprints["target"]


def test_batches_are_full_but_for_the_last(tmp_path: Path) -> None:
    files = write_three(tmp_path, [(f"w{n}", "v", "0-0") for n in range(10)])
    batches: list[pa.Table] = []
    read_bitext(files, batches.append, batch_size=4)
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert pa.concat_tables(batches)["sentence_id"].to_pylist() == list(range(1, 11))
    assert pa.concat_tables(batches)["source"].to_pylist() == [f"w{n}" for n in range(10)]


def test_batches_of_long_lines_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_BATCH_CHARACTERS", 100)
    files = write_three(tmp_path, [("x" * 60, "v", "0-0")] * 5)
    batches: list[pa.Table] = []
    read_bitext(files, batches.append)
    assert [len(batch) for batch in batches] == [2, 2, 1]


def test_an_error_of_the_receiver_passes_through(tmp_path: Path) -> None:
    files = write_three(tmp_path, [("a", "b", "0-0")])

    def refuse(batch: pa.Table) -> None:
        raise RuntimeError(f"{len(batch)} rows refused")

    with pytest.raises(RuntimeError, match="1 rows refused"):
        read_bitext(files, refuse)


def test_sentences_of_60000_words_are_read(tmp_path: Path) -> None:
    corpus, _ = read_bitext(write_three(tmp_path, [("a " * 60_000, "b", "59999-0")]))
    assert corpus.source.starts.tolist() == [0, 60_000]
    assert corpus.links.tolist() == [[59_999, 0]]


def test_notes_tell_what_was_kept(tmp_path: Path) -> None:
    files = write_three(
        tmp_path,
        [
            ("\ufeffdas Haus", "the house", "0-0 1-1"),
            ("das\r", "the\thouse", "0-0 0-0"),
            ("Haus \r", "house", "1-0"),
            ("", "", ""),
            ("Haus", "", ""),
            ("Haus", "house", " "),
        ],
    )
    corpus, report = read_bitext(files)
    assert report.notes == [
        f"byte order mark at the start of 1 line of {files.source} (line 1): "
        "kept as part of the first word",
        f"carriage return at the end of 2 lines of {files.source} (first: line 2): "
        "kept as part of the last word",
        f"tab in 1 line of {files.target} (line 2): kept inside words",
        "repeated links in 1 sentence pair (line 2): each link counts once",
        "no words on one side or both of 2 sentence pairs (first: line 4): "
        "nothing to extract there",
        "no links in 1 sentence pair (line 6): nothing to extract there",
    ]
    assert sentences(corpus.source) == [
        ["\ufeffdas", "Haus"],
        ["das\r"],
        ["Haus", "\r"],
        [],
        ["Haus"],
        ["Haus"],
    ]


def test_nothing_to_tell_gives_no_notes(tmp_path: Path) -> None:
    _, report = read_bitext(write_three(tmp_path, [("a\u00a0b", "c\u2028", "0-0")]))
    assert report.notes == []


class TestErrors:
    """Each message in full, with its file and line."""

    @pytest.fixture
    def files(self, tmp_path: Path) -> BitextFiles:
        return write_three(tmp_path, [("a b", "c", "0-0"), ("a", "c d", "0-1"), ("a", "c", "0-0")])

    def test_links_out_of_range(self, files: BitextFiles) -> None:
        write(Path(files.alignment), ["0-0", "0-0 1-1 0-2", "0-0"])
        assert problem(files) == (
            f"{files.alignment}:2: link 0-2 points outside the sentences: the source has 1 words "
            "and the target 2, and positions count from 0"
        )

    def test_malformed_links(self, files: BitextFiles) -> None:
        write(Path(files.alignment), ["0-0", "0-0", "0-0 0-x"])
        assert problem(files) == f"{files.alignment}:3: link '0-x' is not of the form i-j"

    def test_carriage_returns_after_links(self, files: BitextFiles) -> None:
        write(Path(files.alignment), ["0-0\r", "0-0\r", "0-0\r"])
        assert problem(files) == (
            rf"{files.alignment}:1: link '0-0\r' is not of the form i-j: the line ends with a "
            "carriage return, convert the file to Unix line ends"
        )

    def test_too_few_lines(self, files: BitextFiles) -> None:
        write(Path(files.target), ["c", "c d"])
        assert problem(files) == (
            f"{files.target}:2: the file ends with this line, but {files.source} goes on: "
            "parallel files have the same number of lines"
        )

    def test_too_many_lines(self, files: BitextFiles) -> None:
        write(Path(files.alignment), ["0-0", "0-0", "0-0", ""])
        assert problem(files) == (
            f"{files.source}:3: the file ends with this line, but {files.alignment} goes on: "
            "parallel files have the same number of lines"
        )

    def test_one_file_empty(self, files: BitextFiles) -> None:
        write(Path(files.alignment), [])
        assert problem(files) == f"{files.alignment}: the file is empty, but {files.source} is not"

    def test_all_files_empty(self, tmp_path: Path) -> None:
        files = write_three(tmp_path, [])
        assert problem(files) == (
            f"{files.source}: the file is empty: there is no sentence pair to read"
        )

    def test_what_is_not_text(self, files: BitextFiles) -> None:
        Path(files.target).write_bytes(b"c\nc \xe9\nc\n")
        assert problem(files) == (
            f"{files.target}:2: invalid UTF-8 at byte 3 of the line (0xe9): "
            "convert the file to UTF-8"
        )
        Path(files.target).write_bytes(b"c\nc d\n\0\n")
        assert problem(files) == f"{files.target}:3: NUL at byte 1 of the line: this is not text"
        Path(files.target).write_bytes("c\nc\n".encode("utf-16"))
        assert problem(files) == (
            f"{files.target}:1: invalid UTF-8 at byte 1 of the line (0xff): "
            "this looks like UTF-16, convert the file to UTF-8"
        )

    def test_a_word_without_class(self, files: BitextFiles, tmp_path: Path) -> None:
        classes = write(tmp_path / "classes", ["c\t2"])
        with_classes = BitextFiles(
            files.source, files.target, files.alignment, target_classes=classes
        )
        assert problem(with_classes) == f"{files.target}:2: word 'd' has no class in {classes}"

    def test_another_number_of_factors(self, files: BitextFiles, tmp_path: Path) -> None:
        factors = write(tmp_path / "factors", ["A B", "A", "A B"])
        with_factors = BitextFiles(
            files.source, files.target, files.alignment, source_factors=factors
        )
        assert problem(with_factors) == (
            f"{factors}:3: 2 factors for the 1 words of this line in {files.source}"
        )

    def test_another_number_of_fields(self, tmp_path: Path) -> None:
        combined = write(tmp_path / "text", ["a ||| b ||| 0-0", "a ||| b"])
        assert problem(BitextFiles(combined)) == (
            f"{combined}:2: 2 fields instead of 3: a line is 'source ||| target ||| alignment', "
            "with spaces around |||"
        )

    def test_too_many_words(self, files: BitextFiles) -> None:
        write(Path(files.source), ["a", "a " * 60_001, "a"])
        assert problem(files) == (f"{files.source}:2: 60001 words in a sentence: the most is 60000")

    def test_messages_are_one_short_line(self, files: BitextFiles, tmp_path: Path) -> None:
        word = "\u2028\r\x0b" * 10_000
        write(Path(files.source), [word, "a", "a"])
        write(Path(files.alignment), [word, "0-0", "0-0"])
        classes = write(tmp_path / "classes", ["a\t2"])
        for source_classes in (None, classes):
            message = problem(
                BitextFiles(files.source, files.target, files.alignment, source_classes)
            )
            assert len(message.splitlines()) == 1
            assert len(message) < 1000

    def test_the_first_line_at_fault_is_named(self, files: BitextFiles) -> None:
        write(Path(files.alignment), ["0-0", "x"])
        Path(files.target).write_bytes(b"c\nc d\n\xff\n")
        assert problem(files) == f"{files.alignment}:2: link 'x' is not of the form i-j"

    def test_nothing_is_read_beyond_the_end_of_the_shortest(self, tmp_path: Path) -> None:
        chance = random.Random(1)
        long = COMPRESS[".gz"]("".join(f"{chance.random()}\n" for _ in range(200_000)).encode())
        source = tmp_path / "source.gz"
        source.write_bytes(long[:-8])  # the damage is at the end, where nobody must get
        target = write(tmp_path / "target", ["a", "b"])
        links = write(tmp_path / "links", ["0-0", "0-0"])
        assert problem(BitextFiles(source, target, links)).startswith(f"{target}:2: ")


def test_options_that_do_not_fit_together() -> None:
    for files in (
        {"target": "t"},
        {"alignment": "a"},
        {"source_classes": "c", "source_factors": "f"},
        {"target_classes": "c", "target_factors": "f"},
    ):
        with pytest.raises(OptionError):
            BitextFiles("s", **files)


def test_a_batch_has_at_least_one_row(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="batch_size must be at least 1, not 0"):
        read_bitext(write_three(tmp_path, [("a", "b", "0-0")]), batch_size=0)
