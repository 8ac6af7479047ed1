"""`diff` tells every field that another target changes, by its own row or by one that it follows from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kagent_render.review.shape_facts import PARTS
from kagent_render.source.config import TARGETS
from kagent_render.target.generations import generation_of
from tests.golden.both_targets import author, folder, pairs, read_lock, read_manifests
from tests.golden.differences import LOCK, MANIFEST, environment
from tests.golden.test_golden import NEW, OLD, switch
from tests.running import run
from tests.source.git_repositories import git

FOLLOWS = {
    **dict.fromkeys(("version", "kind", "namespace", "name", "labels", "annotations"), "manifests"),
    **dict.fromkeys(("worker pool", "image", "snapshot location"), "settings"),
}
"""Fields of manifests that a row about the whole of them tells."""

OF_PAIRS = {
    "target": "target",
    "pause image": "substrate",
    "where credentials go": "binding",
    "egress policy": "egress",
}
"""Fields of locks, and the topic that tells each."""

DERIVED = {"revision", "ActorTemplate", "its digest", "its file"}
"""Fields of locks that are digests of the others, and names with digests in them."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The incident example with one commit for each target."""
    root = author("incident", tmp_path_factory.mktemp("review") / "incident", OLD)
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    for target in (OLD, NEW):
        switch(root, target)
        assert run("render", "--offline", cwd=root).status == 0
        git(root, "add", "--all", "--force", ".")
        git(root, "commit", "--quiet", "--message", target)
    return root


@pytest.fixture(scope="module")
def review(repository: Path) -> dict[str, Any]:
    found: dict[str, Any] = run("diff", "HEAD~", "HEAD", "-o", "json", cwd=repository).json
    return found


@pytest.fixture(scope="module")
def back(repository: Path) -> dict[str, Any]:
    found: dict[str, Any] = run("diff", "HEAD", "HEAD~", "-o", "json", cwd=repository).json
    return found


def shape(review: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """What is told once of every ActorTemplate: before and after, by the name of the part."""
    (root,) = review["roots"]
    rows = [change for change in root["changes"] if change["topic"] == "shape"]
    assert len({change["name"] for change in rows}) == len(rows)
    return {change["name"]: (change["before"] or "", change["after"] or "") for change in rows}


def rows_of(review: dict[str, Any], pair: str) -> list[dict[str, Any]]:
    """Every change of a pair."""
    (subject,) = (it for it in review["pairs"] if pair.endswith(f"/{it['template']}"))
    found: list[dict[str, Any]] = subject["changes"]
    return found


@pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row.what)
def test_every_field_of_a_manifest_is_told(review: dict[str, Any], row: Any) -> None:
    told = shape(review)
    if row.what == "pause image":
        for pair in pairs(folder("incident", OLD)):
            assert "pause image" in {change["name"] for change in rows_of(review, pair)}
    elif row.what in FOLLOWS:
        before, after = told[FOLLOWS[row.what]]
        assert before != after
        assert FOLLOWS[row.what] == "manifests" or (row.old in before and row.new in after)
    else:
        part = PARTS[(row.new or row.old).rpartition(".")[2]]
        before, after = told[part]
        assert f"{row.old} = " in before
        assert f"{row.new} = " in after or not row.new


def test_every_fixed_field_of_a_generation_has_a_part() -> None:
    for generation in map(generation_of, TARGETS):
        assert {field.rpartition(".")[2] for field in generation.FIXED} <= PARTS.keys()


@pytest.mark.parametrize("pair", pairs(folder("incident", OLD)))
def test_every_field_of_a_lock_is_told(review: dict[str, Any], pair: str) -> None:
    topics = {change["topic"] for change in rows_of(review, pair)}
    assert {row.what for row in LOCK} == OF_PAIRS.keys() | DERIVED
    assert set(OF_PAIRS.values()) <= topics
    assert topics <= {*OF_PAIRS.values(), "credential"}


@pytest.mark.parametrize("pair", pairs(folder("incident", OLD)))
def test_every_credential_is_told_as_leaving_the_environment_and_where_it_goes(
    review: dict[str, Any], pair: str
) -> None:
    rows = rows_of(review, pair)
    left = {(change["place"], change["name"]) for change in rows if change["topic"] == "credential"}
    held = {
        (path, name)
        for path, manifest in read_manifests(folder("incident", OLD), pair).items()
        for name, value in environment(manifest["spec"]["containers"][0]).items()
        if not isinstance(value, str)
    }
    assert left == held != set()
    assert {change["effect"] for change in rows if change["topic"] == "credential"} == {"narrows"}
    bound = {
        (found["boundary"], f"{header['header']} of {header['hostname']}")
        for found in read_lock(folder("incident", NEW), pair)["spec"]["credentials"]
        for header in found["bindings"]
    }
    assert {(it["place"], it["name"]) for it in rows if it["topic"] == "binding"} == bound


@pytest.mark.parametrize("pair", pairs(folder("incident", OLD)))
def test_every_runtime_is_told_to_be_held_to_its_hosts(review: dict[str, Any], pair: str) -> None:
    told = {it["place"]: it for it in rows_of(review, pair) if it["topic"] == "egress"}
    for egress in read_lock(folder("incident", NEW), pair)["spec"]["egress"]:
        row = told.pop(egress["boundary"])
        assert (row["effect"], row["after"]) == ("narrows", "held to by a policy")
        assert row["detail"] == ", ".join(egress["origins"])
    assert told == {}


def test_every_variable_of_the_target_is_told(review: dict[str, Any]) -> None:
    (pair, *_) = pairs(folder("incident", NEW))
    manifests = read_manifests(folder("incident", NEW), pair)
    old = read_manifests(folder("incident", OLD), pair)
    names = set(environment(manifests[""]["containers"][0])) - set(
        environment(old[""]["spec"]["containers"][0])
    )
    assert names
    assert names == {name for name in names if name in shape(review)["variables"][1]}


def test_switching_back_tells_the_reverse_and_that_credentials_and_egress_widen(
    review: dict[str, Any], back: dict[str, Any]
) -> None:
    assert shape(back) == {name: (after, before) for name, (before, after) in shape(review).items()}
    for pair in pairs(folder("incident", OLD)):
        effects = {it["topic"]: it["effect"] for it in rows_of(back, pair)}
        assert (effects["credential"], effects["egress"], effects["binding"]) == (
            "widens",
            "widens",
            "narrows",
        )


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_format_says_what_a_reader_has_to_know(repository: Path, form: str) -> None:
    shown = run("diff", "HEAD~", "HEAD", "-o", form, cwd=repository).out
    for text in (
        "behind a placeholder",
        "authorization of api.openai.com",
        "held to by a policy",
        "https://s3.eu-central-1.amazonaws.com:443",
        "put in by the egress gateway",
        "snapshotConfig.storageLocation",
    ):
        assert text in shown.replace("\\", ""), text


def test_what_all_pairs_have_in_common_is_told_once(repository: Path, review: dict[str, Any]) -> None:
    lines = run("diff", "HEAD~", "HEAD", cwd=repository).out.splitlines()
    assert len([line for line in lines if " shape " in line]) == len(shape(review))
    assert len(lines) <= 50


def test_an_edit_within_one_target_tells_nothing_of_it(repository: Path, tmp_path: Path) -> None:
    root = author("incident", tmp_path / "incident", NEW)
    assert run("render", "--offline", cwd=root).status == 0
    git(root, "init", "--quiet", ".")
    git(root, "add", "--all", "--force", ".")
    git(root, "commit", "--quiet", "--message", "start")
    model = root / "agents" / "default-model.yaml"
    model.write_text(model.read_text().replace("gpt-5-mini", "gpt-5"))
    assert run("render", "--offline", cwd=root).status == 0
    found = run("diff", "-o", "json", cwd=root).json
    assert found["roots"] == []
    assert {it["topic"] for subject in found["pairs"] for it in subject["changes"]} == {"model"}
