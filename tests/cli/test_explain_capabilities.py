"""`explain PAIR capabilities`: the record, every value with its evidence, and what the pair needs of it."""

from __future__ import annotations

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
    assert (depth["value"], depth["evidence"], depth["met"]) == ("1", "seen", True)
    assert depth["requirements"] == ["maxNativeAgentDepth>=1"]
    (needed,) = depth["neededBy"]
    assert (needed["object"]["name"], needed["field"]) == ("lead", "spec.tools[1].agent")
    assert needed["source"]["path"] == "lead.yaml"
    assert (lines["streaming"]["value"], lines["streaming"]["neededBy"]) == ("false", [])


def test_a_pair_that_lacks_a_capability_is_explained_all_the_same(ours: Path) -> None:
    write_record(ours, nativeAgentTools="false")
    lines = {line["name"]: line for line in explained(ours)["capabilities"]}
    assert lines["nativeAgentTools"]["met"] is False
    done = run("explain", PAIR, "capabilities", cwd=ours)
    assert done.status == 0
    (row,) = (line for line in done.out.splitlines() if line.startswith("nativeAgentTools"))
    assert row.split() == ["nativeAgentTools", "false", "yes,", "denied", "seen"]


def test_the_columns_of_the_table_are_aligned(ours: Path) -> None:
    done = run("explain", PAIR, "capabilities", cwd=ours)
    lines = done.out.splitlines()
    assert lines[0] == "Capability record ours (for this image)"
    table = lines[4:]
    start = table[0].index("EVIDENCE")
    assert len(table) == len(VOCABULARY) + 1
    assert all(line[start - 2 : start] == "  " for line in table[1:] if len(line) > start)
    assert sum(line[start:] == "seen" for line in table) >= 10


def test_a_long_list_of_members_goes_on_in_further_lines(ours: Path) -> None:
    options = ["Bedrock.promptCaching", "Bedrock.cacheTTL", "Bedrock.readTimeout", "Bedrock.connectTimeout"]
    write_record(ours, modelOptions=f"[{', '.join(options)}]")
    table = run("explain", PAIR, "capabilities", cwd=ours).out.splitlines()[4:]
    start, end = table[0].index("VALUE"), table[0].index("NEEDED")
    assert end < 60
    first = next(at for at, line in enumerate(table) if line.startswith("modelOptions"))
    assert " ".join(line[start:end].strip() for line in table[first:]) == ", ".join(options)
