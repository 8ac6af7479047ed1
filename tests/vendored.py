"""A vendored store filled package by package, for tests that need one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.artifacts.store.index import STORE
from kagent_render.artifacts.store.plan import plan_store
from kagent_render.artifacts.store.reading import read_store
from kagent_render.artifacts.store.vendored import intact_contents
from kagent_render.artifacts.store.writing import write_store
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.emit.disk import DiskOutput
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package


def vendor_package(root: Path, source: ArtifactSource, package: Package) -> str:
    """Add the package at a source's path to the store below `root`; gives its tree digest."""
    digest, reader = tree_digest(package), WorkTree(root)
    with DiskOutput(root, STORE, deepest=1) as folder:
        present = read_store(reader, [entry.path for entry in folder.entries()])
        present = dataclasses.replace(present, intact=intact_contents(reader, [digest]))
        write_store(plan_store({source: package}, present.entries.keys(), present), folder)
    return digest
