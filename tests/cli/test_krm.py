"""`krm` prepares the items of a ResourceList and leaves everything else as it is."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.platform import AGENT_FILES
from tests.cli.team import CONFIG, FILES, edit
from tests.running import run, tree

INTERNAL = "internal.config.kubernetes.io"
LEGACY = "config.kubernetes.io"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"on": "yes"}}


def noted(path: str, index: int) -> dict[str, str]:
    """What an orchestrator notes on an item."""
    return {
        f"{INTERNAL}/path": path,
        f"{INTERNAL}/index": str(index),
        f"{INTERNAL}/id": "7",
        f"{LEGACY}/path": path,
        f"{LEGACY}/index": str(index),
        "config.k8s.io/id": "7",
    }


def team_items() -> list[dict[str, Any]]:
    """The manifests of `team` as an orchestrator passes them."""
    items = []
    for name, text in FILES.items():
        for index, value in enumerate(yaml.safe_load_all(text) if name != "kagent-render.yaml" else ()):
            value["metadata"]["annotations"] = noted(name, index)
            items.append(value)
    return items


def config() -> dict[str, Any]:
    """RenderConfig as a functionConfig."""
    found: dict[str, Any] = yaml.safe_load(CONFIG)
    return {**found, "metadata": {"name": "agents"}}


def of_root(root: str = ".", **spec: object) -> dict[str, Any]:
    """A functionConfig that names a committed root."""
    return {
        "apiVersion": "render.kagent.dev/v1alpha1",
        "kind": "KagentRender",
        "metadata": {"name": "agents"},
        "spec": {"root": root, **spec},
    }


@dataclass(frozen=True)
class Answer:
    """What a function answered."""

    status: int
    document: dict[str, Any]
    err: str

    @property
    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.document["items"]
        return found

    @property
    def results(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.document.get("results", [])
        return found

    @property
    def errors(self) -> list[dict[str, Any]]:
        return [result for result in self.results if result["severity"] == "error"]

    @property
    def templates(self) -> list[dict[str, Any]]:
        return [item for item in self.items if item["kind"] == "ActorTemplate"]


def call(folder: Path, items: list[Any], function: Any, *args: str) -> Answer:
    """Run the function in `folder`; whatever it answers is a whole ResourceList, and nothing is written."""
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    if function is not None:
        given["functionConfig"] = function
    before = tree(folder)
    done = run("krm", *args, cwd=folder, stdin=yaml.safe_dump(given, sort_keys=False).encode())
    assert tree(folder) == before
    (document,) = yaml.safe_load_all(done.out)
    assert (document["apiVersion"], document["kind"]) == (given["apiVersion"], given["kind"])
    assert document.get("functionConfig") == function
    answer = Answer(done.status, document, done.err)
    assert answer.status == (1 if answer.errors else 0)
    return answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a function runs that needs no file."""
    return tmp_path_factory.mktemp("nothing")


@pytest.fixture(scope="module")
def prepared(folder: Path) -> Answer:
    """The items of `team`, with a Service among them, prepared by themselves."""
    return call(folder, [SERVICE, *team_items()], config())


def without_places(value: dict[str, Any]) -> dict[str, Any]:
    """An object without what an orchestrator noted."""
    found = copy.deepcopy(value)
    annotations = found["metadata"]["annotations"]
    for name in list(annotations):
        if name.startswith((INTERNAL, LEGACY)):
            del annotations[name]
    return found


def test_items_stay_as_they_were_and_actor_templates_follow(prepared: Answer) -> None:
    given = [SERVICE, *team_items()]
    assert prepared.items[: len(given)] == given
    assert {item["kind"] for item in prepared.items[len(given) :]} == {"ActorTemplate"}


def test_actor_templates_are_those_that_render_writes(prepared: Answer, rendered_team: Path) -> None:
    written = [yaml.safe_load(path.read_text()) for path in rendered_team.rglob("actortemplates/*.yaml")]
    found = {item["metadata"]["name"]: without_places(item) for item in prepared.templates}
    assert found == {item["metadata"]["name"]: item for item in written}


def test_a_new_item_has_the_path_that_render_gives_it(prepared: Answer, rendered_team: Path) -> None:
    for item in prepared.templates:
        annotations = item["metadata"]["annotations"]
        path = annotations[f"{INTERNAL}/path"]
        assert (rendered_team / path).is_file()
        assert annotations[f"{LEGACY}/path"] == path
        assert annotations[f"{INTERNAL}/index"] == annotations[f"{LEGACY}/index"] == "0"


def test_a_second_call_changes_nothing(prepared: Answer, folder: Path) -> None:
    again = call(folder, prepared.items, config())
    assert again.document == prepared.document


def test_an_actor_template_is_replaced_in_its_place_and_keeps_its_notes(
    prepared: Answer, folder: Path
) -> None:
    items = copy.deepcopy(prepared.items)
    old = items.pop()
    old["spec"]["sandboxClass"] = "none"
    old["metadata"]["annotations"] = noted("kept/here.yaml", 3)
    answer = call(folder, [old, *items], config())
    assert answer.status == 0
    fresh = answer.items[0]
    assert fresh["spec"]["sandboxClass"] == "gvisor"
    assert {name: fresh["metadata"]["annotations"][name] for name in noted("", 0)} == noted(
        "kept/here.yaml", 3
    )
    assert len(answer.items) == len(prepared.items)


def test_an_actor_template_of_an_earlier_revision_passes_through(prepared: Answer, folder: Path) -> None:
    earlier = copy.deepcopy(prepared.items[-1])
    earlier["metadata"]["name"] = "lead-runtime-000000000000"
    answer = call(folder, [*team_items(), earlier], config())
    assert earlier in answer.items


def _as_an_item(value: Any) -> Any:
    return value


def _in_a_list(value: Any) -> Any:
    return {"apiVersion": "v1", "kind": "List", "items": [{"kind": "List", "items": [value]}]}


@pytest.mark.parametrize("hide", [_as_an_item, _in_a_list])
def test_a_second_one_of_an_actor_template_cannot_pass_beside_the_first(
    hide: Callable[[Any], Any], prepared: Answer, folder: Path
) -> None:
    second = copy.deepcopy(prepared.templates[0])
    second["spec"]["sandboxClass"] = "none"
    given = [*prepared.items, hide(second)]
    answer = call(folder, given, config())
    assert answer.items == given
    [error] = answer.errors
    assert error["tags"]["reason"] == "DuplicateObject"
    assert error["resourceRef"]["name"] == second["metadata"]["name"]


def test_a_message_names_the_files_of_the_orchestrator_or_numbers_of_items(folder: Path) -> None:
    first, second = copy.deepcopy(team_items()), copy.deepcopy(team_items())
    for item in first:
        item["metadata"]["annotations"] = noted("agents/here.yaml", 0)
    for item in second:
        item["metadata"].pop("annotations", None)
    answer = call(folder, [*first, *second], config())
    messages = [error["message"] for error in answer.errors]
    assert any(f"at agents/here.yaml and at item {len(first) + 1}" in message for message in messages)
    assert "items/0" not in str(answer.document["results"])


def test_notes_of_an_orchestrator_change_no_byte_of_what_is_prepared(prepared: Answer, folder: Path) -> None:
    bare = team_items()
    for item in bare:
        del item["metadata"]["annotations"]
    answer = call(folder, bare, config())
    assert [item["metadata"]["name"] for item in answer.templates] == [
        item["metadata"]["name"] for item in prepared.templates
    ]


def test_the_order_of_items_does_not_matter(prepared: Answer, folder: Path) -> None:
    answer = call(folder, team_items()[::-1], config())
    assert answer.templates == prepared.templates


def test_a_value_of_a_secret_passes_through_and_is_told_nowhere(folder: Path) -> None:
    items = team_items()
    secret = next(item for item in items if item["kind"] == "Secret")
    assert secret["stringData"]["AWS_ACCESS_KEY_ID"] == "not-kept"
    secret["stringData"] = {"AWS_ACCESS_KEY_ID": ["hunter2"]}
    answer = call(folder, items, config())
    assert secret in answer.items
    assert "hunter2" not in str(answer.results) + answer.err + str(answer.templates)


def test_a_list_among_the_items_is_read(prepared: Answer, folder: Path) -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": team_items()}
    answer = call(folder, [listed], config())
    assert answer.items[0] == listed
    assert answer.templates == prepared.templates


def test_without_items_of_our_kinds_nothing_is_done(folder: Path) -> None:
    answer = call(folder, [SERVICE], config())
    assert (answer.status, answer.items, answer.results) == (0, [SERVICE], [])


def break_item(kind: str, change: Callable[[dict[str, Any]], object]) -> list[dict[str, Any]]:
    """The items of `team`, one of them changed."""
    items = team_items()
    change(next(item for item in items if item["kind"] == kind))
    return items


BROKEN = {
    "an unknown field": (
        "AgentTemplate",
        lambda item: item["spec"].update(sytemPrompt="x"),
        "UnknownField",
        "spec.sytemPrompt",
    ),
    "a model that is not there": (
        "AgentTemplate",
        lambda item: item["spec"].update(modelConfig={"name": "none"}),
        "ModelConfigNotFound",
        "spec.modelConfig.name",
    ),
    "an image by tag": (
        "Harness",
        lambda item: item["spec"]["workload"].update(image="registry.example.com/runtime:latest"),
        "InvalidSpec",
        "spec.workload.image",
    ),
    "an artifact that only the network has": (
        "AgentTemplate",
        lambda item: item["spec"].update(
            skills=[{"name": "triage", "source": {"oci": f"registry.example.com/triage@sha256:{'1' * 64}"}}]
        ),
        "ArtifactUnavailableOffline",
        "spec.skills[0].source",
    ),
}


@pytest.fixture(scope="module", params=list(BROKEN.values()), ids=list(BROKEN))
def broken(request: pytest.FixtureRequest, folder: Path) -> tuple[Answer, list[dict[str, Any]], str, str]:
    """What is answered where one item has a fault, the items, and the reason and field to expect."""
    kind, change, reason, field = request.param
    items = break_item(kind, change)
    return call(folder, [SERVICE, *items], config()), [SERVICE, *items], reason, field


def test_a_fault_leaves_the_items_alone(broken: tuple[Answer, list[Any], str, str]) -> None:
    answer, items, _, _ = broken
    assert answer.status == 1
    assert answer.items == items


def test_a_fault_is_a_result_at_its_field_object_and_file(broken: tuple[Answer, list[Any], str, str]) -> None:
    answer, _, reason, field = broken
    found = next(result for result in answer.errors if result["tags"]["reason"] == reason)
    assert found["field"]["path"].startswith(field)
    assert found["resourceRef"]["namespace"] == "team"
    assert found["file"]["path"] in FILES
    assert found["file"]["index"] == 0
    assert found["message"] in answer.err


def test_results_have_nothing_but_what_the_specification_knows(
    broken: tuple[Answer, list[Any], str, str],
) -> None:
    known = {"message", "severity", "resourceRef", "field", "file", "tags"}
    for result in broken[0].results:
        assert result.keys() <= known
        assert result["severity"] in ("error", "warning", "info")
        assert all(isinstance(text, str) for text in result["tags"].values())


CONFIGS: dict[str, Any] = {
    "none": None,
    "text": "RenderConfig",
    "another kind": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"root": "."}},
    "an unknown field": {**config(), "spec": {"tarmac": "x"}},
    "another version": {**config(), "apiVersion": "render.kagent.dev/v9"},
    "a root of another version": {**of_root(), "apiVersion": "render.kagent.dev/v9"},
    "a root without a name": of_root(""),
    "a root that is no text": of_root(["."]),  # type: ignore[arg-type]
    "an unknown field beside the root": of_root(".", verify=False),
    "a root above": of_root("../nothing"),
    "an absolute root": of_root("/etc"),
    "a root that is not there": of_root("x" * 5000),
    "a root with a null": of_root("a\0b"),
    "a root that is no root": of_root("."),
}


@pytest.mark.parametrize("function", CONFIGS.values(), ids=CONFIGS)
def test_a_configuration_that_says_nothing_is_an_error_result(function: Any, folder: Path) -> None:
    if isinstance(function, dict) and "\0" in str(function.get("spec", {}).get("root")):
        function["spec"]["root"] = "a\x01b"
    answer = call(folder, [SERVICE, *team_items()], function)
    assert answer.status == 1
    assert answer.items == [SERVICE, *team_items()]
    assert len(answer.errors) == 1
    assert len(answer.errors[0]["message"]) < 300


STDIN = {
    "nothing": b"",
    "text": b"hello",
    "another kind": b"apiVersion: v1\nkind: List\n",
    "deep nesting": b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: " + b"[" * 100_000,
}


@pytest.mark.parametrize("data", STDIN.values(), ids=STDIN)
def test_even_garbage_is_answered_with_a_resource_list(data: bytes, folder: Path) -> None:
    done = run("krm", cwd=folder, stdin=data)
    document = yaml.safe_load(done.out)
    assert done.status == 1
    assert (document["kind"], document["items"]) == ("ResourceList", [])
    assert [result["severity"] for result in document["results"]] == ["error"]


ODD_ITEMS: list[Any] = [
    None,
    "text",
    7,
    [],
    {},
    {"apiVersion": 1, "kind": ["x"]},
    {"apiVersion": "kagent.dev/v1alpha2", "kind": "AgentTemplate"},
    {"apiVersion": "kagent.dev/v1alpha2", "kind": "AgentTemplate", "metadata": "x"},
    {"apiVersion": "kagent.dev/v1alpha2", "kind": "AgentTemplate", "metadata": {"annotations": ["x"]}},
    {"apiVersion": "ate.dev/v1alpha1", "kind": "ActorTemplate", "metadata": {"annotations": {"a": 1}}},
]


def test_items_that_are_no_objects_pass_through(folder: Path) -> None:
    items = [*ODD_ITEMS, *team_items()]
    assert call(folder, items, config()).items == items


def test_a_committed_root_vouches_for_the_items(rendered_team: Path, prepared: Answer) -> None:
    answer = call(rendered_team, team_items(), of_root())
    assert answer.status == 0
    assert answer.templates == prepared.templates


def test_items_that_the_locks_do_not_know_are_refused(rendered_team: Path) -> None:
    items = break_item("AgentTemplate", lambda item: item["spec"].update(systemPrompt="You decide."))
    answer = call(rendered_team, items, of_root())
    assert [error["tags"]["reason"] for error in answer.errors] == ["LockStale"]
    assert "`spec.systemPrompt` was edited" in answer.errors[0]["message"]


def test_a_part_of_the_manifests_is_verified_by_itself(rendered_team: Path) -> None:
    part = [item for item in team_items() if item["metadata"]["name"] not in ("lead", "helper", "search")]
    answer = call(rendered_team, part, of_root())
    assert answer.status == 0, answer.errors
    assert {item["metadata"]["labels"]["kagent.dev/agent-template"] for item in answer.templates} == {
        "critic"
    }


def test_a_generator_gives_what_is_committed(rendered_team: Path, prepared: Answer) -> None:
    # kustomize passes the configuration of a generator as its only item.
    answer = call(rendered_team, [of_root()], of_root())
    assert answer.items[0] == of_root()
    assert answer.templates == sorted(prepared.templates, key=lambda item: str(item["metadata"]["name"]))


def test_a_generator_of_a_stale_root_gives_nothing(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    answer = call(team.parent, [], of_root("team"))
    assert answer.items == []
    assert [(error["tags"]["reason"], error["file"]["path"]) for error in answer.errors] == [
        ("LockStale", "team/lead.yaml")
    ]


def test_a_generator_without_objects_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kagent-render.yaml").write_text(CONFIG)
    assert len(call(tmp_path, [], of_root()).errors) == 1


def test_a_link_out_of_the_working_directory_is_no_root(rendered_team: Path, tmp_path: Path) -> None:
    (tmp_path / "root").symlink_to(rendered_team)
    assert len(call(tmp_path, [], of_root("root")).errors) == 1


def test_vendored_artifacts_of_the_root_are_used(incident: Path) -> None:
    items = [
        value
        for path in sorted((incident / "agents").glob("*.yaml"))
        for value in yaml.safe_load_all(path.read_text())
    ]
    answer = call(incident.parent, items, of_root("incident"), "--no-cache")
    assert answer.status == 0, answer.errors
    alone = call(incident.parent, items, yaml.safe_load((incident / "kagent-render.yaml").read_text()))
    assert {error["tags"]["reason"] for error in alone.errors} == {"ArtifactUnavailableOffline"}


@pytest.mark.parametrize("function", [of_root(strict=True), of_root()], ids=["field", "flag"])
def test_strict_makes_warnings_errors(function: dict[str, Any], incident: Path) -> None:
    flags = () if "strict" in function["spec"] else ("--strict",)
    answer = call(incident, [], function, *flags)
    assert {error["tags"]["reason"] for error in answer.errors} == {"CapabilityUnproven"}


def test_plugins_of_a_platform_agent_are_checked_and_give_no_item(platform: Path) -> None:
    items = [value for text in AGENT_FILES.values() for value in yaml.safe_load_all(text)]
    answer = call(platform, items, of_root())
    assert (answer.status, answer.items) == (0, items)
    items[1]["spec"]["imagePullPolicy"] = "Never"
    assert [error["tags"]["reason"] for error in call(platform, items, of_root()).errors] == ["LockStale"]


def test_retained_actor_templates_are_among_the_items(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    assert run("render", cwd=team).status == 0
    items = [
        value
        for path in sorted(team.glob("*.yaml"))
        for value in yaml.safe_load_all(path.read_text())
        if value["kind"] != "RenderConfig"
    ]
    answer = call(team, items, of_root())
    on_disk = {path.stem for path in team.rglob("actortemplates/*.yaml")}
    assert {item["metadata"]["name"] for item in answer.templates} == on_disk


def test_a_root_somewhere_else_is_not_written(rendered_team: Path, tmp_path: Path) -> None:
    root = shutil.copytree(rendered_team, tmp_path / "team")
    before = tree(root)
    call(tmp_path, team_items(), of_root("team"))
    assert tree(root) == before
