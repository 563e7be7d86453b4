"""Write the pages of docs/ that are made from the code: ``python docs/generate``."""

from __future__ import annotations

from pathlib import Path

from pages import pages

if __name__ == "__main__":
    for path, text in pages(Path(__file__).parents[1]).items():
        path.write_text(text, encoding="utf-8")
