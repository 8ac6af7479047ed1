"""Pinning the images of plugins: what a lock knows, else what the registries say of each reference now."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.image_manifest import read_image
from kagent_render.agentplugin.images import PluginImage, PullFailure
from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.failure import ArtifactFailure, PlatformMissing, printable
from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.fetcher import OciFetcher
from kagent_render.artifacts.oci.reference import Reference, at_digest, parse_image
from kagent_render.artifacts.resolution import resolve
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.artifacts.tally import Tally
from kagent_render.artifacts.workers import run_all
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import FetchContext
    from kagent_render.artifacts.resolution import Means

    Outcome = PluginImage | PullFailure | ArtifactFailure

_UNSEEN: Final = "it was not looked at when it was pinned"
_NO_NETWORK: Final = "this run may not use the network"
_UNREADABLE: Final = frozenset({Reason.ARTIFACT_UNSAFE, Reason.ARTIFACT_TOO_LARGE})
"""What keeps the files of an image from being read here, and may well not keep a kubelet from mounting it."""


def resolve_images(
    wanted: Sequence[str], pinned: Mapping[str, PluginImage], means: Means, *, seen: bool = False
) -> dict[str, Outcome]:
    """Each image of `wanted` at its digest, or why it has none; each reference once, in their order.

    What is `pinned` is taken as it is; where an image has to be `seen`, a digest alone does not stand for it.
    A PullFailure is the image's, a kubelet meets it too; an ArtifactFailure says that the registry cannot be
    asked, or sends what is not its digest's.
    """
    references = list(dict.fromkeys(wanted))
    known = {name: pinned[name] for name in references if name in pinned and _holds(pinned[name], name)}
    missing = [name for name in references if name not in known]
    found = _asked(missing, means) if means.online else _unasked(missing, means, seen=seen)
    outcomes = {**known, **found}
    return {name: outcomes[name] for name in references}


def _holds(image: PluginImage, reference: str) -> bool:
    """Whether a pin is one of `reference`: a reference with a digest has no other."""
    _, at, digest = reference.partition("@")
    return not at or digest == image.digest


def _unasked(references: Sequence[str], means: Means, *, seen: bool) -> dict[str, Outcome]:
    """What is known of images without a network: a digest that a reference has, and what the cache holds."""
    found = {name: _named(name) for name in references}
    pins = [pin for pin in found.values() if isinstance(pin, PluginImage)]
    packages = resolve([_source(pin) for pin in pins], means)
    for pin in pins:
        source = _source(pin)
        package = packages[source]
        if not isinstance(package, ArtifactFailure):
            found[pin.reference] = _read(pin, source, package)
        else:
            found[pin.reference] = _uncached(pin.reference) if seen else unseen(pin)
    return found


def unseen(image: PluginImage) -> PluginImage:
    """An image whose digest stands although nobody looked at it; a lock says the same for every cause."""
    return dataclasses.replace(image, manifest=None, note=_UNSEEN)


def is_unseen(image: PluginImage) -> bool:
    """Whether nobody looked at an image."""
    return image.note == _UNSEEN


def _named(reference: str) -> Outcome:
    """What a reference itself says of its image."""
    try:
        image = parse_image(reference)
    except OciFault as fault:
        return PullFailure(reference, fault.cause, fault.hint)
    return PluginImage(reference, image.digest) if isinstance(image, Reference) else _unavailable(reference)


def _uncached(reference: str) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.ARTIFACT_UNAVAILABLE_OFFLINE,
        f"the image `{printable(reference)}` is not in the cache, and {_NO_NETWORK}",
        "run the command where there is a network",
    )


def _unavailable(reference: str) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.ARTIFACT_UNAVAILABLE_OFFLINE,
        f"no lock pins the image `{printable(reference)}`, and {_NO_NETWORK}",
        "where there is a network, run `kagent-render render` and commit the lock, or write the image with"
        " its `@sha256:` digest",
    )


def _asked(references: Sequence[str], means: Means) -> dict[str, Outcome]:
    """Every digest first, then the files of what has one."""
    if not references:
        return {}
    tally = Tally(len(references), means.told)
    fetcher = means.fetchers[OciSource]
    assert isinstance(fetcher, OciFetcher)
    context = dataclasses.replace(means.context, received=tally.received)
    digests = run_all([partial(_pin, name, fetcher, context, tally) for name in references], means.jobs)
    sources = {pin.reference: _source(pin) for pin in digests if isinstance(pin, PluginImage)}
    packages = resolve(sources.values(), means)
    return {
        name: _read(pin, sources[name], packages[sources[name]]) if isinstance(pin, PluginImage) else pin
        for name, pin in zip(references, digests, strict=True)
    }


def _pin(reference: str, fetcher: OciFetcher, context: FetchContext, tally: Tally) -> Outcome:
    origin = OciSource(reference)
    tally.begin(origin)
    try:
        return PluginImage(reference, fetcher.digest(reference, context))
    except OciFault as fault:
        return PullFailure(reference, fault.cause, fault.hint) if fault.is_of_image else fault.of(origin)
    finally:
        tally.end(origin)


def _source(image: PluginImage) -> ArtifactSource:
    return ArtifactSource(OciSource(at_digest(parse_image(image.reference), image.digest)))


def _read(image: PluginImage, source: ArtifactSource, found: Package | ArtifactFailure) -> Outcome:
    if not isinstance(found, ArtifactFailure):
        manifest, note = read_image(found)
        return dataclasses.replace(image, manifest=manifest, note=note)
    cause = found.message.removeprefix(origin_text(source.origin))
    cause = f"it{cause}" if cause.startswith(" ") else cause.lstrip(": ")
    if isinstance(found, PlatformMissing) or found.reason in _UNREADABLE:
        return dataclasses.replace(image, note=cause)
    if found.reason is Reason.ARTIFACT_NOT_FOUND:
        return PullFailure(image.reference, cause, found.hint)
    return found
