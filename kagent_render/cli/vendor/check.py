"""`kagent-render vendor --check`: whether the vendored store is what `vendor` would write."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.drift import foreign_files, store_drift
from kagent_render.artifacts.store.vendored import VendoredStore
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.cli.failure import Status
from kagent_render.cli.isolation import isolated
from kagent_render.cli.output import naming_folders_of
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.roots import open_roots
from kagent_render.cli.run import worst_status
from kagent_render.cli.vendor.report import print_vendored
from kagent_render.cli.vendored import (
    VendoredRoot,
    faults_of,
    hold_store,
    present_store,
    read_uses,
    unreadable,
)
from kagent_render.diagnostics.diagnostic import escalate
from kagent_render.preparation.vendored_content import not_vendored

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.vendored_content import Outcome


def check_vendored(settings: Settings) -> Status:
    """Check the store of every root that PATH means, without writing and without the network."""
    roots = []
    shown = settings.format == "text"
    with showing_progress(wanted=shown, colour=settings.colour) as progress, isolated(wanted=True):
        for root in open_roots(settings):
            with naming_folders_of(root):
                roots.append(_check_root(root, settings, progress))
    print_vendored(roots, settings, checked=True)
    return worst_status(found for root in roots for found in root.diagnostics)


def _check_root(root: Root, settings: Settings, progress: Progress) -> VendoredRoot:
    if root.config is None:
        return VendoredRoot(root, root.faults)
    uses = read_uses(root, root.config, settings, progress)
    try:
        present = present_store(root)
    except ArtifactFailure as failure:
        return unreadable(root, failure)
    progress.say(f"Reading {len(uses.sources)} artifacts")
    vendored = VendoredStore(root.committed, {key: entry.digest for key, entry in present.entries.items()})
    outcomes = {source: _held(vendored, source) for source in uses.sources}
    held = (tree_digest(found) for found in outcomes.values() if not isinstance(found, ArtifactFailure))
    present = dataclasses.replace(present, intact=frozenset(held))
    store = hold_store(root, root.config, uses, outcomes, present)
    told = escalate([*store_drift(store.plan, present), *foreign_files(store.plan)], strict=settings.strict)
    return VendoredRoot(root, (*faults_of(root, store), *told), store)


def _held(store: VendoredStore, source: ArtifactSource) -> Outcome:
    """The vendored package of a source, or why there is none."""
    try:
        return store.package(source) or not_vendored(source)
    except ArtifactFailure as failure:
        return failure
