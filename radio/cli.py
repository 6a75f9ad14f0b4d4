"""`crosstalk radio serve | monitor | replay`."""

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The radio between lanes: serve one, watch one, replay one.", no_args_is_help=True)


@app.command()
def serve(  # noqa: PLR0913 - a command's options
    lanes: Annotated[list[str], typer.Argument(help="the lanes' names")],
    directory: Annotated[Path, typer.Option(help="where the hub keeps its files")] = Path("radio"),
    store: Annotated[str, typer.Option(help="sqlite, file, or a Redis address")] = "sqlite",
    tcp: Annotated[str | None, typer.Option(help="HOST:PORT to listen on as well as on the unix socket")] = None,
    mcp: Annotated[bool, typer.Option(help="serve an MCP server at /mcp too (needs the package mcp)")] = False,
    run: Annotated[
        str | None, typer.Option(help="the run's name, part of the store's namespace; by default one of the folder's own")
    ] = None,
    cell: Annotated[str, typer.Option(help="the cell's name, part of the store's namespace")] = "cell",
) -> None:
    """Serve one cell's radio until Ctrl-C. Says where each lane finds what its shell needs."""
    import asyncio
    import dataclasses

    from radio.hub_process import COMMANDS, HubProcess
    from radio.serve import serve as serve_until_stopped
    from sandboxes.errors import SetupError

    run = _of_the_folder(directory) if run is None else run
    _check(lanes, directory, run, cell, mcp)
    _check_address(tcp)
    hub = HubProcess(directory.absolute(), run, cell, lanes, store=store, tcp=tcp, mcp=mcp, real=True)

    def tell() -> None:
        """The store is this hub's: now the lanes' tokens hold, and not those of an earlier one."""
        hub.make_lane_folders()
        hub.write_tokens()
        token = directory / "engine-token"
        token.touch(mode=0o600)
        token.write_text(hub.config.admin_token + "\n")
        for lane in hub.lanes.values():
            typer.echo(f"lane {lane.name}:")
            typer.echo(f'  export PATH={shlex.quote(str(COMMANDS))}:"$PATH"')
            for name, value in lane.environment().items():
                typer.echo(f"  export {name}={shlex.quote(value)}")
        typer.echo(
            "In such a shell: radio-create-thread, radio-send, radio-wait, radio-inbox, ...; each has --help. Nobody counts its"
        )
        typer.echo("steps: `radio-hook PostToolUse </dev/null` ends one and prints what waits, as an agent program's hook does.")
        if mcp:
            where = f"http://{tcp}/mcp" if tcp else "/mcp of the unix socket (an MCP client needs --tcp HOST:PORT)"
            if tcp and tcp.endswith(":0"):
                where = f"/mcp of the address that {directory / 'ready.json'} names in a moment"
            typer.echo(f"MCP: {where}, with a lane's token, which is in {directory / 'lanes' / 'NAME' / 'auth'}")
        typer.echo(f"watch it with: crosstalk radio monitor {shlex.quote(str(directory))}")

    try:
        status = asyncio.run(serve_until_stopped(dataclasses.replace(hub.config, parent=None), tell))
    except OSError as error:
        raise SetupError(f"the hub cannot keep its files: {error}") from error
    finally:
        hub.remove_scratch()
    raise typer.Exit(status)


def _of_the_folder(directory: Path) -> str:
    """On a Redis that others use too, a radio by hand is no other folder's, and the same one when it is served again."""
    import hashlib
    import socket

    return "by-hand-" + hashlib.sha256(f"{socket.gethostname()}:{directory.resolve()}".encode()).hexdigest()[:12]


def _check(lanes: Sequence[str], directory: Path, run: str, cell: str, mcp: bool) -> None:
    """Raises SetupError where a hub can't be served as asked, before anything is printed or written."""
    from radio.errors import Refused
    from radio.message import check_lane_name
    from radio.store import Namespace
    from sandboxes.errors import SetupError

    Namespace(run, cell)
    try:
        names = [check_lane_name(name) for name in lanes]
    except Refused as refusal:
        raise SetupError(str(refusal)) from refusal
    if len(set(names)) < len(names):
        raise SetupError(f"two lanes have the same name: {', '.join(names)}")
    if directory.exists() and not directory.is_dir():
        raise SetupError(f"--directory {directory} is no folder")
    if mcp:
        try:
            import radio.mcp_server  # noqa: F401 - whether it can be
        except ImportError as error:
            raise SetupError(f"--mcp needs the package mcp ({error}): pip install 'crosstalk-bench[mcp]'") from error


def _check_address(tcp: str | None) -> None:
    """Raises SetupError where the hub could not listen: it does so only when its store is open and its lanes are told."""
    import socket

    from sandboxes.errors import SetupError

    if tcp is None:
        return
    host, _, port = tcp.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise SetupError(f"--tcp is HOST:PORT, such as 127.0.0.1:7000, not {tcp!r}")
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(address)
                trial.listen(1)
    except (OSError, UnicodeError) as error:
        raise SetupError(f"cannot listen on {tcp}: {getattr(error, 'strerror', None) or error}") from error


@app.command()
def monitor(
    place: Annotated[str, typer.Argument(help="a cell's folder, its event log, or a hub's URL")],
    once: Annotated[bool, typer.Option(help="one picture, and end")] = False,
) -> None:
    """Watch a cell's radio: threads, who has seen what, what was refused. It takes nothing from anyone.

    With a URL the engine's token is read from CROSSTALK_RADIO_ENGINE_TOKEN.
    """
    from rich.console import Console

    from radio.client import Address, RadioClient
    from radio.monitor import HubFollower, LogFollower, find_log, picture, watch
    from sandboxes.errors import SetupError

    follow: HubFollower | LogFollower
    client: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
    if place.startswith("http://"):
        host, _, port = place.removeprefix("http://").rstrip("/").partition(":")
        if not (port.isascii() and port.isdigit()):
            raise SetupError(f"{place} names no port: http://HOST:PORT")
        token = os.environ.get("CROSSTALK_RADIO_ENGINE_TOKEN", "").strip()
        if not token:
            raise SetupError("to watch from afar, set CROSSTALK_RADIO_ENGINE_TOKEN to what the hub's file engine-token holds")
        follow = HubFollower(client := RadioClient(Address(host=host, port=int(port)), token))
    else:
        follow = LogFollower(find_log(Path(place)))
    with client:
        if once:
            if not (events := follow()):
                raise SetupError(f"{place} holds no event yet")
            Console().print(picture(events))
            return
        try:
            watch(follow, Console())
        except KeyboardInterrupt:
            typer.echo("")


@app.command()
def replay(
    cell: Annotated[Path, typer.Argument(help="a cell's folder, or its event log")],
    as_json: Annotated[bool, typer.Option("--json", help="the graph and the counts for programs")] = False,
) -> None:
    """Rebuild what was said, who saw it when, and what was decided on it, from the event log alone."""
    from radio.monitor import find_log
    from radio.replay import as_json as node_as_json
    from radio.replay import draw, message_graph, read_events, summarise
    from sandboxes.errors import SetupError

    if not (events := list(read_events(find_log(cell)))):
        raise SetupError(f"{cell} holds no event")
    nodes = message_graph(events)
    lanes = summarise(events)
    if as_json:
        graph = {"messages": [node_as_json(node) for node in nodes], "lanes": {name: vars(one) for name, one in lanes.items()}}
        json.dump(graph, sys.stdout, indent=1)
        typer.echo("")
        return
    typer.echo(draw(nodes) or "nothing was said")
    for lane in lanes.values():
        counts = f"sent {lane.sent}, shown {lane.shown}, unread {lane.unread}, listening steps {lane.listening_steps}"
        counts += "".join(f", expired {count} ({reason})" for reason, count in lane.expired.items())
        counts += "".join(f", refused {count} ({reason})" for reason, count in lane.refused.items())
        if held := lane.borne_out + lane.not_borne_out:
            counts += f", acceptances borne out {lane.borne_out} of {held}"
        typer.echo(f"lane {lane.lane}: {counts}")
