"""Layers of an OCI image or artifact, each a change of those below it (OCI image specification)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.limits import Meter
from kagent_render.artifacts.archive.names import entry_path
from kagent_render.artifacts.archive.overlay import Overlay, is_whiteout
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.tar import add_tar
from kagent_render.artifacts.archive.tree import Tree
from kagent_render.artifacts.package import PackageFile
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.artifacts.archive.compression import Compression
    from kagent_render.artifacts.archive.limits import Limits
    from kagent_render.artifacts.package import Package

_ALL: Final = "the artifact"


@dataclass(frozen=True, slots=True)
class Layer:
    """A tar archive of changes, its whiteouts included."""

    data: bytes
    compression: Compression


@dataclass(frozen=True, slots=True)
class FileLayer:
    """One file as it is, at its path in the package."""

    path: str
    data: bytes


def read_layers(layers: Sequence[Layer | FileLayer], limits: Limits) -> Package:
    """The package that `layers` make, the first being the lowest; raises ArchiveRefused.

    The limits hold for all layers together, and for what a later one removes too.
    """
    packed = sum(len(layer.data) for layer in layers)
    if packed > limits.archive:
        raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE, whole=_ALL)
    meter = Meter(limits, packed)
    overlay, tree = Overlay(limits), Tree(limits)
    for number, layer in enumerate(layers, 1):
        with _naming(f"layer {number}"):
            overlay.apply(_tree(layer, overlay, limits, meter))
    with _naming(_ALL):
        overlay.add_to(tree)
        return tree.package()


def _tree(layer: Layer | FileLayer, overlay: Overlay, limits: Limits, meter: Meter) -> Tree:
    tree = Tree(limits, overlay.file)
    if isinstance(layer, Layer):
        add_tar(tree, layer.data, layer.compression, meter)
    else:
        _add_file(tree, layer, meter)
    return tree


def _add_file(tree: Tree, layer: FileLayer, meter: Meter) -> None:
    path = entry_path(layer.path.encode(errors="surrogatepass"))
    if layer.path.endswith("/"):
        raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY, path)
    if is_whiteout(path):
        raise ArchiveRefused(Refusal.WHITEOUT, path)
    meter.count_entry()
    meter.count_content(len(layer.data))
    tree.add_file(path, PackageFile(layer.data))


@contextmanager
def _naming(whole: str) -> Iterator[None]:
    """Say which part is at fault; a limit is crossed by all of them."""
    try:
        yield
    except ArchiveRefused as refused:
        crossed = refused.reason is Reason.ARTIFACT_TOO_LARGE
        raise ArchiveRefused(refused.refusal, refused.entry, _ALL if crossed else whole) from None
