import textwrap
from pathlib import Path

import pytest

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config import RenderConfig
from kagent_render.source.config_reading import read_config
from kagent_render.source.discovery import Sources, discover, source_files
from kagent_render.source.index import GitIndex
from kagent_render.source.reader import MemoryFiles, ReadError, StandardInput
from tests.source.git_repositories import commit_files, git

CONFIG = "apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec:\n"


def config_of(spec: str = "  output: rendered\n") -> RenderConfig:
    config, faults = read_config(MemoryFiles({"kagent-render.yaml": (CONFIG + spec).encode()}))
    assert config is not None, faults
    return config


def find(files: dict[str, str], spec: str = "  output: rendered\n") -> Sources:
    contents = {path: textwrap.dedent(text).encode() for path, text in files.items()}
    return discover(MemoryFiles(contents), config_of(spec))


def manifest(
    kind: str, name: str, namespace: str | None = "agents", version: str = "kagent.dev/v1alpha2"
) -> str:
    place = f", namespace: {namespace}" if namespace else ""
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n"


def found(sources: Sources) -> list[str]:
    return [f"{document.path}:{document.ref}" for document in sources.documents]


@pytest.mark.parametrize(
    ("path", "is_source"),
    [
        ("a.yaml", True),
        ("deep/er/a.yml", True),
        ("a.json", False),
        ("kagent-render.yaml", False),
        ("rendered/a.yaml", False),
        ("renderedtoo/a.yaml", True),
        (".github/a.yaml", False),
        ("x/.hidden/a.yaml", False),
        (".a.yaml", True),
        ("kustomization.yaml", False),
        ("x/kustomization.yml", False),
        ("nested/a.yaml", False),
        ("nested/deep/a.yaml", False),
        ("nestedtoo/a.yaml", True),
        ("x/patch.yaml", False),
        ("x/strategic.yaml", False),
        ("patches/json.yaml", False),
        ("x/resource.yaml", True),
        (".kagent/in-use/agents.yaml", True),
        (".kagent/artifacts/index.yaml", False),
    ],
)
def test_what_a_source_is(path: str, is_source: bool) -> None:
    kustomization = """\
        resources: [resource.yaml]
        patches:
        - path: ./patch.yaml
        - patch: "- op: remove"
        patchesStrategicMerge: [strategic.yaml, "kind: x"]
        patchesJson6902: [{path: ../patches/json.yaml}]
        """
    files = {path: b"x", "nested/kagent-render.yaml": b""}
    files |= {"x/kustomization.yaml": textwrap.dedent(kustomization).encode()}
    assert (path in source_files(MemoryFiles(files), config_of()).paths) is is_source


def test_sources_follow_the_patterns() -> None:
    spec = "  sources: ['agents/**', '!agents/old']\n"
    files = dict.fromkeys(["agents/a.yaml", "agents/b.txt", "agents/old/a.yaml", "other.yaml"], b"")
    assert source_files(MemoryFiles(files), config_of(spec)).paths == ("agents/a.yaml", "agents/b.txt")


def test_a_kustomization_that_does_not_parse_lists_no_patches() -> None:
    files = {"kustomization.yaml": "patches: [{{ .Values.x }}\n", "a.yaml": manifest("Harness", "a")}
    assert found(find(files)) == ["a.yaml:Harness/a"]


def test_kinds_that_matter_are_found_in_source_order() -> None:
    kinds = {
        "kagent.dev/v1alpha3": ["Harness", "AgentTemplate", "ModelConfig", "RemoteMCPServer", "MCPServer"],
        "v1": ["ConfigMap", "Secret"],
        "external-secrets.io/v1": ["ExternalSecret"],
        "bitnami.com/v1alpha1": ["SealedSecret"],
        "kubeagents.x-k8s.io/v1alpha1": ["AgentPlugin", "PlatformAgent"],
        "render.kagent.dev/v1alpha1": ["InUse"],
    }
    texts = [manifest(kind, "x", version=version) for version, names in kinds.items() for kind in names]
    sources = find({"b.yaml": "---\n".join(texts[:5]), "a.yaml": "---\n".join(texts[5:])})
    assert sources.diagnostics == ()
    assert [document.ref.kind for document in sources.documents] == [
        *(kind for names in list(kinds.values())[1:] for kind in names),
        *kinds["kagent.dev/v1alpha3"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        manifest("Agent", "x"),
        manifest("Harness", "x", version="other.dev/v1"),
        manifest("ConfigMap", "x", version="v2"),
        manifest("ConfigMap", "x", version="kagent.dev/v1alpha2"),
        manifest("PreparedRevision", "x", version="render.kagent.dev/v1alpha1"),
        "# kagent.dev\n",
        "- kagent.dev\n",
        "kagent.dev\n",
        "kind: Harness\nmetadata: {name: kagent.dev}\n",
        "apiVersion: kagent.dev/v1alpha2\n",
        "apiVersion: [kagent.dev/v1alpha2]\nkind: Harness\n",
        "apiVersion: kagent.dev/v1alpha2\nkind: 1\n",
        "apiVersion: v1\nkind: List\nitems: {a: 1}\n",
        "apiVersion: v1\nkind: List\nitems: [1, ~, {kind: Harness}]\n",
    ],
)
def test_other_documents_are_ignored(text: str) -> None:
    sources = find({"a.yaml": text})
    assert (sources.documents, sources.diagnostics) == ((), ())


def test_a_list_is_unwrapped_with_its_positions() -> None:
    text = """\
        apiVersion: v1
        kind: List
        items:
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}}
        - apiVersion: v1
          kind: List
          items:
          - apiVersion: kagent.dev/v1alpha2
            kind: Harness
            metadata:
              name: b
              namespace: ns
        """
    sources = find({"a.yaml": text})
    assert [document.prefix for document in sources.documents] == [("items", 0), ("items", 1, "items", 0)]
    assert sources.documents[1].position(("metadata", "name")).line == 11
    assert sources.documents[1].fault(Reason.INVALID_SPEC, ("spec",), "x").field == "spec"


@pytest.mark.parametrize(
    ("version", "kind"), [("v1", "ConfigMapList"), ("kagent.dev/v1alpha2", "AgentTemplateList")]
)
def test_a_typed_list_is_unwrapped(version: str, kind: str) -> None:
    item = manifest("ConfigMap", "a", version="v1").replace("\n", "\n  ")
    assert found(find({"a.yaml": f"apiVersion: {version}\nkind: {kind}\nitems:\n- {item}\n"})) == [
        "a.yaml:ConfigMap/a"
    ]


def test_a_secret_is_found_without_its_values() -> None:
    text = manifest("Secret", "s", version="v1") + "data: {token: aHVudGVyMg==}\n"
    [secret] = find({"a.yaml": text}).documents
    assert secret.value["data"] == {"token": None}


@pytest.mark.parametrize(
    ("text", "reason", "severity"),
    [
        ("kagent.dev: {{ .Values.x }}\n", Reason.YAML_INVALID, Severity.ERROR),
        ("x-k8s.io: {{ kubeagents.x-k8s.io }}\n", Reason.YAML_INVALID, Severity.ERROR),
        ("kind: ConfigMap\ndata: {{ .Values.x }}\n", Reason.SOURCE_SKIPPED, Severity.WARNING),
        ("kind: Secret\nkind: Secret\n", Reason.SOURCE_SKIPPED, Severity.WARNING),
        ("kind: Deployment\nspec: {{ .Values.x }}\n", None, None),
    ],
)
def test_a_file_that_does_not_parse_matters_when_it_is_ours(
    text: str, reason: Reason | None, severity: Severity | None
) -> None:
    sources = find({"a.yaml": text, "b.yaml": manifest("Harness", "h")})
    told = [(fault.reason, fault.severity) for fault in sources.diagnostics]
    assert told == ([] if reason is None else [(reason, severity)])
    assert found(sources) == ["b.yaml:Harness/h"]


def test_a_fault_in_a_file_with_a_secret_is_sensitive() -> None:
    for text, sensitive in (("kind: Secret\nx: [\n", True), ("kind: ConfigMap\nx: [\n", False)):
        [fault] = find({"a.yaml": text}).diagnostics
        assert fault.sensitive is sensitive


def test_every_definition_is_handed_on_with_its_place() -> None:
    text = manifest("Harness", "h")
    assert found(find({"b.yaml": text, "a.yaml": text})) == ["a.yaml:Harness/h", "b.yaml:Harness/h"]


def test_standard_input_is_read_in_place_of_files() -> None:
    files = MemoryFiles({"a.yaml": manifest("Harness", "file").encode()})
    sources = discover(StandardInput(files, manifest("Harness", "typed").encode()), config_of())
    assert found(sources) == ["<stdin>:Harness/typed"]


def test_a_file_that_cannot_be_read_is_told_and_the_rest_is_read() -> None:
    class Vanishing(MemoryFiles):
        def read(self, path: str, limit: int = 0) -> bytes:
            if path == "a.yaml":
                raise ReadError(path, "cannot be read: it vanished")
            return super().read(path)

    files = {path: manifest("Harness", path[0]).encode() for path in ("a.yaml", "b.yaml")}
    sources = discover(Vanishing(files), config_of())
    [fault] = sources.diagnostics
    assert (fault.reason, fault.severity) == (Reason.SOURCE_UNREADABLE, Severity.ERROR)
    assert str(fault.source) == "a.yaml:1:1"
    assert found(sources) == ["b.yaml:Harness/b"]


def test_a_staged_conflict_is_an_error(tmp_path: Path) -> None:
    commit_files(tmp_path, {"a.yaml": manifest("Harness", "a").encode()})
    git(tmp_path, "branch", "other")
    commit_files(tmp_path, {"a.yaml": manifest("Harness", "b").encode()})
    git(tmp_path, "checkout", "--quiet", "other")
    commit_files(tmp_path, {"a.yaml": manifest("Harness", "c").encode()})
    with pytest.raises(AssertionError):
        git(tmp_path, "merge", "main")
    [fault] = discover(GitIndex(tmp_path), config_of()).diagnostics
    assert (fault.reason, fault.is_error) == (Reason.SOURCE_UNREADABLE, True)


def test_file_order_does_not_matter() -> None:
    files = {f"{name}.yaml": manifest("Harness", name) for name in "abc"}
    assert found(find(files)) == found(find(dict(reversed(files.items()))))
