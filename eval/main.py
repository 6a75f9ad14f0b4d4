"""The command line: each room contributes its commands; a user's mistake is one clear line and exit status 2."""

import sys
from typing import Annotated

import typer

from eval.commands import app as eval_app
from eval.exporters.commands import app as export_app
from eval.fill_command import app as fill_app
from eval.generation.commands import app as generate_app
from eval.importing.commands import app as import_app
from eval.lint_command import app as lint_app
from eval.new_command import app as new_app
from harnesses.commands import app as scripted_model_app
from instances.commands import app as instances_app
from instances.errors import InstanceError
from radio.cli import app as radio_app
from reconcilers.commands import app as reconcile_app
from sandboxes.errors import BenchError
from sandboxes.stopping import StoppedError
from scenarios.commands import app as scenarios_app

INTERRUPTED = 130
MISTAKE = 2
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="crosstalk",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="A benchmark and test bench for coding agents that work for separate principals on one repository.",
)
instances_app.registered_commands.extend([*lint_app.registered_commands, *fill_app.registered_commands])
app.add_typer(instances_app, name="instances")
app.add_typer(import_app, name="import")
app.add_typer(export_app, name="export")
app.add_typer(scenarios_app, name="scenarios")
app.add_typer(radio_app, name="radio")
app.add_typer(scripted_model_app, name="scripted-model")
app.registered_commands.extend(
    [
        *eval_app.registered_commands,
        *generate_app.registered_commands,
        *new_app.registered_commands,
        *reconcile_app.registered_commands,
    ]
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from eval.plan import crosstalk_version

        typer.echo(f"crosstalk {crosstalk_version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version.")] = False,
) -> None:
    """A benchmark and test bench for coding agents that work for separate principals on one repository."""


def main() -> None:
    """The entry point of `crosstalk`."""
    try:
        status = app(standalone_mode=False)
    except (BenchError, InstanceError) as error:
        if isinstance(error, StoppedError):
            sys.exit(INTERRUPTED)
        _mistake(str(error))
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            sys.exit(MISTAKE)
        formatted = getattr(error, "format_message", None)
        _mistake(formatted() if formatted else str(error))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; nothing is left to say.
        sys.stderr.close()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _mistake(text: str) -> None:
    print(f"crosstalk: {' '.join(text.split())}", file=sys.stderr)
    sys.exit(MISTAKE)


if __name__ == "__main__":
    main()
