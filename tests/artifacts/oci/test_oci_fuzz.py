"""Whatever a registry, a repository or a login file holds, it ends in a value or in one sentence."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kagent_render.artifacts.oci.challenge import challenge_in
from kagent_render.artifacts.oci.choice import choose
from kagent_render.artifacts.oci.docker_config import read_config
from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.manifest import Index, read_document
from kagent_render.artifacts.oci.platform import parse_platform
from kagent_render.artifacts.oci.reference import parse_reference
from tests.artifacts.oci.documents import INDEX, MANIFEST, TAR

DIGEST = f"sha256:{'a' * 64}"
LAYER = {"mediaType": TAR, "digest": DIGEST, "size": 3, "annotations": {"a": "b"}, "urls": ["https://a"]}
IMAGE = {"schemaVersion": 2, "mediaType": MANIFEST, "config": LAYER, "layers": [LAYER, LAYER]}
PLATFORM = {"platform": {"os": "linux", "architecture": "amd64", "variant": "v2"}}
LIST = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [LAYER | PLATFORM, LAYER]}
LOGINS = {
    "auths": {"a": {"auth": "dXNlcjp3b3Jk"}, "b": {"identitytoken": "x"}},
    "credHelpers": {"c": "x"},
    "credsStore": "y",
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a JSON value but the whole."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, child in items for found in [(*path, key), *places(child, (*path, key))]]


@st.composite
def broken(draw: st.DrawFn, *values: Any) -> Any:
    """One of `values` with something else in up to three places."""
    value = copy.deepcopy(draw(st.sampled_from(values)))
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places(value) or [("a",)]))
        inner = value
        for key in path:
            inner = inner[key]
        inner[last] = draw(anything)
    return value


def told(work: Callable[[], object]) -> str:
    """The cause of a fault, none where there is none; whatever else is raised is a bug."""
    try:
        work()
    except OciFault as fault:
        return fault.cause
    return ""


def read(data: bytes, promised: str | None = None, announced: str | None = None) -> None:
    document = read_document(data, promised, announced)
    if isinstance(document, Index):
        choose(document.manifests, parse_platform("linux/amd64"))


@given(broken(IMAGE, LIST) | anything, st.sampled_from([None, MANIFEST, INDEX, TAR]))
def test_any_document_is_read_or_refused(value: Any, media_type: str | None) -> None:
    data = json.dumps(value).encode()
    assert told(lambda: read(data, media_type)).isprintable()
    assert told(lambda: read(data, None, media_type)).isprintable()


@given(st.binary())
def test_any_bytes_are_a_document_or_refused(data: bytes) -> None:
    assert told(lambda: read(data))


@given(broken(LOGINS) | anything)
def test_any_login_file_is_read_or_told(value: Any) -> None:
    def look_up() -> None:
        config = read_config(Path(file.name))
        for server in ("a", "b", "c"):
            config.login(server)

    with tempfile.NamedTemporaryFile() as file:
        file.write(json.dumps(value).encode())
        file.flush()
        assert told(look_up).isprintable()


PIECES = ["Bearer ", "Basic ", 'realm="', '"', "=", ",", "\\", "a", " "]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_challenge_is_read(header: str) -> None:
    challenge_in(header)


@given(st.text() | st.from_regex(r"[a-z.:/\[\]A-Z@_-]{0,40}(:[a-z]{0,5})?", fullmatch=True))
def test_any_reference_is_read_or_told(name: str) -> None:
    assert told(lambda: parse_reference(f"{name}@{DIGEST}")).isprintable()
