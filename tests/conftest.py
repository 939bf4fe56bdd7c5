"""From the switches of a test run to fixtures: `--full` for long tests, `--accept` for new results, `--verdicts` for the
verifier's words on every table of every game.

They can also come from the environment: DOM_FULL=1, DOM_ACCEPT=1, DOM_VERDICTS=1.
"""

import gc
import os
import tempfile

import pytest
from hypothesis import settings

from domrules.__main__ import YOUNG


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long forms of the tests")
    parser.addoption("--verdicts", action="store_true", help="verify every table of every shipped game")
    parser.addoption("--accept", action="store_true", help="write what we got as what is expected")


def pytest_configure(config: pytest.Config) -> None:
    """Properties are tried more often in a full run; how long one try takes is no matter of theirs.

    Answers of the verifier are kept in a folder of this run, not in the user's. Garbage is looked for as seldom as `dom` does.
    """
    gc.set_threshold(YOUNG)
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="dom-cache-")
    settings.register_profile("short", deadline=None)
    settings.register_profile("full", deadline=None, max_examples=2000)
    settings.load_profile("full" if switched_on(config, "full") else "short")


def pytest_collection_finish() -> None:
    """Tests and the games that they name stay to the end: there is no garbage among them."""
    gc.freeze()


def switched_on(config: pytest.Config, name: str) -> bool:
    return bool(config.getoption(name)) or os.environ.get(f"DOM_{name.upper()}", "0") != "0"


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether to run the long form of a test."""
    return switched_on(pytestconfig, "full")


@pytest.fixture(scope="session")
def all_verdicts(pytestconfig: pytest.Config) -> bool:
    """Whether to verify every table of every shipped game."""
    return switched_on(pytestconfig, "verdicts")


@pytest.fixture(scope="session")
def accept(pytestconfig: pytest.Config) -> bool:
    """Whether to overwrite the expectations kept in files."""
    return switched_on(pytestconfig, "accept")
