"""Are two proportions the same? Hoeffding's and Fisher's tests as pure functions on arrays."""

from __future__ import annotations

from grammar_store.statistics.proportions import (
    FISHER_BELOW,
    Comparisons,
    alpha_at,
    check_alpha,
    compare_one,
    compare_proportions,
    dissimilarity,
    dissimilarity_one,
    fisher_log_p,
    fisher_p,
    hoeffding_bound,
    hoeffding_equal,
    round_counts,
    round_one,
    theta,
)

__all__ = [
    "FISHER_BELOW",
    "Comparisons",
    "alpha_at",
    "check_alpha",
    "compare_one",
    "compare_proportions",
    "dissimilarity",
    "dissimilarity_one",
    "fisher_log_p",
    "fisher_p",
    "hoeffding_bound",
    "hoeffding_equal",
    "round_counts",
    "round_one",
    "theta",
]
