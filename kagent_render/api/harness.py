"""The parts of a Harness that both dialects share."""

from typing import Annotated

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.addresses import NoUserInformation, NoUserInReference
from kagent_render.api.schema import Block, ListMap, Name, Reference, Refusal, Rule, Sensitive, exactly_one
from kagent_render.api.selector import Admission, hub_selector

PinnedImage = Annotated[
    str,
    Field(pattern=r"^[^[:space:]@]+@sha256:[a-f0-9]{64}$"),
    NoUserInReference,
    Refusal(
        "the image must be pinned by digest",
        hint="pin by digest: append `@sha256:` and the 64 hex digits of the image's digest",
    ),
]
Location = Annotated[
    str,
    Field(pattern=r"^[^[:space:]]+$"),
    NoUserInformation,
    Refusal(
        "the snapshot location must be one word without white space",
        hint="write the location as a URL, such as `s3://bucket/folder`",
    ),
]


class Runtime(Block):
    """The presence of a typed runtime variant, which has no settings."""


class Workload(Block):
    """The image of the runtime."""

    image: PinnedImage


class SecretKey(Reference):
    """A key of a Secret of the same namespace."""

    name: str = ""
    key: str
    optional: bool | None = None


class EnvVar(Block):
    """One environment variable: a literal or a credential reference."""

    name: Name
    value: str | None = None
    credential_ref: SecretKey | None = None

    rules = (
        exactly_one("value", "credentialRef"),
        Rule(
            "the name of the credential reference must not be empty",
            holds=lambda block: "credentialRef" not in block or block["credentialRef"]["name"] != "",
            reads=("credentialRef",),
            field=("credentialRef", "name"),
            hint="set `name` to the Secret's name",
            cel="!has(self.credentialRef) || self.credentialRef.name.size() > 0",
        ),
    )


class WorkerPoolReference(Reference):
    """A WorkerPool of the same namespace."""

    name: str = ""


class SnapshotPolicy(Block):
    """Where the runtime's snapshots are kept."""

    location: Location


class Substrate(Block):
    """The infrastructure policy of a Harness."""

    worker_pool_ref: WorkerPoolReference
    snapshot_policy: SnapshotPolicy

    rules = (
        Rule(
            "the name of the worker pool must not be empty",
            holds=lambda block: block["workerPoolRef"]["name"] != "",
            reads=("workerPoolRef",),
            field=("workerPoolRef", "name"),
            hint="set `name` to the WorkerPool's name",
            cel="self.workerPoolRef.name.size() > 0",
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
