from __future__ import annotations

import pytest

from tests.api.manifests import decode_text

KEYS = {
    "Secret": (
        "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: s}\n"
        "data: {a: eA==}\nstringData: {b: x}\n",
        {"a", "b"},
    ),
    "empty Secret": ("apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: s}\n", set()),
    "ExternalSecret": (
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {namespace: team, name: s}\n"
        "spec: {data: [{secretKey: a, remoteRef: {key: x}}, {secretKey: b}]}\n",
        {"a", "b"},
    ),
    "ExternalSecret with a target": (
        "apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\n"
        "metadata: {namespace: team, name: other}\nspec: {target: {name: s}, data: [{secretKey: a}]}\n",
        {"a"},
    ),
    "ExternalSecret whose template replaces": (
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {namespace: team, name: s}\n"
        "spec: {target: {template: {data: {c: x}}}, data: [{secretKey: a}]}\n",
        {"c"},
    ),
    "ExternalSecret whose template merges": (
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {namespace: team, name: s}\n"
        "spec: {target: {template: {mergePolicy: Merge, data: {c: x}}}, data: [{secretKey: a}]}\n",
        {"a", "c"},
    ),
    "SealedSecret": (
        "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {namespace: team, name: s}\n"
        "spec: {encryptedData: {a: AgB}, template: {data: {b: x}}}\n",
        {"a", "b"},
    ),
    "SealedSecret with a template name": (
        "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {namespace: x, name: x}\n"
        "spec: {encryptedData: {a: AgB}, template: {metadata: {name: s, namespace: team}}}\n",
        {"a"},
    ),
}


@pytest.mark.parametrize(("text", "keys"), KEYS.values(), ids=KEYS)
def test_the_keys_of_a_secret_are_known(text: str, keys: set[str]) -> None:
    inventory, told = decode_text(text)
    assert told == []
    assert inventory.secrets["team", "s"].keys == keys


def test_a_secret_whose_keys_only_its_provider_knows_is_not_listed() -> None:
    inventory, told = decode_text(
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {namespace: team, name: s}\n"
        "spec: {dataFrom: [{extract: {key: x}}], data: [{secretKey: a}]}\n"
    )
    assert (inventory.secrets, inventory.broken, told) == ({}, frozenset(), [])


def test_the_sources_of_one_secret_add_their_keys() -> None:
    inventory, _ = decode_text(
        "---\n".join([KEYS["Secret"][0], KEYS["ExternalSecret whose template replaces"][0]])
    )
    assert inventory.secrets["team", "s"].keys == {"a", "b", "c"}


def test_no_value_of_a_secret_is_kept() -> None:
    inventory, _ = decode_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: s}\nstringData: {a: hush}\n"
    )
    assert "hush" not in repr(inventory.secrets["team", "s"])


def config_map(body: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{namespace: team, name: c}}\n{body}\n"


def test_a_config_map_is_text_and_named_bytes() -> None:
    inventory, told = decode_text(config_map("data: {a: x}\nbinaryData: {b: eA==}\nimmutable: true"))
    assert told == []
    assert inventory.config_maps["team", "c"].data == {"a": "x"}
    assert inventory.config_maps["team", "c"].binary == {"b"}


@pytest.mark.parametrize(
    ("body", "field"),
    [("data: {a: x, port: 80}", "data.port"), ("data: [x]", "data"), ("data: {a: null}", "data.a")],
)
def test_a_broken_config_map_is_told_only_to_who_refers_to_it(body: str, field: str) -> None:
    inventory, told = decode_text(config_map(body))
    assert told == []
    assert inventory.config_maps == {}
    assert inventory.broken == {("ConfigMap", "team", "c")}
    (fault,) = inventory.unreported["ConfigMap", "team", "c"]
    assert (fault.reason.value, fault.field) == ("InvalidSpec", field)
    assert fault.source is not None
    assert fault.source.line == 4


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_one_written_twice_is_told_only_to_who_refers_to_it(kind: str) -> None:
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{namespace: team, name: c}}\ndata: {{}}\n"
    inventory, told = decode_text(f"{text}---\n{text}")
    assert told == []
    assert (inventory.config_maps, inventory.secrets) == ({}, {})
    (fault,) = inventory.unreported[kind, "team", "c"]
    assert fault.reason.value == "DuplicateObject"


def test_one_without_a_namespace_is_nobodys() -> None:
    inventory, told = decode_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 1}\n")
    assert (inventory.config_maps, inventory.broken, told) == ({}, frozenset(), [])
