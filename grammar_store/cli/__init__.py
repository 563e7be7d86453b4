"""The command line: every command is one call of the library, plus printing.

Exit codes: 0 done, 1 the answer is "no" where a command asks a question, 2 an error; as for
other programs, 130 after Ctrl-C and 141 when the reader of the output left before its end.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from grammar_store.cli.build import build, demo
from grammar_store.cli.equivalence import compare, dissimilarity, why_not
from grammar_store.cli.export import export_command, import_command
from grammar_store.cli.look import check, info, rules, show, sql
from grammar_store.cli.methods import sweep
from grammar_store.cli.planted import sample, score_command
from grammar_store.cli.report import report
from grammar_store.cli.sessions import classes, diff, history, sessions, why
from grammar_store.cli.steps import branch, constrain, merge, redo, replay, undo
from grammar_store.cli.surroundings import discard_output, prepared, was_interrupted
from grammar_store.errors import GrammarStoreError

_INTERRUPTED = 130
_BROKEN_PIPE = 141


class _ReaderLeftError(Exception):
    """Nobody reads the output any more."""


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; of a broken pipe, click itself would make exit code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as problem:
            raise _ReaderLeftError from problem


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="grammar-store")
def cli() -> None:
    """Learn synchronous grammars with specialised non-terminals, in one DuckDB file."""


for command in (
    *(
        demo,
        build,
        info,
        show,
        rules,
        sql,
        compare,
        why_not,
        dissimilarity,
        sample,
        check,
        export_command,
        import_command,
        report,
    ),
    *(sessions, merge, sweep, constrain, undo, redo, branch, replay, history, classes, diff, why),
    score_command,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; what a user can mend is one line on stderr.

    Parameters
    ----------
    arguments
        What follows the name of the program; by default those that it was started with.
    """
    with prepared():
        code = _run(arguments)
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli(arguments, prog_name="grammar-store", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return 2
    except click.UsageError as problem:
        path = problem.ctx.command_path if problem.ctx else "grammar-store"
        return _refuse(f"{problem.format_message().rstrip('.')}: see `{path} --help`")
    except click.ClickException as problem:
        return _refuse(problem.format_message())
    except GrammarStoreError as problem:
        return _refuse(str(problem))
    except MemoryError:
        return _refuse("not enough memory")
    except (KeyboardInterrupt, click.Abort):
        return _say_interrupted()
    except RuntimeError as problem:
        if not was_interrupted(problem):
            raise
        return _say_interrupted()
    except _ReaderLeftError:
        discard_output()
        return _BROKEN_PIPE
    except OSError as problem:
        discard_output()
        return _refuse(f"cannot write the output: {problem.strerror or problem}")
    return code if isinstance(code, int) else 0


def _refuse(message: str) -> int:
    click.echo(f"error: {message}", err=True)
    return 2


def _say_interrupted() -> int:
    click.echo("interrupted: nothing half-done was left", err=True)
    return _INTERRUPTED
