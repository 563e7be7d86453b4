"""A session on the built-in sample, in SQL and in Python."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import grammar_store as gs
from grammar_store.sessions.steps import Merge, Promotion, Step


def test_the_counts_of_merged_rules_sum_to_the_same_at_any_step(
    sample: Path, tmp_path: Path
) -> None:
    """At twenty steps, in branches that fork there; and the classes are those of the kernel."""
    path = Path(shutil.copy(sample, tmp_path / "sample.duckdb"))
    chance = random.Random(1)
    with gs.open(path) as store:
        leaders = list(range(1, len(store) + 1))
        steps: list[Step] = []
        while len(leaders) > 20:
            if chance.random() < 0.05:
                leader = leaders.pop(chance.randrange(len(leaders)))
                steps.append(Promotion(0, leader))
            else:
                # Those named first are the frequent ones: classes of all sizes.
                displaced = leaders.pop(chance.randrange(len(leaders)))
                steps.append(Merge(0, displaced, leaders[int(len(leaders) * chance.random() ** 3)]))
        session = store.session("trunk")
        session.apply(steps)
        total, rules = store.sql("SELECT fsum(count), count(*) FROM rule").fetchall()[0]
        places = sorted(chance.sample(range(1, len(steps) + 1), 20))
        for step in places:
            session.branch(str(step), step)
        found = store.sql(
            "SELECT session, fsum(count), count(*) FROM merged_rule GROUP BY session"
        ).fetchall()
        sizes = {name: size for name, _, size in found}
        assert {name: count for name, count, _ in found} == pytest.approx(
            dict.fromkeys([*map(str, places), "trunk"], total)
        )
        # Rules collapse, more and more.
        assert sorted(sizes.values(), reverse=True) == [sizes[str(step)] for step in places] + [
            sizes["trunk"]
        ]
        assert sizes["trunk"] < rules
        members = "SELECT leader_id FROM class_member WHERE session = $name ORDER BY nonterminal_id"
        for step in chance.sample(places, 5):
            expected = [(leader,) for leader in session.at(step).leaders[1:].tolist()]
            assert store.sql(members, name=str(step)).fetchall() == expected
            classes = "SELECT leader_id FROM classes_at('trunk', $step) ORDER BY nonterminal_id"
            assert store.sql(classes, step=step).fetchall() == expected
        # Every slot counts once: contexts of classes sum to the same as those of the grammar.
        slots = store.sql("SELECT fsum(rule.count) FROM slot JOIN rule USING (rule_id)").fetchall()
        contexts = "SELECT fsum(count) FROM class_context GROUP BY session"
        assert store.sql(contexts).fetchall() == [(pytest.approx(slots[0][0]),)] * 21
        assert store.check() == []
