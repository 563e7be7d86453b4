"""The reference of the command line, from click."""

from __future__ import annotations

import click

from grammar_store.cli import cli

_HEAD = """\
# Command line

Made from the program by `python docs/generate`; `grammar-store COMMAND --help` says the same.
Exit codes: 0 done, 1 the answer is "no" where a command asks a question, 2 an error, 130 after
Ctrl-C.
"""


def cli_page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for name in sorted(cli.commands):
        parts += _command(f"grammar-store {name}", cli.commands[name])
    return "\n".join(parts)


def _command(path: str, command: click.Command) -> list[str]:
    context = click.Context(
        command, info_name=path, terminal_width=10_000, max_content_width=10_000
    )
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    parts = [f"## {path.removeprefix('grammar-store ')}\n", f"{_help(command)}\n"]
    parts.append(f"```sh\n{usage}\n```\n")
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        # Arguments are in the line above, and in the words before it.
        if isinstance(parameter, click.Option) and record and "--help" not in record[0]:
            rows.append(f"| `{_cell(record[0])}` | {_cell(record[1])} |")
    if rows:
        parts += ["| option | meaning |", "|---|---|", *rows, ""]
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            parts += _command(f"{path} {name}", command.commands[name])
    return parts


def _help(command: click.Command) -> str:
    text = (command.help or "").replace("\b", "").strip()
    return "\n\n".join(" ".join(block.split()) for block in text.split("\n\n"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
