"""All pages that are made from the code, and what must be in them now."""

from __future__ import annotations

from pathlib import Path

from api_page import api_page
from cli_page import cli_page
from schema_page import schema_page
from schema_picture import schema_picture


def pages(docs: Path) -> dict[Path, str]:
    """The text of each page by its path; of docs/schema.md only the end is made."""
    schema = docs / "schema.md"
    return {
        docs / "api.md": api_page(),
        docs / "cli.md": cli_page(),
        docs / "schema.svg": schema_picture(),
        schema: schema_page(schema.read_text(encoding="utf-8")),
    }
