"""kustomize itself runs `krm` as a generator and as a transformer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.team import CONFIG, FILES, edit, of_ateapi, write_team
from tests.parts import REPOSITORY, go_tool
from tests.running import run

pytestmark = pytest.mark.oracle

FUNCTION = "\n".join(
    [
        "metadata:",
        "  name: agents",
        "  annotations:",
        "    config.kubernetes.io/function: 'exec: {path: ./fn}'",
    ]
)
SOURCES = [name for name in FILES if name != "kagent-render.yaml"]


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run kustomize with functions allowed."""
    kustomize = go_tool("sigs.k8s.io/kustomize/kustomize/v5", "v5.8.1")
    return subprocess.run(
        [str(kustomize), "build", "--enable-alpha-plugins", "--enable-exec", str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def objects(text: str) -> dict[tuple[str, str], Any]:
    """The objects of a stream by kind and name."""
    return {(value["kind"], value["metadata"]["name"]): value for value in yaml.safe_load_all(text)}


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """A folder with the rendered root `team`, a program that is the function, and no kustomization yet."""
    team = write_team(tmp_path / "overlay" / "team")
    assert run("render", cwd=team).status == 0
    program = tmp_path / "overlay" / "fn"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -m kagent_render krm\n")
    program.chmod(0o755)
    return tmp_path / "overlay"


def configure(overlay: Path, kustomization: str, function: str) -> None:
    (overlay / "kustomization.yaml").write_text(kustomization)
    (overlay / "function.yaml").write_text(function)


def as_generator(overlay: Path) -> None:
    head = "apiVersion: render.kagent.dev/v1alpha1\nkind: KagentRender\n"
    configure(overlay, "generators: [function.yaml]\n", f"{head}{FUNCTION}\nspec: {{root: team}}\n")


def as_transformer(overlay: Path, spec: str) -> None:
    listed = "".join(f"- team/{name}\n" for name in SOURCES)
    configure(overlay, f"resources:\n{listed}transformers: [function.yaml]\n", spec)


def test_a_generator_gives_what_the_rendered_folder_gives(overlay: Path) -> None:
    as_generator(overlay)
    done = build(overlay)
    assert done.returncode == 0, done.stderr
    assert done.stdout == build(overlay / "team" / "rendered").stdout


def test_a_generator_gives_the_config_maps_that_the_rendered_folder_gives(overlay: Path) -> None:
    of_ateapi(overlay / "team")
    assert run("render", cwd=overlay / "team").status == 0
    as_generator(overlay)
    done = build(overlay)
    assert done.returncode == 0, done.stderr
    assert objects(done.stdout) == objects(build(overlay / "team" / "rendered").stdout)
    assert {kind for kind, _ in objects(done.stdout)} == {"ConfigMap"}


def test_a_generator_of_a_stale_root_fails_the_build(overlay: Path) -> None:
    as_generator(overlay)
    edit(overlay / "team" / "lead.yaml", "You lead.", "You decide.")
    done = build(overlay)
    assert done.returncode
    assert done.stdout == ""
    assert "`spec.systemPrompt` was edited" in done.stderr


def render_config() -> str:
    return CONFIG.replace("spec:\n", f"{FUNCTION}\nspec:\n", 1)


def of_root() -> str:
    head = "apiVersion: render.kagent.dev/v1alpha1\nkind: KagentRender\n"
    return f"{head}{FUNCTION}\nspec: {{root: team}}\n"


@pytest.mark.parametrize("function", [render_config(), of_root()], ids=["by itself", "against locks"])
def test_a_transformer_adds_actor_templates_and_keeps_the_rest(function: str, overlay: Path) -> None:
    as_transformer(overlay, function)
    done = build(overlay)
    assert done.returncode == 0, done.stderr
    given = "---\n".join((overlay / "team" / name).read_text() for name in SOURCES)
    expected = objects(given) | objects(build(overlay / "team" / "rendered").stdout)
    assert objects(done.stdout) == expected


def test_what_kustomize_patched_first_is_what_is_prepared(overlay: Path) -> None:
    as_transformer(overlay, render_config())
    patch = "patches:\n- target: {kind: AgentTemplate, name: lead}\n  patch: |\n"
    patch += "    - {op: replace, path: /spec/systemPrompt, value: You decide.}\n"
    kustomization = overlay / "kustomization.yaml"
    patched = overlay / "patched"
    patched.mkdir()
    listed = "".join(f"- {name}\n" for name in SOURCES)
    for name in SOURCES:
        shutil.copy(overlay / "team" / name, patched)
    (patched / "kustomization.yaml").write_text(f"resources:\n{listed}{patch}")
    kustomization.write_text("resources: [patched]\ntransformers: [function.yaml]\n")
    done = build(overlay)
    assert done.returncode == 0, done.stderr
    templates = [item for (kind, _), item in objects(done.stdout).items() if kind == "ActorTemplate"]
    entries = [entry for item in templates for entry in item["spec"]["containers"][0]["env"]]
    assert any('"instruction":"You decide."' in entry.get("value", "") for entry in entries)


def test_a_transformer_refuses_what_was_patched_after_the_lock(overlay: Path) -> None:
    as_transformer(overlay, of_root())
    edit(overlay / "team" / "lead.yaml", "You lead.", "You decide.")
    done = build(overlay)
    assert done.returncode
    assert "LockStale" in done.stderr
