"""The learned grammar as a translation grammar: rules over words, with labels and features."""

from __future__ import annotations

from grammar_store.translation.grammar import translation_grammar
from grammar_store.translation.substitution import label_substitution

__all__ = ["label_substitution", "translation_grammar"]
