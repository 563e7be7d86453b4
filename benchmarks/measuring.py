"""What benchmarks measure alike."""

from __future__ import annotations

from pathlib import Path


def peak_memory() -> int:
    """Of this process in bytes; not getrusage, which begins with that of the parent."""
    (peak,) = (
        int(line.split()[1]) * 1024
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM:")
    )
    return peak
