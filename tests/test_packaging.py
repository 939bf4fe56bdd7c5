"""Builds from a clean copy of the last commit: what a wheel contains, and when building is refused."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("grammar", "interpreter", "compiler", "verifier", "specs")
SAMPLE = ("grammar", "specs")
"""Links of a short run."""

pytestmark = pytest.mark.skipif(
    not ROOT.joinpath(".git").exists(), reason="needs a checkout: the copy comes from the last commit"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """An unpacked archive of HEAD, links kept."""
    archive = tmp_path / "head.tar"
    subprocess.run(["git", "archive", "-o", str(archive), "HEAD"], cwd=ROOT, check=True)
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "copy", filter="tar")
    return tmp_path / "copy"


def build(source: Path, *what: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", "dist", "."]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


def test_a_wheel_made_from_the_sdist_has_everything(copy: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD", *FOLDERS], cwd=ROOT, check=True, capture_output=True, text=True
    )
    wanted = {f"domrules/{name}" for name in tracked.stdout.splitlines()}
    if (copy / "grammar" / "dom.lark").exists():
        wanted.add("domrules/grammar/dom.table")

    done = build(copy)  # the wheel from the sdist
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (copy / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        entry_points = next(name for name in names if name.endswith("entry_points.txt"))
        assert "dom = domrules.__main__:main" in packed.read(entry_points).decode()
    assert wanted | {"domrules/__main__.py", "domrules/py.typed", "domrules/cli/app.py"} <= names
    assert {name.split("/")[0] for name in names} == {"domrules", wheel.name.split("-py3")[0] + ".dist-info"}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_link_that_became_a_file_is_refused_in_one_sentence(copy: Path, name: str, full: bool) -> None:
    if not full and name not in SAMPLE:
        pytest.skip("in a full run")
    link = copy / "domrules" / name
    link.unlink()
    link.write_text(f"../{name}", encoding="utf-8")  # what git writes where links are switched off

    done = build(copy, "--wheel")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert f"domrules/{name} must be a symbolic link to ../{name} but is not one here" in said
    assert "Traceback" not in said
