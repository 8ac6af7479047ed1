"""The parts of a Harness that both dialects share."""

from typing import Annotated, Final

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.addresses import LONGEST_ADDRESS, NoUserInformation, NoUserInPinnedReference
from kagent_render.api.schema import Block, ListMap, Name, Reference, Refusal, Rule, Sensitive, exactly_one
from kagent_render.api.selector import Admission, hub_selector

PinnedImage = Annotated[
    str,
    Field(pattern=r"^[^[:space:]@]+@sha256:[a-f0-9]{64}$"),
    NoUserInPinnedReference,
    Refusal(
        "the image must be pinned by digest",
        hint="pin by digest: append `@sha256:` and the 64 hex digits of the image's digest",
    ),
]
Location = Annotated[
    str,
    Field(max_length=LONGEST_ADDRESS, pattern=r"^[^[:space:]]+$"),
    NoUserInformation,
    Refusal(
        "the snapshot location must be one word without white space",
        hint="write the location as a URL, such as `s3://bucket/folder`",
    ),
]
# A reference whose name an API server defaults to the empty one, which a rule then refuses.
_NAMED: Final = {"required": ["name"], "properties": {"name": {"minLength": 1}}}


class Runtime(Block):
    """The presence of a typed runtime variant, which has no settings."""


class Workload(Block):
    """The image of the runtime."""

    image: PinnedImage
    """The image of the runtime, by digest: `REFERENCE@sha256:…`."""


class SecretKey(Reference):
    """A key of a Secret of the same namespace."""

    name: str = ""
    """The Secret's name."""
    key: str
    """The key whose value is read in the cluster."""
    optional: bool | None = None
    """Whether the key may be missing; false unless told."""

    atomic = True


class EnvVar(Block):
    """One environment variable: a literal or a credential reference."""

    name: Name
    """The variable's name."""
    value: str | None = None
    """A literal, which may be empty; this, or `credentialRef`."""
    credential_ref: SecretKey | None = None
    """A key of a Secret; this, or `value`."""

    rules = (
        exactly_one("value", "credentialRef"),
        Rule(
            "the name of the credential reference must not be empty",
            holds=lambda block: "credentialRef" not in block or block["credentialRef"]["name"] != "",
            reads=("credentialRef",),
            field=("credentialRef", "name"),
            hint="set `name` to the Secret's name",
            cel="!has(self.credentialRef) || self.credentialRef.name.size() > 0",
            schema={"properties": {"credentialRef": _NAMED}},
        ),
    )


class WorkerPoolReference(Reference):
    """A WorkerPool of the same namespace."""

    name: str = ""
    """The WorkerPool's name."""

    atomic = True


class SnapshotPolicy(Block):
    """Where the runtime's snapshots are kept."""

    location: Location
    """Where snapshots go, such as `s3://bucket/folder`."""


class Substrate(Block):
    """The infrastructure policy of a Harness."""

    worker_pool_ref: WorkerPoolReference
    """The WorkerPool that runs the agents."""
    snapshot_policy: SnapshotPolicy
    """Where their snapshots are kept."""

    rules = (
        Rule(
            "the name of the worker pool must not be empty",
            holds=lambda block: block["workerPoolRef"]["name"] != "",
            reads=("workerPoolRef",),
            field=("workerPoolRef", "name"),
            hint="set `name` to the WorkerPool's name",
            cel="self.workerPoolRef.name.size() > 0",
            schema={"properties": {"workerPoolRef": _NAMED}},
        ),
    )


Environment = Annotated[list[EnvVar], Field(max_length=100), ListMap("name"), Sensitive()]


def hub_env(env: list[EnvVar] | None) -> tuple[hub.EnvEntry, ...]:
    """The environment entries in the manifest's order."""
    return tuple(
        hub.EnvEntry(entry.name, entry.value, _credential(entry.credential_ref)) for entry in env or ()
    )


def hub_admission(admission: Admission | None) -> hub.LabelSelector | None:
    """The admission selector; None admits no template."""
    return None if admission is None else hub_selector(admission.selector)


def _credential(key: SecretKey | None) -> hub.SecretKeyRef | None:
    return None if key is None else hub.SecretKeyRef(key.name, key.key, bool(key.optional))
