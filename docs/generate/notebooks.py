"""Run the notebooks and write them, with what they give, as pages of docs/notebooks.

    python docs/generate/notebooks.py [NAME ...]

They are kept without outputs, so that these cannot be out of date unnoticed; here they can be read
with them. A test holds the code of the pages to that of the notebooks.
"""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbclient
import nbformat

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "notebooks"

_DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
_THEMES = "<style>svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd}}</style></svg>"
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_TERMINAL = re.compile(r"\x1b\[[0-9;]*m")


def main(names: list[str]) -> None:
    """Run all notebooks, or those named."""
    PAGES.mkdir(exist_ok=True)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = nbformat.read(path, as_version=4)
            with TemporaryDirectory() as folder:
                where = {"metadata": {"path": folder}}
                nbclient.NotebookClient(notebook, timeout=600, resources=where).execute()
            write_page(path.stem, notebook)


def write_page(name: str, notebook: Any) -> None:
    """A notebook with outputs as Markdown, pictures beside it."""
    for old in (*PAGES.glob(f"{name}_*.png"), *PAGES.glob(f"{name}_*.svg")):
        old.unlink()
    parts = [f"<!-- made by `python docs/generate/notebooks.py` from notebooks/{name}.ipynb -->"]
    pictures = 0
    for cell in notebook.cells:
        parts += source_of(cell)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                picture = PAGES / f"{name}_{pictures}.png"
                picture.write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![The picture that the cell gives]({picture.name})")
            elif "text/html" in data:
                page = data["text/html"]
                for drawing in _DRAWING.findall(page):
                    pictures += 1
                    picture = PAGES / f"{name}_{pictures}.svg"
                    picture.write_text(drawing.replace("</svg>", _THEMES), encoding="utf-8")
                    page = page.replace(drawing, f'<img src="{picture.name}" alt="The graph">')
                parts.append(on_one_line(page))
            else:
                text = output.get("text") or data.get("text/plain", "")
                parts += [f"```text\n{_TERMINAL.sub('', text).rstrip()}\n```"] if text else []
    (PAGES / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def source_of(cell: Any) -> list[str]:
    """What a cell says, as Markdown; links are as seen from docs/notebooks."""
    if cell.cell_type == "markdown":
        text = cell.source.replace("](../docs/", "](../").replace(".ipynb)", ".md)")
        return [text]
    return [f"```python\n{cell.source}\n```"]


def on_one_line(html: str) -> str:
    """HTML for Markdown, which would end it at an empty line; pages have no styles."""
    return "<div>" + " ".join(_STYLE.sub("", html).split()) + "</div>"


if __name__ == "__main__":
    main(sys.argv[1:])
