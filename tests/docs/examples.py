"""The examples of `docs/reasons.md`: files that change what `kagent-render init` wrote and rendered."""

from __future__ import annotations

from pathlib import Path

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.artifacts.package import Package, PackageFile
from tests.docs.markdown import Block
from tests.docs.plugin_images import IMAGE
from tests.running import Run, run
from tests.vendored import vendor_package

ORIGIN = S3Source("agent-content", "plugins/example.zip", "v1")
"""The artifact that the examples name; files below `plugin/` are its vendored content."""

_PLUGIN = "plugin/"


def start(root: Path) -> None:
    """Write what every example starts from."""
    assert run("init", ".", "--target", "ate.dev/v1alpha1", cwd=root).status == 0
    assert run("render", cwd=root).status == 0


def apply(example: list[Block], root: Path) -> None:
    """Write the files of an example; a `diff` block replaces lines of a file that is there."""
    content = {
        block.path.removeprefix(_PLUGIN): PackageFile(block.text.encode())
        for block in example
        if block.path.startswith(_PLUGIN)
    }
    if content:
        vendor_package(root, ArtifactSource(ORIGIN), Package(content))
    for block in example:
        if block.path and not block.path.startswith((_PLUGIN, IMAGE)):
            path = root / block.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_patched(path, block.text) if block.language == "diff" else block.text)


def check(root: Path) -> Run:
    """What the page says it shows: `check --offline`, with notes."""
    return run("check", "--offline", "--verbose", "--output", "json", cwd=root)


def check_vendored(root: Path) -> Run:
    """The same of the vendored store alone."""
    return run("vendor", "--check", "--output", "json", cwd=root)


def migrate(root: Path) -> Run:
    """What moving the example to the next version says."""
    return run("migrate", "--offline", "--output", "json", cwd=root)


def _patched(path: Path, diff: str) -> str:
    text = path.read_text()
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, f"`{path.name}` holds this {text.count(old)} times:\n{old}"
    return text.replace(old, new)
