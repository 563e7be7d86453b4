"""A killed build leaves no store, the old one or a sound new one, and the next build works."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from commands import (
    TABLE_1,
    names,
    run_here,
    seconds_of_a_build,
    start_build,
    write_bitext,
    write_large_bitext,
)

import grammar_store as gs

PAIRS = 3_000


def kill_builds(folder: Path, number: int) -> Counter[str]:
    """Kill builds at moments spread over their whole duration, half of them over an older store.

    Returns what was found afterwards: nothing, the old store or the new one.
    """
    large, small, place = folder / "large", folder / "small", folder / "place"
    for each in (large, small, place):
        each.mkdir()
    files, small_files = write_large_bitext(large, PAIRS), write_bitext(small)
    old, store = folder / "old.duckdb", place / "store.duckdb"
    duration = seconds_of_a_build(files, store)
    new_signature = signature(store)
    run_here("build", *small_files, "--store", old).quiet()
    old_signature = signature(old)
    chance = random.Random(number)
    found: Counter[str] = Counter()
    for at in range(number):
        store.unlink(missing_ok=True)
        if over_old := bool(at % 2):
            shutil.copyfile(old, store)
        process = start_build(files, store)
        # A point in each of `number` equal parts of the duration, and a little after it.
        time.sleep((at + chance.random()) / number * duration * 1.05)
        process.kill()
        process.communicate()
        if not store.exists():
            assert not over_old
            found["nothing"] += 1
        else:
            run_here("check", store).quiet()
            left = signature(store)
            assert left in ((old_signature, new_signature) if over_old else (new_signature,))
            found["old" if left == old_signature else "new"] += 1
        # Whatever the killed one left, the next build works and tidies up.
        run_here("build", *small_files, "--store", store).quiet()
        assert signature(store) == old_signature
        assert names(place) == {"store.duckdb"}
    assert names(small) == set(TABLE_1)
    return found


def signature(store: Path) -> str:
    with gs.open(store, read_only=True) as opened:
        return str(opened.info()["signature"])


def test_kill_at_some_points(tmp_path: Path) -> None:
    found = kill_builds(tmp_path, 10)
    assert found["nothing"] >= 3
    assert found["old"] >= 3


@pytest.mark.long
def test_kill_at_fifty_points(tmp_path: Path) -> None:
    found = kill_builds(tmp_path, 50)
    assert found["nothing"] >= 15
    assert found["old"] >= 15


def test_what_a_killed_build_leaves_is_no_obstacle(tmp_path: Path) -> None:
    """Leftovers of every kind, as a killed build on a busy disk may leave them."""
    store = tmp_path / "store.duckdb"
    files = write_bitext(tmp_path)
    run_here("build", *files, "--store", store).quiet()
    data = store.read_bytes()
    for leftover in (b"", b"garbage" * 1000, data, data[:-1000], data[: len(data) // 2]):
        (tmp_path / "store.duckdb.building").write_bytes(leftover)
        (tmp_path / "store.duckdb.building.wal").write_bytes(leftover[:5000])
        (tmp_path / "store.duckdb.building.tmp").mkdir()
        (tmp_path / "store.duckdb.building.tmp" / "duckdb_temp_storage_S32K-0.tmp").touch()
        (tmp_path / "store.duckdb.lock").write_text("4194305\nno such process\n")
        run_here("check", store).quiet()
        run_here("build", *files, "--store", store).quiet()
        assert names(tmp_path) == {"store.duckdb", *TABLE_1}
        run_here("check", store).quiet()
