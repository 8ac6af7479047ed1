from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from kagent_render.api import hub
from kagent_render.api.decoding import decode
from kagent_render.diagnostics.diagnostic import distinct
from kagent_render.source.objects import read_objects
from tests.api.manifests import COMMIT, DIGEST, decode_text, decode_value, manifest, yaml_manifest

IMAGE = f"ghcr.io/acme/runtime@{DIGEST}"

HARNESS_V1ALPHA3 = f"""
    claude: {{}}
    workload: {{image: {IMAGE}}}
    env:
    - {{name: EMPTY, value: ""}}
    - {{name: TOKEN, credentialRef: {{name: s, key: k, optional: true}}}}
    substrate: {{workerPoolRef: {{name: pool}}, snapshotPolicy: {{location: s3://snapshots}}}}
    allowedAgentTemplates:
      selector:
        matchLabels: {{team: blue}}
        matchExpressions: [{{key: stage, operator: NotIn, values: [old]}}]
    """


def test_a_harness_of_v1alpha3() -> None:
    inventory, told = decode_text(yaml_manifest("v1alpha3", "Harness", HARNESS_V1ALPHA3))
    assert told == []
    harness = inventory.harnesses["team", "subject"]
    assert (harness.variant, harness.image) == (hub.Variant.CLAUDE, IMAGE)
    assert (harness.worker_pool, harness.snapshot_location) == ("pool", "s3://snapshots")
    assert harness.env == (
        hub.EnvEntry("EMPTY", ""),
        hub.EnvEntry("TOKEN", credential=hub.SecretKeyRef("s", "k", optional=True)),
    )
    assert harness.admission is not None
    assert harness.admission.admits({"team": "blue", "stage": "new"})
    assert not harness.admission.admits({"team": "blue", "stage": "old"})
    assert not harness.admission.admits({"stage": "new"})


def test_a_harness_of_v1alpha2_leaves_the_rest_to_the_configuration() -> None:
    inventory, told = decode_text(yaml_manifest("v1alpha2", "Harness", "python: {}"))
    assert told == []
    harness = inventory.harnesses["team", "subject"]
    assert (harness.variant, harness.image, harness.worker_pool) == (hub.Variant.PYTHON, None, None)
    assert (harness.snapshot_location, harness.admission, harness.env) == (None, None, ())


def test_an_omitted_admission_differs_from_an_empty_selector() -> None:
    spec = "python: {}\nallowedAgentTemplates: {selector: {}}"
    inventory, _ = decode_text(yaml_manifest("v1alpha2", "Harness", spec))
    admission = inventory.harnesses["team", "subject"].admission
    assert admission is not None
    assert admission.admits({})


TEMPLATE = f"""
    modelConfig: {{name: m}}
    description: d
    systemPromptFrom: {{name: prompts, key: main}}
    promptTemplate: {{dataSources: [{{name: a}}, {{name: b, alias: c}}]}}
    tools:
    - mcp: {{server: {{kind: RemoteMCPServer, name: s}}, tools: [one, two]}}
    - agent: {{name: child, description: helps, templateRef: {{name: t}}, isolation: null}}
    skills:
    - {{name: review, source: {{git: {{url: "https://h/r", commit: {COMMIT.upper()}}}, path: ./a//b/}}}}
    plugins:
    - source: {{bucket: {{s3: {{bucket: b, key: k, versionId: v, endpoint: "https://h", region: ""}}}}}}
      skills: [one, two]
    """


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_a_template_of_either_version(version: str) -> None:
    inventory, told = decode_text(yaml_manifest(version, "AgentTemplate", TEMPLATE))
    assert told == []
    template = inventory.templates["team", "subject"]
    assert (template.model_config, template.description) == ("m", "d")
    assert template.system_prompt == hub.ConfigMapKeyRef("prompts", "main")
    assert template.prompt_sources == (hub.PromptSource("a"), hub.PromptSource("b", "c"))
    assert template.tools == (
        hub.McpBinding("RemoteMCPServer", "s", ("one", "two")),
        hub.AgentBinding("child", "helps", "t", hub.Isolation.SHARED),
    )
    source = hub.ArtifactSource(hub.GitSource("https://h/r", COMMIT), "a/b")
    assert template.skills == (hub.Skill("review", source),)
    bucket = hub.ArtifactSource(hub.S3Source("b", "k", "v", "https://h"))
    assert template.plugins == (hub.PluginBundle(bucket, ("one", "two")),)
    assert template.harnesses == (() if version == "v1alpha2" else None)
    assert template.spec["tools"][1]["agent"]["isolation"] == "Shared"
    assert template.spec["skills"][0]["source"]["git"]["commit"] == COMMIT.upper()


def test_a_prompt_without_a_template_is_told_from_one_with_an_empty_template() -> None:
    plain, _ = decode_text(yaml_manifest("v1alpha2", "AgentTemplate", "modelConfig: {name: m}"))
    assert plain.templates["team", "subject"].prompt_sources is None
    assert plain.templates["team", "subject"].system_prompt == ""
    spec = "modelConfig: {name: m}\npromptTemplate: {}"
    template, _ = decode_text(yaml_manifest("v1alpha2", "AgentTemplate", spec))
    assert template.templates["team", "subject"].prompt_sources == ()


@pytest.mark.parametrize(
    ("version", "kind", "spec", "field"),
    [
        ("v1alpha3", "Harness", "python: {}", "spec"),
        ("v1alpha3", "AgentTemplate", "harnesses: {include: [{name: h}]}", "spec.harnesses"),
        (
            "v1alpha3",
            "AgentTemplate",
            "tools: [{mcp: {server: {kind: MCPServer, name: s}, tools: [t]}}]",
            "spec.tools[0].mcp.server.kind",
        ),
        (
            "v1alpha3",
            "AgentTemplate",
            "plugins: [{source: {bucket: {s3: {bucket: b, key: k, versionId: v}}}}]",
            "spec.plugins[0].source.bucket.s3.endpoint",
        ),
        (
            "v1alpha2",
            "AgentTemplate",
            f"plugins: [{{source: {{oci: r@{DIGEST}}}}}]",
            "spec.plugins[0].skills",
        ),
    ],
)
def test_each_version_keeps_its_own_shape(version: str, kind: str, spec: str, field: str) -> None:
    base = {
        "Harness": f"workload: {{image: {IMAGE}}}\n"
        "substrate: {workerPoolRef: {name: p}, snapshotPolicy: {location: l}}",
        "AgentTemplate": "modelConfig: {name: m}",
    }
    _, told = decode_text(yaml_manifest(version, kind, f"{base[kind]}\n{spec}"))
    assert [fault.field for fault in told] == [field]


@pytest.mark.parametrize(
    ("api_version", "kind", "supported"),
    [
        ("kagent.dev/v1alpha1", "AgentTemplate", "`kagent.dev/v1alpha2` or `kagent.dev/v1alpha3`"),
        ("kagent.dev/v1", "Harness", "`kagent.dev/v1alpha2` or `kagent.dev/v1alpha3`"),
        ("kagent.dev/v1alpha1", "ModelConfig", "`kagent.dev/v1alpha2` or `kagent.dev/v1alpha3`"),
        ("kagent.dev/v1alpha3", "MCPServer", "`kagent.dev/v1alpha1`"),
        ("kubeagents.x-k8s.io/v1beta1", "AgentPlugin", "`kubeagents.x-k8s.io/v1alpha1`"),
        ("kubeagents.x-k8s.io/v1alpha2", "PlatformAgent", "`kubeagents.x-k8s.io/v1alpha1`"),
    ],
)
def test_an_unknown_version_names_the_supported_ones(api_version: str, kind: str, supported: str) -> None:
    subject = {**manifest("v", kind, {}), "apiVersion": api_version}
    inventory, (told,) = decode_value(subject)
    assert (told.reason.value, told.field) == ("UnsupportedVersion", "apiVersion")
    assert told.hint == f"write the object as {supported}"
    assert inventory.broken == {(kind, "team", "subject")}


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("kagent.dev/v1alpha2", "Agent"),
        ("apps/v1", "Deployment"),
        ("example.com/v1", "Harness"),
        ("kagent.dev/v1alpha1", "AgentPlugin"),
        ("kubeagents.x-k8s.io/v1alpha1", "Harness"),
        ("kubeagents.x-k8s.io/v1alpha1", "ClusterAgent"),
        ("v1", "Pod"),
    ],
)
def test_a_foreign_kind_is_ignored(api_version: str, kind: str) -> None:
    inventory, told = decode_value({"apiVersion": api_version, "kind": kind, "spec": {"x": 1}})
    assert (told, inventory.broken) == ([], frozenset())


IDENTITY = {
    "no namespace": ("metadata: {name: x}", "InvalidSpec", "metadata.namespace"),
    "no name": ("metadata: {namespace: x}", "InvalidSpec", "metadata.name"),
    "a name that leaves its folder": ("metadata: {namespace: x, name: ../z}", "InvalidSpec", "metadata.name"),
    "a namespace that leaves its folder": (
        "metadata: {namespace: .., name: z}",
        "InvalidSpec",
        "metadata.namespace",
    ),
    "a name in upper case": ("metadata: {namespace: x, name: Y}", "InvalidSpec", "metadata.name"),
    "a namespace with a dot": ("metadata: {namespace: a.b, name: z}", "InvalidSpec", "metadata.namespace"),
    "a name that is too long": (
        f"metadata: {{namespace: x, name: {'z' * 254}}}",
        "InvalidSpec",
        "metadata.name",
    ),
    "a name that ends its line twice": (
        'metadata: {namespace: x, name: "z\\n"}',
        "InvalidSpec",
        "metadata.name",
    ),
    "a name that is a number": ("metadata: {namespace: x, name: 7}", "InvalidSpec", "metadata.name"),
    "metadata that is a list": ("metadata: []", "InvalidSpec", "metadata"),
    "a label that is a number": (
        "metadata: {namespace: x, name: z, labels: {a: 1}}",
        "InvalidSpec",
        "metadata.labels.a",
    ),
    "a label with a space": (
        "metadata: {namespace: x, name: z, labels: {a: b c}}",
        "InvalidSpec",
        "metadata.labels.a",
    ),
    "labels that are a list": (
        "metadata: {namespace: x, name: z, labels: [a]}",
        "InvalidSpec",
        "metadata.labels",
    ),
    "a misspelt top-level field": (
        "metadata: {namespace: x, name: z}\nsepc: {}",
        "UnknownField",
        "sepc",
    ),
}


@pytest.mark.parametrize(("text", "reason", "field"), IDENTITY.values(), ids=IDENTITY)
def test_every_object_needs_an_identity(text: str, reason: str, field: str) -> None:
    head = "apiVersion: kagent.dev/v1alpha2\nkind: Harness\nspec: {python: {}}\n"
    inventory, told = decode_text(head + text)
    assert [(fault.reason.value, fault.field) for fault in told] == [(reason, field)]
    assert not inventory.harnesses


@pytest.mark.parametrize(("spec", "line"), [("", 1), ("spec: null", 4), ("spec: []", 4)])
def test_a_spec_is_needed(spec: str, line: int) -> None:
    head = "apiVersion: kagent.dev/v1alpha2\nkind: Harness\nmetadata: {namespace: x, name: z}\n"
    _, (told,) = decode_text(head + spec)
    assert (told.reason.value, told.field) == ("InvalidSpec", "spec")
    assert told.source is not None
    assert told.source.line == line


def test_a_misspelt_field_of_metadata_is_told() -> None:
    _, told = decode_text(
        "apiVersion: kagent.dev/v1alpha2\nkind: Harness\n"
        "metadata: {namespace: x, name: z, lables: {a: b}}\nspec: {python: {}}\n"
    )
    assert [(fault.reason.value, fault.field, fault.hint) for fault in told] == [
        ("UnknownField", "metadata.lables", "write `labels`")
    ]


def test_status_and_other_metadata_are_not_looked_at() -> None:
    inventory, told = decode_text(
        textwrap.dedent("""
        apiVersion: kagent.dev/v1alpha2
        kind: Harness
        metadata: {namespace: x, name: z, annotations: {a: 1}, uid: 7}
        spec: {python: {}}
        status: {anything: [1]}
        """)
    )
    assert told == []
    assert inventory.harnesses["x", "z"].spec == {"python": {}}


def test_two_objects_of_one_identity_name_both_places() -> None:
    first = yaml_manifest("v1alpha2", "Harness", "python: {}")
    second = yaml_manifest("v1alpha3", "Harness", HARNESS_V1ALPHA3)
    inventory, (told,) = decode_text(f"{first}---\n{second}")
    assert (told.reason.value, told.field) == ("DuplicateObject", "metadata.name")
    assert "at agents.yaml:5:3 and at agents.yaml:13:3" in told.message
    assert told.source is not None
    assert told.source.line == 13
    assert not inventory.harnesses
    assert inventory.broken == {("Harness", "team", "subject")}


PLUGIN = yaml_manifest("v1alpha1", "AgentPlugin", "agentRef: a\nimage: i")
AGENT = yaml_manifest("v1alpha1", "PlatformAgent", "harness: {clusterName: c, location: l, projectId: p}")


@pytest.mark.parametrize("text", [PLUGIN, AGENT], ids=["AgentPlugin", "PlatformAgent"])
def test_two_objects_of_a_kube_agents_kind_are_told(text: str) -> None:
    inventory, (told,) = decode_text(f"{text}---\n{text}")
    assert (told.reason.value, told.field) == ("DuplicateObject", "metadata.name")
    assert not inventory.agent_plugins
    assert not inventory.platform_agents


@pytest.mark.parametrize(
    ("kind", "meant"), [("AgentPlugins", "AgentPlugin"), ("Platformagent", "PlatformAgent")]
)
def test_a_misspelt_kube_agents_kind_is_told(kind: str, meant: str) -> None:
    subject = {**manifest("v1alpha1", "AgentPlugin", {}), "kind": kind}
    inventory, (told,) = decode_value(subject)
    assert (told.reason.value, told.field, told.hint) == ("UnknownField", "kind", f"write `{meant}`")
    assert inventory.broken == {(kind, "team", "subject")}


@pytest.mark.parametrize("version", ["v1", "kubeagents.x-k8s.io/v1alpha1"])
def test_plugins_and_their_agents_come_out_of_lists(version: str) -> None:
    items = "".join(f"- {text.rstrip()}\n".replace("\n", "\n  ").rstrip() + "\n" for text in (PLUGIN, AGENT))
    kind = "List" if version == "v1" else "AgentPluginList"
    found = read_objects("a.yaml", f"apiVersion: {version}\nkind: {kind}\nitems:\n{items}".encode())
    inventory, told = decode(found)
    assert told == []
    plugin, agent = inventory.agent_plugins["team", "subject"], inventory.platform_agents["team", "subject"]
    assert str(plugin.document.position(("spec", "image"))) == "a.yaml:11:5"
    assert str(agent.document.position(("spec",))) == "a.yaml:17:3"


def test_unknown_fields_get_the_nearest_name_as_a_hint() -> None:
    spec = "python: {}\nallowedAgentTemplate: {selector: {}}"
    _, (told,) = decode_text(yaml_manifest("v1alpha2", "Harness", spec))
    assert told.hint == "write `allowedAgentTemplates`"


def test_every_fault_of_an_object_is_told_at_once_and_once() -> None:
    spec = """
        modelConfig: {name: m, namespace: o}
        promtTemplate: {}
        tools:
        - {}
        - agent: {name: "", description: d, templateRef: {name: t}}
        - mcp: {server: {kind: MCPServer, name: s}, tools: [a, a]}
        plugins:
        - {source: {oci: r:1}, skills: []}
        """
    _, told = decode_text(yaml_manifest("v1alpha2", "AgentTemplate", spec))
    assert [(fault.reason.value, fault.field) for fault in distinct(told)] == [
        ("CrossNamespaceReference", "spec.modelConfig.namespace"),
        ("UnknownField", "spec.promtTemplate"),
        ("InvalidSpec", "spec.tools[0]"),
        ("InvalidSpec", "spec.tools[1].agent.name"),
        ("InvalidSpec", "spec.tools[2].mcp.tools[1]"),
        ("SourceNotImmutable", "spec.plugins[0].source.oci"),
    ]
    assert len(told) == 6


def test_a_flood_of_faults_is_cut_off() -> None:
    spec = {"python": {}, **{f"x{number}": number for number in range(20_000)}}
    expressions = [{"key": 1, "operator": "In"} for _ in range(20_000)]
    spec["allowedAgentTemplates"] = {"selector": {"matchExpressions": expressions}}
    _, told = decode_value(manifest("v1alpha2", "Harness", spec))
    assert 0 < len(told) <= 200


def test_the_same_documents_in_any_order_give_the_same_inventory() -> None:
    one = yaml_manifest("v1alpha2", "Harness", "python: {}")
    two = yaml_manifest("v1alpha2", "AgentTemplate", "modelConfig: {name: m}")
    forth, back = decode_text(f"{one}---\n{two}")[0], decode_text(f"{two}---\n{one}")[0]
    assert forth.harnesses.keys() == back.harnesses.keys()
    assert forth.templates.keys() == back.templates.keys()


def test_the_heavy_library_loads_with_the_first_object_of_our_kinds() -> None:
    code = "import sys, kagent_render.api.decoding as d; d.decode([]); print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
