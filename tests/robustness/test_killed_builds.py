"""A build that is killed, or runs out of disk, leaves no store, the old one or a sound new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import grammar_store as gs

PAIRS = 2_000


@pytest.fixture(scope="module")
def bitext(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Sentences of the sample put together in pairs: a build of about a second."""
    source, target, alignment = (path.read_text().splitlines() for path in gs.sample_files())
    chance = random.Random(5)
    lines = []
    for _ in range(PAIRS):
        i, j = chance.randrange(len(source)), chance.randrange(len(source))
        shift, target_shift = len(source[i].split(" ")), len(target[i].split(" "))
        moved = [
            f"{int(a) + shift}-{int(b) + target_shift}"
            for a, b in (link.split("-") for link in alignment[j].split(" "))
        ]
        links = " ".join([alignment[i], *moved])
        lines.append(f"{source[i]} {source[j]} ||| {target[i]} {target[j]} ||| {links}\n")
    path = tmp_path_factory.mktemp("bitext") / "pairs.txt"
    path.write_text("".join(lines))
    return [str(path)]


def command(bitext: list[str], store: Path) -> list[str]:
    return [sys.executable, "-m", "grammar_store", "build", *bitext, "--store", str(store)]


def seconds_of_a_build(bitext: list[str], folder: Path) -> float:
    for name in ("first", "timed"):  # the first may compile
        start = time.perf_counter()
        subprocess.run(command(bitext, folder / f"{name}.duckdb"), check=True, capture_output=True)
        (folder / f"{name}.duckdb").unlink()
    return time.perf_counter() - start


def kill_builds(bitext: list[str], folder: Path, number: int) -> None:
    """Kill builds at random moments, half of them over an older store."""
    duration = seconds_of_a_build(bitext, folder)
    chance = random.Random(number)
    old = gs.sample_store(folder / "old.duckdb")
    old_signature = old.info()["signature"]
    old.close()
    killed = 0
    for at in range(number):
        store = folder / f"store{at}.duckdb"
        if at % 2:
            shutil.copyfile(folder / "old.duckdb", store)
        process = subprocess.Popen(
            command(bitext, store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.2, 1.05) * duration)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        if not store.exists():
            assert at % 2 == 0
            continue
        with gs.open(store, read_only=True) as left:
            assert left.check() == []
            if left.info()["signature"] != old_signature:
                assert left.info()["sentences"] == PAIRS
    assert killed >= number // 2
    # What a killed build left behind is gone after the next one.
    store = folder / "store0.duckdb"
    subprocess.run(command(bitext, store), check=True, capture_output=True)
    beside = {path.name for path in folder.iterdir() if path.name.startswith("store0")}
    assert beside <= {"store0.duckdb", "store0.duckdb.lock"}


def test_kill_at_some_points(bitext: list[str], tmp_path: Path) -> None:
    kill_builds(bitext, tmp_path, 6)


@pytest.mark.long
def test_kill_at_fifty_points(bitext: list[str], tmp_path: Path) -> None:
    kill_builds(bitext, tmp_path, 50)


@pytest.mark.parametrize("megabytes", [1, 4, 9])
def test_full_disk(bitext: list[str], tmp_path: Path, megabytes: int) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True
    )
    try:
        store = folder / "store.duckdb"
        if megabytes > 4:
            gs.sample_store(tmp_path / "old.duckdb").close()
            shutil.copyfile(tmp_path / "old.duckdb", store)
        done = subprocess.run(command(bitext, store), capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith("error: "), done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        assert store.exists() == (megabytes > 4)
        if store.exists():
            with gs.open(store, read_only=True) as left:
                assert left.check() == []
        assert {path.name for path in folder.iterdir()} <= {"store.duckdb", "store.duckdb.lock"}
    finally:
        subprocess.run(["umount", str(folder)], check=True)
