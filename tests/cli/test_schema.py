"""`schema` lists, prints, writes and checks; what it writes is what this repository holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from kagent_render.api.kinds import DIALECTS
from tests.parts import REPOSITORY
from tests.running import run


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the schemas of this release."""
    folder = tmp_path_factory.mktemp("schemas")
    assert run("schema", "--write", "schemas", cwd=folder).status == 0
    return folder / "schemas"


def test_the_list_has_every_version_of_every_kind(tmp_path: Path) -> None:
    done = run("schema", cwd=tmp_path)
    listed = {tuple(line.split()[:2]) for line in done.out.splitlines()}
    own = {("render.kagent.dev/v1alpha1", kind) for kind in ("InUse", "RenderConfig")}
    assert listed == {(kind, version) for version, kind in {*DIALECTS, *own}}


def test_the_list_as_json(tmp_path: Path) -> None:
    listed = run("schema", "-o", "json", cwd=tmp_path).json
    assert {
        "kind": "Harness",
        "apiVersion": "kagent.dev/v1alpha3",
        "file": "kagent.dev/harness_v1alpha3.json",
    } in (listed["schemas"])
    assert "harnesses.kagent.dev" in listed["crds"]


def test_every_listed_file_is_written(written: Path) -> None:
    listed = run("schema", "-o", "json", cwd=written).json["schemas"]
    there = {str(path.relative_to(written)) for path in written.rglob("*.json")}
    assert there == {"all.json", *(row["file"] for row in listed)}


def test_a_kind_is_printed_with_all_its_versions(tmp_path: Path) -> None:
    schema = run("schema", "agenttemplate", cwd=tmp_path).json
    assert set(schema["definitions"]) == {
        "AgentTemplate.kagent.dev.v1alpha2",
        "AgentTemplate.kagent.dev.v1alpha3",
    }


def test_a_kind_of_one_version_is_printed_as_its_file(written: Path, tmp_path: Path) -> None:
    printed = run("schema", "RenderConfig", cwd=tmp_path).out
    assert printed == (written / "render.kagent.dev/renderconfig_v1alpha1.json").read_text()


def test_crds_are_printed_as_yaml_or_as_a_list(tmp_path: Path) -> None:
    text = list(yaml.load_all(run("schema", "crds", cwd=tmp_path).out, yaml.CSafeLoader))
    listed = run("schema", "crds", "-o", "json", cwd=tmp_path).json
    assert text == listed["items"]
    assert {found["kind"] for found in text} == {"CustomResourceDefinition"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("schema", "Hraness"), "did you mean `Harness`?"),
        (("schema", "Nothing"), "use `json`, `crds` or one of"),
        (("schema", "\x1b[31mred"), "no kind `\ufffd[31mred` is read"),
        (("schema", "Harness", "--write", "x"), "leave out the kind"),
        (("schema", "--write", "x", "--check", "x"), "exclude each other"),
        (("schema", "--serve", "v1alpha2"), "is for `schema crds`"),
        (("schema", "crds", "--serve", "v1"), "`--serve` takes `v1alpha2` or `v1alpha3`"),
        (("schema", "--write", "file"), "file"),
    ],
)
def test_what_cannot_be_asked_for_is_usage(args: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run(*args, cwd=tmp_path)
    assert done.status == 2
    assert said in done.err
    assert done.out == ""
    assert "\x1b" not in done.err


def test_writing_again_writes_nothing(written: Path) -> None:
    again = run("schema", "--write", "schemas", "-o", "json", cwd=written.parent)
    assert again.json["changed"] == []
    assert run("schema", "--check", "schemas", cwd=written.parent).status == 0


def test_check_names_what_is_missing_and_what_is_out_of_date(tmp_path: Path) -> None:
    run("schema", "--write", "a b", cwd=tmp_path)
    (tmp_path / "a b/all.json").write_text("{}")
    (tmp_path / "a b/kagent.dev/harness_v1alpha2.json").unlink()
    (tmp_path / "a b/another.json").write_text("{}")
    done = run("schema", "--check", "a b", "-o", "json", cwd=tmp_path)
    assert done.status == 1
    assert done.json["changed"] == ["a b/kagent.dev/harness_v1alpha2.json", "a b/all.json"]
    told = [(found["reason"], found["message"]) for found in done.json["diagnostics"]]
    assert told == [
        ("OutputDrift", "`a b/kagent.dev/harness_v1alpha2.json` is missing"),
        ("OutputDrift", "`a b/all.json` is out of date"),
    ]
    assert "run `kagent-render schema --write 'a b'`" in done.err


def test_check_of_a_folder_that_is_not_there_writes_nothing(tmp_path: Path) -> None:
    assert run("schema", "crds", "--check", "crds", cwd=tmp_path).status == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", ["kagent.dev", "all.json"])
def test_no_link_below_the_folder_is_followed(link: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / link).symlink_to(outside if link == "kagent.dev" else outside / "file")
    done = run("schema", "--write", "schemas", cwd=tmp_path)
    assert done.status == 2
    assert "symbolic link" in done.err
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == "kept"


def test_a_run_that_was_killed_is_carried_on(tmp_path: Path) -> None:
    left = tmp_path / "schemas/.all.json.kagent-render~"
    left.parent.mkdir()
    left.write_text("half")
    assert run("schema", "--write", "schemas", cwd=tmp_path).status == 0
    assert not left.exists()
    json.loads((tmp_path / "schemas/all.json").read_text())


def test_the_committed_definitions_are_current() -> None:
    done = run("schema", "crds", "--check", "kustomize/crds", cwd=REPOSITORY)
    assert done.status == 0, done.err
