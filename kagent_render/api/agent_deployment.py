"""The pod of a PlatformAgent, as far as plugins share it."""

from typing import Annotated, Any

from pydantic import Field

from kagent_render.api.schema import Integer, ListMap, OpenBlock, Sensitive


class Variable(OpenBlock):
    """One environment variable of the agent's own."""

    name: str
    """The variable's name."""
    value: str | None = None
    """A literal."""
    value_from: dict[str, Any] | None = None
    """Where the value comes from."""


class Storage(OpenBlock):
    """A claim that is made and mounted for the agent."""

    name: str
    """The claim's name."""
    storage_class_name: str | None = None
    """Its storage class."""
    access_modes: list[str] | None = None
    """How it is shared."""
    storage_size: str | None = None
    """Its size."""
    mount_path: str | None = None
    """Where it is mounted."""
    sub_path: str | None = None
    """Which folder of it."""
    read_only: bool | None = None
    """Whether it is mounted read-only."""


class Volume(OpenBlock):
    """A volume of the pod."""

    name: str
    """The volume's name."""


class VolumeMount(OpenBlock):
    """Where the agent's container mounts a volume."""

    name: str
    """The volume's name."""
    mount_path: str
    """Where it is mounted."""


class Availability(OpenBlock):
    """How many pods there are, and where."""

    replicas: Annotated[Integer, Field(ge=0)] | None = None
    """The number of pods."""


class Deployment(OpenBlock):
    """The agent's pod."""

    env: Annotated[list[Variable], ListMap("name"), Sensitive()] | None = None
    """Variables of the agent's container."""
    storages: list[Storage] | None = None
    """Claims that are made and mounted."""
    extra_volumes: list[Volume] | None = None
    """More volumes of the pod."""
    extra_volume_mounts: list[VolumeMount] | None = None
    """Where they are mounted."""
    sidecar_volumes: list[Volume] | None = None
    """Volumes of sidecars."""
    pod_annotations: dict[str, str] | None = None
    """Annotations of the pod."""
    availability: Availability | None = None
    """How many pods there are."""


def replicas(deployment: Deployment) -> int:
    """The number of pods: one unless the deployment says another."""
    availability = deployment.availability or Availability()
    return 1 if availability.replicas is None else availability.replicas


def literals(deployment: Deployment) -> tuple[str, ...]:
    """The names of those variables that the deployment gives a literal value."""
    return tuple(entry.name for entry in deployment.env or () if entry.value_from is None)


def volume_names(deployment: Deployment) -> tuple[str, ...]:
    """The volumes that the deployment adds to the operator's, in the pod's order."""
    volumes = [*(deployment.sidecar_volumes or ()), *(deployment.extra_volumes or ())]
    claims = (f"{storage.name}-vol" for storage in deployment.storages or ())
    return (*claims, *(volume.name for volume in volumes))


def mount_paths(deployment: Deployment) -> tuple[str, ...]:
    """Where the deployment mounts volumes in the agent's container, in the container's order."""
    mounts = [*(deployment.storages or ()), *(deployment.extra_volume_mounts or ())]
    return tuple(mount.mount_path for mount in mounts if mount.mount_path)
