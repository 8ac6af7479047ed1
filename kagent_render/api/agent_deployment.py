"""The pod of a PlatformAgent, as far as plugins share it."""

from typing import Annotated, Any

from pydantic import Field

from kagent_render.api.schema import Integer, ListMap, OpenBlock, Sensitive


class Variable(OpenBlock):
    """One environment variable of the agent's own."""

    name: str
    value: str | None = None
    value_from: dict[str, Any] | None = None


class Storage(OpenBlock):
    """A claim that is made and mounted for the agent."""

    name: str
    storage_class_name: str | None = None
    access_modes: list[str] | None = None
    storage_size: str | None = None
    mount_path: str | None = None
    sub_path: str | None = None
    read_only: bool | None = None


class Volume(OpenBlock):
    """A volume of the pod."""

    name: str


class VolumeMount(OpenBlock):
    """Where the agent's container mounts a volume."""

    name: str
    mount_path: str


class Availability(OpenBlock):
    """How many pods there are, and where."""

    replicas: Annotated[Integer, Field(ge=0)] | None = None


class Deployment(OpenBlock):
    """The agent's pod."""

    env: Annotated[list[Variable], ListMap("name"), Sensitive()] | None = None
    storages: list[Storage] | None = None
    extra_volumes: list[Volume] | None = None
    extra_volume_mounts: list[VolumeMount] | None = None
    sidecar_volumes: list[Volume] | None = None
    pod_annotations: dict[str, str] | None = None
    availability: Availability | None = None


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
