"""The command line: ``nightshift --jobs jobs.json --history history.jsonl run``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime, timezone

from nightshift import durations
from nightshift.clock import Clock, SystemClock
from nightshift.errors import NightshiftError
from nightshift.history import History, format_record
from nightshift.importer import import_file
from nightshift.jobs import Job, JobBook
from nightshift.report import failing, format_tallies, tallies
from nightshift.retention import prune
from nightshift.runner import Runner
from nightshift.schedule import next_start


def moment(text: str) -> datetime:
    """A day or a time of day, in UTC unless it says otherwise."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nightshift", description="Runs jobs when they are due.")
    parser.add_argument("--jobs", default="jobs.json", help="the job file")
    parser.add_argument("--history", default="history.jsonl", help="where runs are written down")
    commands = parser.add_subparsers(dest="command", required=True)

    commands.add_parser("list", help="all jobs")
    commands.add_parser("next", help="when each job may start next")

    command = commands.add_parser("run", help="run what is due, or the jobs named")
    command.add_argument("names", nargs="*")

    command = commands.add_parser("history", help="what ran")
    command.add_argument("--job", help="of this job only")

    command = commands.add_parser("prune", help="forget old runs")
    command.add_argument("--keep", default="90d", help="how far back to remember")

    command = commands.add_parser("import", help="take over the records of an agent on another machine")
    command.add_argument("file")
    command.add_argument("--host", required=True)

    command = commands.add_parser("report", help="how the jobs are doing")
    command.add_argument("--since", type=moment, help="count from this day or time on")
    return parser


def main(argv: Sequence[str] | None = None, clock: Clock | None = None) -> int:
    """Run one command; 0 if it was done, 1 if not, 2 if a job that was run failed."""
    arguments = build_parser().parse_args(argv)
    try:
        book, history = JobBook.load(arguments.jobs), History(arguments.history)
        lines, code = COMMANDS[arguments.command](arguments, book, history, clock or SystemClock())
    except NightshiftError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for line in lines:
        print(line)
    return code


def list_jobs(arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock) -> tuple[list[str], int]:
    return [describe(job) for job in book], 0


def describe(job: Job) -> str:
    line = f"{job.name}: {job.action} every {durations.write(job.every)}"
    if job.after:
        line += f", after {', '.join(job.after)}"
    if job.window:
        line += f", {job.window}"
    return line if job.enabled else f"{line} (off)"


def show_next(arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock) -> tuple[list[str], int]:
    now = clock.now()
    times = [(next_start(job, history, now), job.name) for job in book if job.enabled]
    return [f"{when:%Y-%m-%d %H:%M:%S}  {name}" for when, name in sorted(times)], 0


def run_jobs(arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock) -> tuple[list[str], int]:
    runner = Runner(book, history, clock=clock)
    if arguments.names:
        records = [runner.run(book.get(name)) for name in arguments.names]
    else:
        records = runner.run_due()
    return [format_record(record) for record in records], 2 if failing(records) else 0


def show_history(
    arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock
) -> tuple[list[str], int]:
    records = list(history) if arguments.job is None else history.of(book.get(arguments.job).name)
    return [format_record(record) for record in records], 0


def prune_history(
    arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock
) -> tuple[list[str], int]:
    removed = prune(history, durations.parse(arguments.keep), clock.now())
    return [f"removed {len(removed)} of {len(removed) + len(history)}"], 0


def import_records(
    arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock
) -> tuple[list[str], int]:
    return [f"imported {import_file(history, arguments.file, arguments.host)}"], 0


def show_report(arguments: argparse.Namespace, book: JobBook, history: History, clock: Clock) -> tuple[list[str], int]:
    lines = format_tallies(tallies(history, arguments.since))
    bad = failing(history)
    lines.append(f"failing: {', '.join(bad) or 'none'}")
    return lines, 0


COMMANDS = {
    "list": list_jobs,
    "next": show_next,
    "run": run_jobs,
    "history": show_history,
    "prune": prune_history,
    "import": import_records,
    "report": show_report,
}
