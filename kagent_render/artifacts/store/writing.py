"""Writes a plan of the vendored store so that a kill at any point leaves every index entry its content.

Contents come first, each complete before it gets its name; then `.gitattributes` and the index, each in one
step; then what nothing uses any more goes. The next run finds the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.artifacts.store.plan import ATTRIBUTES_NAME, INDEX_NAME, is_content, is_leftover

if TYPE_CHECKING:
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.store.plan import StorePlan
    from kagent_render.emit.folder import OutputFolder


def write_store(plan: StorePlan, folder: OutputFolder) -> None:
    """Do what the plan says; raises OutputError at the first failure of the folder itself."""
    for name in filter(is_leftover, plan.removed):
        folder.remove_tree(name)
    for name, package in plan.contents.items():
        _write_content(name, package, folder, replaced=name in plan.replaced)
    for name in (ATTRIBUTES_NAME, INDEX_NAME):
        data = plan.files[name]
        if name in plan.stale and data is not None:
            folder.create(_temporary(name), data)
            folder.replace(_temporary(name), name)
    for name in (INDEX_NAME, ATTRIBUTES_NAME):
        if name in plan.stale and plan.files[name] is None:
            folder.remove(name)
    for name in filter(is_content, plan.removed):
        _remove_content(name, folder)


def _write_content(name: str, package: Package, folder: OutputFolder, *, replaced: bool) -> None:
    for path, file in package.files.items():
        folder.create(f"{_temporary(name)}/{path}", file.data, executable=file.executable)
    if replaced:
        folder.replace(name, _temporary(f"{name}.old"))
    folder.replace(_temporary(name), name)
    if replaced:
        folder.remove_tree(_temporary(f"{name}.old"))


def _remove_content(name: str, folder: OutputFolder) -> None:
    """Take the name away first: a folder under its digest is always whole."""
    folder.replace(name, _temporary(name))
    folder.remove_tree(_temporary(name))


def _temporary(name: str) -> str:
    return f".{name}.kagent-render~"
