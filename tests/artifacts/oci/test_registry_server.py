"""Images and artifacts that real tools pushed to a real registry, whole and tampered with."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import ordinary_tar, zstd_of
from tests.artifacts.oci.documents import CONFIG, Library, digest_of, failure_of, fetch, simple
from tests.artifacts.oci.logins import USER, WORD, keychain
from tests.artifacts.oci.registry import Buildah, RegistryServer

pytestmark = pytest.mark.server

PLUGIN = {
    "plugin.json": "{}",
    "skills/kept/SKILL.md": "kept",
    "skills/changed/SKILL.md": "before",
    "skills/gone/SKILL.md": "gone",
    "skills/gone/deep/data.txt": "gone as well",
    "replaced/old.txt": "old",
    "bin/run.sh": "#!/bin/sh",
}
CHANGED = {"skills/changed/SKILL.md": "after", "skills/new/SKILL.md": "new", "replaced/new.txt": "new"}
EXPECTED = {
    "plugin.json": ("{}", False),
    "skills/kept/SKILL.md": ("kept", False),
    "skills/changed/SKILL.md": ("after", False),
    "skills/new/SKILL.md": ("new", False),
    "replaced/new.txt": ("new", False),
    "bin/run.sh": ("#!/bin/sh", True),
    "linked/SKILL.md": ("kept", False),
}


def files(package: Package) -> dict[str, tuple[str, bool]]:
    return {name: (file.data.decode(), file.executable) for name, file in package.files.items()}


def files_below(folder: Path) -> dict[str, tuple[str, bool]]:
    """What a folder holds, links as what they lead to."""
    return {
        str((Path(place) / name).relative_to(folder)): (
            (Path(place) / name).read_text(),
            os.access(Path(place) / name, os.X_OK) and bool((Path(place) / name).stat().st_mode & 0o100),
        )
        for place, _, names in os.walk(folder, followlinks=True)
        for name in names
    }


def write(folder: Path, content: dict[str, str]) -> Path:
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@contextmanager
def mounted(buildah: Buildah, image: str) -> Iterator[tuple[str, Path]]:
    container = buildah("from", "--quiet", buildah.policy, image)
    try:
        yield container, Path(buildah("mount", container))
    finally:
        buildah("rm", container)


def build(buildah: Buildah, name: str, form: str) -> None:
    """An image of two layers: the second one changes, adds, removes, replaces and links."""
    with mounted(buildah, "scratch") as (container, folder):
        write(folder, PLUGIN | {"name": name})
        (folder / "bin/run.sh").chmod(0o755)
        buildah.commit(container, f"{name}-base", form)
    with mounted(buildah, f"{name}-base") as (container, folder):
        shutil.rmtree(folder / "skills/gone")
        shutil.rmtree(folder / "replaced")
        write(folder, CHANGED)
        (folder / "linked").symlink_to("skills/kept")
        buildah.commit(container, name, form)


@pytest.mark.parametrize(
    ("name", "form", "flags", "kind"),
    [
        ("gzip", "oci", ["--format", "oci"], "tar+gzip"),
        ("docker", "docker", ["--format", "v2s2"], "tar.gzip"),
        ("zstd", "oci", ["--format", "oci", "--compression-format", "zstd"], "tar+zstd"),
    ],
)
def test_an_image_gives_what_its_container_shows(
    registry_server: RegistryServer, buildah: Buildah, name: str, form: str, flags: list[str], kind: str
) -> None:
    build(buildah, name, form)
    digest = buildah.push(name, f"{registry_server.host}/{name}:tag", *flags)
    layers = json.loads(registry_server.kept(digest).read_bytes())["layers"]
    assert [layer["mediaType"].rpartition(".tar")[1:] for layer in layers] == [(".tar", kind[3:])] * 2
    with mounted(buildah, name) as (_, folder):
        shown = files_below(folder)
    assert shown == EXPECTED | {"name": (name, False)}
    assert files(fetch(registry_server.origin(f"{name}:tag", digest), registry_server)) == shown


@pytest.mark.parametrize("form", ["oci", "v2s2"])
def test_a_list_gives_the_image_of_the_platform(
    registry_server: RegistryServer, buildah: Buildah, form: str
) -> None:
    platforms = {"linux/amd64": (), "linux/arm64": ("--variant", "v8"), "linux/arm/v7": ("--variant", "v7")}
    listed = f"list-{form}"
    buildah("manifest", "create", listed)
    for platform, flags in platforms.items():
        with mounted(buildah, "scratch") as (container, folder):
            write(folder, {"platform.txt": platform})
            buildah("config", "--os", "linux", "--arch", platform.split("/")[1], *flags, container)
            buildah.commit(container, f"{listed}-{platform}", "docker" if form == "v2s2" else "oci")
        buildah("manifest", "add", listed, f"{listed}-{platform}")
    digest = buildah.push(
        listed, f"{registry_server.host}/{listed}:1", "--all", "--format", form, command=("manifest", "push")
    )
    origin = registry_server.origin(listed, digest)
    for platform in platforms:
        assert files(fetch(origin, registry_server, platform=platform)) == {"platform.txt": (platform, False)}
    failure = failure_of(origin, registry_server, platform="windows/amd64")
    assert failure.reason is Reason.ARTIFACT_NOT_FOUND
    assert "no image for `windows/amd64`; its platforms are `linux/amd64`, `linux/arm64" in failure.message


def test_an_opaque_directory_hides_what_is_below(registry_server: RegistryServer) -> None:
    library = Library()
    below = library.blob(ordinary_tar({"kept": b"", "skills/old": b"", "skills/deep/old": b""}, "w"))
    opaque = zstd_of(ordinary_tar({"skills/.wh..wh..opq": b"", "skills/new": b""}, "w"))
    above = library.blob(opaque, "application/vnd.oci.image.layer.v1.tar+zstd")
    removal = library.blob(ordinary_tar({".wh.kept": b""}), "application/vnd.oci.image.layer.v1.tar+gzip")
    origin = registry_server.source(library, library.image(below, above, removal), "opaque")
    assert set(fetch(origin, registry_server).files) == {"skills/new"}


@pytest.fixture
def pushed(registry_server: RegistryServer, tmp_path: Path) -> dict[str, str]:
    """Files and folders that the oras client pushed; gives their artifacts' digests."""
    from oras.client import OrasClient

    client = OrasClient(hostname=registry_server.host, insecure=True)
    content = write(tmp_path / "triage", {"SKILL.md": "skill", "references/a.md": "reference"})
    (content / "run.sh").write_text("#!/bin/sh")
    (content / "run.sh").chmod(0o755)
    artifacts = {"file": [f"{content}/SKILL.md:text/markdown"], "folder": [str(content)]}
    artifacts["both"] = artifacts["file"] + artifacts["folder"]
    return {
        name: client.push(
            f"{registry_server.host}/oras:{name}", files=paths, disable_path_validation=True, quiet=True
        ).headers["Docker-Content-Digest"]
        for name, paths in artifacts.items()
    }


FOLDER = {
    "triage/SKILL.md": ("skill", False),
    "triage/references/a.md": ("reference", False),
    "triage/run.sh": ("#!/bin/sh", True),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("file", {"SKILL.md": ("skill", False)}),
        ("folder", FOLDER),
        ("both", {"SKILL.md": ("skill", False)} | FOLDER),
    ],
)
def test_an_artifact_gives_what_the_oras_client_pushed(
    registry_server: RegistryServer, pushed: dict[str, str], name: str, expected: dict[str, tuple[str, bool]]
) -> None:
    origin = registry_server.origin("oras", pushed[name])
    assert files(fetch(origin, registry_server)) == expected


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "other": lambda data: data.replace(b"0", b"1", 1),
    "shorter": lambda data: data[:-1],
    "longer": lambda data: data + b" ",
}


@pytest.mark.parametrize(
    ("part", "change"),
    [(part, change) for part in ("config", "layer") for change in CHANGES]
    # The registry itself cannot read a manifest that is cut off.
    + [("manifest", "other"), ("manifest", "longer")],
)
def test_what_is_changed_in_the_registry_s_storage_is_told(
    registry_server: RegistryServer, part: str, change: str
) -> None:
    library = Library()
    layer = library.blob(ordinary_tar({f"{part}-{change}": b""}, "w"))
    config = library.blob(f'{{"{part}": "{change}-0"}}'.encode(), CONFIG)
    image = library.image(layer, config=config)
    origin = registry_server.source(library, image, "tampered")
    assert fetch(origin, registry_server).files
    digest = {"manifest": image, "config": config, "layer": layer}[part]["digest"]
    kept = registry_server.kept(digest)
    kept.write_bytes(CHANGES[change](kept.read_bytes()))
    failure = failure_of(origin, registry_server)
    assert failure.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert f"expected `{digest}`" in failure.message
    assert f"from `{registry_server.host}`" in failure.message
    if change != "longer":
        assert f"got `{digest_of(kept.read_bytes())}`" in failure.message


def test_another_manifest_in_the_registry_s_storage_is_told(registry_server: RegistryServer) -> None:
    library = Library()
    ours = library.image(library.blob(ordinary_tar({"ours": b""}, "w")))
    theirs = library.image(library.blob(ordinary_tar({"theirs": b""}, "w")))
    origin = registry_server.source(library, ours, "exchanged")
    shutil.copy(registry_server.kept(theirs["digest"]), registry_server.kept(ours["digest"]))
    failure = failure_of(origin, registry_server)
    assert failure.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert f"expected `{ours['digest']}`, got `{theirs['digest']}`" in failure.message


def test_a_digest_that_the_registry_does_not_have_is_told(registry_server: RegistryServer) -> None:
    failure = failure_of(registry_server.origin("absent", digest_of(b"absent")), registry_server)
    assert failure.reason is Reason.ARTIFACT_NOT_FOUND


def test_only_a_configured_registry_is_asked_without_tls(
    registry_server: RegistryServer,
) -> None:
    failure = failure_of(registry_server.origin("a", digest_of(b"a")))
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "artifacts.oci.insecure" in (failure.hint or "")


@pytest.fixture
def guarded(registry_server: RegistryServer, guarded_server: RegistryServer) -> tuple[RegistryServer, str]:
    """The registry with TLS and a password, and the digest of an image in it."""
    library, image = simple()
    registry_server.upload(library, "guarded")
    return guarded_server, image["digest"]


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return str(tmp_path / "ca.pem")


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_an_authority_of_the_environment_is_trusted(
    guarded: tuple[RegistryServer, str],
    bundle: str,
    variable: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, digest = guarded
    monkeypatch.setenv(variable, bundle)
    package = fetch(server.origin("guarded", digest), keychain=keychain(tmp_path, server.host))
    assert list(package.files) == ["SKILL.md"]


def test_an_unknown_authority_is_not_trusted(guarded: tuple[RegistryServer, str], tmp_path: Path) -> None:
    server, digest = guarded
    failure = failure_of(server.origin("guarded", digest), keychain=keychain(tmp_path, server.host))
    assert f"the certificate of `{server.host}` is not trusted" in failure.message
    assert "SSL_CERT_FILE" in (failure.hint or "")


def test_a_bundle_that_is_none_is_told(
    guarded: tuple[RegistryServer, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, digest = guarded
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "absent.pem"))
    assert "`REQUESTS_CA_BUNDLE` does not name" in failure_of(server.origin("guarded", digest)).message


@pytest.mark.parametrize("entry", [{}, {"username": USER, "password": "secret-of-another"}])
def test_a_wrong_password_or_none_is_denied(
    guarded: tuple[RegistryServer, str],
    bundle: str,
    entry: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, digest = guarded
    monkeypatch.setenv("SSL_CERT_FILE", bundle)
    keys = keychain(tmp_path, server.host, **entry) if entry else Keychain({})
    failure = failure_of(server.origin("guarded", digest), keychain=keys)
    assert f"access was denied by `{server.host}`" in failure.message
    assert ("to the login that is configured" if entry else "no login is configured") in failure.message


def test_no_password_reaches_a_log(
    guarded: tuple[RegistryServer, str],
    bundle: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server, digest = guarded
    monkeypatch.setenv("SSL_CERT_FILE", bundle)
    with caplog.at_level("DEBUG"):
        fetch(server.origin("guarded", digest), keychain=keychain(tmp_path, server.host))
    assert "guarded" in caplog.text
    assert WORD not in caplog.text


def test_an_image_over_the_limits_is_refused(registry_server: RegistryServer) -> None:
    library = Library()
    image = library.image(library.blob(ordinary_tar({"large": b"x" * 5000}, "w")))
    origin = registry_server.source(library, image, "large")
    failure = failure_of(origin, registry_server, context=FetchContext(Limits(content=4000)))
    assert failure.reason is Reason.ARTIFACT_TOO_LARGE
