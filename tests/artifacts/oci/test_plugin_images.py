"""Images of plugins are pinned once each; only what a registry says of an image is the fault of the image."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kagent_render.agentplugin.images import PluginImage, PluginManifest, PullFailure
from kagent_render.api.hub import OciSource
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.cache.disk import DiskCache
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.resolution import Means
from kagent_render.artifacts.store.vendored import VendoredStore
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.plugin_images import resolve_images
from kagent_render.source.reader import MemoryFiles
from tests.artifacts.archive.archives import ordinary_tar
from tests.artifacts.oci.documents import QUICK, Host, Json, Library, digest_of, registry
from tests.artifacts.oci.logins import keychain
from tests.artifacts.oci.registry import Buildah, RegistryServer
from tests.artifacts.oci.test_registry_server import mounted, write
from tests.artifacts.oci.test_tag import replying, tagged
from tests.servers import Request

UNSEEN = "it was not looked at when it was pinned"
PLUGIN = {"plugin.yaml": "name: triage\nversion: v1\nrequires_env: [TOKEN]\n", "__init__.py": ""}
MANIFEST = PluginManifest("triage", "v1", requires_env=("TOKEN",))


def means(
    *plain: Host, keys: Keychain | None = None, context: FetchContext | None = None, **more: Any
) -> Means:
    settings = {name: more.pop(name) for name in ("platform", "mirrors") if name in more}
    insecure = tuple(server.host for server in plain)
    fetcher = OciFetcher(OciSettings(insecure=insecure, **settings), keys or Keychain({}))
    store = VendoredStore(MemoryFiles({}), {})
    return Means(store, {OciSource: fetcher}, context=context or FetchContext(bounds=QUICK), **more)


def resolved(reference: str, *plain: Host, **more: Any) -> PluginImage | PullFailure | ArtifactFailure:
    return resolve_images([reference], {}, means(*plain, **more))[reference]


def failed(reference: str, *plain: Host, **more: Any) -> PullFailure:
    failure = resolved(reference, *plain, **more)
    assert isinstance(failure, PullFailure)
    assert failure.reference == reference
    assert "secret" not in failure.cause + (failure.hint or "")
    return failure


def unasked(reference: str, *plain: Host, **more: Any) -> ArtifactFailure:
    failure = resolved(reference, *plain, **more)
    assert isinstance(failure, ArtifactFailure)
    assert "secret" not in failure.message + (failure.hint or "")
    return failure


def pushed(buildah: Buildah, server: RegistryServer, name: str, content: dict[str, str]) -> str:
    """Push an image FROM scratch under the name; gives its digest."""
    with mounted(buildah, "scratch") as (container, folder):
        write(folder, content)
        buildah.commit(container, name.replace(":", "-"))
    return buildah.push(name.replace(":", "-"), f"{server.host}/{name}", "--format", "oci")


@pytest.mark.server
def test_a_tag_is_pinned_and_its_manifest_read(registry_server: RegistryServer, buildah: Buildah) -> None:
    digest = pushed(buildah, registry_server, "plugins/pinned:v1", PLUGIN)
    reference = f"{registry_server.host}/plugins/pinned:v1"
    assert resolved(reference, registry_server) == PluginImage(reference, digest, MANIFEST)


@pytest.mark.server
def test_a_digest_is_pinned_and_its_manifest_read(registry_server: RegistryServer, buildah: Buildah) -> None:
    digest = pushed(buildah, registry_server, "plugins/exact:v1", PLUGIN)
    reference = f"{registry_server.host}/plugins/exact:v0@{digest}"
    assert resolved(reference, registry_server) == PluginImage(reference, digest, MANIFEST)


@pytest.mark.server
def test_a_list_is_pinned_as_itself_and_read_for_the_platform(
    registry_server: RegistryServer, buildah: Buildah
) -> None:
    buildah("manifest", "create", "plugin-list")
    for arch in ("amd64", "arm64"):
        with mounted(buildah, "scratch") as (container, folder):
            write(folder, PLUGIN | {"plugin.yaml": f"name: {arch}"})
            buildah("config", "--os", "linux", "--arch", arch, container)
            buildah.commit(container, f"plugin-list-{arch}")
        buildah("manifest", "add", "plugin-list", f"plugin-list-{arch}")
    reference = f"{registry_server.host}/plugins/list:v1"
    digest = buildah.push("plugin-list", reference, "--all", "--format", "oci", command=("manifest", "push"))
    for arch in ("amd64", "arm64"):
        image = resolved(reference, registry_server, platform=f"linux/{arch}")
        assert image == PluginImage(reference, digest, PluginManifest(arch))
    other = resolved(reference, registry_server, platform="windows/amd64")
    assert isinstance(other, PluginImage)
    assert (other.digest, other.manifest) == (digest, None)
    assert other.note.startswith("it cannot be found: it has no image for `windows/amd64`")


@pytest.mark.server
def test_a_tag_that_moved_is_pinned_anew_unless_a_lock_pins_it(
    registry_server: RegistryServer, buildah: Buildah
) -> None:
    reference = f"{registry_server.host}/plugins/moving:v1"
    before = pushed(buildah, registry_server, "plugins/moving:v1", PLUGIN)
    locked = resolve_images([reference], {}, means(registry_server))
    after = pushed(buildah, registry_server, "plugins/moving:v1", PLUGIN | {"more.txt": ""})
    assert before != after
    pins = {name: image for name, image in locked.items() if isinstance(image, PluginImage)}
    assert resolve_images([reference], pins, means(registry_server)) == locked
    assert resolved(reference, registry_server) == PluginImage(reference, after, MANIFEST)


@pytest.mark.server
def test_an_image_without_a_manifest_is_pinned_with_a_note(
    registry_server: RegistryServer, buildah: Buildah
) -> None:
    digest = pushed(buildah, registry_server, "plugins/bare:v1", {"files/plugin.yaml": "name: triage"})
    reference = f"{registry_server.host}/plugins/bare:v1"
    note = "it has no `plugin.yaml` at its root; it has no `__init__.py` at its root"
    assert resolved(reference, registry_server) == PluginImage(reference, digest, PluginManifest(""), note)


@pytest.mark.server
@pytest.mark.parametrize("name", ["plugins/pinned:v9", "nothing/here:v1", "nothing/here"])
def test_an_unknown_tag_or_repository_is_the_image_s_fault(
    registry_server: RegistryServer, buildah: Buildah, name: str
) -> None:
    pushed(buildah, registry_server, "plugins/pinned:v1", PLUGIN)
    failure = failed(f"{registry_server.host}/{name}", registry_server)
    tag = name.partition(":")[2] or "latest"
    assert failure.cause == f"`{registry_server.host}` does not have the tag `{tag}`"
    assert failure.hint == "check the repository and the tag; it may have been deleted"


@pytest.mark.server
def test_an_unknown_digest_is_the_image_s_fault(registry_server: RegistryServer) -> None:
    failure = failed(f"{registry_server.host}/nothing/here@{digest_of(b'absent')}", registry_server)
    assert failure.cause == f"`{registry_server.host}` does not have `{digest_of(b'absent')}`"


@pytest.mark.server
@pytest.mark.parametrize("password", [None, "secret-of-another", "secret-word"])
def test_a_registry_with_a_password_gives_or_refuses_the_image(
    registry_server: RegistryServer,
    guarded_server: RegistryServer,
    buildah: Buildah,
    authority: Any,
    password: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digest = pushed(buildah, registry_server, "plugins/guarded:v1", PLUGIN)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    login = {"username": "user", "password": password} if password else {}
    keys = keychain(tmp_path, guarded_server.host, **login) if password else Keychain({})
    reference = f"{guarded_server.host}/plugins/guarded:v1"
    if password == "secret-word":
        assert resolved(reference, keys=keys) == PluginImage(reference, digest, MANIFEST)
    else:
        assert f"access was denied by `{guarded_server.host}`" in failed(reference, keys=keys).cause


@pytest.mark.server
def test_a_mirror_is_asked_in_its_registry_s_place(registry_server: RegistryServer, buildah: Buildah) -> None:
    digest = pushed(buildah, registry_server, "mirror/plugins/triage:v1", PLUGIN)
    reference = "registry.invalid/plugins/triage:v1"
    plan = {"registry.invalid": f"{registry_server.host}/mirror"}
    image = resolved(reference, registry_server, mirrors=plan)
    assert image == PluginImage(reference, digest, MANIFEST)


@pytest.mark.server
def test_a_changed_manifest_or_layer_in_the_registry_s_storage_pins_nothing(
    registry_server: RegistryServer, buildah: Buildah
) -> None:
    digest = pushed(buildah, registry_server, "plugins/tampered:v1", PLUGIN | {"tampered": ""})
    kept = registry_server.kept(digest)
    kept.write_bytes(kept.read_bytes().replace(b"linux", b"Linux") + b" ")
    reference = f"{registry_server.host}/plugins/tampered:v1"
    assert "is not what its digest says" not in failed(reference, registry_server).cause
    assert f"calls `{digest}` what is" in failed(reference, registry_server).cause
    assert f"expected `{digest}`" in failed(f"{reference}@{digest}", registry_server).cause


def simple_plugin(**files: bytes) -> tuple[Library, Json]:
    library = Library()
    content = {"plugin.yaml": b"name: triage", "__init__.py": b"", **files}
    return library, library.image(library.blob(ordinary_tar(content, "w")))


READ = PluginManifest("triage")


def test_a_layer_that_is_not_its_digest_s_pins_nothing() -> None:
    library = Library()
    layer = library.blob(ordinary_tar({"plugin.yaml": b"name: triage"}, "w"))
    image = library.image(layer)
    library.contents[layer["digest"]] = b"other" * 100, ""
    with registry(tagged(library, v1=image)) as server:
        assert unasked(f"{server.host}/a:v1", server).reason is Reason.ARTIFACT_DIGEST_MISMATCH


def test_a_registry_that_fails_between_manifest_and_layer_pins_nothing() -> None:
    library, image = simple_plugin()

    def answer(request: Request) -> None:
        if "/blobs/" in request.path:
            request.reply(b"secret", 503)
        else:
            tagged(library, v1=image)(request)

    with registry(answer) as server:
        failure = unasked(f"{server.host}/a:v1", server)
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "answered 503" in failure.message


UNREADABLE: dict[str, tuple[Callable[[Library], Json], Limits, str]] = {
    "too-large": (
        lambda library: library.image(library.blob(ordinary_tar({"x": b"x" * 5000}, "w"))),
        Limits(content=4000),
        "the artifact holds more than 100 MiB",
    ),
    "too-many-entries": (
        lambda library: library.image(library.blob(ordinary_tar({f"{n}": b"" for n in range(9)}, "w"))),
        Limits(entries=5),
        "the artifact holds more than 10,000 entries",
    ),
    "unsafe": (
        lambda library: library.image(library.blob(ordinary_tar({"../x": b""}, "w"))),
        Limits(),
        "entry `../x` of layer 1 has a `.` or `..` path segment",
    ),
    "no-archive": (
        lambda library: library.image(library.blob(b"text", "text/plain")),
        Limits(),
        "it cannot be used: a layer of the media type `text/plain` is no tar archive and has no title",
    ),
    "other-platform": (
        lambda library: library.index(
            library.image() | {"platform": {"os": "linux", "architecture": "s390x"}}
        ),
        Limits(),
        "it cannot be found: it has no image for `linux/amd64`; its platforms are `linux/s390x`",
    ),
}


@pytest.mark.parametrize(("build", "limits", "note"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_image_that_cannot_be_read_is_pinned_with_a_note(
    build: Callable[[Library], Json], limits: Limits, note: str
) -> None:
    library = Library()
    image = build(library)
    with registry(tagged(library, v1=image)) as server:
        reference = f"{server.host}/a:v1"
        found = resolved(reference, server, context=FetchContext(limits, QUICK))
        assert found == PluginImage(reference, image["digest"], None, note)


def test_a_digest_that_a_header_contradicts_is_the_image_s_fault() -> None:
    with registry(replying(200, b"{}", Docker_Content_Digest=digest_of(b"other"))) as server:
        cause = failed(f"{server.host}/a:v1", server).cause
        assert cause == f"`{server.host}` calls `{digest_of(b'other')}` what is `{digest_of(b'{}')}`"


@pytest.mark.parametrize("name", ["a:v1", f"a@{digest_of(b'x')}"])
def test_an_unreachable_registry_is_told_with_the_reference(name: str) -> None:
    with registry(replying(200)) as server:
        host = server.host
    failure = unasked(f"{host}/{name}", server)
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert failure.message == f"`{host}/{name}` could not be fetched: the connection to `{host}` failed"


@pytest.mark.parametrize("online", [True, False])
@pytest.mark.parametrize(
    "reference", ["", "A", "a b", "user:secret@a.example/b", "a@sha256:0", "oci://a.b/c"]
)
def test_a_malformed_reference_is_the_image_s_fault_with_or_without_a_network(
    reference: str, online: bool
) -> None:
    assert failed(reference, online=online).hint


def test_what_a_lock_pins_is_taken_without_any_request() -> None:
    library, image = simple_plugin()
    with registry(tagged(library, v1=image)) as server:
        names = [f"{server.host}/a:v1", f"{server.host}/a@{image['digest']}"]
        pins = {
            names[0]: PluginImage(names[0], digest_of(b"before"), PluginManifest("old"), "note"),
            names[1]: PluginImage(names[1], image["digest"]),
        }
        assert resolve_images(names, pins, means(server)) == pins
        assert resolve_images(names, pins, means(online=False)) == pins
        assert server.requests == []


def test_a_pin_of_another_digest_than_the_reference_s_is_no_pin() -> None:
    reference = f"a.example/b:v1@{digest_of(b'own')}"
    pins = {reference: PluginImage(reference, digest_of(b"other"), PluginManifest("other"))}
    expected = PluginImage(reference, digest_of(b"own"), note=UNSEEN)
    assert resolve_images([reference], pins, means(online=False)) == {reference: expected}


def test_offline_a_digest_is_pinned_unseen_and_a_tag_is_not() -> None:
    library, image = simple_plugin()
    with registry(tagged(library, v1=image)) as server:
        exact, tag = f"{server.host}/a@{image['digest']}", f"{server.host}/a:v1"
        found = resolve_images([tag, exact], {}, means(server, online=False))
        assert server.requests == []
    assert found[exact] == PluginImage(exact, image["digest"], note=UNSEEN)
    failure = found[tag]
    assert isinstance(failure, ArtifactFailure)
    assert failure.reason is Reason.ARTIFACT_UNAVAILABLE_OFFLINE
    assert failure.message == f"no lock pins the image `{tag}`, and this run may not use the network"
    assert "commit the lock" in (failure.hint or "")


def test_pinned_and_other_images_are_answered_in_the_order_in_which_they_are_wanted() -> None:
    pins = {name: PluginImage(name, digest_of(b"x")) for name in ("b.example/b:1", "d.example/d:1")}
    names = ["A", "b.example/b:1", "c c", "d.example/d:1"]
    assert list(resolve_images(names, pins, means(online=False))) == names
    assert list(resolve_images(names[::-1], pins, means(online=False))) == names[::-1]


@pytest.mark.parametrize("jobs", [1, 2, 16])
def test_each_reference_is_asked_for_once_and_answered_in_order(jobs: int) -> None:
    library, image = simple_plugin()
    with registry(tagged(library, v1=image, v2=image)) as server:
        names = [f"{server.host}/a:{tag}" for tag in ("v2", "absent", "v1", "v2", "absent")]
        names.append("a b")
        found = resolve_images(names, {}, means(server, jobs=jobs))
        manifests = [request.path.rpartition("/")[2] for request in server.requests if "/man" in request.path]
    assert list(found) == [*names[:3], "a b"]
    kinds = [PluginImage, PullFailure, PluginImage, PullFailure]
    assert [type(outcome) for outcome in found.values()] == kinds
    assert sorted(manifests) == sorted(["v1", "v2", "absent", image["digest"]])


def test_the_content_is_cached_and_the_tag_asked_for_again(tmp_path: Path) -> None:
    library, image = simple_plugin()
    with registry(tagged(library, v1=image)) as server:
        cached = means(server, cache=DiskCache(tmp_path / "cache"))
        first = resolve_images([f"{server.host}/a:v1"], {}, cached)
        server.requests.clear()
        assert resolve_images([f"{server.host}/a:v1"], {}, cached) == first
        assert [request.path for request in server.requests] == ["/v2/a/manifests/v1"]


def test_progress_is_told_with_the_reference_that_is_waited_for() -> None:
    library, image = simple_plugin()
    told: list[tuple[str, float]] = []
    with registry(tagged(library, v1=image)) as server:
        reference = f"{server.host}/a:v1"
        resolved(reference, server, told=lambda text, share: told.append((text, share)))
    assert told[0][0] == f"Fetching artifacts: 0 of 1, 0 bytes, waiting for `{reference}`"
    assert [told[0][1], told[-1][1]] == [0, 1]


def test_nothing_wanted_asks_for_nothing() -> None:
    assert resolve_images([], {}, Means(VendoredStore(MemoryFiles({}), {}), {})) == {}
