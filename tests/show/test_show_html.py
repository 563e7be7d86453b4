"""What is shown is what was meant: words of a corpus stay text, whatever they contain."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar_store.bitext import escape_symbol
from grammar_store.show import html
from grammar_store.show.text import cut, number, visible

HOSTILE = (
    *("<script>alert(1)</script>", "</style>", "<b>", "&", "&amp;", '"', "'", "]]>", "<!--"),
    *("\u202e", "\u2069", "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "😀"),
    *("👩\u200d💻", "\x01", "\x9b", "[_]", "[X1,1]", r"[\_]", "|||", "$x$", "{{7*7}}", "`", "\\"),
)


class Reader(HTMLParser):
    """The elements and the text of a page, as a browser sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@given(st.text(max_size=20))
def test_text_is_shown_as_it_is(text: str) -> None:
    found = read(html.words(text))
    assert [name for name, _ in found.elements] == ["bdi"]
    assert found.text == visible(text)


@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4))
def test_words_of_a_side_stay_words(words: list[str]) -> None:
    text = " ".join(map(escape_symbol, words))
    found = read(html.side(f"{text} [X12,2]", titles={12: words[0]}))
    assert found.text == " ".join(map(visible, words)) + " X122"
    gap = dict(found.elements)["bdi"]
    assert gap == {"class": "gs-gap gs-gap-2", "title": visible(words[0])}
    assert [name for name, _ in found.elements] == ["bdi", "bdi", "sub"]


@given(st.lists(st.sampled_from(HOSTILE), min_size=3, max_size=3))
def test_a_rule_is_bilingual_with_labelled_gaps(words: list[str]) -> None:
    source = f"{escape_symbol(words[0])} [X5,1] [X6,2]"
    target = f"[X6,2] {escape_symbol(words[1])} [X5,1]"
    found = read(html.rule("X9", source, target, {5: words[2]}))
    shown = [visible(word) for word in words]
    assert found.text == f"X9 → {shown[0]} {shown[2]}1 X62|X62 {shown[1]} {shown[2]}1"
    classes = [attrs.get("class") or "" for _, attrs in found.elements]
    gaps = [name for name in classes if "gs-gap" in name]
    assert gaps == ["gs-gap gs-gap-1", "gs-gap gs-gap-2", "gs-gap gs-gap-2", "gs-gap gs-gap-1"]


def test_only_the_hole_is_a_hole() -> None:
    found = read(html.side(r"das [_] [\_]"))
    assert [attrs.get("class") for _, attrs in found.elements] == ["gs-side", "gs-hole"]
    assert found.text == "das \u2007 [_]"


def test_colours_start_again() -> None:
    last = len(html.COLOURS)
    assert "gs-gap-1" in html.side(f"[X1,{last + 1}]")


def test_a_table_says_what_is_left_out() -> None:
    page = html.table(["word", "count"], [(html.words("<b>"), 1200), ("b", 0.25)], 10, "words")
    assert read(page).text == "wordcount<b>1,200b0.25… and 8 more words"
    assert "more" not in html.table(["a"], [("b",)], 1)


def test_a_fragment_needs_nothing_from_elsewhere() -> None:
    page = html.fragment(html.rule("X1", "das", "the"))
    names = {name for name, _ in read(page).elements}
    assert names == {"div", "style", "span", "bdi"}
    assert "url(" not in page
    assert "://" not in page


@pytest.mark.parametrize("text", ["\u202e", "\u2066", "\x00", "\x1b[31m", "\ud800", "\u2028"])
def test_what_steers_is_spelled_out(text: str) -> None:
    assert visible(text).startswith(f"⟨U+{ord(text[0]):04X}⟩")
    visible(text).encode()


def test_zero_width_joiners_stay_in_emoji() -> None:
    assert visible("👩\u200d💻") == "👩\u200d💻"


def test_numbers_and_cuts() -> None:
    assert [number(1e6), number(0.5), number(7)] == ["1,000,000", "0.5", "7"]
    assert cut("abcdef", 4) == "abc…"
