"""What CI systems are given: the same findings and statuses as in text, at files of the repository."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.cli.options import CI_FORMATS
from tests.cli.team import LEAD, edit, write_team
from tests.running import Run, run
from tests.source.git_repositories import git


def places(done: Run, written: str) -> list[str]:
    """`path:line` of each finding, whatever the format."""
    match written:
        case "gitlab":
            found = [entry["location"] for entry in done.json]
            return [f"{place['path']}:{place['lines']['begin']}" for place in found]
        case "sarif":
            results = done.json["runs"][0]["results"]
            found = [result["locations"][0]["physicalLocation"] for result in results]
            return [f"{at['artifactLocation']['uri']}:{at['region']['startLine']}" for at in found]
        case "github":
            return [":".join(pair) for pair in re.findall(r"file=([^,]+),line=(\d+)", done.out)]
        case _:
            return re.findall(r"^\| `([^`]+)` \| \w+ `", done.out, re.MULTILINE)


@pytest.fixture(scope="module")
def stale(rendered_team: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one stale root in a subfolder, and one that is current."""
    top = tmp_path_factory.mktemp("stale")
    for place in ("apps/search", "ops"):
        shutil.copytree(rendered_team, top / place)
    git(top, "init", "--quiet", "--initial-branch=main", ".")
    git(top, "add", "--all", "--force", ".")
    git(top, "commit", "--quiet", "--message", "start")
    edit(top / "apps/search/lead.yaml", "You lead.", "You decide.")
    return top


@pytest.mark.parametrize(
    ("folder", "written"),
    [
        *((".", written) for written in CI_FORMATS),
        *((folder, "gitlab") for folder in ("apps", "apps/search", "apps/search/rendered/team")),
    ],
)
def test_paths_start_at_the_top_of_the_repository_wherever_the_command_runs(
    stale: Path, folder: str, written: str
) -> None:
    done = run("check", "-o", written, cwd=stale / folder)
    assert done.status == 1
    assert "apps/search/lead.yaml:12" in places(done, written)
    assert all(place.startswith(("apps/search/", "ops/")) for place in places(done, written))


@pytest.mark.parametrize("written", CI_FORMATS)
def test_stderr_has_the_summaries_and_nothing_else(stale: Path, written: str) -> None:
    done = run("check", "-o", written, cwd=stale)
    assert done.err.splitlines() == [
        "✗ apps/search: 1 of 3 pairs not current (1 error, 4 warnings)",
        "✓ ops: 3 pairs current (4 warnings)",
    ]


@pytest.fixture(scope="module")
def broken(rendered_team: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a fault that keeps it from being written."""
    folder = shutil.copytree(rendered_team, tmp_path_factory.mktemp("broken") / "team")
    edit(folder / "lead.yaml", "name: search}", "name: serch}")
    return folder


@pytest.mark.parametrize(
    ("command", "written"),
    [
        *(("render --offline", written) for written in CI_FORMATS),
        *((command, "gitlab") for command in ("check", "verify --offline", "render --frozen")),
    ],
)
def test_every_command_that_finds_something_writes_every_format(
    broken: Path, command: str, written: str
) -> None:
    done = run(*command.split(), "-o", written, cwd=broken)
    assert done.status == 1
    assert "MCPServerNotFound" in done.out
    assert "lead.yaml:20" in places(done, written)


@pytest.mark.parametrize("written", CI_FORMATS)
def test_a_clean_root_is_status_0(team: Path, written: str) -> None:
    done = run("check", "-o", written, cwd=team)
    assert done.status == 0
    assert done.err == "✓ 3 pairs current (4 warnings)\n"


@pytest.mark.parametrize("written", CI_FORMATS)
def test_without_a_root_the_missing_configuration_is_the_place(tmp_path: Path, written: str) -> None:
    git(tmp_path, "init", "--quiet", ".")
    (tmp_path / "apps").mkdir()
    done = run("check", "apps", "-o", written, cwd=tmp_path)
    assert done.status == 2
    assert places(done, written) == ["apps/kagent-render.yaml:1"]
    assert places(run("check", "-o", written, cwd=tmp_path), written) == ["kagent-render.yaml:1"]


@pytest.mark.parametrize("written", CI_FORMATS)
def test_what_came_from_stdin_is_told_of_the_configuration(team: Path, written: str) -> None:
    done = run("check", "-f", "-", "-o", written, cwd=team, stdin=LEAD.encode())
    assert done.status == 1
    assert "kagent-render.yaml:1" in places(done, written)
    assert not any(place.startswith("<") for place in places(done, written))


def test_outside_of_git_paths_start_at_path_or_at_the_root_above_it(broken: Path) -> None:
    for folder, place in ((broken.parent, "team/lead.yaml:20"), (broken / "rendered", "lead.yaml:20")):
        assert place in places(run("check", "-o", "gitlab", cwd=folder), "gitlab")


def test_notes_are_written_on_demand(mixed: Path) -> None:
    def count(*flags: str) -> int:
        return len(places(run("check", "--offline", "-o", "gitlab", *flags, cwd=mixed), "gitlab"))

    notes = [
        found
        for found in run("check", "--offline", "-o", "json", cwd=mixed).json["diagnostics"]
        if found["severity"] == "info"
    ]
    assert notes
    assert count("-v") == count() + len(notes)


@pytest.mark.parametrize("written", CI_FORMATS)
def test_a_file_with_a_secret_is_not_quoted(tmp_path: Path, written: str) -> None:
    folder = write_team(tmp_path / "team")
    edit(folder / "inputs.yaml", "stringData:", "strngData:")
    edit(folder / "inputs.yaml", "AWS_ACCESS_KEY_ID: not-kept", "AWS_ACCESS_KEY_ID: s3cr3t-v4lue")
    done = run("check", "-o", written, cwd=folder)
    assert done.status == 1
    assert "s3cr3t" not in done.out + done.err


def test_a_message_that_holds_markup_stays_a_message(team: Path) -> None:
    name = "</td>@octocat ![x](https://evil.example) ::error::"
    edit(team / "lead.yaml", "spec:\n", f"spec:\n  {json.dumps(name)}: 1\n")
    told = run("check", "-o", "markdown", cwd=team).out
    assert f"`{name}`" in told
    assert run("check", "-o", "github", cwd=team).out.count("::error ") == len(
        run("check", "-o", "json", cwd=team).faults
    )


def test_markdown_is_as_long_as_told(team: Path) -> None:
    unknown = "".join(f"  unknown{number}: 1\n" for number in range(100))
    edit(team / "lead.yaml", "spec:\n", f"spec:\n{unknown}")
    short = run("check", "-o", "markdown", "--max-size", "4096", cwd=team)
    assert len(short.out.encode()) <= 4096
    assert "left out, because the space is used up" in short.out
    assert len(places(run("check", "-o", "markdown", cwd=team), "markdown")) >= 100


@pytest.mark.parametrize(
    "args",
    [
        ("--max-size", "4096"),
        ("-o", "markdown", "--max-size", "1"),
        ("-o", "markdown", "--max-size", "9999999"),
    ],
)
def test_a_size_that_means_nothing_is_wrong_usage(team: Path, args: tuple[str, ...]) -> None:
    assert run("check", *args, cwd=team).status == 2


def test_a_folder_s_name_is_no_command_of_a_runner(rendered_team: Path, tmp_path: Path) -> None:
    for name in ("##[add-mask]a", "b"):
        shutil.copytree(rendered_team, tmp_path / name)
    done = run("check", "-o", "github", cwd=tmp_path)
    assert done.status == 0
    assert "##[" not in done.err
    assert all(line.startswith("::warning ") for line in done.out.splitlines())


def test_a_sarif_file_is_written_whatever_is_found(team: Path) -> None:
    document: Any = run("check", "-o", "sarif", cwd=team).json
    assert document["version"] == "2.1.0"
    assert document["runs"][0]["invocations"] == [{"executionSuccessful": True}]
