"""What is planned for the objects of a root beyond their texts: lists, servers, the vendored index."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.index import INDEX
from kagent_render.migration.objects import NEW
from kagent_render.migration.plan import Migration, plan_migration
from kagent_render.preparation.completeness import policy_of
from tests.migration.roots import CONFIG, OLD, migrated, prepared, read, texts

MODEL = (
    f"{{apiVersion: {OLD}, kind: ModelConfig, metadata: {{namespace: team, name: NAME}},"
    " spec: {model: m, openAI: {reasoningEffort: EFFORT}}}"
)
LOW, MAX = (MODEL.replace("NAME", name).replace("EFFORT", name) for name in ("low", "max"))
SKILLED = f"""\
apiVersion: {OLD}
kind: AgentTemplate
metadata: {{namespace: team, name: skilled}}
spec:
  modelConfig: {{name: low}}
  skills:
  - {{name: practice, source: {{bucket: {{s3: {{bucket: b, key: k, versionId: v}}}}}}}}
"""
DIGEST = f"sha256:{'a' * 64}"


def moved(text: str, path: str = "a.yaml") -> str:
    """A root's only file after its migration."""
    migration = migrated({path: text.encode()})
    assert not migration.failed, migration.diagnostics
    return migration.contents.get(path, text.encode()).decode()


def typed(*items: str) -> str:
    """A ModelConfigList of the old version."""
    return f"apiVersion: {OLD}\nkind: ModelConfigList\nitems:\n" + "".join(f"- {item}\n" for item in items)


def test_a_typed_list_moves_with_its_items() -> None:
    assert moved(typed(LOW)) == typed(LOW).replace(OLD, NEW)


def test_a_typed_list_stays_where_one_of_its_items_does() -> None:
    assert moved(typed(LOW, MAX)) == typed(LOW.replace(OLD, NEW), MAX)


def test_an_object_in_a_list_in_a_list_moves() -> None:
    text = f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {LOW}\n"
    assert moved(text) == text.replace(OLD, NEW)


def test_many_objects_of_one_list_move_together() -> None:
    models = "".join(f"- {LOW.replace('name: low', f'name: m{number}')}\n" for number in range(300))
    text = f"apiVersion: v1\nkind: List\nitems:\n{models}"
    assert moved(text) == text.replace(OLD, NEW)


def test_json_gets_no_second_document() -> None:
    desk = {
        "apiVersion": "kagent.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {"namespace": "team", "name": "desk"},
        "spec": {"deployment": {}},
    }
    tool = "  tools: [{mcp: {server: {kind: MCPServer, name: desk}, tools: [find]}}]\n"
    config = CONFIG.replace("spec:\n", 'spec:\n  sources: ["**/*.yaml", "**/*.json"]\n')
    files = {
        "kagent-render.yaml": config.encode(),
        "desk.json": json.dumps(desk).encode(),
        "a.yaml": (SKILLED.split("  skills")[0] + tool).encode(),
        "b.yaml": LOW.encode(),
    }
    [fault] = [found for found in migrated(files).diagnostics if found.is_error]
    assert fault.message == "RemoteMCPServer `desk` cannot be written behind MCPServer `desk`"
    assert fault.hint is not None
    assert "with `spec.url: http://desk.team:3000/mcp`" in fault.hint


def with_index(files: Mapping[str, bytes], index: bytes) -> Migration:
    """The migration of a root with a vendored store."""
    config, reader = read(files)
    return plan_migration(texts(reader, config), prepared(files).inventory, policy_of(config), index)


def index_of(*sources: str) -> bytes:
    """An index with one entry for each S3 source, in the one order that an index has."""
    head = "apiVersion: render.kagent.dev/v1alpha1\nkind: ArtifactIndex\nartifacts:\n"
    entry = "- source:\n    s3:\n      bucket: b\n{}      key: k\n      versionId: v\n  treeDigest: {}\n"
    return (head + "".join(entry.format(source, DIGEST) for source in sources)).encode()


def test_vendored_content_is_known_by_both_sources_until_the_manifests_are_written() -> None:
    files = {"a.yaml": f"{SKILLED}---\n{LOW}\n".encode()}
    plan = {file.path: file for file in with_index(files, index_of("")).files}[INDEX]
    assert plan.before == index_of("")
    assert plan.after.replace(b"key: k\n      ", b"").count(b"endpoint") == 1
    assert plan.between is not None
    assert plan.between.count(b"versionId: v") == 2


def test_an_index_without_such_a_source_stays() -> None:
    files = {"a.yaml": f"{SKILLED}---\n{LOW}\n".encode()}
    other = index_of("").replace(b"key: k", b"key: other")
    assert INDEX not in with_index(files, other).contents


def test_an_index_that_is_none_is_told() -> None:
    with pytest.raises(ArtifactFailure):
        with_index({"a.yaml": f"{SKILLED}---\n{LOW}\n".encode()}, b"a: 1\n")
