"""Random layers hold the files that buildah, which unpacks images for containers, finds in them.

Only layers that list whiteouts first, as the specification recommends: in others buildah removes files of the
same layer.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from kagent_render.artifacts.archive.compression import Compression, expand
from kagent_render.artifacts.archive.layers import Layer, read_layers
from kagent_render.artifacts.archive.limits import Limits, Meter
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from tests.artifacts.archive.archives import gzip_of, tar_entry, tar_of, zstd_of
from tests.artifacts.archive.hostile_layers import directory, hard_link, link, removed
from tests.parts import missing, program

pytestmark = pytest.mark.server

NAMES = [b"a", b"b", b"d/x", b"d/y", b"d/e/z", b"d", b"l", b"m/n", b"d/e"]
SUFFIXES = {Compression.NONE: "", Compression.GZIP: "+gzip", Compression.ZSTD: "+zstd"}
PACK: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.NONE: bytes,
    Compression.GZIP: gzip_of,
    Compression.ZSTD: zstd_of,
}
_IMAGE = "application/vnd.oci.image"


def whiteouts(random: Random) -> Iterator[bytes]:
    for name in random.sample(NAMES, random.choice([0, 0, 1, 2])):
        yield removed(name)
    for folder in random.sample([b"", b"d/", b"d/e/"], random.choice([0, 0, 0, 1])):
        yield tar_entry(folder + b".wh..wh..opq")


def additions(random: Random, *, alone: bool) -> Iterator[bytes]:
    """Entries of one layer; hard links to lower files only where the layer removes none."""
    for name in random.sample(NAMES, random.randrange(1, 5)):
        kind = random.choice("ffffdl" + "h" * alone)
        if kind == "f":
            yield tar_entry(name, b"%d" % random.randrange(10_000))
        elif kind == "d":
            yield directory(name)
        elif kind == "l":
            yield link(name, random.choice([b"d", b"a", b"d/x", b"e", b"../a"]))
        else:
            yield hard_link(
                name, random.choice([target for target in (b"a", b"d/x", b"b") if target != name])
            )


def stack_of(seed: str) -> list[Layer]:
    random = Random(seed)
    stack = []
    for _ in range(random.randrange(2, 5)):
        first = list(whiteouts(random))
        compression = random.choice(list(Compression))
        data = tar_of(*first, *additions(random, alone=not first))
        stack.append(Layer(PACK[compression](data), compression))
    return stack


def stacks(count: int) -> Iterator[tuple[list[Layer], dict[str, bytes]]]:
    """Stacks that are accepted, with what they hold: most random ones have a link to nothing."""
    number = 0
    while count:
        number += 1
        layers = stack_of(f"layers {number}")
        try:
            package = read_layers(layers, Limits())
        except ArchiveRefused:
            continue
        count -= 1
        yield layers, {path: file.data for path, file in package.files.items()}


@dataclass(frozen=True)
class Buildah:
    """buildah with storage of its own."""

    folder: Path

    def __call__(self, *args: str) -> str:
        storage = [f"--root={self.folder}/root", f"--runroot={self.folder}/run", "--storage-driver=vfs"]
        done = subprocess.run([program("buildah"), *storage, *args], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.strip()

    def try_out(self) -> None:
        """Say so where this user may not mount what buildah unpacks."""
        try:
            self("mount", self("from", "--quiet", "scratch"))
        except AssertionError as failed:
            missing(f"buildah does not work here: {failed}")

    def unpacked(self, layers: list[Layer], number: int) -> dict[str, bytes]:
        """The files of an image of these layers, links followed, by path."""
        image = self.folder / f"image-{number}"
        write_image(image, layers)
        policy = self.folder / "policy.json"
        policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        container = self("from", "--quiet", f"--signature-policy={policy}", f"oci:{image}:test")
        root = Path(self("mount", container)).resolve()
        try:
            return dict(files_below(root, ""))
        finally:
            self("rm", container)


def files_below(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for child in folder.iterdir():
        place = child.resolve(strict=True)
        if place.is_dir():
            yield from files_below(place, f"{prefix}{child.name}/")
        else:
            yield f"{prefix}{child.name}", place.read_bytes()


def write_image(folder: Path, layers: list[Layer]) -> None:
    """An OCI image layout (OCI image specification, image layout) with one image, `test`."""
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(kind: str, data: bytes) -> dict[str, object]:
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": f"{_IMAGE}.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    listed = [blob(f"layer.v1.tar{SUFFIXES[layer.compression]}", layer.data) for layer in layers]
    contents = [hashlib.sha256(plain(layer)).hexdigest() for layer in layers]
    rootfs = {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in contents]}
    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs}
    described = blob("config.v1+json", json.dumps(config).encode())
    manifest = {"schemaVersion": 2, "config": described, "layers": listed}
    entry = blob("manifest.v1+json", json.dumps(manifest).encode())
    entry["annotations"] = {"org.opencontainers.image.ref.name": "test"}
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))


def plain(layer: Layer) -> bytes:
    return b"".join(expand(layer.data, layer.compression, Meter(Limits(), len(layer.data))))


def test_layers_hold_what_buildah_finds_in_them(tmp_path: Path) -> None:
    buildah = Buildah(tmp_path)
    buildah.try_out()
    for number, (layers, files) in enumerate(stacks(25)):
        assert buildah.unpacked(layers, number) == files, f"stack {number}"
