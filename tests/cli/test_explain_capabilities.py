"""`explain PAIR capabilities`: the record, every value with its evidence, and what the pair needs of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.compile.capabilities.vocabulary import VOCABULARY
from tests.cli.team import CONFIG, PAIR
from tests.cli.test_capability_records import write_record
from tests.running import run


@pytest.fixture
def ours(team: Path) -> Path:
    (team / "kagent-render.yaml").write_text(f"{CONFIG}  capabilities: [.kagent/capabilities/*.yaml]\n")
    write_record(team, approvals="unproven")
    return team


def explained(root: Path) -> dict[str, Any]:
    done = run("explain", PAIR, "capabilities", "-o", "json", cwd=root)
    assert done.status == 0, done.err
    found: dict[str, Any] = done.json
    return found


def test_it_names_the_record_its_runtime_and_what_chose_it(ours: Path) -> None:
    found = explained(ours)
    assert (found["record"], found["version"], found["adapter"]) == ("ours", "1", "python")
    assert found["runtime"] == {"name": "our runtime", "version": "1.2.3"}
    assert found["chosenBy"] == "image"
    assert found["digest"].startswith("sha256:")


def test_every_capability_has_a_line_and_a_needed_one_the_fields_that_need_it(ours: Path) -> None:
    lines = {line["name"]: line for line in explained(ours)["capabilities"]}
    assert list(lines) == list(VOCABULARY)
    depth = lines["maxNativeAgentDepth"]
    assert (depth["value"], depth["evidence"]) == (1, "seen")
    assert depth["needs"] == [{"requirement": "maxNativeAgentDepth>=1", "met": True}]
    (needed,) = depth["neededBy"]
    assert (needed["object"]["name"], needed["field"]) == ("lead", "spec.tools[1].agent")
    assert needed["source"]["path"] == "lead.yaml"
    assert (lines["streaming"]["value"], lines["streaming"]["neededBy"]) == (False, [])
    assert lines["mcpTransports"]["value"] == ["streamable-http"]
    assert lines["approvals"]["value"] == "unproven"


def test_a_pair_that_lacks_a_capability_is_explained_all_the_same(ours: Path) -> None:
    write_record(ours, nativeAgentTools="false")
    lines = {line["name"]: line for line in explained(ours)["capabilities"]}
    assert lines["nativeAgentTools"]["needs"] == [{"requirement": "nativeAgentTools", "met": False}]
    done = run("explain", PAIR, "capabilities", cwd=ours)
    assert done.status == 0
    (row,) = (line for line in done.out.splitlines() if line.startswith("nativeAgentTools"))
    assert row.split() == ["nativeAgentTools", "yes", "(denied)", "false", "1"]


def test_the_table_fits_a_narrow_terminal_and_its_columns_are_aligned(ours: Path) -> None:
    lines = run("explain", PAIR, "capabilities", cwd=ours).out.splitlines()
    assert lines[:2] == [PAIR, "record ours, for this image"]
    table = lines[5 : lines.index("", 5)]
    starts = [table[0].index(column) for column in ("NEEDED HERE", "VALUE", "SHOWN BY")]
    assert len(table) == len(VOCABULARY) + 1
    assert all(line[start - 2 : start].strip() == "" for line in table for start in starts)
    assert max(map(len, table)) <= 80
    assert lines[-2:] == ["  1  seen", "  2  the record does not name it"]


def test_a_long_list_of_members_goes_on_in_further_lines(ours: Path) -> None:
    options = ["Bedrock.promptCaching", "Bedrock.cacheTTL", "Bedrock.readTimeout", "Bedrock.connectTimeout"]
    write_record(ours, modelOptions=f"[{', '.join(options)}]")
    lines = run("explain", PAIR, "capabilities", cwd=ours).out.splitlines()
    table = lines[5 : lines.index("", 5)]
    start, end = table[0].index("VALUE"), table[0].index("SHOWN BY")
    first = next(at for at, line in enumerate(table) if line.startswith("modelOptions"))
    assert " ".join(line[start:end].strip() for line in table[first:]) == ", ".join(options)


def test_a_pair_that_several_roots_have_is_asked_for_by_root(ours: Path, tmp_path: Path) -> None:
    above = tmp_path / "above"
    for name in ("one", "two"):
        shutil.copytree(ours, above / name)
    done = run("explain", PAIR, "capabilities", cwd=above)
    assert done.status == 2
    assert "2 roots have `team/runtime/lead`" in done.err
    assert "`one`" in done.err
    assert "`two`" in done.err
    assert run("explain", PAIR, "capabilities", "two", cwd=above).status == 0
