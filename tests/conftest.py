"""What every test may use: markers for programs that a machine may lack, and a clean cache of one's own where asked for."""

import shutil

import pytest

HOW_TO_GET = {
    "bwrap": "install the package bubblewrap",
    "redis-server": "install the package redis-server",
    "node": "install node 20 or later",
    "curl": "install the package curl",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--require-all", action="store_true", help="fail, and do not skip, where a program is missing")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(program): the test needs a program that the machine may lack")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for program in marker.args:
            if shutil.which(program) is None:
                reason = f"{program} is missing: {HOW_TO_GET.get(program, 'see crosstalk doctor')}"
                if item.config.getoption("--require-all"):
                    pytest.fail(reason)
                pytest.skip(reason)
