"""Objects show themselves: as they are, complete or saying what is left out, and safely."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions.stores import build
from show.test_show_html import HOSTILE, read

import grammar_store as gs
from grammar_store.errors import NotInStoreError
from grammar_store.facade import Store
from grammar_store.show.text import visible

ELEMENTS = {
    *("div", "style", "p", "h3", "h4", "span", "bdi", "sub", "mark", "strong"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"class", "title", "scope", "aria-hidden"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("hostile") / "<b>&.duckdb"
    sentences = [(f"a {word} b", f"x {word} y", "0-0 1-1 2-2") for word in HOSTILE]
    build(path, sentences)
    with gs.open(path) as store:
        session = store.session("<i>mine</i>", description="it's <b>bold</b> & \u202eturned")
        session.merge("a ||| x", "b ||| y")
        other = session.branch('"other"', 0)
        other.merge("<b> ||| <b>", "& ||| &")
        yield store


@pytest.fixture(scope="module")
def shown(sample: Path) -> Iterator[Store]:
    with gs.open(sample, read_only=True) as store:
        yield store


def checked(thing: Any) -> str:
    """The text that a browser shows of a thing, which has no elements but ours."""
    page = thing._repr_html_()
    found = read(page)
    assert {name for name, _ in found.elements} <= ELEMENTS
    assert {key for _, attributes in found.elements for key in attributes} <= ATTRIBUTES
    repr(thing)
    str(thing)
    return found.text


@pytest.mark.parametrize("word", HOSTILE)
def test_nonterminals_rules_and_contexts_of_hostile_words(hostile: Store, word: str) -> None:
    found = hostile.sql(
        "SELECT nonterminal_id FROM nonterminal WHERE source = escape_symbols($word)"
        " AND target = source",
        word=word,
    ).fetchall()
    x = hostile[found[0][0]]
    assert f"{x.name}: {visible(word)}|{visible(word)}count 1 in 1" in checked(x)
    ((rule,),) = hostile.sql("SELECT rule_id FROM rule WHERE lhs_id = $x", x=x.id).fetchall()
    assert f"{x.name} → {visible(word)}|{visible(word)}" in checked(hostile.rule(rule))
    contexts = hostile.sql(
        "SELECT DISTINCT context_id FROM context JOIN slot USING (context_id)"
        " WHERE context.source = 'a [_] b'"
    ).fetchall()
    for (context,) in contexts[:1]:
        assert "a \u2007 b|x \u2007 y" in checked(hostile.context(context))


def test_stores_sessions_and_all_that_belongs_to_them(hostile: Store) -> None:
    session, other = hostile.session("<i>mine</i>"), hostile.session('"other"')
    assert "Store <b>&.duckdb" in checked(hostile)
    text = checked(session)
    assert "Session <i>mine</i>it's <b>bold</b> & ⟨U+202E⟩turned" in text
    assert "1 steps" in text
    text = checked(session.diff(other))
    assert "<i>mine</i> at step 1" in text
    assert "(<b>|<b>)" in text
    assert "<b>|<b>" in checked(other)
    assert "<b>|<b>" in checked(other.class_of("<b> ||| <b>"))
    assert "<b>" in checked(other.why("<b> ||| <b>", "& ||| &"))
    assert "classes at step 0" in checked(session.at(0))
    verdict = hostile.compare("<b> ||| <b>", "& ||| &")
    assert "(<b>|<b>)" in checked(verdict)
    assert "(&|&)" in checked(verdict.second)


def test_a_rule_is_labelled_by_the_classes_of_a_session(hostile: Store) -> None:
    session = hostile.session("<i>mine</i>")
    leader = session.leader("a ||| x")
    displaced = ({hostile["a ||| x"].id, hostile["b ||| y"].id} - {leader}).pop()
    ((number,),) = hostile.sql(
        "SELECT min(rule_id) FROM slot WHERE nonterminal_id = $x", x=displaced
    ).fetchall()
    assert f"X{displaced}" in checked(hostile.rule(number)).partition("gap 1")[0]
    labelled = checked(hostile.rule(number, "<i>mine</i>")).partition("gap 1")[0]
    assert f"X{leader}" in labelled
    assert f"X{displaced}" not in labelled


def left_out(text: str, what: str) -> int:
    return int(re.findall(rf"… and ([0-9,]+) more {what}", text)[0].replace(",", ""))


def test_lists_say_how_much_is_left_out(shown: Store) -> None:
    x = shown["Kind ||| child"]
    text = checked(x)
    ((contexts,),) = shown.sql("SELECT count(*) FROM contexts_of($x)", x=x.id).fetchall()
    assert left_out(text, "contexts") == contexts - 10
    assert left_out(text, "places") == x.count - 5
    assert "more rules" not in text
    assert left_out(checked(shown), "non-terminals") == len(shown) - 10
    context = shown.context(1)
    assert left_out(checked(context), "fillers") == context.filler_count - 10
    verdict = shown.compare("Kind ||| child", "das Kind ||| the child")
    assert left_out(checked(verdict), "comparisons") == len(verdict.comparisons) - 10


def test_verdicts_show_what_decided(shown: Store) -> None:
    text = checked(shown.compare("Kind ||| child", "das Kind ||| the child"))
    assert "are not equivalent at alpha = 0.01" in text
    assert "das \u2007|the \u2007X6, X70.27450" in text
    assert text.count("fails") == 1


def test_a_store_that_is_not_built_yet_shows_its_name(tmp_path: Path) -> None:
    assert "<Store" in checked(gs.open(tmp_path / "none.duckdb"))


def test_a_class_shows_members_and_what_holds_them(tmp_path: Path) -> None:
    store = gs.sample_store(tmp_path / "sample.duckdb")
    session = store.session("mine")
    assert "none" in checked(session)
    session.merge_all([("X1", f"X{x}") for x in range(2, 15)])
    one = session.class_of("X3")
    text = checked(one)
    assert "14 members" in text
    assert left_out(text, "members") == 4
    assert "... and 4 more members" in str(one)
    assert one.count == sum(store[x].count for x in range(1, 15))
    ((contexts,),) = store.sql(
        "SELECT count(*) FROM class_context WHERE session = 'mine' AND leader_id = 1"
    ).fetchall()
    assert left_out(text, "contexts") == contexts - 10
    assert left_out(checked(session), "steps before") == 8


def test_what_is_not_there_is_an_error(shown: Store) -> None:
    with pytest.raises(NotInStoreError, match="ids run from 1 to"):
        shown.rule(10**9)
    with pytest.raises(NotInStoreError, match="ids run from 1 to"):
        shown.context(0)
