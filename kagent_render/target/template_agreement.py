"""Whether the fields of a message agree with each other (facts 10.2, 10.3)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from kagent_render.target.rule_ties import tie_faults
from kagent_render.target.template_fault import TemplateFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

    from kagent_render.diagnostics.diagnostic import FieldPath

_ONE_OF: Final = {
    "Volume": ("durableDir", "externalVolumeTemplate", "systemInfo", "image"),
    "SystemInfoDataSource": ("actorMetadata", "trustBundle"),
    "EgressRule": ("http", "https", "tlsPassthrough"),
    "Ports": ("all", "numbers"),
    "CredentialHeader": ("credentialUri", "actorJwt"),
}
"""Fields of which a message has exactly one."""


def agreement_faults(message: Message, path: FieldPath) -> Iterator[TemplateFault]:
    """What is wrong between the fields of one message, not within them."""
    yield from _one_of_faults(message, path)
    if together := _TOGETHER.get(message.DESCRIPTOR.name):
        yield from together(message, path)


def _one_of_faults(message: Message, path: FieldPath) -> Iterator[TemplateFault]:
    names = _ONE_OF.get(message.DESCRIPTOR.name, ())
    found = [field.json_name for field, _ in message.ListFields() if field.json_name in names]
    if names and len(found) != 1:
        listed = f"`{'`, `'.join(names[:-1])}` or `{names[-1]}`"
        has = f"there are {len(found)}" if found else "there is none"
        yield TemplateFault(
            path, f"exactly one of {listed} is needed, and {has}", "keep or write one of them"
        )


def _mount_faults(container: Any, path: FieldPath) -> Iterator[TemplateFault]:
    """Mounts below another, whichever of the two comes first."""
    paths = {mount.mount_path for mount in container.volume_mounts}
    for index, mount in enumerate(container.volume_mounts):
        parts = mount.mount_path.split("/")
        if any("/".join(parts[:end]) in paths for end in range(2, len(parts))):
            at = (*path, "volumeMounts", index, "mountPath")
            yield TemplateFault(at, "the path is below that of another mount", "mount it elsewhere")


def _volume_faults(template: Any, path: FieldPath) -> Iterator[TemplateFault]:
    """Mounts of volumes that the template has not."""
    names = {volume.name for volume in template.volumes}
    for index, container in enumerate(template.containers):
        for place, mount in enumerate(container.volume_mounts):
            if mount.name and mount.name not in names:
                at = (*path, "containers", index, "volumeMounts", place, "name")
                yield TemplateFault(at, "no volume has this name", "add the volume, or correct the name")


def _projection_faults(volume: Any, path: FieldPath) -> Iterator[TemplateFault]:
    """Files of a volume that are written twice, and identities that are."""
    at = (*path, "dataSources")
    files = chain.from_iterable(
        [source.trust_bundle.path] if source.HasField("trust_bundle") else _paths(source)
        for source in volume.data_sources
    )
    written = [file for file in files if file]
    if len(set(written)) < len(written):
        yield TemplateFault(at, "two entries write the same path", "write each file at a path of its own")
    if sum(source.HasField("actor_metadata") for source in volume.data_sources) > 1:
        yield TemplateFault(at, "there are several `actorMetadata`", "write one with all the items")


def _paths(source: Any) -> list[str]:
    return [item.path for item in source.actor_metadata.items]


_TOGETHER: Final[dict[str, Callable[[Any, FieldPath], Iterator[TemplateFault]]]] = {
    "ActorTemplate": _volume_faults,
    "Container": _mount_faults,
    "SystemInfoVolumeSource": _projection_faults,
    "EgressPolicyTemplate": lambda policy, path: tie_faults(policy.rules, (*path, "rules")),
}
