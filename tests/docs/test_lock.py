"""`docs/lock.md` is enough to verify a lock: its algorithm, written again here, gives the same digests."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_render.agentplugin.lock_document import to_document as agent_document
from kagent_render.revision.lock_document import to_document
from tests.agentplugin.locks import full_lock as full_agent_lock
from tests.docs.embedded import embedded
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY, missing
from tests.revision.locks import full_lock
from tests.running import EXAMPLE

_NEWER = REPOSITORY / "examples" / "substrate-v0.4"
_LOCKS = [
    path for root in (EXAMPLE, _NEWER) for path in sorted((root / "rendered").rglob("revision.lock.yaml"))
]
_PLUGINS = REPOSITORY / "examples" / "plugins"
_AGENT_LOCK = _PLUGINS / "rendered/kubeagents-system/_agentplugins/platform-agent/revision.lock.yaml"
_OF_AN_AGENT = "The lock of a PlatformAgent"
_ROW = r"^\| `([a-zA-Z]+)(?:\[\]|\.[a-z]+)?` \|"
_DIGESTED = (
    *("target", "harness", "templates", "bindings", "prompts", "inputs", "artifacts", "credentials"),
    *("egress", "boundaries"),
)


def _read(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text()))


def _sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _sha256(text.encode())


def _digested(lock: dict[str, Any]) -> dict[str, Any]:
    content = {name: lock["spec"][name] for name in _DIGESTED}
    for template in content["templates"]:
        template.pop("labels", None)
        template.pop("description", None)
    content["boundaries"] = [
        {name: it[name] for name in ("path", "specDigest")} for it in content["boundaries"]
    ]
    return content


def _tree_digest(folder: Path, selected: list[str]) -> str:
    lines = b""
    for path in sorted(selected, key=str.encode):
        data = (folder / path).read_bytes()
        mode = "755" if (folder / path).stat().st_mode & 0o100 else "644"
        lines += f"{mode} {path}\0{len(data)}\0{hashlib.sha256(data).hexdigest()}\n".encode()
    return _sha256(lines)


@pytest.fixture(params=_LOCKS, ids=lambda path: "/".join(path.relative_to(REPOSITORY).parts[1::4]))
def lock_path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_a_revision_is_the_digest_of_what_the_page_lists(lock_path: Path) -> None:
    (lock,) = _read(lock_path)
    assert _digest(_digested(lock)) == lock["spec"]["revision"]


def test_the_jq_filter_of_the_page_gives_the_revision(lock_path: Path) -> None:
    jq = shutil.which("jq")
    if jq is None:
        missing("no jq on PATH")
    (lock,) = _read(lock_path)
    (filter_,) = blocks(sections(page("docs/lock.md"), 3)["How `revision` is computed"], "jq")
    flags = re.findall(r"--(?:sort-keys|compact-output|join-output)(?=.*--from-file)", page("docs/lock.md"))
    done = subprocess.run(
        [str(jq), *flags, filter_.text], input=json.dumps(lock).encode(), capture_output=True, check=True
    )
    assert len(flags) == 3
    assert _sha256(done.stdout) == lock["spec"]["revision"]


def test_spec_digests_are_those_of_the_manifests_in_the_repository(lock_path: Path) -> None:
    (lock,) = _read(lock_path)
    specs = {
        (document["kind"], document["metadata"]["name"]): document["spec"]
        for path in sorted((EXAMPLE / "agents").glob("*.yaml"))
        for document in _read(path)
    }
    spec = lock["spec"]
    locked = [("Harness", spec["harness"]), *(("AgentTemplate", it) for it in spec["templates"])]
    for kind, entry in locked:
        own = specs[kind, entry["name"]]
        assert entry["specDigest"] == _digest(own)
        assert entry["fields"] == {name: _digest(own[name])[7:19] for name in own}


def test_boundary_digests_and_names_are_those_of_their_manifests(lock_path: Path) -> None:
    (lock,) = _read(lock_path)
    for boundary in lock["spec"]["boundaries"]:
        (manifest,) = _read(lock_path.parent / boundary["manifest"])
        own = {name: value for name, value in manifest.items() if name != "metadata"}
        spec = manifest.get("spec", own)
        identity = {
            "namespace": lock["metadata"]["namespace"],
            "harness": lock["spec"]["harness"]["name"],
            "template": lock["spec"]["templates"][0]["name"],
            "bindingPath": boundary["path"],
            "spec": spec,
        }
        assert boundary["specDigest"] == _digest(spec)
        assert boundary["actorTemplate"] == manifest["metadata"]["name"]
        assert boundary["actorTemplate"][-12:] == _digest(identity)[7:19]
        if "labels" in manifest["metadata"]:
            assert manifest["metadata"]["labels"]["kagent.dev/revision"] == _digest(identity)[7:19]


def test_prompt_and_setting_digests_are_those_of_their_text_and_value(lock_path: Path) -> None:
    (lock,) = _read(lock_path)
    (config,) = _read(lock_path.parents[4] / "kagent-render.yaml")
    defaults = {"spec.controller.name": "kagent-controller", "spec.controller.namespace": "kagent"}
    defaults["spec.tools.url"] = "https://kagent-apply.kagent:8085"
    for prompt in lock["spec"]["prompts"]:
        assert prompt["digest"] == _sha256(prompt["text"].encode())
    for entry in lock["spec"]["inputs"]:
        if entry["kind"] == "RenderConfig":
            value = config
            for step in entry["key"].split("."):
                value = (value or {}).get(step)
            assert entry["digest"] == _digest(defaults.get(entry["key"], value)), entry["key"]


def test_artifact_digests_are_those_of_the_selected_files() -> None:
    (lock,) = _read(EXAMPLE / "rendered/agent-team/python-runtime/incident-coordinator/revision.lock.yaml")
    (artifact,) = lock["spec"]["artifacts"]
    (skill,) = artifact["skills"]
    (plugin,) = (EXAMPLE / ".kagent" / "artifacts").glob("sha256-*")
    own = plugin / "skills" / skill["name"]
    files = [path.relative_to(own).as_posix() for path in own.rglob("*") if path.is_file()]
    inside = [f"skills/{skill['name']}/{path}" for path in files]
    assert skill["digest"] == _tree_digest(own, files)
    assert artifact["treeDigest"] == _tree_digest(plugin, ["plugin.json", *inside])


def test_the_page_lists_every_field_of_a_full_lock_in_order() -> None:
    listed = re.findall(_ROW, sections(page("docs/lock.md"), 2)["Fields"], re.MULTILINE)
    assert list(dict.fromkeys(listed)) == list(to_document(full_lock())["spec"])


def test_the_page_lists_every_field_of_an_agent_s_lock_in_order() -> None:
    document = agent_document(full_agent_lock())
    rows = re.findall(_ROW, sections(page("docs/lock.md"), 2)[_OF_AN_AGENT], re.MULTILINE)
    first = rows.index("reference")
    last = rows.index("note") + 1
    assert rows[:first] == list(document["spec"])
    images = [plugin["image"] for plugin in document["spec"]["plugins"] if "image" in plugin]
    fields = dict.fromkeys(name for image in images for name in image)
    assert sorted(rows[first:last]) == sorted(fields)


def test_the_page_names_every_field_of_a_locked_plugin_agent_and_manifest() -> None:
    spec = agent_document(full_agent_lock())["spec"]
    named = set(re.findall(r"`(\w+)`", sections(page("docs/lock.md"), 2)[_OF_AN_AGENT]))
    entries = [spec["agent"], spec["imageVolumes"], *spec["plugins"], *spec["config"]]
    manifests = [plugin["image"].get("manifest", {}) for plugin in spec["plugins"] if "image" in plugin]
    assert {name for entry in (*entries, *manifests) for name in entry} - named == set()


def test_the_filter_for_an_agent_s_lock_gives_its_revision() -> None:
    jq = shutil.which("jq")
    if jq is None:
        missing("no jq on PATH")
    (lock,) = _read(_AGENT_LOCK)
    (filter_,) = blocks(sections(page("docs/lock.md"), 2)[_OF_AN_AGENT], "jq")
    flags = ["--sort-keys", "--compact-output", "--join-output"]
    done = subprocess.run(
        [str(jq), *flags, filter_.text], input=json.dumps(lock).encode(), capture_output=True, check=True
    )
    assert _sha256(done.stdout) == lock["spec"]["revision"]


def test_the_digests_of_an_agent_s_config_are_those_of_its_config_map() -> None:
    (lock,) = _read(_AGENT_LOCK)
    (config_map,) = _read(_AGENT_LOCK.with_name("configmap.yaml"))
    data = config_map["data"]
    assert {entry["key"]: entry["digest"] for entry in lock["spec"]["config"]} == {
        key: _sha256(text.encode()) for key, text in data.items()
    }
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert lock["spec"]["configHash"] == _sha256(text.encode()).removeprefix("sha256:")
    for plugin in lock["spec"]["plugins"]:
        (manifest,) = _read(_PLUGINS / "plugins" / f"{plugin['name']}.yaml")
        assert plugin["configDigest"] == _sha256(manifest["spec"]["config"].encode())
        assert plugin["specDigest"] == _digest(manifest["spec"])


@pytest.mark.parametrize(("name", "block"), [pytest.param(*it, id=it[1].path) for it in embedded()])
def test_a_file_on_a_page_is_the_file_in_the_repository(name: str, block: Any) -> None:
    assert block.text == page(block.path), f"{name}: run `python -m tests.docs.embedded`"
