import textwrap

import pytest

from kagent_render.diagnostics.diagnostic import Diagnostic
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config import (
    Controller,
    OCIAccess,
    RenderConfig,
    Retention,
    S3Access,
    Substrate,
)
from kagent_render.source.config_reading import read_config
from kagent_render.source.reader import MemoryFiles

HEAD = "apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\n"
ZEROS = "0" * 64


def read(text: str) -> tuple[RenderConfig | None, list[Diagnostic]]:
    return read_config(MemoryFiles({"kagent-render.yaml": text.encode()}))


def spec(text: str) -> str:
    return f"{HEAD}spec:\n{textwrap.indent(textwrap.dedent(text).strip(), '  ')}\n"


def accepted(text: str) -> RenderConfig:
    config, faults = read(text)
    assert faults == []
    assert config is not None
    return config


@pytest.mark.parametrize(
    "text", [HEAD, f"{HEAD}spec:\n", f"{HEAD}spec: {{}}\n", f"---\n{HEAD}metadata: {{name: x}}\n---\n"]
)
def test_everything_has_its_default(text: str) -> None:
    config = accepted(text)
    assert config.target is None
    assert config.sources == ("**/*.yaml", "**/*.yml")
    assert config.output == "rendered"
    assert config.controller == Controller("kagent-controller", "kagent")
    assert config.tools_url == "https://kagent-apply.kagent:8085"
    assert config.substrate == Substrate(None, None, None)
    assert config.images == {}
    assert config.s3 == S3Access(None, None)
    assert config.oci == OCIAccess("linux/amd64", {}, ())
    assert config.retention == Retention(3, protect=True)
    assert config.kube_version is None
    assert config.capabilities == ()


def test_every_field_is_read() -> None:
    config = accepted(
        spec(f"""
            target: ateapi/v0.4
            sources: [agents/**, "!agents/old"]
            output: ./out/manifests/
            controller: {{name: c, namespace: ns}}
            tools: {{url: "http://tools.n:80/"}}
            substrate: {{workerPool: p, snapshotLocation: s3://b/x, pauseImage: r/p@sha256:{ZEROS}}}
            images: {{python: r/python:1@sha256:{ZEROS}}}
            artifacts:
              s3: {{endpoint: "https://s3.example.com", region: eu-west-1}}
              oci:
                platform: linux/arm64
                mirrors: {{docker.io: "mirror:5000/hub"}}
                insecure: ["localhost:5000"]
            retention: {{revisions: 1, protect: false}}
            kubeVersion: "1.35"
            capabilities: [.kagent/capabilities/*.yaml]
            """)
    )
    assert config.target == "ateapi/v0.4"
    assert config.sources == ("agents/**", "!agents/old")
    assert config.output == "out/manifests"
    assert config.controller == Controller("c", "ns")
    assert config.tools_url == "http://tools.n:80"
    assert config.substrate == Substrate("p", "s3://b/x", f"r/p@sha256:{ZEROS}")
    assert config.images == {"python": f"r/python:1@sha256:{ZEROS}"}
    assert config.s3 == S3Access("https://s3.example.com", "eu-west-1")
    assert config.oci == OCIAccess("linux/arm64", {"docker.io": "mirror:5000/hub"}, ("localhost:5000",))
    assert config.retention == Retention(1, protect=False)
    assert config.kube_version == "1.35"
    assert config.capabilities == (".kagent/capabilities/*.yaml",)
    assert config.document.position(("spec", "target")).line == 4


@pytest.mark.parametrize(
    ("text", "field", "words", "hint"),
    [
        ("target: ate.dev/v1alpha2", "spec.target", "August 2026", "`ate.dev/v1alpha1`"),
        ("target: ate.dev/v1alpha1beta", "spec.target", "August 2026", "`ateapi/v0.4`"),
        ("target: kubernetes", "spec.target", "not a known", "`ateapi/v0.4`"),
        ("target: 4", "spec.target", "must be text", "quotes"),
        ("targt: x", "spec.targt", "`targt` is unknown", "write `target`"),
        ("zzz: x", "spec.zzz", "`zzz` is unknown", "remove"),
        ("controller: {nmae: x}", "spec.controller.nmae", "unknown", "write `name`"),
        ("controller: kagent", "spec.controller", "must be a mapping", None),
        ("controller: {name: Big_Name}", "spec.controller.name", "Kubernetes name", "lower-case"),
        ("sources: '**'", "spec.sources", "must be a list", None),
        ("sources: [/etc/*]", "spec.sources[0]", "inside the root", "relative"),
        ("sources: [a, '!../b']", "spec.sources[1]", "inside the root", "relative"),
        ("sources: ['!']", "spec.sources[0]", "1 to 1000", None),
        ("sources: [1]", "spec.sources[0]", "must be text", "quotes"),
        ("output: .", "spec.output", "not be the root", "name a folder"),
        ("output: ./", "spec.output", "not be the root", "name a folder"),
        ("output: /srv", "spec.output", "inside the root", "name a folder"),
        ("output: a/../..", "spec.output", "inside the root", "name a folder"),
        ("output: 'a\\b'", "spec.output", "inside the root", "name a folder"),
        ("output: .git/x", "spec.output", "reserved", "name a folder"),
        ("output: .kagent", "spec.output", "reserved", "name a folder"),
        ("tools: {url: 'https://me:hunter2@host'}", "spec.tools.url", "user information", "`@`"),
        ("tools: {url: 'ftp://host'}", "spec.tools.url", "not an http", "`https://HOST:PORT`"),
        ("tools: {url: 'https://'}", "spec.tools.url", "not an http", "`https://HOST:PORT`"),
        ("tools: {url: 'https://host:port'}", "spec.tools.url", "malformed", "`https://HOST:PORT`"),
        ("tools: {url: 'https://host/?token=hunter2'}", "spec.tools.url", "query", "`https://HOST:PORT`"),
        ("substrate: {pauseImage: r/p:1}", "spec.substrate.pauseImage", "not pinned", "sha256"),
        ("substrate: {workerPool: ''}", "spec.substrate.workerPool", "empty", None),
        ("images: {python: r/p:1}", "spec.images.python", "not pinned", "sha256"),
        (f"images: {{pyton: r@sha256:{ZEROS}}}", "spec.images.pyton", "unknown", "write `python`"),
        (
            "artifacts: {s3: {endpoint: 'https://a@b'}}",
            "spec.artifacts.s3.endpoint",
            "user information",
            "`@`",
        ),
        ("artifacts: {s3: {region: 'EU WEST'}}", "spec.artifacts.s3.region", "not a region", "eu-west-1"),
        ("artifacts: {oci: {platform: linux}}", "spec.artifacts.oci.platform", "not a platform", "amd64"),
        ("artifacts: {oci: {mirrors: {a b: c}}}", "spec.artifacts.oci.mirrors.a b", "not a registry", "HOST"),
        (
            "artifacts: {oci: {mirrors: {a: 'u:p@c'}}}",
            "spec.artifacts.oci.mirrors.a",
            "not a registry",
            "HOST",
        ),
        (
            "artifacts: {oci: {insecure: ['http://a']}}",
            "spec.artifacts.oci.insecure[0]",
            "not a registry",
            "HOST",
        ),
        ("retention: {revisions: 0}", "spec.retention.revisions", "from 1", None),
        ("retention: {revisions: true}", "spec.retention.revisions", "from 1", None),
        ("retention: {protect: 'no'}", "spec.retention.protect", "true or false", None),
        ("kubeVersion: 1.35", "spec.kubeVersion", "must be text", "quotes"),
        ('kubeVersion: ""', "spec.kubeVersion", "not a Kubernetes version", "1.35"),
        ("capabilities: [/x]", "spec.capabilities[0]", "inside the root", "relative"),
    ],
)
def test_a_wrong_field_is_refused_where_it_stands(
    text: str, field: str, words: str, hint: str | None
) -> None:
    config, faults = read(spec(text))
    assert config is None
    [fault] = faults
    assert (fault.reason, fault.field) == (Reason.CONFIG_INVALID, field)
    assert words in fault.message
    assert hint is None or (fault.hint is not None and hint in fault.hint)
    assert "hunter2" not in f"{fault.message} {fault.hint}"
    assert fault.source is not None
    assert (fault.source.path, fault.source.line) == ("kagent-render.yaml", 4)


def test_every_fault_is_told_at_once() -> None:
    _, faults = read(spec("target: x\noutput: .\nimages: {python: x}\nunknown: 1"))
    assert [fault.field for fault in faults] == [
        "spec.target",
        "spec.output",
        "spec.images.python",
        "spec.unknown",
    ]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("apiVersion: render.kagent.dev/v1\nkind: RenderConfig\n", (1, 1), "render.kagent.dev/v1alpha1"),
        ("apiVersion: render.kagent.dev/v1alpha1\n", (1, 1), "`RenderConfig`"),
        (f"{HEAD}spec: []\n", (3, 1), "must be a mapping"),
        (f"{HEAD}sepc: {{}}\n", (3, 1), "unknown"),
        ("", (1, 1), "one RenderConfig"),
        ("\n- a\n", (2, 1), "one RenderConfig"),
        (f"{HEAD}---\n{HEAD}", (1, 1), "one RenderConfig"),
        (f"{HEAD}kind: x\n", (3, 1), "already set"),
        (f"{HEAD}spec: [\n", (4, 1), "closing bracket"),
    ],
)
def test_a_file_that_is_no_render_config_is_refused(text: str, place: tuple[int, int], words: str) -> None:
    config, [fault] = read(text)
    assert config is None
    assert fault.reason is Reason.CONFIG_INVALID
    assert words in fault.message
    assert fault.source is not None
    assert (fault.source.line, fault.source.column) == place


def test_a_file_that_cannot_be_read_is_told() -> None:
    config, [fault] = read_config(MemoryFiles({}))
    assert config is None
    assert (fault.reason, fault.message) == (Reason.CONFIG_INVALID, "`kagent-render.yaml` does not exist")
