"""Running a method writes its steps, all of them, with their reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import grammar_store as gs
from grammar_store.errors import OptionError, SessionError
from grammar_store.merging.assignment import k_medoids


@pytest.fixture
def store(tmp_path: Path) -> gs.Store:
    store = gs.open(tmp_path / "sample.duckdb")
    store.build(*gs.sample_files())
    return store


def test_k_medoids_becomes_a_session(store: gs.Store) -> None:
    session = store.session("clusters", method="k-medoids", top=60, clusters=3, seed=4)
    found = session.run(threads=1)
    expected = k_medoids(store.equivalence, top=60, clusters=3, seed=4)
    assert found.loss == expected.loss
    assert session.at().leaders.tolist() == expected.medoid.tolist()
    assert session.step == len(store) - 3
    assert {(step.reason, step.evidence) for step in session} == {("clustered", None)}
    assert sorted(session.classes()["members"]) == sorted(found.sizes.tolist())
    assert store.check() == []


def test_any_number_of_threads_gives_the_same_steps(store: gs.Store) -> None:
    one = store.session("one", method="k-medoids", top=80, clusters=4)
    two = store.session("two", method="k-medoids", top=80, clusters=4)
    assert one.run(threads=1).silhouette == two.run(threads=2).silhouette
    assert np.array_equal(one.at().leaders, two.at().leaders)


def test_parameters_are_those_of_the_method(store: gs.Store) -> None:
    session = store.session("clusters", method="k-medoids", clusters=2)
    full = {"top": 250, "clusters": 2, "seed": 0, "restarts": 10}
    assert session.parameters == full
    assert all(f"{name}={value}" in session.signature for name, value in full.items())
    assert store.session("clusters", clusters=2) is session
    with pytest.raises(OptionError, match="has parameters"):
        store.session("clusters", clusters=3)
    with pytest.raises(OptionError, match="no parameter 'alpha'"):
        store.session("other", method="k-medoids", alpha=0.01)


def test_what_cannot_be_run(store: gs.Store) -> None:
    by_hand = store.session("by hand")
    with pytest.raises(OptionError, match="no method 'manual' to run"):
        by_hand.run()
    session = store.session("clusters", method="k-medoids", top=20, clusters=2)
    session.cannot("X1", "X2")
    session.cannot("X1", "X3")
    session.cannot("X2", "X3")
    with pytest.raises(SessionError, match="cannot"):
        session.run()  # three that must stay apart do not fit into two classes
    assert session.step == 0
    free = store.session("free", method="k-medoids", top=20, clusters=2)
    free.run()
    with pytest.raises(SessionError, match="has steps already"):
        free.run()
