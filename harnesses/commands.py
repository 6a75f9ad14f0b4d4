"""`crosstalk scripted-model ...`: the model server by itself, for trying a real program without a model."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="A model server that plays a pair's scripts; no model is called.")

LANES = ("a", "b", "both")


@app.command()
def serve(
    pair: Annotated[Path, typer.Argument(help="A pair's folder; a lane without a script applies its reference patch.")],
    lane: Annotated[list[str] | None, typer.Option("--lane", help="a, b or both; all of them by default.")] = None,
    port: Annotated[int, typer.Option("--port", help="0 for any free one.")] = 0,
    turn: Annotated[int, typer.Option("--turn", min=1, help="Which turn of the scripts is played.")] = 1,
    fail: Annotated[
        list[str] | None, typer.Option("--fail", help="KIND@REQUESTxTIMES: how and when every lane's requests fail.")
    ] = None,
) -> None:
    """Serve on loopback until interrupted; then print what was reported to each lane, a JSON object a line.

    Example: crosstalk scripted-model serve instances/pairs/contradictory/signoff-deputies --fail 429@2
    """
    import json
    import signal
    from threading import Event

    from harnesses.base import ReplaySource
    from harnesses.script import load_script
    from harnesses.scripted_model.faults import parse_fault
    from harnesses.scripted_model.server import ScriptedModelServer
    from sandboxes.errors import SetupError

    def patch(name: str) -> bytes:
        path = pair / f"{name}.patch"
        try:
            return path.read_bytes()
        except OSError as error:
            raise SetupError(f"cannot read {path}: {error.strerror}") from error

    faults = [parse_fault(text) for text in fail or ()]
    scripts = {}
    for name in lane or LANES:
        if name not in LANES:
            raise SetupError(f"no lane {name!r}; there are {', '.join(LANES)}")
        reference = "references/joint" if name == "both" else f"references/{name}"
        scripts[name] = load_script(ReplaySource(pair / "replay" / f"{name}.json", patch, reference))
    ended = Event()
    with ScriptedModelServer(port) as server:
        keys = {name: server.add_lane(name, script.actions(turn), faults) for name, script in scripts.items()}
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        for name, key in keys.items():
            typer.echo(f"lane {name}: {server.url} with key {key} plays {scripts[name].origin}")
        ended.wait()
        for name, key in keys.items():
            answers = server.ledger.entries(key)
            told = {"lane": name, "responses": len(answers), "usage": server.ledger.total(key).as_record()}
            typer.echo(json.dumps(told))
