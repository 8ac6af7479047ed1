"""RenderConfig and InUse as models, for their schemas; `kagent_render.source` reads the documents."""

from typing import Annotated, Literal

from pydantic import Field

from kagent_render.api.addresses import NoUserInformation
from kagent_render.api.names import DNS_LABEL
from kagent_render.api.schema import Block, OpenBlock

_REGISTRY = r"[A-Za-z0-9.-]+(:[0-9]{1,5})?"

Url = Annotated[str, Field(pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s?#@/]+(/[^\s?#]*)?$")]
Location = Annotated[str, Field(min_length=1), NoUserInformation]
DnsLabel = Annotated[str, Field(pattern=DNS_LABEL)]
PinnedImage = Annotated[str, Field(pattern=r"^[^\s@]+@sha256:[0-9a-f]{64}$")]
Pattern = Annotated[str, Field(min_length=1, max_length=1001)]
Registry = Annotated[str, Field(pattern=f"^{_REGISTRY}$")]
Mirror = Annotated[str, Field(pattern=rf"^{_REGISTRY}(/[a-z0-9._/-]+)?$")]


class Controller(Block):
    """The Service that runtimes report to."""

    name: DnsLabel = "kagent-controller"
    """The Service's name."""
    namespace: DnsLabel = "kagent"
    """The Service's namespace."""


class Tools(Block):
    """Where the runtime of one agent calls a Dedicated one."""

    url: Url = "https://kagent-apply.kagent:8085"
    """The address."""


class Substrate(Block):
    """What Harnesses and the target need of the cluster."""

    worker_pool: Annotated[str, Field(min_length=1)] | None = None
    """The WorkerPool of Harnesses that name none."""
    snapshot_location: Location | None = None
    """Where the snapshots of Harnesses go that name no place."""
    pause_image: PinnedImage | None = None
    """The pause image of the nodes, by digest."""


class Images(Block):
    """The images of Harnesses that name none, by variant."""

    python: PinnedImage | None = None
    """The image of the Python runtime, by digest."""
    kagent: PinnedImage | None = None
    """The image of kagent's own runtime, by digest."""
    claude: PinnedImage | None = None
    """The image of Claude Code's runtime, by digest."""
    codex: PinnedImage | None = None
    """The image of Codex's runtime, by digest."""


class S3(Block):
    """Where S3 objects are whose source does not say."""

    endpoint: Url | None = None
    """The server."""
    region: Annotated[str, Field(pattern="^[a-z0-9-]+$")] | None = None
    """The region."""


class Oci(Block):
    """How images and artifacts are read from registries."""

    platform: Annotated[str, Field(pattern=r"^[a-z0-9]+/[a-z0-9_]+(/[a-z0-9._]+)?$")] = "linux/amd64"
    """Which image of an index is taken."""
    mirrors: dict[Registry, Mirror] | None = None
    """Registries with what is asked before them."""
    insecure: Annotated[list[Registry], Field(max_length=1000)] | None = None
    """Registries without TLS."""


class Artifacts(Block):
    """Where skills and plugins come from."""

    s3: S3 | None = None
    """Settings of S3."""
    oci: Oci | None = None
    """Settings of registries."""


class Retention(Block):
    """How long ActorTemplates outlive an edit."""

    revisions: Annotated[int, Field(ge=1, le=1000)] = 3
    """How many revisions keep their ActorTemplates, the current one included."""
    protect: bool = True
    """Whether annotations keep Argo CD and Flux from pruning them."""


class RenderConfigSpec(Block):
    """The settings of one root."""

    target: Literal["ate.dev/v1alpha1", "ateapi/v0.4", "ateapi/v0.4.0-alpha1"] | None = None
    """The Substrate generation to write for; needed where there is a Harness."""
    sources: Annotated[list[Pattern], Field(max_length=1000)] | None = None
    """Which files may be manifests; `!pattern` excludes. All YAML files unless told."""
    output: Annotated[str, Field(min_length=1)] = "rendered"
    """The folder that is written."""
    controller: Controller | None = None
    """The Service that runtimes report to."""
    tools: Tools | None = None
    """Where the runtime of one agent calls a Dedicated one."""
    substrate: Substrate | None = None
    """What Harnesses and the target need of the cluster."""
    images: Images | None = None
    """The images of Harnesses that name none."""
    artifacts: Artifacts | None = None
    """Where skills and plugins come from."""
    retention: Retention | None = None
    """How long ActorTemplates outlive an edit."""
    kube_version: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """The cluster's version, in quotes; without it plugins have no image volumes."""
    capabilities: Annotated[list[Pattern], Field(max_length=1000)] | None = None
    """The files that hold capability records."""


class InUseSpec(OpenBlock):
    """What running instances still need."""

    actor_templates: list[str]
    """The names of the ActorTemplates, `[]` where there are none."""
