"""Which contexts the equivalence tests at a level alpha, or a stricter one, can need.

Write θ = -ln(α/2)/2, C for the count of a non-terminal or class and c for its count in a
context t. Two classes are compared in every context of either (a missing one counts 0), and
where both have t, the left-hand sides of their rules with t are compared in turn. So t is
needed if the comparison in t itself can fail, or if it leads to left-hand sides whose
comparison can fail.

*The comparison itself*, in any state of any session:

- Hoeffding fails only if D >= θ. Let h = C1 C2/(C1 + C2). Then D = h (c1/C1 - c2/C2)² <=
  max(c1²/C1, c2²/C2), since h is below C1 and C2 and proportions differ by at most the
  greater one. For a merged class, (Σ c_i)²/Σ C_i <= Σ c_i²/C_i (Cauchy-Schwarz), so D is at
  most the *energy* e(t), the sum of c²/C over all fillers of t. Hence e(t) < θ cannot fail.
- Fisher works on counts rounded half to even. If all fillers of t together have a *mass* of
  at most 1/2, every count in t is rounded to 0 and p = 1. Hence mass(t) <= 1/2 cannot fail.

*The left-hand sides.* A context with a single rule is never shared. Else let K and L be left-hand
sides that t leads to, where nothing from L upwards is merged with anything: so it is for
both in the initial grammar, and for the blue side in Blue-Fringe, where everything above a
blue non-terminal is white. Call L *risky* if its count is above a bound u, or if it fills
a context with c > 1/2 (where Fisher is used), or if a left-hand side of its rules is
risky. If L is not risky, then neither is anything above it, and comparing K and L cannot
fail at any depth:

- Hoeffding: D < min(C1, C2) <= C(L) <= u <= θ.
- Fisher: the count n = C(L) is at most u and its count in every context is rounded to 0. With k of
  the other side's C1 in the context, p is at least the probability of the table itself,
  the product of (C1 - k + i)/(C1 + i) over i = 1..n, and k/(C1 + 1) is at most q = max(Q, 1/2),
  where Q is the greatest proportion c/C of any non-terminal in any context (k is c rounded, so
  k <= Q C1 + 1/2; a merged class has no greater proportion than its members). So
  p >= (1 - q)^n, and u is the greatest n for which this is at least α. Where counts are
  spread over types, Q can reach 1: then u = 0, and every context with two rules is kept.

A store that is pruned in this way answers every test of the initial grammar and every run of
Blue-Fringe at α or stricter as the full store does. All this is for rules with one gap: with
more, contexts can become equal as classes merge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.errors import OptionError
from grammar_store.extraction.contexts import ContextWeights
from grammar_store.extraction.expansion import Rules, RuleSource, expand, new_rules
from grammar_store.extraction.grammar import InitialGrammar
from grammar_store.statistics import theta

#: Sums of floats may differ in the last digits from those of a later test: stay on the safe side.
_SLACK = 1e-9


def needed_contexts(
    grammar: InitialGrammar,
    context_of_slot: NDArray[np.int32],
    weights: ContextWeights,
    alpha: float,
    fisher: bool = True,
) -> NDArray[np.bool_]:
    """For each context whether a test at level `alpha` or stricter can need it.

    Parameters
    ----------
    grammar, context_of_slot, weights
        The grammar and what its `survey` gave.
    alpha
        The loosest level that tests will be made at.
    fisher
        Whether tests may back off to Fisher's; without, more can be left out.

    Examples
    --------
    >>> from grammar_store.bitext.corpus import Corpus
    >>> pairs = [("das neue Haus", "the new house", "0-0 1-1 2-2")] * 9
    >>> grammar = InitialGrammar(Corpus.from_text(pairs))
    >>> contexts, weights = grammar.survey()
    >>> needed_contexts(grammar, contexts, weights, alpha=0.01).tolist()[:2]
    [True, True]
    >>> needed_contexts(grammar, contexts, weights, alpha=0.01, fisher=False).any()
    np.True_
    """
    if grammar.options.max_gaps > 1:
        raise OptionError(
            "pruning is exact only for rules with one gap: leave out --prune or use --max-gaps 1"
        )
    bound = theta(alpha) * (1 - _SLACK)
    can_fail = weights.energy >= bound
    if fisher:
        can_fail |= weights.mass > 0.5 - _SLACK
        bound = min(bound, _safe_count(weights, alpha))
    risky = grammar.phrases.nonterminals.counts > bound
    leads_up = np.zeros(len(can_fail), np.bool_)
    slot_starts = np.concatenate([[0], np.cumsum(grammar.slot_count)])
    limit = 0.5 - _SLACK if fisher else np.inf
    for members in reversed(grammar.levels):
        grammar.run(_spread_risk, members, grammar.phrases.nonterminals.counts,
                    slot_starts, context_of_slot, limit, risky, leads_up)  # fmt: skip
    needed: NDArray[np.bool_] = can_fail | (leads_up & (weights.uses > 1))
    return needed


def _safe_count(weights: ContextWeights, alpha: float) -> float:
    """The greatest count n with (1 - q)^n >= alpha."""
    proportion = max(float(weights.peak.max(initial=0.0)), 0.5)
    if proportion >= 1.0:
        return 0.0
    return float(np.floor(np.log(alpha) / np.log1p(-proportion) * (1 - _SLACK)))


@kernel
def _spread_risk(
    start: int,
    stop: int,
    members: NDArray[np.int64],
    source: RuleSource,
    counts: NDArray[np.int64],
    slot_starts: NDArray[np.int64],
    context_of_slot: NDArray[np.int32],
    limit: float,
    risky: NDArray[np.bool_],
    leads_up: NDArray[np.bool_],
) -> None:
    """Pass risk from left-hand sides down to their fillers and mark contexts that lead to it.

    Several threads may set the same flag: only ever to True, so the order does not matter.
    """
    rules: Rules = new_rules(source.limits.max_gaps, 1024)
    for member in range(start, stop):
        lhs = members[member]
        found, rules = expand(lhs, source, rules)
        slot = slot_starts[lhs]
        for rule in range(found):
            filler = rules.fillers[rule, 0]
            if filler >= 0:
                if risky[lhs]:
                    leads_up[context_of_slot[slot]] = True
                by_type = counts[lhs] / found
                count = rules.counts[rule] if source.limits.per_occurrence else by_type
                if risky[lhs] or count > limit:
                    risky[filler] = True
                slot += 1
