"""SARIF and annotations: the log has the shape of the standard, places count as it says, and an alert is known again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from test_cli_verify import run

from domrules.grammar.diagnostics import Diagnostic, Note
from domrules.grammar.sarif import Failure, Result, Rule, log, of_mistake, place
from domrules.grammar.source import NOWHERE, Source, Span

CASES = Path(__file__).parent / "cases" / "verify"
HEAD = "game x extends block\n"

MESSAGE = {"!text": str}
REGION = {"!startLine": int, "startColumn": int, "endLine": int, "endColumn": int}
FILE = {"!uri": str, "uriBaseId": str, "index": int}
LOCATION = {"id": int, "physicalLocation": {"!artifactLocation": FILE, "region": REGION}, "message": MESSAGE}
RULE = {
    "!id": str,
    "shortDescription": MESSAGE,
    "help": {"!text": str, "markdown": str},
    "defaultConfiguration": {"level": str},
}
RESULT = {
    "ruleId": str,
    "ruleIndex": int,
    "level": str,
    "!message": MESSAGE,
    "locations": [LOCATION],
    "relatedLocations": [LOCATION],
    "codeFlows": [{"!threadFlows": [{"!locations": [{"location": LOCATION}]}]}],
    "partialFingerprints": {"primaryLocationLineHash": str, "canonicalText/v1": str},
}
INVOCATION = {
    "!executionSuccessful": bool,
    "exitCode": int,
    "toolExecutionNotifications": [{"level": str, "!message": MESSAGE}],
}
RUN = {
    "!tool": {"!driver": {"!name": str, "version": str, "rules": [RULE]}},
    "columnKind": str,
    "invocations": [INVOCATION],
    "artifacts": [{"location": FILE, "sourceLanguage": str, "encoding": str}],
    "results": [RESULT],
}
LOG = {"$schema": str, "!version": str, "!runs": [RUN]}
"""The properties we use, of those the standard (OASIS SARIF 2.1.0) has for each object; with `!` it wants them."""


def has_shape(data: object, shape: Any, where: str = "") -> None:
    """Has it the properties of a shape, and no others?"""
    if isinstance(shape, type):
        assert type(data) is shape, f"{where}: {data!r}"
    elif isinstance(shape, list):
        assert isinstance(data, list), where
        for i, part in enumerate(data):
            has_shape(part, shape[0], f"{where}[{i}]")
    else:
        assert isinstance(data, Mapping), where
        names = {name.removeprefix("!"): part for name, part in shape.items()}
        assert data.keys() <= names.keys(), where
        assert {name[1:] for name in shape if name.startswith("!")} <= data.keys(), where
        for name, part in data.items():
            has_shape(part, names[name], f"{where}.{name}")


def is_valid(data: Any) -> dict[str, Any]:
    """The only run of a log, once the log is as it must be."""
    has_shape(data, LOG)
    assert data["version"] == "2.1.0"
    (only,) = data["runs"]
    rules = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    files = [(a["location"]["uri"], a["location"].get("uriBaseId")) for a in only["artifacts"]]
    assert len(set(rules)) == len(rules)
    assert len(set(files)) == len(files)
    for result in only["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note", "none")
        related = result.get("relatedLocations", [])
        flows = [s["location"] for f in result.get("codeFlows", []) for t in f["threadFlows"] for s in t["locations"]]
        for location in [*result["locations"], *related, *flows]:
            at = location["physicalLocation"]
            where = at["artifactLocation"]
            assert files[where["index"]] == (where["uri"], where.get("uriBaseId"))
            r = {"startColumn": 1, **at["region"]}
            assert r["startLine"] >= 1
            assert r["startColumn"] >= 1
            assert (r.get("endLine", r["startLine"]), r.get("endColumn", r["startColumn"])) >= (
                r["startLine"],
                r["startColumn"],
            )
        assert len({one["id"] for one in related}) == len(related)
    return dict(only)


def checked(*args: str | Path) -> tuple[int, dict[str, Any]]:
    done = run("check", "--format", "sarif", *map(str, args))
    return done.exit_code, is_valid(json.loads(done.stdout))


def marks(path: Path, text: str) -> list[str]:
    """The fingerprints of a text's mistakes."""
    path.write_text(text, encoding="utf-8")
    return [r["partialFingerprints"]["primaryLocationLineHash"] for r in checked(path)[1]["results"]]


# ---------------------------------------------------------------- mistakes


def test_mistakes_are_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ř t.dom").write_text(HEAD + "define a: int = layd\ndefine a: int = 1\n", encoding="utf-8")
    code, told = checked("ř t.dom", "absent.dom", "block")
    assert code == 74
    assert told["columnKind"] == "utf16CodeUnits"
    unknown, twice = told["results"]
    assert (twice["ruleId"], unknown["ruleId"]) == ("DOM202", "DOM201")
    at = unknown["locations"][0]["physicalLocation"]
    assert unquote(at["artifactLocation"]["uri"]) == "ř t.dom"
    assert at["artifactLocation"]["uri"].isascii()
    assert at["region"] == {"startLine": 2, "startColumn": 17, "endLine": 2, "endColumn": 21}
    assert unknown["message"]["text"] == "nothing is called `layd`\nhelp: did you mean `laid`?"
    (first,) = twice["relatedLocations"]
    assert first["message"]["text"] == "the first is here"
    assert first["physicalLocation"]["region"]["startLine"] == 2
    (run_,) = told["invocations"]
    assert not run_["executionSuccessful"]
    assert run_["toolExecutionNotifications"][0]["message"]["text"] == "absent.dom: no such file or directory."
    assert "Instead" in told["tool"]["driver"]["rules"][0]["help"]["markdown"]
    assert any(a["location"]["uri"].startswith("file:///") for a in told["artifacts"]), "the family lies elsewhere"


def test_a_sound_file_has_no_results(tmp_path: Path) -> None:
    (tmp_path / "x.dom").write_text(HEAD)
    code, told = checked(tmp_path / "x.dom")
    assert (code, told["results"], told["invocations"]) == (0, [], [{"executionSuccessful": True, "exitCode": 0}])


def test_of_countless_mistakes_it_says_that_there_are_more(tmp_path: Path) -> None:
    (tmp_path / "x.dom").write_text(HEAD + "".join(f"define d{i}: int = x{i}\n" for i in range(150)))
    told = checked(tmp_path / "x.dom")[1]
    assert len(told["results"]) == 100
    assert told["invocations"][0]["executionSuccessful"]
    assert "more mistakes" in told["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("line", "column"),
    [("ab", 3), ("é", 2), ("😀", 3), ("e\u0301", 3), ("汉", 2), ("\t", 2), ("\ud800", 2)],
)
def test_columns_count_utf_16_units(line: str, column: int) -> None:
    assert place(Source("x", f"first\n{line}|"), 6 + len(line)) == (2, column)


def test_braces_are_doubled() -> None:
    at = Span(Source("x.dom", "ab"), 0, 1)
    told = of_mistake(Diagnostic("DOM309", "write `{6|6}`", at, (Note("or `{}`"), Note("as here: {", at))))
    (result,) = is_valid(log("1", [told], [], 3))["results"]
    assert result["message"]["text"] == "write `{{6|6}}`\nnote: or `{{}}`"
    assert result["relatedLocations"][0]["message"]["text"] == "as here: {{"


def test_a_mistake_is_known_again_wherever_it_moves(tmp_path: Path) -> None:
    path = tmp_path / "x.dom"
    before = marks(path, HEAD + "define a: int = layd + layd\ndefine b: int = layd\n")
    after = marks(
        path, HEAD + "# a remark\ntitle en 'X'\ndefine b:   int = layd  # twice\ndefine a: int\n  = layd + layd\n"
    )
    assert len(set(before)) == 3
    assert sorted(set(after) & set(before)) == sorted(before)
    assert len(after) == 4
    assert not set(before) & set(marks(path, HEAD + "define a: int = 1 + layd\n"))


# ---------------------------------------------------------------- verdicts


def test_findings_are_results_with_the_moves_that_lead_there() -> None:
    path = CASES / "stuck.dom"
    done = run("verify", str(path), "D2", "M1", "--players", "2", "--format", "sarif", "--no-cache")
    told = is_valid(json.loads(done.stdout))
    assert done.exit_code == told["invocations"][0]["exitCode"] == 1
    (result,) = told["results"]
    assert (result["ruleId"], result["level"]) == ("M1", "error")
    assert result["message"]["text"].startswith("nobody is stuck: REFUTED · players=2\n")
    assert told["tool"]["driver"]["rules"][0]["help"]["markdown"].startswith("# M1: ")


def test_annotations_are_few_and_the_summary_has_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    done = run("verify", str(CASES / "stuck.dom"), "D2", "M1", "--players", "2", "--format", "github")
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"::error file={CASES / 'stuck.dom'},line=")
    assert "title=M1 REFUTED::nobody is stuck: REFUTED · players=2%0A" in first
    assert done.exit_code == 1
    assert "| M1 nobody is stuck | REFUTED | players=2 |\n" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_what_has_no_place_belongs_to_the_file() -> None:
    result = Result(Rule("T1", "ends"), "note", "UNKNOWN", NOWHERE, "x.dom", steps=(("p0:pass", NOWHERE),))
    told = is_valid(log("1", [result], ["x.dom"], 4, [Failure("out of budget", "warning")]))
    (found,) = told["results"]
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert found["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]["message"] == {"text": "p0:pass"}
    assert told["invocations"][0]["executionSuccessful"]
