"""A build that runs out of disk: one line, exit code 2, and the old store as it was."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from commands import (
    ENVIRONMENT,
    TABLE_1,
    digest,
    names,
    run,
    run_here,
    write_bitext,
    write_large_bitext,
)

PAIRS = 2_000

# Runs with file systems of its own, so that whatever happens nothing stays mounted: the sizes in
# KiB are of what is left beside the old store.
BUILDS_ON_SMALL_DISKS = """
import json, subprocess, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from commands import digest, names, run, run_here
old, disk = Path(sys.argv[2]), Path(sys.argv[3])
found = []
for room in map(int, sys.argv[5:]):
    size = (old.stat().st_size if sys.argv[4] == "old" else 0) + room * 1024
    size = max(size, 4096)  # of no size is of any size
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
    store = disk / "x.duckdb"
    if sys.argv[4] == "old":
        store.write_bytes(old.read_bytes())
    files = [old.with_name(role) for role in ("source", "target", "alignment")]
    outcome = run("build", *files, "--store", store)
    check = run_here("check", store).code if store.exists() else None
    same = store.exists() and digest(store) == digest(old)
    found.append([outcome.code, outcome.stderr, sorted(names(disk)), same, check])
    subprocess.run(["umount", disk], check=True)
print(json.dumps(found))
"""


@cache
def private_mounts() -> list[str] | None:
    """How to run a command that may mount; None if that is not allowed here."""
    for options in (["--mount"], ["--mount", "--map-root-user"]):
        command = ["unshare", *options]
        try:
            subprocess.run(
                [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                check=True, capture_output=True, timeout=60,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            continue
        return command
    return None


@pytest.fixture(scope="module")
def bitext(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A bitext whose build takes some megabytes, beside an older and smaller store."""
    folder = tmp_path_factory.mktemp("bitext")
    old = folder / "old.duckdb"
    run_here("build", *write_bitext(folder), "--store", old).quiet()
    return [*write_large_bitext(folder, PAIRS), old]


@pytest.mark.parametrize("old", ["old", "none"])
def test_disks_of_many_sizes(bitext: list[Path], tmp_path: Path, old: str) -> None:
    command = private_mounts()
    if command is None:
        pytest.skip("small disks cannot be mounted here")
    run_here("build", *bitext[:3], "--store", tmp_path / "x.duckdb").quiet()
    whole = (tmp_path / "x.duckdb").stat().st_size // 1024
    # From too small to begin with, by the moment of writing, to just too small at the end.
    rooms = [0, 8, 300, whole // 4, whole // 2, whole * 9 // 10]
    disk = tmp_path / "disk"
    disk.mkdir()
    arguments = [str(Path(__file__).parents[1]), str(bitext[3]), str(disk), old, *map(str, rooms)]
    done = subprocess.run(
        [*command, sys.executable, "-c", BUILDS_ON_SMALL_DISKS, *arguments],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == len(rooms)
    for room, (code, said, files, same, check) in zip(rooms, found, strict=True):
        assert code == 2, (room, said)
        assert said.startswith("error: cannot build "), room
        assert "No space left on device" in said, room
        assert said.count("\n") == 1, room
        if old == "old":
            assert (files, same, check) == (["x.duckdb"], True, 0), room
        else:
            assert files == [], room


def limited(megabytes: float) -> Callable[[], None]:
    """What makes files of a process end at some size."""
    most = int(megabytes * 2**20)
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.parametrize("megabytes", [0.01, 1, 3, 5])
def test_files_that_may_not_grow(bitext: list[Path], tmp_path: Path, megabytes: float) -> None:
    store = tmp_path / "x.duckdb"
    store.write_bytes(bitext[3].read_bytes())
    before = digest(store)
    message = run("build", *bitext[:3], "--store", store, preexec_fn=limited(megabytes)).error
    assert message.startswith(f"cannot build {store}: File too large: ")
    assert (names(tmp_path), digest(store)) == ({"x.duckdb"}, before)
    run_here("check", store).quiet()
    run_here("build", *write_bitext(tmp_path), "--store", store).quiet()
    assert names(tmp_path) == {"x.duckdb", *TABLE_1}


def test_a_folder_that_may_not_be_written(bitext: list[Path], tmp_path: Path) -> None:
    for place in ("/proc/x.duckdb", "/proc/self/x.duckdb"):
        message = run_here("build", *bitext[:3], "--store", place).error
        assert message.startswith(f"cannot write beside {place}: ")
