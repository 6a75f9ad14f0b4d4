"""The command line: each room contributes its commands; a user's mistake is one clear line and exit status 2."""

import sys

import typer

from eval.commands import app as eval_app
from instances.commands import app as instances_app
from instances.errors import InstanceError
from radio.cli import app as radio_app
from sandboxes.errors import BenchError
from sandboxes.stopping import StoppedError
from scenarios.commands import app as scenarios_app

INTERRUPTED = 130

app = typer.Typer(
    name="crosstalk",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A benchmark and test bench for coding agents that work for separate principals on one repository.",
)
app.add_typer(instances_app, name="instances")
app.add_typer(scenarios_app, name="scenarios")
app.add_typer(radio_app, name="radio")
for command in eval_app.registered_commands:
    app.registered_commands.append(command)


def main() -> None:
    """The entry point of `crosstalk`."""
    try:
        app()
    except (BenchError, InstanceError) as error:
        if isinstance(error, StoppedError):
            sys.exit(INTERRUPTED)
        print(f"crosstalk: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; nothing is left to say.
        sys.stderr.close()
        sys.exit(1)


if __name__ == "__main__":
    main()
