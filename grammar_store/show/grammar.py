"""Stores, non-terminals, rules and contexts as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar_store.show import html
from grammar_store.show.text import number

if TYPE_CHECKING:
    from grammar_store.facade import Store
    from grammar_store.nonterminal import Nonterminal
    from grammar_store.rule import Context, Rule

SHOWN = 10
"""How many rows of each kind are shown."""


def store(store: Store) -> str:
    """The sizes of a store, its sessions and its most frequent non-terminals."""
    facts = store.info()
    sizes = ("sentences", "nonterminals", "rules", "contexts", "glue_rules", "height")
    names = {
        "nonterminals": "non-terminals",
        "glue_rules": "glue rules",
        "sentences": "sentence pairs",
    }
    listing = store.sessions().to_dict("records")
    top = store.rows("show/top_nonterminals", rows=SHOWN)
    parts = [
        f"<h3>Store {html.words(store.path.name)}</h3>",
        html.table([names.get(name, name) for name in sizes], [[facts[name] for name in sizes]]),
        f'<p class="gs-soft">{html.words(facts["signature"])}</p>',
        "<h4>The most frequent non-terminals</h4>",
        html.table(
            ["", "phrase pair", "count", "rules"],
            [
                (
                    f"X{row['nonterminal_id']}",
                    html.pair(row["source"], row["target"]),
                    row["count"],
                    row["rule_count"],
                )
                for row in top
            ],
            facts["nonterminals"],
            "non-terminals",
        ),
    ]
    if listing:
        rows = [
            (html.words(row["name"]), html.words(row["method"]), row["steps"], row["classes"])
            for row in listing[:SHOWN]
        ]
        heads = ["session", "method", "steps", "classes"]
        parts += ["<h4>Sessions</h4>", html.table(heads, rows, len(listing), "sessions")]
    return html.fragment(*parts)


def nonterminal(x: Nonterminal) -> str:
    """A non-terminal with its first rules, contexts and sentences."""
    from grammar_store.nonterminal import fraction_text

    rules = x.rules(SHOWN).to_dict("records")
    contexts = x.contexts(SHOWN).to_dict("records")
    examples = x.examples(SHOWN // 2)
    return html.fragment(
        f"<h3>{x.name}: {html.pair(x.source, x.target)}</h3>",
        f"<p>count {number(x.count)} in {number(x.sentences)} sentence pairs,"
        f" height {number(x.height)}</p>",
        "<h4>Rules</h4>",
        html.table(
            ["rule", "count"],
            [
                (
                    html.rule(x.name, row["source"], row["target"]),
                    html.safe(fraction_text(row["count"], x.count, x.rule_count)),
                )
                for row in rules
            ],
            x.stored_rules,
            "rules",
        ),
        "<h4>Contexts that it fills</h4>",
        html.table(
            ["context", "count", "proportion"],
            [(html.pair(row["source"], row["target"]), row["c"], row["p"]) for row in contexts],
            x.context_count,
            "contexts",
        ),
        "<h4>Where it occurs</h4>",
        html.table(
            ["pair", "source", "target"],
            [
                (f"{one.sentence_id}", html.marked(one.source), html.marked(one.target))
                for one in examples
            ],
            x.count,
            "places",
        ),
    )


def rule(rule: Rule) -> str:
    """A rule with its count; what fills its gaps is said when pointed at, and below."""
    titles = {one.id: str(one) for one in rule.fillers}
    lhs = rule.labels.get(rule.lhs.id, rule.lhs.name)
    gaps = "".join(
        f"<p>gap {place}: {one.name} {html.pair(one.source, one.target)}</p>"
        for place, one in enumerate(rule.fillers, start=1)
    )
    return html.fragment(
        f"<p>{html.rule(lhs, rule.source, rule.target, rule.labels, titles)}</p>",
        f'<p class="gs-soft">{rule.name}, count {html.safe(rule.fraction)}</p>',
        gaps,
    )


def context(context: Context) -> str:
    """A context with its most frequent fillers."""
    fillers = context.fillers(SHOWN).to_dict("records")
    return html.fragment(
        f"<h3>Context {context.id}: {html.pair(context.source, context.target)}</h3>",
        f"<p>{number(context.filler_count)} non-terminals fill it</p>",
        html.table(
            ["", "filler", "count", "of", "proportion"],
            [
                (
                    f"X{row['nonterminal_id']}",
                    html.pair(row["source"], row["target"]),
                    row["c"],
                    row["big_c"],
                    row["p"],
                )
                for row in fillers
            ],
            context.filler_count,
            "fillers",
        ),
    )
