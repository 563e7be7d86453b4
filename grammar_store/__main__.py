"""Run the command line as ``python -m grammar_store``."""

from __future__ import annotations

from grammar_store.cli import main

main()
