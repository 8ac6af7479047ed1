"""Examples of `docs/reasons.md` about the image of a plugin, with a registry that has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import ordinary_tar
from tests.artifacts.oci.documents import Json, Library
from tests.docs.markdown import Block
from tests.running import run
from tests.servers import Request, ScriptedServer, serving

IMAGE = "image/"
"""Files below this are the content of the image that the example's plugin names."""

_REGISTRY = "registry.example.com"
_REPOSITORY = "/v2/plugins/runbooks/"
_MANIFEST = Block("yaml", f"{IMAGE}plugin.yaml", "name: runbooks\n")
_MODULE = Block("python", f"{IMAGE}__init__.py", "")


class _Images:
    """A registry with one repository, in which any tag names the image that was pushed last."""

    def __init__(self) -> None:
        self._library = Library()
        self._newest: Json | None = None

    def push(self, files: Mapping[str, str]) -> None:
        layer = self._library.blob(ordinary_tar({name: text.encode() for name, text in files.items()}, "w"))
        self._newest = self._library.image(layer)

    def answer(self, request: Request) -> None:
        folder, _, name = request.path.partition("?")[0].rpartition("/")
        if folder.startswith(_REPOSITORY) and self._newest is not None and ":" not in name:
            request.path = f"{folder}/{self._newest['digest']}"
        self._library.answer(request)


def _check(root: Path, images: _Images, files: Mapping[str, str]) -> Any:
    images.push(files)
    return _json(root, "check")


def _check_without_an_image(root: Path, images: _Images, files: Mapping[str, str]) -> Any:
    return _json(root, "check")


def _verify_after_a_push(root: Path, images: _Images, files: Mapping[str, str]) -> Any:
    images.push(files)
    assert not _errors(_json(root, "render"))
    images.push({**files, "more.txt": ""})
    return _json(root, "verify")


CALLS: Mapping[Reason, Callable[[Path, _Images, Mapping[str, str]], Any]] = {
    Reason.IMAGE_PULL_FAILED: _check_without_an_image,
    Reason.IMAGE_TAG_MUTABLE: _check,
    Reason.IMAGE_TAG_MOVED: _verify_after_a_push,
    Reason.PLUGIN_DEPENDENCY_MISSING: _check,
    Reason.PLUGIN_IMAGE_MISMATCH: _check,
}
"""What is done with the registry, as the document that the program prints then."""


def diagnostics(reason: Reason, example: list[Block], root: Path) -> list[dict[str, Any]]:
    """What is told of an example whose plugin's image is in a registry, under the name that the page has."""
    images = _Images()
    shown = [block for block in example if block.path.startswith(IMAGE)]
    blocks = {block.path: block.text for block in (_MODULE, *(shown or [_MANIFEST]))}
    files = {path.removeprefix(IMAGE): text for path, text in blocks.items()}
    with serving(images.answer) as server:
        _move_to(server, root)
        document = CALLS[reason](root, images, files)
    return [_moved_back(found, server) for found in document["diagnostics"]]


def _json(root: Path, command: str) -> Any:
    bare = {"NO_PROXY": "127.0.0.1", "DOCKER_CONFIG": str(root), "XDG_RUNTIME_DIR": str(root)}
    return run(command, "--no-cache", "--output", "json", cwd=root, env=bare).json


def _errors(document: Any) -> list[Any]:
    return [found for found in document["diagnostics"] if found["severity"] == "error"]


def _move_to(server: ScriptedServer, root: Path) -> None:
    """Have the plugin's image come from the server, which has no TLS."""
    plugin, config = root / "agents" / "runbooks.yaml", root / "kagent-render.yaml"
    plugin.write_text(plugin.read_text().replace(_REGISTRY, server.host))
    insecure = f"spec:\n  artifacts: {{oci: {{insecure: ['{server.host}']}}}}\n"
    config.write_text(config.read_text().replace("spec:\n", insecure))


def _moved_back(found: dict[str, Any], server: ScriptedServer) -> dict[str, Any]:
    texts = {
        name: text.replace(server.host, _REGISTRY) for name, text in found.items() if isinstance(text, str)
    }
    return {**found, **texts}
