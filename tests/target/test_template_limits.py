"""What `ateapi` asks beyond shapes: at the bound a document is taken, beyond it there is one fault."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.target.messages.ateapi_pb2 import ActorTemplate
from kagent_render.target.template_reading import read_template
from kagent_render.target.template_rules import FREE, RULES
from tests.target.templates import ABSENT, DIGEST, IMAGE, TEMPLATE, changed
from tests.target.test_template_reading import faults

CONTAINER = TEMPLATE["containers"][0]


def many(count: int, **entry: Any) -> list[dict[str, Any]]:
    """Entries that differ in every text with `{}`."""
    return [
        {key: value.format(index) if isinstance(value, str) else value for key, value in entry.items()}
        for index in range(count)
    ]


def containers(count: int) -> list[dict[str, Any]]:
    return many(count, name="c{}", image=IMAGE)


BOUNDS: dict[str, tuple[str, Any, Any, str]] = {
    "containers": ("containers", containers(10), containers(11), "11 entries, and 1 to 10"),
    "no container": ("containers", containers(1), [], "0 entries, and 1 to 10"),
    "variables": (
        "containers.0.env",
        many(32, name="V{}"),
        many(33, name="V{}"),
        "33 entries, and at most 32",
    ),
    "a variable's name": ("containers.0.env.0.name", "n" * 256, "n" * 257, "257 characters, and 256"),
    "a variable's value": ("containers.0.env.0.value", "ü" * 32_768, "ü" * 32_769, "32769 characters"),
    "an image": (
        "containers.0.image",
        "i" * (511 - len(DIGEST)) + "@" + DIGEST,
        "i" * (512 - len(DIGEST)) + "@" + DIGEST,
        "513 characters, and 512",
    ),
    "a command": ("containers.0.command", ["a"] * 64, ["a"] * 65, "65 entries, and at most 64"),
    "a command's text": ("containers.0.command.0", "a" * 4096, "a" * 4097, "4097 characters, and 4096"),
    "arguments": ("containers.0.args", ["a"] * 64, ["a"] * 65, "65 entries, and at most 64"),
    "an argument": ("containers.0.args.0", "a" * 4096, "a" * 4097, "4097 characters, and 4096"),
    "volumes": (
        "volumes",
        TEMPLATE["volumes"] + many(27, name="v{}", durableDir={}),
        TEMPLATE["volumes"] + many(28, name="v{}", durableDir={}),
        "33 entries, and at most 32",
    ),
    "mounts": (
        "containers.0.volumeMounts",
        many(32, name="data", mountPath="/m{}"),
        many(33, name="data", mountPath="/m{}"),
        "33 entries, and at most 32",
    ),
    "labels": (
        "workerSelector.matchLabels",
        {f"l{index}": "" for index in range(10)},
        {f"l{index}": "" for index in range(11)},
        "11 entries, and 1 to 10",
    ),
    "no label": ("workerSelector.matchLabels", {"a": "b"}, {}, "0 entries, and 1 to 10"),
    "a location": (
        "snapshotConfig.storageLocation",
        "s3://" + "b" * 1019,
        "s3://" + "b" * 1020,
        "1025 characters, and 1024",
    ),
    "a wait": ("containers.0.wakeupProbe.timeoutSeconds", 3600, 3601, "from 1 to 3600"),
    "a wait before now": ("containers.0.wakeupProbe.timeoutSeconds", 1, -1, "from 1 to 3600"),
    "a port": ("containers.0.wakeupProbe.httpGet.port", 65_535, 65_536, "from 1 to 65535"),
    "a name": ("metadata.name", "n" * 63, "n" * 64, "lower-case letters"),
    "trust bundles": (
        "volumes.1.systemInfo.dataSources.0.trustBundle.names",
        [f"n{index}" for index in range(8)],
        [f"n{index}" for index in range(9)],
        "9 entries, and 1 to 8",
    ),
    "files of a volume": (
        "volumes.1.systemInfo.dataSources",
        [{"trustBundle": {"names": ["a"], "path": f"p{index}"}} for index in range(8)],
        [{"trustBundle": {"names": ["a"], "path": f"p{index}"}} for index in range(9)],
        "9 entries, and at most 8",
    ),
    "parts of a path": (
        "volumes.1.systemInfo.dataSources.0.trustBundle.path",
        "/".join("a" * 16),
        "/".join("a" * 17),
        "at most 16 parts",
    ),
}


@pytest.mark.parametrize(("path", "most", "more", "message"), BOUNDS.values(), ids=BOUNDS)
def test_a_bound_is_the_last_that_is_taken(path: str, most: Any, more: Any, message: str) -> None:
    assert not isinstance(read_template(changed(TEMPLATE, path, most)), list)
    (fault,) = faults(changed(TEMPLATE, path, more))
    assert message in fault.message


FORMS: dict[str, tuple[str, Any, str, str]] = {
    "an image by tag": ("containers.0.image", "img:v1", "containers[0].image", "pinned by `@sha256:`"),
    "an image by half a digest": ("containers.0.image", IMAGE[:-1], "containers[0].image", "64 hex digits"),
    "an image volume by tag": ("volumes.3.image.reference", "a:b", "volumes[3].image.reference", "pinned by"),
    "a container's name": ("containers.0.name", "Kagent", "containers[0].name", "lower-case letters"),
    "no container's name": ("containers.0.name", ABSENT, "containers[0].name", "`name` is required"),
    "an empty image": ("containers.0.image", "", "containers[0].image", "`image` is required"),
    "a variable with `=`": ("containers.0.env.0.name", "A=B", "containers[0].env[0].name", "without `=`"),
    "no atespace": ("metadata.atespace", ABSENT, "metadata.atespace", "`atespace` is required"),
    "no metadata": ("metadata", ABSENT, "metadata", "`metadata` is required"),
    "no sandbox": ("sandboxConfig", ABSENT, "sandboxConfig", "`sandboxConfig` is required"),
    "no class": ("sandboxConfig.sandboxClass", ABSENT, "sandboxConfig.sandboxClass", "is required"),
    "no configuration": ("sandboxConfig.configName", "", "sandboxConfig.configName", "is required"),
    "no snapshots": ("snapshotConfig", ABSENT, "snapshotConfig", "`snapshotConfig` is required"),
    "a location that is a path": (
        "snapshotConfig.storageLocation",
        "a/b",
        "snapshotConfig.storageLocation",
        "URI",
    ),
    "a location with a password": (
        "snapshotConfig.storageLocation",
        "s3://u:p@b",
        "snapshotConfig.storageLocation",
        "without user information",
    ),
    "a label's value": ("workerSelector.matchLabels.a", "b c", "workerSelector.matchLabels", "of a label"),
    "a label's key": ("workerSelector.matchLabels", {"a b": "c"}, "workerSelector.matchLabels", "of a label"),
    "a probe of nothing": (
        "containers.0.wakeupProbe.httpGet",
        ABSENT,
        "containers[0].wakeupProbe.httpGet",
        "`httpGet` is required",
    ),
    "a probe with a query": (
        "containers.0.wakeupProbe.httpGet.path",
        "/a?b",
        "containers[0].wakeupProbe.httpGet.path",
        "a path that begins with `/`",
    ),
    "a limit of another kind": (
        "resources.limits.0.name",
        "gpu",
        "resources.limits[0].name",
        "`cpu` or `memory`",
    ),
    "a file elsewhere": (
        "volumes.1.systemInfo.dataSources.0.trustBundle.path",
        "../ca.pem",
        "volumes[1].systemInfo.dataSources[0].trustBundle.path",
        "a relative path",
    ),
}

TOGETHER: dict[str, tuple[str, Any, str, str]] = {
    "a container twice": (
        "containers.1",
        {"name": "kagent", "image": IMAGE},
        "containers[1].name",
        "an earlier entry",
    ),
    "a variable twice": (
        "containers.0.env.1",
        {"name": "PORT"},
        "containers[0].env[1].name",
        "an earlier entry",
    ),
    "a volume twice": (
        "volumes.5",
        {"name": "data", "durableDir": {}},
        "volumes[5].name",
        "an earlier entry",
    ),
    "a path twice": (
        "containers.0.volumeMounts.3",
        {"name": "tools", "mountPath": "/data"},
        "containers[0].volumeMounts[3].mountPath",
        "an earlier entry",
    ),
    "a path below another": (
        "containers.0.volumeMounts.3",
        {"name": "tools", "mountPath": "/data/tools"},
        "containers[0].volumeMounts[3].mountPath",
        "below that of another mount",
    ),
    "a path above another": (
        "containers.0.volumeMounts",
        [{"name": "data", "mountPath": "/a/b"}, {"name": "tools", "mountPath": "/a"}],
        "containers[0].volumeMounts[0].mountPath",
        "below that of another mount",
    ),
    "a mount of nothing": (
        "containers.0.volumeMounts.0.name",
        "nothing",
        "containers[0].volumeMounts[0].name",
        "no volume has this name",
    ),
    "a volume of nothing": ("volumes.0.durableDir", ABSENT, "volumes[0]", "and there is none"),
    "a volume of two": ("volumes.0.image", {"reference": IMAGE}, "volumes[0]", "and there are 2"),
    "a file of nothing": (
        "volumes.1.systemInfo.dataSources.0",
        {},
        "volumes[1].systemInfo.dataSources[0]",
        "none",
    ),
    "a file written twice": (
        "volumes.1.systemInfo.dataSources.1",
        {"trustBundle": {"names": ["a"], "path": "trust-bundle.pem"}},
        "volumes[1].systemInfo.dataSources",
        "write the same path",
    ),
    "an identity written twice": (
        "volumes.2.systemInfo.dataSources.1",
        {"actorMetadata": {"items": [{"field": "ACTOR_METADATA_FIELD_UID", "path": "b"}]}},
        "volumes[2].systemInfo.dataSources",
        "several `actorMetadata`",
    ),
    "a field of an identity twice": (
        "volumes.2.systemInfo.dataSources.0.actorMetadata.items.1.field",
        "ACTOR_METADATA_FIELD_NAME",
        "volumes[2].systemInfo.dataSources[0].actorMetadata.items[1].field",
        "an earlier entry",
    ),
    "a limit twice": (
        "resources.limits.1",
        {"name": "memory", "quantity": "2Gi"},
        "resources.limits[1].name",
        "an earlier entry",
    ),
}


@pytest.mark.parametrize(
    ("path", "value", "where", "message"), [*FORMS.values(), *TOGETHER.values()], ids=[*FORMS, *TOGETHER]
)
def test_what_substrate_refuses_is_one_fault_at_its_path(
    path: str, value: Any, where: str, message: str
) -> None:
    (fault,) = faults(changed(TEMPLATE, path, value))
    assert (fault.path, message in fault.message) == (where, True), fault


MOUNTS = ["", "data", "/", "/a/", "//a", "/a//b", "/a/../b", "/..", "/.", "/a/./b", "/a:b", "/a\nb", "/a\x1b"]


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_mount_path_is_absolute_and_clean(mount: str) -> None:
    document = changed(TEMPLATE, "containers.0.volumeMounts.0.mountPath", mount)
    assert [fault.path for fault in faults(document)] == ["containers[0].volumeMounts[0].mountPath"]


def test_neighbours_whose_names_begin_alike_are_not_nested() -> None:
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "tools", "mountPath": "/data-of-tools/x"}]
    assert not isinstance(read_template(changed(TEMPLATE, "containers.0.volumeMounts", mounts)), list)


def test_every_list_of_a_template_has_a_bound() -> None:
    waiting: list[Any] = [ActorTemplate.DESCRIPTOR]
    unbounded = set()
    while waiting:
        message = waiting.pop()
        for field in message.fields:
            if field.is_repeated and not RULES.get(f"{message.name}.{field.json_name}", FREE).items:
                unbounded.add(f"{message.name}.{field.json_name}")
            if field.message_type and not field.message_type.GetOptions().map_entry:
                waiting.append(field.message_type)
    assert not unbounded


def test_a_list_of_a_million_is_one_fault_whatever_its_items_are() -> None:
    (fault,) = faults(changed(TEMPLATE, "containers", [None] * 1_000_000))
    assert fault.message == "there are 1000000 entries, and 1 to 10 are allowed"


def test_faults_of_several_fields_are_told_together() -> None:
    document = changed(TEMPLATE, "containers.0.image", "img:v1")
    document = changed(document, "containers.0.env.1", {"name": "PORT"})
    document = changed(document, "sandboxConfig.configName", "")
    assert [fault.path for fault in faults(document)] == [
        "containers[0].image",
        "containers[0].env[1].name",
        "sandboxConfig.configName",
    ]
