"""Fuzzes one parser with atheris, guided by what its input reaches. `scripts/fuzz` runs it."""

import argparse
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["eval", "harnesses", "instances", "radio", "reconcilers"]):
    from fuzz_targets import TARGETS, seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("seconds", type=int)
    parser.add_argument("corpus", type=Path, help="an empty folder, for the inputs that reach something new")
    parser.add_argument("found", type=Path, help="the folder where an input that breaks the parser is kept")
    chosen = parser.parse_args()
    for number, seed in enumerate(seeds(chosen.target)):
        (chosen.corpus / str(number)).write_bytes(seed)
    options = [f"-max_total_time={chosen.seconds}", "-max_len=20000", "-timeout=20", f"-artifact_prefix={chosen.found}/"]
    atheris.Setup([sys.argv[0], *options, str(chosen.corpus)], TARGETS[chosen.target])
    atheris.Fuzz()  # ends the process


if __name__ == "__main__":
    main()
