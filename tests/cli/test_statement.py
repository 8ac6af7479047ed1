"""`verify --statement`: what is stated is what was verified, and the reference reader understands it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement

from kagent_render import __version__
from kagent_render.agentplugin.images import PluginImage
from kagent_render.cli import plugin_images
from kagent_render.preparation.platform_agents import Images
from kagent_render.provenance.dependencies import artifact, image
from kagent_render.provenance.statement import TREE_DIGEST
from tests.cli.team import edit
from tests.running import run, tree
from tests.source.git_repositories import git

pytestmark = pytest.mark.usefixtures("fresh_cache")


def state(folder: Path, *args: str) -> Any:
    """The statement of a verification that passes."""
    done = run("verify", "--offline", "--statement", "-", *args, cwd=folder)
    assert done.status == 0, done.err
    return json.loads(done.out)


def dependencies(statement: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    return found


@pytest.fixture
def known_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registries that serve the digest in each reference."""

    def get(root: object, config: object, settings: object, wanted: list[str], progress: object) -> Images:
        return Images({name: PluginImage(name, name.partition("@")[2]) for name in wanted})

    monkeypatch.setattr(plugin_images, "get_images", get)


@pytest.fixture
def pairs(committed: Path) -> Path:
    return committed


@pytest.fixture
def agents(platform: Path, known_images: None) -> Path:
    for arguments in (
        ("init", "--quiet", "."),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "start"),
    ):
        git(platform, *arguments)
    assert run("render", cwd=platform).status == 0
    git(platform, "commit", "--quiet", "--all", "--allow-empty", "--message", "rendered")
    return platform


@pytest.fixture(params=["pairs", "agents"])
def repository(request: pytest.FixtureRequest) -> Path:
    """A committed root with pairs, and one with PlatformAgents."""
    found: Path = request.getfixturevalue(request.param)
    return found


def test_the_reference_reader_accepts_it_with_every_field_of_slsa(repository: Path) -> None:
    statement = state(repository)
    parsed = json_format.ParseDict(statement, statement_pb2.Statement())
    Statement.copy_from_pb(parsed).validate()
    predicate = json_format.ParseDict(statement["predicate"], provenance_pb2.Provenance())
    for descriptor in predicate.build_definition.resolved_dependencies:
        ResourceDescriptor.copy_from_pb(descriptor).validate()
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert predicate.build_definition.build_type.startswith("https://")
    assert predicate.run_details.builder.id.startswith("https://")
    assert dict(predicate.run_details.builder.version) == {"kagent-render": __version__}
    assert not predicate.run_details.HasField("metadata")


def test_every_output_file_is_a_subject_with_its_digest(repository: Path) -> None:
    stated = {found["name"]: found["digest"] for found in state(repository)["subject"]}
    files = tree(repository / "rendered")
    assert stated == {
        f"rendered/{path}": {"sha256": hashlib.sha256(content).hexdigest()} for path, content in files.items()
    }


def test_every_manifest_is_a_dependency_and_so_is_the_commit(repository: Path) -> None:
    found = dependencies(state(repository))
    files = {entry["name"]: entry.get("digest") for entry in found if entry.get("name", "").endswith(".yaml")}
    manifests = [path for path in tree(repository) if "/" not in path and path.endswith(".yaml")]
    assert sorted([*files, "kagent-render.yaml"]) == manifests
    for path, digest in files.items():
        if digest is not None:
            assert digest == {"sha256": hashlib.sha256((repository / path).read_bytes()).hexdigest()}
    commit = git(repository, "rev-parse", "HEAD")
    assert {"name": "source", "digest": {"gitCommit": commit}} in found
    assert dependencies(state(repository, "--rev", "HEAD")) == found


def test_the_digest_of_a_file_with_a_secret_is_withheld(pairs: Path) -> None:
    [inputs] = [found for found in dependencies(state(pairs)) if found.get("name") == "inputs.yaml"]
    assert "digest" not in inputs
    assert "withheld" in inputs["annotations"]


def test_a_work_tree_that_differs_from_the_commit_names_none(pairs: Path) -> None:
    edit(pairs / "lead.yaml", "You lead.", "You rule.")
    assert run("render", cwd=pairs).status == 0
    assert not any("gitCommit" in found.get("digest", {}) for found in dependencies(state(pairs)))
    (pairs / "notes.md").write_text("no input")
    git(pairs, "add", "--all")
    git(pairs, "commit", "--quiet", "--message", "edit")
    (pairs / "notes.md").write_text("still none")
    assert any("gitCommit" in found.get("digest", {}) for found in dependencies(state(pairs)))


def _remove(folder: Path) -> None:
    (folder / "spare.yaml").unlink()


def _empty(folder: Path) -> None:
    (folder / "spare.yaml").write_text("# nothing any more\n")


def _make_a_patch(folder: Path) -> None:
    text = "kind: Kustomization\npatches: [{path: spare.yaml}]\n"
    (folder / "kustomization.yaml").write_text(text)


LEFT_OUT = [_remove, _empty, _make_a_patch]


@pytest.mark.parametrize("leave_out", LEFT_OUT, ids=lambda change: change.__name__)
def test_a_commit_that_has_more_than_was_verified_is_not_named(
    leave_out: Callable[[Path], None], pairs: Path
) -> None:
    spare = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spare, namespace: team}\ndata: {key: text}\n"
    (pairs / "spare.yaml").write_text(spare)
    git(pairs, "add", "--all")
    git(pairs, "commit", "--quiet", "--message", "more")
    assert _commits(pairs)
    leave_out(pairs)
    assert not _commits(pairs)


def test_a_commit_with_a_root_that_is_gone_is_not_named(rendered_team: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(rendered_team, tmp_path / "both" / name)
    git(tmp_path, "init", "--quiet", "both")
    git(tmp_path / "both", "add", "--all")
    git(tmp_path / "both", "commit", "--quiet", "--message", "both")
    assert _commits(tmp_path / "both")
    shutil.rmtree(tmp_path / "both" / "second")
    assert not _commits(tmp_path / "both")


def test_a_commit_with_output_that_is_gone_is_not_named(pairs: Path) -> None:
    (pairs / "rendered" / "old.yaml").write_text("kind: Old\n")
    git(pairs, "add", "--all")
    git(pairs, "commit", "--quiet", "--message", "more")
    (pairs / "rendered" / "old.yaml").unlink()
    assert not _commits(pairs)


def _commits(folder: Path) -> list[str]:
    found = (entry.get("digest", {}).get("gitCommit") for entry in dependencies(state(folder)))
    return [commit for commit in found if commit]


def test_images_of_runtimes_and_plugins_are_dependencies(pairs: Path, request: pytest.FixtureRequest) -> None:
    uris = {found["uri"]: found["digest"] for found in dependencies(state(pairs)) if "uri" in found}
    zeros = {"sha256": "0" * 64}
    assert uris == {"oci://registry.example.com/runtime": zeros, "oci://registry.example.com/pause": zeros}
    agents: Path = request.getfixturevalue("agents")
    uris = {found["uri"]: found["digest"] for found in dependencies(state(agents)) if "uri" in found}
    assert sorted(uris) == [
        f"oci://registry.example.com/plugins/{name}" for name in ("investigator", "probe", "stockout")
    ]


def test_an_artifact_is_a_dependency_with_the_digest_of_its_content(incident: Path) -> None:
    [found] = [entry for entry in dependencies(state(incident)) if entry.get("uri", "").startswith("s3://")]
    assert found["uri"].startswith("s3://agent-content/plugins/repository-practices.zip?versionId=3HL4")
    assert list(found["digest"]) == [TREE_DIGEST]


SECRET = "https://user:hunter2@git.example.com/a.git?token=hunter2"
ARTIFACTS = [
    ({"git": {"url": SECRET, "commit": "c" * 40}}, "git+https://git.example.com/a.git@" + "c" * 40),
    ({"oci": "registry.example.com/a b:1@sha256:" + "d" * 64}, "oci://registry.example.com/a%20b:1"),
    (
        {
            "s3": {
                "bucket": "b",
                "key": "k?x#y",
                "versionId": "v/1",
                "endpoint": "https://u:hunter2@s3.example.com",
            }
        },
        "s3://b/k%3Fx%23y?versionId=v%2F1",
    ),
]


@pytest.mark.parametrize(("identity", "uri"), ARTIFACTS)
def test_no_credential_of_a_url_is_stated(identity: dict[str, object], uri: str) -> None:
    found = artifact(identity, "sha256:" + "e" * 64).document()
    assert found["uri"] == uri
    assert "hunter2" not in json.dumps(found)


def test_an_image_without_a_digest_is_named_all_the_same() -> None:
    assert image("registry.example.com/a:1").document() == {"uri": "oci://registry.example.com/a:1"}


def test_the_same_bytes_at_another_place_and_again(repository: Path, tmp_path: Path) -> None:
    first = run("verify", "--offline", "--statement", "-", cwd=repository).out
    other = tmp_path / "elsewhere" / "deeper"
    shutil.copytree(repository, other)
    assert run("verify", "--offline", "--statement", "-", "-j", "1", cwd=other).out == first
    assert str(repository) not in first
    assert str(Path.home()) not in first


def test_several_roots_are_one_statement(rendered_team: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(rendered_team, tmp_path / name)
    statement = state(tmp_path)
    roots = statement["predicate"]["buildDefinition"]["externalParameters"]["roots"]
    assert [root["path"] for root in roots] == ["one", "two"]
    names = [found["name"] for found in statement["subject"]]
    assert len(names) == len(set(names))
    assert {name.partition("/")[0] for name in names} == {"one", "two"}


def test_nothing_is_stated_where_something_is_not_proven(pairs: Path) -> None:
    edit(pairs / "lead.yaml", "You lead.", "You rule.")
    done = run("verify", "--offline", "--statement", "out.json", cwd=pairs)
    assert done.status == 1
    assert "no statement was written" in done.err
    assert not (pairs / "out.json").exists()


def test_a_statement_is_written_in_one_step(pairs: Path) -> None:
    done = run("verify", "--offline", "--statement", "out.json", cwd=pairs)
    assert (done.status, done.out) == (0, "")
    assert json.loads((pairs / "out.json").read_text()) == state(pairs)
    assert list(pairs.glob(".*~")) == []


def test_who_builds_can_be_said(pairs: Path) -> None:
    builder = "https://ci.example.com/workflows/render@refs/heads/main"
    statement = state(pairs, "--builder-id", builder)
    assert statement["predicate"]["runDetails"]["builder"]["id"] == builder


REFUSED = [
    (("--builder-id", "https://ci.example.com"), "for `--statement`"),
    (("--statement", "-", "--builder-id", "ci"), "is a URI"),
    (("--statement", "-", "--builder-id", "https://u:p@ci.example.com"), "without user information"),
    (("--statement", "-", "-o", "json"), "both write to stdout"),
    (("--statement", "s.json", "-f", "-"), "cannot be made"),
    (("--statement", "none/s.json"), "the statement cannot be written: no such file or directory"),
    (("--statement", "rendered"), "the statement cannot be written: is a directory"),
]


@pytest.mark.parametrize(("flags", "said"), REFUSED)
def test_what_cannot_be_stated_is_refused(pairs: Path, flags: tuple[str, ...], said: str) -> None:
    done = run("verify", "--offline", *flags, cwd=pairs, stdin=b"")
    assert done.status == 2
    assert said in done.err
    assert list(pairs.glob(".*~")) == []


def test_no_output_is_nothing_to_state(tmp_path: Path) -> None:
    (tmp_path / "kagent-render.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec: {}\n"
    )
    done = run("verify", "--offline", "--statement", "-", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "no output to make a statement of" in done.err
