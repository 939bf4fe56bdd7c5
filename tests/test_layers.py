"""Who may import whom, read from the sources with `ast`; and the links that make them one package."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("grammar", "interpreter", "compiler", "verifier")
LINKS = (*FOLDERS, "specs")
MAY_IMPORT = {
    "grammar": {"grammar"},
    "interpreter": {"grammar", "interpreter"},
    "compiler": {"grammar", "interpreter", "compiler"},
    "verifier": {"grammar", "interpreter", "compiler", "verifier"},
}
LONGEST = 600


def modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = [ROOT.joinpath("domrules").glob(pattern) for pattern in ("*.py", "api/**/*.py", "cli/**/*.py")]
    found += [ROOT.joinpath("domrules", folder).rglob("*.py") for folder in FOLDERS]
    paths = (path.relative_to(ROOT) for paths in found for path in paths)
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


MODULES = modules()


@cache
def imports(module: str) -> tuple[str, ...]:
    """The full names a module imports, anywhere in it, as deep as they are modules of ours."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / MODULES[module]).read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(base), names=names, level=0):
                full = [f"{base}.{alias.name}" for alias in names]
                yield from (name if name in MODULES else base for name in full)
            case ast.ImportFrom():
                pytest.fail(f"{module} has a relative import")
            case _:
                pass


def layer(module: str) -> str:
    """The folder a module belongs to: `domrules.grammar.core` is in grammar."""
    return [*module.split("."), ""][1]


def importers(library: str) -> set[str]:
    return {m for m in MODULES if any(name.split(".")[0] == library for name in imports(m))}


def test_the_sources_are_found() -> None:
    assert {"domrules", "domrules.cli.exits", "domrules.grammar.core"} <= MODULES.keys()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_layer_imports_only_what_is_below_it(folder: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        if layer(module) == folder
        for name in imports(module)
        if name.split(".")[0] == "domrules" and layer(name) not in MAY_IMPORT[folder]
    ]
    assert not wrong


def test_only_the_edges_import_every_layer() -> None:
    outside = {module for module in MODULES if layer(module) not in (*FOLDERS, "api", "cli", "lsp")}
    wrong = {module for module in outside if any(layer(name) in FOLDERS for name in imports(module))}
    assert not wrong


def test_libraries_stay_in_their_places() -> None:
    assert importers("lark") <= {"domrules.grammar.parse", "domrules.grammar.table"}
    assert {layer(module) for module in importers("z3")} <= {"verifier"}
    assert importers("wasmtime") <= {"domrules.compiler.engine"}
    assert importers("distributed") <= {"domrules.compiler.cluster"}
    assert {layer(module) for module in importers("typer") | importers("rich")} <= {"cli"}


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {module: {name for name in imports(module) if name in MODULES} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("name", LINKS)
def test_a_folder_is_linked_into_the_package(name: str) -> None:
    link = ROOT / "domrules" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..", name)


def test_no_module_is_too_long() -> None:
    lengths = {m: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for m, path in MODULES.items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST} == {}
