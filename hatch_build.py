"""From a checkout to a package: checks the links under domrules/ and saves the parser's table."""

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINKS = ("grammar", "interpreter", "compiler", "verifier", "specs")


class LinkedFolders(BuildHookInterface[Any]):
    """Runs before every sdist, wheel and editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        package = Path(self.root, "domrules")
        for name in LINKS:
            if not (package / name).is_dir():
                raise SystemExit(
                    f"domrules/{name} must be a symbolic link to ../{name} but is not one here: "
                    "clone with `git -c core.symlinks=true clone`, or install the wheel."
                )
        save_table(package / "grammar")


def save_table(directory: Path) -> None:
    """Write the table by the module beside the grammar, which is not installed yet."""
    spec = importlib.util.spec_from_file_location("domrules_table", directory / "table.py")
    assert spec is not None
    assert spec.loader is not None
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    table.write(directory)
