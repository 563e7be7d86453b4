"""Mixing of integers for the hash tables of the kernels."""

from __future__ import annotations

import numpy as np

from grammar_store.compiling import kernel


@kernel
def mix(value: np.uint64) -> np.uint64:
    """Spread the bits of a 64-bit number (the finaliser of splitmix64)."""
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value


@kernel
def fold(state: np.uint64, value: np.uint64, salt: np.uint64) -> np.uint64:
    """Take one more number into a running 64-bit fingerprint.

    Two of these with different salts make a fingerprint of 128 bits: among 10^9 different
    things the chance that any two share one is below 10^-20.
    """
    return mix((state + value + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + salt)
