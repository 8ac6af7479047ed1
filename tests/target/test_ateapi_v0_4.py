"""The manifests of Substrate's own API: their shape, their names, their limits, and that each is intact."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.policy import Policy
from kagent_render.emit.layout import Role, place_of
from kagent_render.source.yaml import read_yaml
from kagent_render.target import ate_v1alpha1, ateapi_v0_4, ateapi_v0_4_alpha1
from kagent_render.target.actor_template import ActorTemplate
from kagent_render.target.generation import Setting
from kagent_render.target.generations import generation_of, generation_of_manifest
from kagent_render.target.releases import ALPHA, RELEASED, Release
from kagent_render.target.template_reading import read_template
from tests.manifests import HARNESS, documents

ZEROS = "0" * 64
ACTOR = ActorTemplate(
    namespace="team",
    harness="runtime",
    template="lead",
    path="",
    image=f"registry.example.com/runtime@sha256:{ZEROS}",
    env=(
        EnvVar("OPENAI_API_KEY", SecretKeyRef("llm", "token")),
        EnvVar("LEVEL", "info"),
        EnvVar("EMPTY", ""),
    ),
    pause_image="",
    worker_pool="pool",
    snapshot_location="gs://snapshots/team",
)
POLICY = Policy("ateapi/v0.4")


def built(**changes: Any) -> tuple[str, bytes, dict[str, Any]]:
    manifest = ateapi_v0_4.build_manifest(dataclasses.replace(ACTOR, **changes), protect=True)
    return manifest.name, manifest.content, manifest.value


def is_intact(name: str, content: bytes, template: str = "lead") -> bool:
    value = read_yaml(content)[0].value
    return ateapi_v0_4.is_intact(content, value, name, "team", "runtime", template)


def test_a_manifest_is_the_resource_in_protojson_form_with_placeholders_for_credentials() -> None:
    name, _, value = built()
    assert value == {
        "metadata": {"atespace": "team", "name": name},
        "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": "pool"}},
        "containers": [
            {
                "name": "kagent",
                "image": ACTOR.image,
                "env": [
                    {"name": "OPENAI_API_KEY", "value": "kagent-credential-injected"},
                    {"name": "LEVEL", "value": "info"},
                    {"name": "EMPTY"},
                ],
                "wakeupProbe": {"httpGet": {"path": "/readyz", "port": 8081}, "timeoutSeconds": 30},
                "volumeMounts": [
                    {"name": "data", "mountPath": "/data"},
                    {"name": "egress-trust", "mountPath": "/run/kagent/egress"},
                    {"name": "actor-identity", "mountPath": "/run/kagent/identity"},
                ],
            }
        ],
        "volumes": [
            {"name": "data", "durableDir": {}},
            {
                "name": "egress-trust",
                "systemInfo": {
                    "dataSources": [
                        {
                            "trustBundle": {
                                "path": "trust-bundle.pem",
                                "names": ["egress-mitm.ate.dev", "system-roots.ate.dev"],
                            }
                        }
                    ]
                },
            },
            {
                "name": "actor-identity",
                "systemInfo": {
                    "dataSources": [
                        {
                            "actorMetadata": {
                                "items": [
                                    {"field": "ACTOR_METADATA_FIELD_NAME", "path": "name"},
                                    {"field": "ACTOR_METADATA_FIELD_ATESPACE", "path": "atespace"},
                                    {"field": "ACTOR_METADATA_FIELD_UID", "path": "uid"},
                                ]
                            }
                        }
                    ]
                },
            },
        ],
        "snapshotConfig": {
            "onCommit": "SNAPSHOT_CONTENT_SCOPE_DATA",
            "storageLocation": "gs://snapshots/team",
        },
        "sandboxConfig": {"sandboxClass": "SANDBOX_CLASS_GVISOR", "configName": "gvisor-default"},
    }


def test_every_fixed_field_and_every_setting_is_where_the_generation_says() -> None:
    for generation in (ateapi_v0_4, ateapi_v0_4_alpha1, ate_v1alpha1):
        value = generation.build_manifest(ACTOR, protect=True).value
        for field in (*generation.FIXED, *generation.SETTINGS.values()):
            found: Any = value
            for step in field.replace("[0]", ".0").split("."):
                found = found[int(step) if step.isdigit() else step]
            assert field not in generation.FIXED or found == generation.FIXED[field]
    assert Setting.PAUSE_IMAGE not in ateapi_v0_4.SETTINGS


def test_the_pre_release_differs_where_v0_4_0_changed_and_nowhere_else() -> None:
    older = copy.deepcopy(ateapi_v0_4_alpha1.build_manifest(ACTOR, protect=True).value)
    newer = built()[2]
    (bundle,) = older["volumes"][1]["systemInfo"]["dataSources"]
    assert bundle == {"trustBundle": {"path": "trust-bundle.pem", "name": "egress-mitm.ate.dev"}}
    assert older["snapshotConfig"] == {
        "onCommit": "SNAPSHOT_CONTENT_SCOPE_DATA",
        "onPause": "SNAPSHOT_CONTENT_SCOPE_FULL",
        "onResume": {"fromData": "RESUME_SOURCE_GOLDEN"},
        "storageLocation": "gs://snapshots/team",
    }
    older["volumes"][1] = newer["volumes"][1]
    for name in ("metadata", "snapshotConfig"):
        older[name] = newer[name]
    assert older == newer
    given, known = ateapi_v0_4_alpha1.variables(POLICY), ateapi_v0_4.variables(POLICY)
    assert [variable for variable in given if variable not in known] == [
        EnvVar("SSL_CERT_DIR", "/run/kagent/egress")
    ]


def test_neither_release_reads_the_other_s_manifests_and_each_says_what_it_has_instead() -> None:
    older, newer = (
        generation.build_manifest(ACTOR, protect=True).value
        for generation in (ateapi_v0_4_alpha1, ateapi_v0_4)
    )
    assert faults(newer, RELEASED) == faults(older, ALPHA) == {}
    bundle = "volumes[1].systemInfo.dataSources[0].trustBundle"
    assert faults(older, RELEASED) == {
        f"{bundle}.name": "write `names`, a list",
        "snapshotConfig.onPause": "remove it",
        "snapshotConfig.onResume": "remove it",
    }
    assert faults(newer, ALPHA) == {f"{bundle}.names": "write `name`"}


def faults(value: dict[str, Any], release: Release) -> dict[str, str]:
    read = read_template(value, release)
    return {fault.path: fault.hint for fault in read} if isinstance(read, list) else {}


def test_only_a_dedicated_boundary_says_its_path_in_a_comment() -> None:
    assert built()[1].startswith(b"metadata:\n")
    assert built(path="planner/critic")[1].startswith(b"# binding path: planner/critic\nmetadata:\n")


@pytest.mark.parametrize(
    "change",
    [
        {"path": "critic"},
        {"namespace": "other"},
        {"harness": "other"},
        {"template": "other"},
        {"image": f"registry.example.com/other@sha256:{ZEROS}"},
        {"env": ()},
        {"worker_pool": "other"},
        {"snapshot_location": "gs://other"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_differs_gives_another_name(change: dict[str, Any]) -> None:
    assert built(**change)[0][-12:] != built()[0][-12:]


def test_neither_a_pause_image_nor_protection_changes_a_byte() -> None:
    protected, free = (ateapi_v0_4.build_manifest(ACTOR, protect=protect) for protect in (True, False))
    assert protected.content == free.content == built(pause_image="other")[1]
    assert generation_of("ateapi/v0.4").otherwise_protected(protected.value) is None


@pytest.mark.parametrize("path", ["", "critic", "planner/critic-of_all"])
def test_a_manifest_as_it_was_written_is_intact(path: str) -> None:
    name, content, value = built(path=path)
    assert is_intact(name, content)
    assert generation_of_manifest(value) is generation_of("ateapi/v0.4")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"# binding path: critic", b"# binding path: planner"),
        (b"# binding path: critic\n", b""),
        (b"# binding path: critic\n", b"# binding path: critic\n# more\n"),
        (b"atespace: team", b"atespace: other"),
        (b"name: LEVEL", b"name: LEVER"),
        (b"value: info", b"value:  info"),
        (b"kagent-credential-injected", b"sk-1234"),
        (b"  onCommit: SNAPSHOT_CONTENT_SCOPE_DATA\n", b"  onCommit: SNAPSHOT_CONTENT_SCOPE_FULL\n"),
        (b"metadata:\n", b"apiVersion: v1\nmetadata:\n"),
        (b"metadata:\n", b"metadata:\n  uid: '1'\n"),
    ],
)
def test_a_manifest_with_an_edit_is_not_intact(old: bytes, new: bytes) -> None:
    name, content, _ = built(path="critic")
    assert old in content
    assert not is_intact(name, content.replace(old, new, 1))


def test_a_manifest_of_another_pair_or_of_another_name_is_not_intact() -> None:
    name, content, _ = built()
    assert not is_intact(name, content, template="other")
    assert not is_intact(built(path="critic")[0], content)


@pytest.mark.parametrize("value", [None, [], "text", {"metadata": 1}, {"spec": {1: 2}}])
def test_what_is_no_manifest_is_not_intact(value: Any) -> None:
    assert not ateapi_v0_4.is_intact(b"", value, "lead-runtime-000000000000", "team", "runtime", "lead")


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        ("gs://bucket", None),
        ("s3://bucket/a/b", None),
        ("file:///data", "as a URI"),
        ("snapshots", "as a URI"),
        ("gs:/bucket", "as a URI"),
        ("gs://a b", "as a URI"),
        ("GS://bucket", "as a URI"),
        (f"gs://{'b' * 1019}", None),
        (f"gs://{'b' * 1020}", "1025 characters"),
    ],
)
def test_snapshots_go_to_a_uri_of_1024_characters(location: str, problem: str | None) -> None:
    found = ateapi_v0_4.setting_problem(Setting.SNAPSHOT_LOCATION, location)
    assert found is None if problem is None else problem in (found or "")


def test_a_name_has_no_dots_and_is_found_again_as_the_pair_s() -> None:
    name, content, _ = built(template="lead.v2", path="a.b")
    assert name.startswith("lead-v2-runtime-a-b-")
    assert is_intact(name, content, template="lead.v2")
    place = place_of(f"team/runtime/lead.v2/actortemplates/{name}.yaml")
    assert place is not None
    assert place.role is Role.MANIFEST


@pytest.mark.parametrize(
    ("setting", "text", "problem"),
    [
        (Setting.WORKER_POOL, "p" * 63, None),
        (Setting.WORKER_POOL, "p" * 64, "by a label"),
        (Setting.WORKER_POOL, "a pool", "by a label"),
        (Setting.IMAGE, f"{'i' * 440}@sha256:{ZEROS}", None),
        (Setting.IMAGE, f"{'i' * 441}@sha256:{ZEROS}", "513 characters"),
        (Setting.IMAGE, f"[::1]:5000/A_b/c.d-e:v1@sha256:{ZEROS}", None),
        (Setting.IMAGE, f"registry.example.com/a\N{NO-BREAK SPACE}b@sha256:{ZEROS}", "registry's reference"),
        (
            Setting.IMAGE,
            f"registry.example.com/\N{LATIN SMALL LETTER E WITH ACUTE}@sha256:{ZEROS}",
            "letters",
        ),
        (Setting.SNAPSHOT_LOCATION, "gs://user:secret@bucket", "user information"),
    ],
)
def test_what_somebody_chooses_fits_into_the_message(
    setting: Setting, text: str, problem: str | None
) -> None:
    found = ateapi_v0_4.setting_problem(setting, text)
    assert found is None if problem is None else problem in (found or "")


def own(name: str, value: str) -> EnvVar:
    (document,) = documents(HARNESS)
    return EnvVar(name, value, Provenance(document, ("spec", "env", 0, "name")))


@pytest.mark.parametrize(
    ("variable", "field"),
    [
        (own("N=", ""), "spec.env[0].name"),
        (own("V", "\0"), "spec.env[0].value"),
        (own("V", "x" * 32_769), "spec.env[0].value"),
        (dataclasses.replace(own("V", ""), value=SecretKeyRef("A/b", "k")), "spec.env[0].credentialRef"),
    ],
)
def test_a_fault_of_an_entry_is_told_where_it_is_written(variable: EnvVar, field: str) -> None:
    assert [fault.field for fault in ateapi_v0_4.check_environment((variable,), ())] == [field]


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ([own(f"V{index}", "") for index in range(32)], []),
        ([own(f"V{index}", "") for index in range(33)], ["EnvLimitExceeded"]),
        ([own("V", "x" * 32_768)], []),
        ([own("V", "😀" * 32_768)], []),
        ([own("V", "x" * 32_769)], ["EnvValueTooLong"]),
        ([own("N" * 256, "")], []),
        ([own("N" * 257, "")], ["NameInvalid"]),
        ([own("N=", "")], ["NameInvalid"]),
        ([own("V", "\0")], ["InvalidSpec"]),
    ],
)
def test_an_environment_has_the_limits_of_the_api(variables: list[EnvVar], told: list[str]) -> None:
    found = ateapi_v0_4.check_environment(tuple(variables), ())
    assert [fault.reason.value for fault in found] == told


def test_the_trust_bundle_is_where_its_variables_say() -> None:
    given = {variable.name: variable.value for variable in ateapi_v0_4.variables(POLICY)}
    mounts = {mount["name"]: mount["mountPath"] for mount in ateapi_v0_4.FIXED["containers[0].volumeMounts"]}
    assert given.pop("KAGENT_PORT") == "80"
    assert {given.pop("KAGENT_API_URL"), given.pop("KAGENT_GATEWAY_URL")} == {
        "http://kagent-controller.kagent:8083"
    }
    assert set(given.values()) == {f"{mounts['egress-trust']}/trust-bundle.pem"}
    assert set(given) < set(ateapi_v0_4.RESERVED)


@pytest.mark.parametrize(
    "changes",
    [
        {"image": "registry.example.com/runtime:latest"},
        {"snapshot_location": "snapshots"},
        {"worker_pool": "a pool"},
        {"namespace": "a.b"},
        {"env": (EnvVar("A=B", ""),)},
        {"env": (EnvVar("A", "1"), EnvVar("A", "2"))},
        {"env": tuple(EnvVar(f"V{index}", "") for index in range(33))},
    ],
)
def test_a_manifest_that_no_server_would_take_is_never_built(changes: dict[str, Any]) -> None:
    for generation in (ateapi_v0_4, ateapi_v0_4_alpha1):
        with pytest.raises(AssertionError, match="`"):
            generation.build_manifest(dataclasses.replace(ACTOR, **changes), protect=True)
