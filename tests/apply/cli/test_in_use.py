"""InUse documents: what is written is what kagent-render reads, and in its place alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kagent_apply.cli.failure import RefusedFailure
from kagent_apply.cli.in_use import document, write
from tests.apply.cli.calling import call
from tests.apply.service.parts import World
from tests.running import copy_example, run

WRITTEN = ".kagent/in-use/agent-team.yaml"
IN = ("-n", "agent-team")


@pytest.mark.server
def test_kagent_render_keeps_what_is_written(world: World, tmp_path: Path) -> None:
    root = copy_example(tmp_path / "team")
    world.store.templates = {"agent-team": ["b-0123456789ab", "a-0123456789ab"]}
    done = call("in-use", *IN, "--root", str(root))
    assert (done.status, done.out) == (0, f"wrote {WRITTEN}\n")
    assert (root / WRITTEN).read_text() == (
        "apiVersion: render.kagent.dev/v1alpha1\n"
        "kind: InUse\n"
        "metadata:\n"
        "  name: in-use\n"
        "  namespace: agent-team\n"
        "spec:\n"
        "  actorTemplates:\n"
        "  - a-0123456789ab\n"
        "  - b-0123456789ab\n"
    )
    assert run("check", cwd=root).status == 0
    assert call("in-use", *IN, "--root", str(root)).out == f"current {WRITTEN}\n"
    world.store.templates = {}
    assert call("in-use", *IN, "--root", str(root)).out == f"wrote {WRITTEN}\n"
    assert (root / WRITTEN).read_text().endswith("  actorTemplates: []\n")
    assert run("check", cwd=root).status == 0


@pytest.mark.server
def test_it_can_be_printed_instead(world: World, tmp_path: Path) -> None:
    done = call("in-use", *IN, "-n", "other", "--root", str(tmp_path), "--dry-run")
    assert done.out.count("kind: InUse") == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["123", "null", "true", "on", "0x1f", "1e3", "2001-01-01"])
def test_a_name_that_looks_like_something_else_is_text(name: str) -> None:
    written = yaml.safe_load(document(name, [name]))
    assert (written["metadata"]["namespace"], written["spec"]["actorTemplates"]) == (name, [name])


def test_without_a_root_nothing_is_asked_or_written(tmp_path: Path) -> None:
    done = call("in-use", *IN, "--root", str(tmp_path), "--server", "127.0.0.1:1")
    assert done.status == 2
    assert done.err.startswith(f"error: there is no `kagent-render.yaml` in `{tmp_path}`\n")


@pytest.mark.parametrize("namespace", ["../x", "a/b", "A", ""])
def test_a_namespace_is_no_path(namespace: str, tmp_path: Path) -> None:
    assert call("in-use", "-n", namespace, "--root", str(tmp_path)).status == 2


@pytest.mark.parametrize("name", ["a\nspec: x", "[a", "", "../a", "a" * 254])
def test_a_server_cannot_write_anything_else(name: str) -> None:
    with pytest.raises(RefusedFailure):
        document("agent-team", [name])


@pytest.mark.parametrize("link", [".kagent", ".kagent/in-use"])
def test_links_are_not_followed(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = tmp_path / "root" / link
    path.parent.mkdir(parents=True)
    path.symlink_to(outside)
    with pytest.raises(Exception, match="is a link"):
        write(tmp_path / "root", "agent-team", "x")
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".kagent/in-use").mkdir(parents=True)
    (tmp_path / "target").write_text("x")
    (tmp_path / WRITTEN).symlink_to(tmp_path / "target")
    assert write(tmp_path, "agent-team", "y")
    assert (tmp_path / "target").read_text() == "x"
    assert (tmp_path / WRITTEN).read_text() == "y"
    assert [path.name for path in (tmp_path / ".kagent/in-use").iterdir()] == ["agent-team.yaml"]
