"""Blue-Fringe makes the steps of the plain one: every pair of red and blue tested every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import duckdb
import pytest
from equivalence.worlds import in_memory
from merging.fringes import (
    ALL,
    Case,
    case_of_rare_ones,
    fast_run,
    plain_grammar,
    plain_steps,
    random_case,
    random_grammar,
    same_evidence,
    settings_of_all,
    steps_of,
    stored_run,
)

from grammar_store.equivalence.reference import PlainClasses
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe import edges, engine, foes
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.foes import Foes, new_foes
from grammar_store.merging.fringe.loop import Made
from grammar_store.merging.fringe.world import World
from grammar_store.merging.general import GeneralFringe
from grammar_store.merging.options import FringeOptions


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def features(case: Case, made: Made) -> list[str]:
    """What a run shows, to be counted."""
    promotions = int((made.displaced == 0).sum())
    found = {
        "steps": len(made.leader) > 0,
        "promotions": promotions > 0,
        "several promotions": promotions > 1,
        "promotions among merges": 0 < promotions < len(made.leader),
        "forced": bool(made.forced.any()),
        "promotions with leaves red": case.options.leaves == "red" and promotions > 0,
    }
    return ["runs", *(name for name, is_so in found.items() if is_so)]


def assert_as_plain(case: Case, seed: object) -> Made:
    """All steps are those of the plain run."""
    run = fast_run(case)
    made = run.advance(ALL)
    assert steps_of(made) == plain_steps(case), (seed, case.options, case.cannot)
    assert run.finished
    return made


def assert_goes_on(case: Case, made: Made, after: int, seed: object) -> None:
    """A run that is told the first steps makes the others, with the same evidence."""
    run = fast_run(case)
    assert run.replay_all(made.displaced[:after], made.leader[:after])
    rest = run.advance(ALL)
    expected = Made._make(column[after:] for column in made)
    assert same_evidence(rest, expected), (seed, after, case.options, case.cannot)


def compare_runs(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        case = random_case(seed)
        if not case.grammar.nonterminals:
            continue
        made = assert_as_plain(case, seed)
        chance = Random(seed)
        assert_goes_on(case, made, chance.randint(0, len(made.leader)), seed)
        seen.update(features(case, made))
    return seen


def test_same_steps_as_the_plain_run() -> None:
    seen = compare_runs(range(40))
    # In a good share of the runs something is unlike what came before.
    assert seen["runs"] >= 35
    assert seen["promotions"] >= seen["runs"] / 3
    assert seen["several promotions"] >= seen["runs"] / 5
    assert seen["promotions among merges"] >= seen["runs"] / 4
    assert seen["promotions with leaves red"] >= seen["runs"] / 20


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_same_steps_where_foes_have_little_room(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_little_room(world: World, level: Level, words: int) -> Foes:
        monkeypatch.setattr(foes, "_MEMORY", 8 * words * rows)
        return new_foes(world, level, words)

    monkeypatch.setattr(engine, "new_foes", with_little_room)
    assert compare_runs(range(600, 625))["promotions"] >= 5


@pytest.mark.parametrize(
    ("hub", "some", "keen"), [(1, 192, 256), (2, 2, 256), (3, 192, 0), (4, 2, 1), (64, 192, 256)]
)
def test_same_steps_where_most_were_seen_once(
    hub: int, some: int, keen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edges, "_HUB", hub)
    monkeypatch.setattr(edges, "_LARGE", 2 * hub)
    monkeypatch.setattr(engine, "SOME", some)
    monkeypatch.setattr(engine, "MOST", keen)  # how many keen ones can have numbers
    promotions = 0
    for seed in range(hub * 100, hub * 100 + 20):
        case = case_of_rare_ones(seed)
        made = assert_as_plain(case, seed)
        assert_goes_on(case, made, len(made.leader) // 2, seed)
        promotions += int((made.displaced == 0).sum())
    assert promotions >= 20


@pytest.mark.parametrize("some", [1, 2, 5])
def test_same_steps_where_meetings_are_short(some: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SOME", some)  # pairs of a meeting
    monkeypatch.setattr(edges, "_HUB", some)  # rules of a context that has a row
    assert compare_runs(range(700, 725))["promotions"] >= 5


def test_steps_one_by_one_are_those_of_one_go() -> None:
    for seed in range(200, 206):
        case = random_case(seed)
        whole, bits = fast_run(case), fast_run(case)
        made = whole.advance(ALL)
        pieces = [bits.advance(1) for _ in made.leader]
        assert not bits.advance(1).leader.size
        assert bits.finished
        assert [step for piece in pieces for step in steps_of(piece)] == steps_of(made)
        assert all(
            same_evidence(piece, Made._make(column[at : at + 1] for column in made))
            for at, piece in enumerate(pieces)
        )


def compare_stored(connection: duckdb.DuckDBPyConnection, seeds: range) -> Counter[str]:
    """Rules with two gaps, and folding: as a store runs them."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        fold = bool(seed % 2)
        case = random_case(seed, 1 if fold else 2, fold)
        if not 0 < len(case.grammar.nonterminals) <= 25:
            continue  # the plain run of larger ones takes long
        run = stored_run(connection, case)
        made = run.advance(ALL)
        assert steps_of(made) == plain_steps(case), (seed, case.options, case.cannot)
        after = Random(seed).randint(0, len(made.leader))
        if not made.forced[after:].any():  # a merge and those that it forces are not cut apart
            again = stored_run(connection, case, made.displaced[:after], made.leader[:after])
            rest = again.advance(ALL)
            assert same_evidence(rest, Made._make(column[after:] for column in made)), seed
        seen.update(features(case, made))
        seen["general" if isinstance(run, GeneralFringe) else "fast"] += 1
    return seen


def test_two_gaps_and_folding_as_the_plain_run(connection: duckdb.DuckDBPyConnection) -> None:
    seen = compare_stored(connection, range(1000, 1014))
    assert seen["promotions"] >= seen["runs"] / 5
    assert seen["forced"] >= 1
    assert seen["general"] > 5


@pytest.mark.long
def test_two_gaps_and_folding_many_times(connection: duckdb.DuckDBPyConnection) -> None:
    seen = compare_stored(connection, range(2000, 2400))
    assert seen["promotions"] >= seen["runs"] / 5
    assert seen["forced"] >= 40


@pytest.mark.long
@pytest.mark.parametrize("fold", [False, True])
def test_five_hundred_bitexts_with_all_settings(fold: bool) -> None:
    seen: Counter[str] = Counter()
    for seed in range(500):
        grammar = random_grammar(Random(f"{seed}"))
        if not grammar.nonterminals:
            continue
        for options in settings_of_all(fold):
            case = Case(grammar, options, [])
            seen.update(features(case, assert_as_plain(case, seed)))
    assert seen["runs"] >= 19 * 500
    assert seen["promotions"] >= seen["runs"] / 3
    assert not fold or seen["forced"] >= 500


@pytest.mark.long
def test_two_thousand_random_cases() -> None:
    seen = compare_runs(range(10_000, 12_000))
    assert seen["promotions"] >= seen["runs"] / 3


def test_pairs_that_cannot_merge_stay_apart() -> None:
    kept = 0
    for seed in range(0, 90, 3):
        case = random_case(seed)
        if not case.cannot:
            continue
        apart, free = fast_run(case), fast_run(case._replace(cannot=[]))
        leaders = leaders_of(case, apart.advance(ALL))
        assert all(leaders[a] != leaders[b] for a, b in case.cannot)
        freely = leaders_of(case, free.advance(ALL))
        kept += any(freely[a] == freely[b] for a, b in case.cannot)
    assert kept >= 5  # where they would have merged


def leaders_of(case: Case, made: Made) -> dict[int, int]:
    leaders = {x: x for x in range(1, len(case.grammar.nonterminals) + 1)}
    for displaced, leader, _ in steps_of(made):
        if displaced:
            leaders = {x: leader if now == displaced else now for x, now in leaders.items()}
    return leaders


def test_steps_that_blue_fringe_does_not_make_are_not_replayed() -> None:
    case = next(
        case for case in map(random_case, range(100)) if len(fast_run(case).advance(ALL).leader) > 3
    )
    made = fast_run(case).advance(ALL)
    run = fast_run(case)
    assert isinstance(run, FastFringe)
    # The red ones of the beginning cannot be displaced.
    first = next(leader for displaced, leader, _ in steps_of(made) if displaced)
    wrong = made.displaced[:1].copy()
    wrong[0] = first
    assert not run.replay_all(wrong, made.displaced[:1])


def test_counts_and_tests_add_up() -> None:
    for seed in range(300, 310):
        case = random_case(seed)
        run = fast_run(case)
        size = len(case.grammar.nonterminals)
        assert sum(run.counts) == size
        while len(made := run.advance(3).leader):
            assert len(made) <= 3
        red, blue, white = run.counts
        assert (blue, white) == (0, 0)
        assert red == len(set(leaders_of(case, fast_run(case).advance(ALL)).values()))
        assert run.tests >= 0
        assert run.pairs >= 0


def test_stops_at_a_number_of_classes() -> None:
    for seed in range(400, 410):
        case = random_case(seed)
        size = len(case.grammar.nonterminals)
        everything = steps_of(fast_run(case).advance(ALL))
        merges = sum(displaced > 0 for displaced, _, _ in everything)
        if merges < 2:
            continue
        run = fast_run(case)
        some = steps_of(run.advance(ALL, size - merges // 2))
        assert everything[: len(some)] == some
        assert sum(displaced > 0 for displaced, _, _ in some) == merges // 2
        assert some[-1][0] > 0
        assert not run.finished


def test_random_ties_depend_on_the_seed_alone() -> None:
    differing = 0
    for number in range(8):
        runs = set()
        for seed in range(4):
            options = FringeOptions(ties="random", seed=seed, leaves="blue", score="minimum")
            case = random_case(number)._replace(options=options)
            steps, again = (steps_of(fast_run(case).advance(ALL)) for _ in "ab")
            assert steps == again
            runs.add(tuple(steps))
        differing += len(runs) > 1
    assert differing >= 2


def test_merges_are_of_classes_that_are_equivalent() -> None:
    """Not only as the plain run does it: asked of the plain definition, step by step."""
    asked = 0
    for seed in range(500, 512):
        case = random_case(seed)
        leaders = {x: x for x in range(1, len(case.grammar.nonterminals) + 1)}
        level = case.options.alpha, case.options.fisher_below
        grammar = plain_grammar(case.grammar)
        for displaced, leader, _ in steps_of(fast_run(case).advance(ALL)):
            if displaced:
                classes = PlainClasses(grammar, leaders)
                assert classes.equivalence(displaced, leader, *level).equivalent
                leaders = {x: leader if now == displaced else now for x, now in leaders.items()}
                asked += 1
    assert asked > 20
