"""The example's plugin out of a real versioned bucket, on a copy with the version that the server gave."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from kagent_render.source.yaml import read_yaml
from tests.artifacts.conftest import S3Server
from tests.running import EXAMPLE, copy_example, run, tree
from tests.source.git_repositories import git

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("credentials", "fresh_cache")]

STORE = ".kagent/artifacts"
KEY = "plugins/repository-practices.zip"
VERSION = "3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY"
LOCK = "rendered/agent-team/python-runtime/incident-coordinator/revision.lock.yaml"


def plugin(marker: bytes = b"") -> bytes:
    """The vendored content of the example as the archive that it came from."""
    [content] = (EXAMPLE / ".kagent/artifacts").glob("sha256-*")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in content.rglob("*") if path.is_file()):
            name = path.relative_to(content).as_posix()
            archive.writestr(name, path.read_bytes() + (marker if name.endswith("SKILL.md") else b""))
    return written.getvalue()


def fetched_example(target: Path, server: S3Server, version: str) -> Path:
    """The example without its vendored store, pinned to `version` of the object on `server`."""
    root = copy_example(target, rendered=False)
    for path in sorted((root / ".kagent").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    config, coordinator = root / "kagent-render.yaml", root / "agents/incident-coordinator.yaml"
    config.write_text(
        config.read_text().replace("    s3:\n", f"    s3:\n      endpoint: {server.endpoint}\n")
    )
    coordinator.write_text(coordinator.read_text().replace(VERSION, f'"{version}"'))
    return root


def artifact(root: Path) -> dict[str, object]:
    [lock] = read_yaml((root / LOCK).read_bytes())
    [found] = lock.value["spec"]["artifacts"]
    return {name: value for name, value in found.items() if name != "source"}


def test_the_example_is_prepared_from_the_bucket_as_from_the_repository(
    s3_server: S3Server, tmp_path: Path
) -> None:
    version = s3_server.put(KEY, plugin())
    root = fetched_example(tmp_path / "incident", s3_server, version)
    s3_server.put(KEY, plugin(b"\nand something else\n"))
    done = run("render", cwd=root)
    assert done.status == 0, done.err
    assert artifact(root) == artifact(EXAMPLE)
    assert run("check", cwd=root).status == 0
    assert run("check", "--offline", cwd=root).status == 0
    verified = run("verify", cwd=root)
    assert verified.status == 0, verified.err
    assert "3 pairs verified" in verified.err


def test_another_version_of_the_object_is_another_revision(s3_server: S3Server, tmp_path: Path) -> None:
    first, second = s3_server.put(KEY, plugin()), s3_server.put(KEY, plugin(b"\nand something else\n"))
    root = fetched_example(tmp_path / "incident", s3_server, first)
    assert run("render", cwd=root).status == 0
    coordinator = root / "agents/incident-coordinator.yaml"
    coordinator.write_text(coordinator.read_text().replace(first, second))
    [stale] = run("check", "-o", "json", cwd=root).faults
    assert (stale["reason"], stale["field"]) == ("LockStale", "spec.plugins")
    assert run("render", cwd=root).status == 0
    assert artifact(root) != artifact(EXAMPLE)


def test_the_example_is_vendored_from_the_bucket_and_used_without_it(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = fetched_example(tmp_path / "incident", s3_server, s3_server.put(KEY, plugin()))
    done = run("vendor", "-o", "json", cwd=root)
    assert done.status == 0, done.err
    (vendored,) = done.json["artifacts"]
    (content,) = (EXAMPLE / STORE).glob("sha256-*")
    assert (vendored["state"], vendored["treeDigest"]) == ("added", content.name.replace("-", ":"))
    assert tree(root / STORE / content.name) == tree(content)
    assert run("render", "--offline", "--no-cache", cwd=root).status == 0
    git(root, "init", "--quiet", ".")
    git(root, "add", "--force", "--all")
    git(root, "commit", "--quiet", "--message", "vendored")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "--quiet", str(root), "clone")
    for command in ("vendor --check", "render --offline", "check --frozen", "check --frozen --staged"):
        assert run(*command.split(), cwd=tmp_path / "clone").status == 0, command
    assert tree(tmp_path / "clone" / STORE) == tree(root / STORE)


def test_a_bucket_that_lost_its_version_leaves_the_repository_as_it_was(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    version = s3_server.put(KEY, plugin())
    root = fetched_example(tmp_path / "incident", s3_server, version)
    s3_server.client.delete_object(Bucket=s3_server.bucket, Key=KEY, VersionId=version)
    before = tree(root)
    (fault,) = run("vendor", "-o", "json", cwd=root).faults
    assert (fault["reason"], fault["field"]) == ("ArtifactNotFound", "spec.plugins[0].source")
    assert tree(root) == before
