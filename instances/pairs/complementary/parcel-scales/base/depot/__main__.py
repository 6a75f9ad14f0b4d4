"""`python -m depot FILE...` runs command files; with none, it reads the standard input."""

import sys
from pathlib import Path

from depot.app import Depot
from depot.commands import run_line
from depot.errors import DepotError


def main(arguments: list[str]) -> int:
    depot = Depot()
    sources = [(name, Path(name).read_text(encoding="utf-8")) for name in arguments]
    if not sources:
        sources = [("input", sys.stdin.read())]
    for name, text in sources:
        for number, line in enumerate(text.splitlines(), 1):
            try:
                output = run_line(depot, line)
            except DepotError as error:
                print(f"{name}:{number}: {error}", file=sys.stderr)
                return 1
            for printed in output:
                print(printed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
