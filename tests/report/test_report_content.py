"""What a report says is what the store holds, by other ways of asking it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from report.samples import sample_with_sessions
from sessions.stores import small_store

import grammar_store as gs
from grammar_store.errors import NotInStoreError, SessionError
from grammar_store.extraction.grammar import no_progress
from grammar_store.facade import Store
from grammar_store.report.content import Content
from grammar_store.report.gather import gather
from grammar_store.report.limits import Limits


def content(store: Store, name: str, at: int | None = None, **limits: int) -> Content:
    return gather(store.database, name, at, Limits(**limits), no_progress)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("report") / "sample.duckdb"
    with gs.open(sample_with_sessions(path)) as store:
        yield store


@pytest.fixture(scope="module")
def medoids(store: Store) -> Content:
    return content(store, "medoids")


@pytest.fixture(params=["one gap", "two gaps"])
def any_store(
    request: pytest.FixtureRequest, store: Store, tmp_path: Path
) -> Iterator[tuple[Store, str]]:
    """Grammars with rules of one gap and of two, where contexts change as classes merge."""
    if request.param == "one gap":
        yield store, "medoids"
        return
    with gs.open(small_store(tmp_path / "small.duckdb")) as small:
        pairs = [("neue ||| new", "alte ||| old"), ("das ||| the", "Haus ||| house")]
        small.session("s").merge_all([*pairs, (5, 6), (7, 8), (9, 5)])
        yield small, "s"


def test_cards_are_the_classes_by_falling_count(store: Store, medoids: Content) -> None:
    expected = store.session("medoids").classes()
    assert [card.label for card in medoids.cards] == ["X1", "X2", "X3", "X4", "X5"]
    assert [(card.leader, card.size, card.count) for card in medoids.cards] == [
        tuple(row) for row in expected[["leader", "members", "count"]].values.tolist()
    ]


def test_members_are_the_most_frequent_of_the_class(store: Store, medoids: Content) -> None:
    query = """
        SELECT leader_id, list(nonterminal_id ORDER BY count DESC, nonterminal_id)
        FROM class_member JOIN nonterminal USING (nonterminal_id)
        WHERE session = 'medoids' GROUP BY leader_id
    """
    ranked = dict(store.sql(query).fetchall())
    assert {card.leader: card.members for card in medoids.cards} == {
        leader: members[:12] for leader, members in ranked.items()
    }


def test_contexts_are_those_that_most_members_fill(any_store: tuple[Store, str]) -> None:
    store, name = any_store
    found = content(store, name, contexts=5)
    assert found.cards
    for card in found.cards:
        query = "FROM class_context WHERE session = $name AND leader_id = $leader"
        rows = store.sql(query, name=name, leader=card.leader).fetchall()
        shares = {(source, target): count / card.count for _, _, source, target, count in rows}
        fillers = _fillers(store, name, card.leader)
        assert card.all_contexts == len(shares) == len(fillers)
        widths = sorted((len(members) for members in fillers.values()), reverse=True)
        assert [context.members for context in card.contexts] == widths[:5]
        for context in card.contexts:
            text = context.source, context.target
            assert context.members == len(fillers[text])
            assert context.share == pytest.approx(shares[text])


def _fillers(store: Store, name: str, leader: int) -> dict[tuple[str, str], set[int]]:
    """Who fills each context of a class: each rule written out with leaders in its other gaps."""
    leaders = store.session(name).at().leaders
    rules: dict[int, list[tuple[int, int, str, str]]] = {}
    query = """
        SELECT rule_id, nonterminal_id, context.source, context.target
        FROM slot JOIN context USING (context_id) ORDER BY rule_id, position
    """
    for rule, filler, source, target in store.sql(query).fetchall():
        rules.setdefault(rule, []).append((len(rules.get(rule, [])) + 1, filler, source, target))
    found: dict[tuple[str, str], set[int]] = {}
    for slots in rules.values():
        for _, filler, source, target in slots:
            if leaders[filler] != leader:
                continue
            for index, other, _, _ in slots:
                old, new = f"[X{other},{index}]", f"[X{leaders[other]},{index}]"
                source, target = source.replace(old, new), target.replace(old, new)
            found.setdefault((source, target), set()).add(filler)
    return found


def test_examples_mark_the_member(store: Store, medoids: Content) -> None:
    for card in medoids.cards:
        assert 1 <= len(card.examples) <= 3
        assert len({sentence.number for _, sentence in card.examples}) == len(card.examples)
        for member, sentence in card.examples:
            assert member in card.members
            assert (sentence.source[1], sentence.target[1]) == (
                store[member].source,
                store[member].target,
            )
            ((source, target),) = store.sql(
                "SELECT source, target FROM bitext WHERE sentence_id = $n", n=sentence.number
            ).fetchall()
            assert " ".join(filter(None, sentence.source)) == source
            assert " ".join(filter(None, sentence.target)) == target


def test_pairs_share_what_the_macro_says(store: Store, medoids: Content) -> None:
    pairs = [pair for card in medoids.cards for pair in card.pairs]
    assert len(pairs) > 10
    for pair in pairs:
        member, leader = store[pair.member], store[pair.leader]
        rows = store.sql(
            "SELECT source, target, c1, c2 FROM shared_contexts($a, $b)", a=member.id, b=leader.id
        ).fetchall()
        assert pair.contexts == len(rows)
        shares = {(s, t): (c1 / member.count, c2 / leader.count) for s, t, c1, c2 in rows}
        best = sorted((min(both) for both in shares.values()), reverse=True)
        assert [min(each.p1, each.p2) for each in pair.shared] == pytest.approx(best[:3])
        for each in pair.shared:
            assert (each.p1, each.p2) == pytest.approx(shares[each.source, each.target])


def test_chains_are_those_of_why(store: Store) -> None:
    session, found = store.session("hand"), content(store, "hand")
    chains = {(p.member, p.leader): p.chain.steps for card in found.cards for p in card.pairs}
    assert len(chains) == 4
    for (member, leader), steps in chains.items():
        assert list(steps) == [step.step for step in session.why(member, leader).steps]


def test_close_calls_are_the_merges_with_evidence(store: Store) -> None:
    assert content(store, "hand").close == [3]
    assert content(store, "medoids").close == []


def test_only_classes_of_several_or_promoted_have_cards(store: Store) -> None:
    found = content(store, "hand")
    assert [(card.size, card.promoted) for card in found.cards] == [(1, True), (5, False)]
    assert (found.eligible, found.alone) == (2, len(store) - 6)


def test_all_classes_have_cards_where_they_fit(store: Store) -> None:
    everything = len(store) - 4
    found = content(store, "hand", classes=everything, contexts=0, examples=0, pairs=0)
    assert [card.label for card in found.cards] == [f"X{1 + place}" for place in range(everything)]
    assert (found.eligible, found.alone) == (everything, 0)
    assert len(content(store, "hand", classes=everything - 1).cards) == 2


def test_as_of_a_step(store: Store) -> None:
    found = content(store, "hand", at=1)
    assert [card.size for card in found.cards] == [2]
    assert (found.session["step"], found.session["merges"]) == (1, 1)
    assert found.stops.numbers.tolist() == [0, 1]
    assert content(store, "hand", at=0).cards == []


def test_what_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(NotInStoreError, match="no session 'nouns'; there are: medoids, hand"):
        content(store, "nouns")
    with pytest.raises(SessionError, match="no step 6: the session has 5"):
        content(store, "hand", at=6)
    assert "nouns" not in store.sessions()["name"].tolist()
