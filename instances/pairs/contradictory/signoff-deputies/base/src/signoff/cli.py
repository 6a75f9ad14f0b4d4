"""The command line: ``signoff --file office.json --as rk approve D-3``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from signoff.audit import format_entry
from signoff.digest import digest
from signoff.errors import SignoffError
from signoff.model import Document
from signoff.report import figures, format_figures
from signoff.search import search
from signoff.service import Service

STEPS = ("submit", "withdraw", "approve", "publish", "archive")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="signoff", description="Documents and who may move them on.")
    parser.add_argument("--file", default="signoff.json", help="where everything is kept")
    parser.add_argument("--as", dest="by", required=True, metavar="PERSON", help="who you are")
    parser.add_argument("--today", type=date.fromisoformat, help="book under this day instead of today")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("person-add", help="add a person")
    command.add_argument("id")
    command.add_argument("name")
    command.add_argument("role")

    command = commands.add_parser("role", help="give a person another role")
    command.add_argument("id")
    command.add_argument("role")

    command = commands.add_parser("create", help="start a document")
    command.add_argument("title")
    command.add_argument("text")
    command.add_argument("--class", dest="classification", default="internal")

    command = commands.add_parser("revise", help="replace the text of a draft or a rejected document")
    command.add_argument("document")
    command.add_argument("text")
    command.add_argument("--note", default="")

    for name in STEPS:
        command = commands.add_parser(name, help=f"{name} a document")
        command.add_argument("document")
        command.add_argument("--note", default="")

    command = commands.add_parser("reject", help="reject a document, with the reason")
    command.add_argument("document")
    command.add_argument("note")

    for name, text in (("show", "a document and what you can do with it"), ("history", "what was done to it")):
        command = commands.add_parser(name, help=text)
        command.add_argument("document")

    command = commands.add_parser("find", help="documents by words, author:, state:, class:")
    command.add_argument("query", nargs="*")

    commands.add_parser("inbox", help="what waits for you")
    commands.add_parser("digest", help="the same as a mail")
    commands.add_parser("report", help="figures")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it was done, 1 if not."""
    arguments = build_parser().parse_args(argv)
    try:
        today = (lambda: arguments.today) if arguments.today else date.today
        service = Service.open(arguments.file, today)
        for line in run(service, arguments):
            print(line)
    except SignoffError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def run(service: Service, arguments: argparse.Namespace) -> list[str]:
    """Do what was asked and return the lines to print."""
    command, by = arguments.command, arguments.by
    if command == "person-add":
        person = service.add_person(arguments.id, arguments.name, arguments.role, by=by)
        return [f"{person.id}: {person.name}, {person.role}"]
    if command == "role":
        person = service.change_role(arguments.id, arguments.role, by=by)
        return [f"{person.id}: {person.name}, {person.role}"]
    if command == "create":
        document = service.create(arguments.title, arguments.text, by, arguments.classification)
        return [summary(document)]
    if command == "revise":
        return [summary(service.revise(arguments.document, arguments.text, by, arguments.note))]
    if command in STEPS or command == "reject":
        return [summary(getattr(service, command)(arguments.document, by, arguments.note))]
    if command == "show":
        return describe(service, arguments.document, by)
    if command == "history":
        return [format_entry(entry) for entry in service.history(arguments.document)]
    if command == "find":
        return [summary(document) for document in search(service.documents(), " ".join(arguments.query))]
    if command == "inbox":
        return [f"{document.id}  {step}  {document.title}" for document, step in service.inbox(by)]
    if command == "digest":
        return digest(service, by).splitlines()
    return format_figures(figures(service)).splitlines()


def summary(document: Document) -> str:
    return f"{document.id}  {document.state}  {document.title}"


def describe(service: Service, document_id: str, by: str) -> list[str]:
    """The lines of ``signoff show``."""
    document = service.document(document_id)
    lines = [
        f"{document.id}  {document.title}",
        f"state: {document.state}",
        f"class: {document.classification}",
        f"author: {document.author}",
    ]
    if document.due:
        lines.append(f"due: {document.due}")
    options = service.options(document_id, by)
    lines.append(f"you can: {', '.join(map(str, options)) or 'nothing'}")
    return lines
