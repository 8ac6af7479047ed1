"""Finds out what is behind the images of plugins: what committed locks pin, else what registries say."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.agentplugin.images import PluginImage, PullFailure
from kagent_render.agentplugin.lock import AgentLock, pins_of, pull_failures_of
from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.vendored import VendoredStore
from kagent_render.cli.artifacts import means_of
from kagent_render.cli.output import open_outputs
from kagent_render.diagnostics.diagnostic import PlatformAgentRef
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import Role, place_of
from kagent_render.preparation.platform_agents import Images
from kagent_render.preparation.plugin_images import is_unseen, resolve_images, unseen
from kagent_render.revision.lock_file import LockFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.artifacts.resolution import Means
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.folder import OutputReader
    from kagent_render.preparation.platform_agents import ImageOutcome
    from kagent_render.revision.lock_file import LockProblem
    from kagent_render.source.config import RenderConfig

_LONGEST_LOCK = 64 * 1024 * 1024
_PINS_LOST = (
    "restore the lock from Git, or either side of a merge, so that tags stay what they are; or run"
    " `kagent-render render --update-images` to take what they name now"
)


def get_images(
    root: Root, config: RenderConfig, settings: Settings, wanted: Sequence[str], progress: Progress
) -> Images:
    """Each image as the locks pin it; resolved where none does, and each of them where that is asked for.

    A command that reads from the source asks for every image, and still takes the pinned digest where a tag
    has moved: a tag stays what it was until somebody updates it. Without a network it reads what the cache
    has of the pinned digests.
    """
    if not wanted:
        return Images()
    progress.say(f"Looking at {len(wanted)} plugin image{'s' if len(wanted) > 1 else ''}")
    known = _read_locks(root, config)
    locked = known.pinned
    means = means_of(root, config, settings, VendoredStore(root.committed, {}), progress)
    if settings.afresh and not settings.from_source:
        return Images(_seen_again(wanted, locked, means), locked, damaged=known.damaged)
    found = resolve_images(wanted, {} if settings.asks_anew else locked, means)
    unasked = {} if settings.from_source else _unasked(found)
    taken = {**found, **{name: _unseen(name) for name in unasked}}
    if not settings.asks_anew:
        taken.update(_still_failing(taken, known.refused))
        return Images(taken, locked, unasked=unasked, damaged=known.damaged)
    current = {name: image for name, image in found.items() if not isinstance(image, ArtifactFailure)}
    if not settings.update_images:
        taken.update(_still_pinned(locked, current, means))
    return Images(taken, locked, current, unasked)


def _unasked(found: Mapping[str, ImageOutcome]) -> dict[str, ArtifactFailure]:
    """Images at a digest, which stands without its registry's answer, whose registry could not be asked."""
    return {
        name: failure
        for name, failure in found.items()
        if isinstance(failure, ArtifactFailure)
        and failure.reason is Reason.ARTIFACT_FETCH_FAILED
        and "@" in name
    }


def _unseen(reference: str) -> PluginImage:
    return unseen(PluginImage(reference, reference.rpartition("@")[2]))


def _still_failing(
    taken: Mapping[str, ImageOutcome], refused: Mapping[str, PullFailure]
) -> dict[str, PullFailure]:
    """Images that could not be had when their lock was written, and of which nobody can say more now."""
    return {
        name: refused[name]
        for name, image in taken.items()
        if name in refused
        and (isinstance(image, ArtifactFailure) or (isinstance(image, PluginImage) and is_unseen(image)))
    }


def _still_pinned(
    locked: Mapping[str, PluginImage], current: Mapping[str, PluginImage | PullFailure], means: Means
) -> dict[str, ImageOutcome]:
    """The images that a lock pins under tags that have moved or are gone, or why they cannot be had."""
    moved = {
        name: f"{name}@{locked[name].digest}"
        for name, image in current.items()
        if name in locked and "@" not in name and not _is_at(image, locked[name].digest)
    }
    found = resolve_images(list(moved.values()), {}, means)
    return {name: _as(name, found[pinned]) for name, pinned in moved.items()}


def _is_at(image: PluginImage | PullFailure, digest: str) -> bool:
    return isinstance(image, PluginImage) and image.digest == digest


def _seen_again(
    wanted: Sequence[str], locked: Mapping[str, PluginImage], means: Means
) -> dict[str, ImageOutcome]:
    """Each image at the digest that it has or a lock pins, read where that can be done without a network."""
    pins = {name: f"{name}@{locked[name].digest}" for name in wanted if "@" not in name and name in locked}
    found = resolve_images([pins.get(name, name) for name in wanted], {}, means, seen=True)
    return {name: _as(name, found[pins.get(name, name)]) for name in wanted}


def _as(reference: str, found: ImageOutcome) -> ImageOutcome:
    """What was found, under the reference that a manifest writes."""
    if isinstance(found, PluginImage):
        return PluginImage(reference, found.digest, found.manifest, found.note)
    return PullFailure(reference, found.cause, found.hint) if isinstance(found, PullFailure) else found


@dataclass(frozen=True, slots=True)
class _Locks:
    """What the locks of PlatformAgents say of images, by reference, and by agent why one says nothing."""

    pinned: dict[str, PluginImage]
    refused: dict[str, PullFailure]
    damaged: dict[PlatformAgentRef, Diagnostic]


def _read_locks(root: Root, config: RenderConfig) -> _Locks:
    """The locks of the output folder; where they differ about a reference, the first in order counts.

    In a merge the locks of its sides count as well, so that conflict markers lose nothing.
    """
    found = _Locks({}, {}, {})
    with open_outputs(root, config.output) as outputs:
        for output in outputs:
            _add_locks(output, config, found, merging=len(outputs) > 1)
    return found


def _add_locks(output: OutputReader, config: RenderConfig, found: _Locks, *, merging: bool) -> None:
    for path in sorted(entry.path for entry in output.entries()):
        place = place_of(path)
        if place is None or place.role is not Role.LOCK or not isinstance(place.owner, PlatformAgentRef):
            continue
        lock = read_agent_lock(output.read(path, _LONGEST_LOCK), f"{config.output}/{path}")
        if not isinstance(lock, AgentLock):
            if not (merging and lock.fault is LockFault.CONFLICT):
                found.damaged[place.owner] = _damage(lock)
            if lock.fault is not LockFault.NOT_CANONICAL or lock.lock is None:
                continue
            lock = lock.lock  # another spelling of a lock whose revision fits
        for name, image in pins_of(lock).items():
            found.pinned.setdefault(name, image)
        for name, failure in pull_failures_of(lock).items():
            found.refused.setdefault(name, failure)


def _damage(problem: LockProblem[AgentLock]) -> Diagnostic:
    """What is wrong with a lock, and what gives its pins back; one of a newer release needs that release."""
    found = problem.diagnostic
    return found if problem.fault is LockFault.NEWER else dataclasses.replace(found, hint=_PINS_LOST)
