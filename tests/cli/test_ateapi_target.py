"""A root whose target is Substrate's own API, as `render` and `check` see it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.source.yaml import read_yaml
from tests.cli.team import (
    CONFIG,
    HARNESS,
    INPUTS,
    PAIR,
    PAIR_FOLDER,
    actor_templates,
    edit,
    lock_spec,
    write_team,
)
from tests.running import run, tree
from tests.source.git_repositories import git

BEARER = INPUTS.replace("AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK")
NEW = CONFIG.replace("ate.dev/v1alpha1", "ateapi/v0.4")


def write_root(folder: Path, **texts: str) -> Path:
    """The team for the new target; `texts` replace its files by their names without `.yaml`."""
    write_team(folder)
    for name, text in {"kagent-render": NEW, "inputs": BEARER, **texts}.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_root(tmp_path_factory.mktemp("root"))
    done = run("render", "--offline", cwd=root)
    assert done.status == 0, done.err
    return root


@pytest.fixture
def root(rendered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(rendered, tmp_path / "root"))


def manifests(folder: Path) -> list[Any]:
    found = sorted((folder / PAIR_FOLDER / "actortemplates").glob("*.yaml"))
    return [read_yaml(path.read_bytes())[0].value for path in found]


def test_no_manifest_refers_to_a_secret_and_the_lock_binds_each_credential_where_it_goes(
    rendered: Path,
) -> None:
    for manifest in manifests(rendered):
        env = {entry["name"]: entry.get("value") for entry in manifest["containers"][0]["env"]}
        assert env["AWS_BEARER_TOKEN_BEDROCK"] == "kagent-credential-injected"
        assert "aws" not in {*env.values()}
    for found in lock_spec(rendered)["credentials"]:
        assert found["bindings"] == [
            {
                "hostname": "bedrock-runtime.eu-central-1.amazonaws.com",
                "header": "authorization",
                "prefix": "Bearer ",
            }
        ]


SHARED_HEADER = """\
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata: {namespace: team, name: aws}
spec:
  provider: Anthropic
  model: m
  apiKeySecret: proxy
  apiKeySecretKey: token
  anthropic: {baseUrl: "https://a.example.com"}
---
apiVersion: kagent.dev/v1alpha2
kind: RemoteMCPServer
metadata: {namespace: team, name: a}
spec:
  description: d
  url: https://a.example.com/mcp
  headersFrom:
  - name: X-API-Key
    valueFrom: {type: Secret, name: proxy, key: token}
---
"""


def test_a_variable_lists_a_header_that_it_shares_with_another_beside_its_own(tmp_path: Path) -> None:
    of_server = SHARED_HEADER.partition("---\n")[2]
    elsewhere = of_server.replace("name: a}", "name: b}").replace("a.example", "b.example")
    rest = BEARER.partition("---\n")[2]
    root = write_root(tmp_path / "root", inputs=f"{SHARED_HEADER}{elsewhere}{rest}")
    for name in ("a", "b"):
        tool = f"  - mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{name}]}}\n"
        edit(root / "lead.yaml", "  harnesses:", f"{tool}  harnesses:")
    assert run("render", "--offline", cwd=root).status == 0
    hosts = {
        found["env"][:17]: [header["hostname"] for header in found["bindings"] if "prefix" not in header]
        for found in lock_spec(root)["credentials"]
        if not found["boundary"]
    }
    both = ["a.example.com", "b.example.com"]
    assert hosts == {"ANTHROPIC_API_KEY": both[:1], "KAGENT_CREDENTIAL": both}
    explained = run("explain", "--offline", PAIR, "bindings", cwd=root).out
    assert "env[ANTHROPIC_API_KEY] and containers[0].env[KAGENT_CREDENTIAL_" in " ".join(explained.split())


def test_every_origin_has_one_rule_and_the_bound_one_its_credential(rendered: Path) -> None:
    for egress in lock_spec(rendered)["egress"]:
        rules = [
            f"{scheme}://{rule['hostnames'][0]}:{rule['ports']['numbers'][0]}"
            for found in egress["rules"]
            for scheme, rule in found.items()
        ]
        assert rules == egress["origins"]
        bound = [rule for rule in egress["rules"] if "effects" in next(iter(rule.values()))]
        assert [rule["https"]["effects"]["replaceHeaders"] for rule in bound] == [
            [
                {
                    "header": "authorization",
                    "prefix": "Bearer ",
                    "credentialUri": "ate-secret://k8s.io/default/team/aws/AWS_BEARER_TOKEN_BEDROCK",
                }
            ]
        ]


def test_a_root_is_current_after_it_was_rendered(root: Path) -> None:
    assert run("check", "--frozen", cwd=root).status == 0
    before = tree(root)
    assert run("render", "--offline", cwd=root).status == 0
    assert tree(root) == before


def test_a_pause_image_is_neither_needed_nor_an_input(root: Path) -> None:
    (line,) = [line for line in NEW.splitlines(keepends=True) if "pauseImage" in line]
    edit(root / "kagent-render.yaml", line, "")
    assert run("check", "--frozen", cwd=root).status == 0
    assert "spec.substrate.pauseImage" not in {found.get("key") for found in lock_spec(root)["inputs"]}


def test_protection_changes_no_manifest(root: Path) -> None:
    edit(root / "kagent-render.yaml", "protect: true", "protect: false")
    assert run("check", "--frozen", cwd=root).status == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kagent-credential-injected", "a-real-key"),
        ("# binding path: critic\n", ""),
        ("port: 8081", "port: 1"),
    ],
)
def test_an_edited_manifest_is_told(root: Path, old: str, new: str) -> None:
    (path,) = (root / PAIR_FOLDER / "actortemplates").glob("*critic*")
    path.write_text(path.read_text().replace(old, new, 1))
    done = run("check", "--frozen", "-o", "json", cwd=root)
    assert [fault["reason"] for fault in done.faults] == ["OutputDrift"]


def test_a_manifest_of_an_earlier_revision_stays_and_is_watched(root: Path) -> None:
    run("render", "--offline", cwd=root)
    earlier = actor_templates(root)
    edit(root / "lead.yaml", "You lead.", "You lead them.")
    assert run("render", "--offline", cwd=root).status == 0
    kept = actor_templates(root)
    assert earlier < kept
    (gone,) = earlier - {found["actorTemplate"] for found in lock_spec(root)["boundaries"]}
    path = root / PAIR_FOLDER / "actortemplates" / f"{gone}.yaml"
    path.write_text(path.read_text().replace("port: 8081", "port: 1"))
    done = run("check", "--frozen", "-o", "json", cwd=root)
    assert [(fault["reason"], fault["severity"]) for fault in done.faults] == [("OutputDrift", "error")]


AWS = ("CredentialUnsupported", "ModelConfig/aws", "spec.apiKeySecret")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"inputs": INPUTS}, [AWS]),
        (
            {"kagent-render": NEW.replace("s3://snapshots/team", "snapshots")},
            [("ConfigInvalid", "RenderConfig/None", "spec.substrate.snapshotLocation")],
        ),
        (
            {"kagent-render": NEW + "  tools: {url: 'https://Kagent-Controller.kagent:8084'}\n"},
            [("ConfigInvalid", "RenderConfig/None", "spec.tools.url")],
        ),
        (
            {"harness": HARNESS.replace("runtime@", "\N{EM SPACE}@")},
            [("InvalidSpec", "Harness/runtime", "spec.workload.image")],
        ),
        (
            {"kagent-render": NEW + "  tools: {url: 'https://10.0.0.1:8085'}\n"},
            [("ConfigInvalid", "RenderConfig/None", "spec.tools.url")],
        ),
        (
            {
                "kagent-render": NEW.replace(
                    "kagent-controller\n", "kagent-controller\n    namespace: '123'\n"
                )
            },
            [("ConfigInvalid", "RenderConfig/None", "spec.controller.namespace")],
        ),
        (
            {
                "harness": HARNESS.replace(
                    "spec:\n",
                    "spec:\n  substrate: {workerPoolRef: {name: p}, snapshotPolicy: {location: s}}\n",
                )
            },
            [("InvalidSpec", "Harness/runtime", "spec.substrate.snapshotPolicy.location")],
        ),
        (
            {"harness": HARNESS.replace("LEVEL", "SSL_CERT_FILE")},
            [("ReservedEnvName", "Harness/runtime", "spec.env[0].name")],
        ),
        (
            {"harness": HARNESS.replace("LEVEL", "SSL_CERT_DIR")},
            [("ReservedEnvName", "Harness/runtime", "spec.env[0].name")],
        ),
        (
            {"harness": HARNESS.replace("LEVEL", "KAGENT_API_URL")},
            [("ReservedEnvName", "Harness/runtime", "spec.env[0].name")],
        ),
        (
            {"harness": HARNESS.replace("value: info", "credentialRef: {name: any, key: token}")},
            [("CredentialUnsupported", "Harness/runtime", "spec.env[0].credentialRef")],
        ),
        (
            {"inputs": BEARER.replace("https://search.example.com", "http://192.0.2.7")},
            [("EgressUnsupported", "RemoteMCPServer/search", "spec.url")],
        ),
    ],
)
def test_what_the_target_cannot_carry_is_told_where_it_is_written(
    texts: dict[str, str], told: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    done = run("check", "--offline", "-o", "json", cwd=write_root(tmp_path / "root", **texts))
    found = {
        (fault["reason"], f"{fault['object']['kind']}/{fault['object']['name']}", fault["field"])
        for fault in done.faults
        if fault["severity"] == "error" and fault["object"] is not None
    }
    assert found == set(told)
    assert done.status == (2 if told[0][0] == "ConfigInvalid" else 1)


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "KAGENT_API_URL"])
def test_another_target_does_not_reserve_what_this_one_does(name: str, tmp_path: Path) -> None:
    texts = {"kagent-render": CONFIG, "harness": HARNESS.replace("LEVEL", name)}
    done = run("render", "--offline", cwd=write_root(tmp_path / "root", **texts))
    assert done.status == 0, done.err


def test_the_pre_release_is_a_target_of_its_own_and_keeps_what_the_other_wrote(root: Path) -> None:
    git(root, "init", "--quiet", "--template=", ".")
    git(root, "add", "--all", ".")
    git(root, "commit", "--quiet", "--message", "start")
    newer = actor_templates(root)
    edit(root / "kagent-render.yaml", "ateapi/v0.4", "ateapi/v0.4.0-alpha1")
    assert run("check", "--frozen", cwd=root).status == 1
    assert run("render", "--offline", cwd=root).status == 0
    assert run("check", "--frozen", cwd=root).status == 0
    assert newer < actor_templates(root)
    for found in lock_spec(root)["boundaries"]:
        path = root / PAIR_FOLDER / found["manifest"]
        assert (
            read_yaml(path.read_bytes())[0].value["snapshotConfig"]["onPause"]
            == "SNAPSHOT_CONTENT_SCOPE_FULL"
        )
    review = run("diff", "-o", "json", cwd=root)
    (changed,) = review.json["roots"]
    shapes = [change["name"] for change in changed["changes"] if change["topic"] == "shape"]
    assert sorted(shapes) == ["snapshots", "variables", "volumes"]
