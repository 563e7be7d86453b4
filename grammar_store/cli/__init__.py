"""The command line: every command is one call of the library, plus printing.

Exit codes: 0 done, 1 the answer is "no" where a command asks a question, 2 an error.
"""

from __future__ import annotations

import os
import sys

import click

from grammar_store.cli.build import build, demo
from grammar_store.cli.look import check, info, rules, show, sql
from grammar_store.errors import GrammarStoreError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="grammar-store")
def cli() -> None:
    """Learn synchronous grammars with specialised non-terminals, in one DuckDB file."""


for command in (demo, build, info, show, rules, sql, check):
    cli.add_command(command)


def main() -> None:
    """Run the command line; errors that a user can mend are one line on stderr."""
    try:
        code = cli(standalone_mode=False)
    except click.UsageError as problem:
        problem.show()
        code = 2
    except click.ClickException as problem:
        click.echo(f"error: {problem.format_message()}", err=True)
        code = 2
    except GrammarStoreError as problem:
        click.echo(f"error: {problem}", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: nothing half-done was left", err=True)
        code = 130
    except BrokenPipeError:
        # The reader of our output has left; point stdout elsewhere so that exit is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
