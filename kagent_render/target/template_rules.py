"""What `ateapi` of v0.4.0 asks of single fields, beyond their types (facts 10.2, 10.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.names import is_dns_label, is_dns_subdomain
from kagent_render.api.user_information import has_user_information
from kagent_render.target.template_fault import TemplateFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.diagnostics.diagnostic import FieldPath


@dataclass(frozen=True, slots=True)
class Form:
    """How a text is to be written: a test, and how to say what passes it."""

    holds: Callable[[str], bool]
    words: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What one field must be. Of a list, `characters`, `between` and `form` are about each of its items.

    `unique` is the field of the items that no two may share; empty where no two items may be equal.
    """

    needed: bool = False
    items: tuple[int, int] | None = None
    characters: int | None = None
    between: tuple[int, int] | None = None
    unique: str | None = None
    form: Form | None = None


FREE: Final = Rule()
"""The rule of a field that may be anything."""


def count_faults(count: int, rule: Rule, path: FieldPath) -> Iterator[TemplateFault]:
    """Of a list or a map with too few or too many entries."""
    least, most = rule.items or (0, count)
    if not least <= count <= most:
        bounds = f"{least} to {most}" if least else f"at most {most}"
        yield TemplateFault(path, f"there are {count} entries, and {bounds} are allowed", f"keep {bounds}")


_PINNED: Final = re.compile(r"[A-Za-z0-9._:/\[\]-]+@sha256:[0-9a-f]{64}")
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[!-~]+")
_SECRET: Final = re.compile(r"ate-secret://[!-~]+")
_ENV_NAME: Final = re.compile("[ -<>-~]+")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PATH: Final = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
_UNCLEAN: Final = re.compile(r"(^|/)\.{0,2}(/|$)|[\0-\x1f\x7f-\x9f]")


def is_host_pattern(text: str) -> bool:
    """Whether `text` is a lower-case DNS name, with `*` for its leftmost label, or alone."""
    name = text.removeprefix("*.")
    return text == "*" or (is_dns_subdomain(name) and not name.rpartition(".")[2].isdecimal())


def is_pinned_image(text: str) -> bool:
    """Whether `text` is made of what a reference of a registry is made of, and ends in a digest."""
    return _PINNED.fullmatch(text) is not None


def _is_mount_path(text: str) -> bool:
    return text.startswith("/") and ":" not in text and not _UNCLEAN.search(text[1:])


def _is_relative(text: str) -> bool:
    return text.count("/") < 16 and not _UNCLEAN.search(text)


def _is_location(text: str) -> bool:
    return _URI.fullmatch(text) is not None and not has_user_information(text)


_LABEL: Final = Form(is_dns_label, "lower-case letters, digits and `-`, at most 63 characters")
_OBJECT: Final = Form(is_dns_subdomain, "the name of an object of the cluster")
_IMAGE: Final = Form(is_pinned_image, "a reference of a registry pinned by `@sha256:` and 64 hex digits")
_RELATIVE: Final = Form(_is_relative, "a relative path of at most 16 parts, none of them empty, `.` or `..`")

_IMAGE_RULE: Final = Rule(needed=True, characters=512, form=_IMAGE)
_ARGUMENTS: Final = Rule(items=(0, 64), characters=4096)
_HOSTS: Final = Rule(
    items=(1, 256),
    unique="",
    form=Form(is_host_pattern, "a lower-case DNS name, with `*` at most as its leftmost label"),
)
_NEEDED: Final = Rule(needed=True)

RULES: Final = {
    "ActorTemplate.metadata": _NEEDED,
    "ActorTemplate.containers": Rule(items=(1, 10), unique="name"),
    "ActorTemplate.volumes": Rule(items=(0, 32), unique="name"),
    "ActorTemplate.snapshotConfig": _NEEDED,
    "ActorTemplate.sandboxConfig": _NEEDED,
    "ResourceMetadata.atespace": Rule(needed=True, form=_LABEL),
    "ResourceMetadata.name": Rule(needed=True, form=_LABEL),
    "Selector.matchLabels": Rule(items=(1, 10)),
    "Container.name": Rule(needed=True, form=_LABEL),
    "Container.image": _IMAGE_RULE,
    "Container.command": _ARGUMENTS,
    "Container.args": _ARGUMENTS,
    "Container.env": Rule(items=(0, 32), unique="name"),
    "Container.volumeMounts": Rule(items=(0, 32), unique="mountPath"),
    "EnvVar.name": Rule(
        needed=True,
        characters=256,
        form=Form(lambda text: _ENV_NAME.fullmatch(text) is not None, "printable ASCII without `=`"),
    ),
    "EnvVar.value": Rule(characters=32_768),
    "ContainerWakeupProbe.httpGet": _NEEDED,
    "ContainerWakeupProbe.timeoutSeconds": Rule(between=(1, 3600)),
    "HTTPGetAction.path": Rule(
        characters=1024,
        form=Form(lambda text: _PATH.fullmatch(text) is not None, "a path that begins with `/`"),
    ),
    "HTTPGetAction.port": Rule(needed=True, between=(1, 65_535)),
    "VolumeMount.name": Rule(needed=True, form=_LABEL),
    "VolumeMount.mountPath": Rule(
        needed=True, characters=4096, form=Form(_is_mount_path, "an absolute path without `:`, `.` or `..`")
    ),
    "Capabilities.add": Rule(items=(0, 64), unique=""),
    "Capabilities.drop": Rule(items=(0, 64), unique=""),
    "Resources.limits": Rule(items=(0, 2), unique="name"),
    "Limits.name": Rule(needed=True, form=Form(lambda text: text in ("cpu", "memory"), "`cpu` or `memory`")),
    "Limits.quantity": Rule(needed=True, characters=32),
    "Volume.name": Rule(needed=True, form=_LABEL),
    "ExternalVolumeTemplate.capacity": Rule(needed=True, characters=32),
    "ExternalVolumeTemplate.storageClassName": Rule(needed=True, form=_OBJECT),
    "ImageVolumeSource.reference": _IMAGE_RULE,
    "SystemInfoVolumeSource.dataSources": Rule(items=(0, 8)),
    "ActorMetadataDataSource.items": Rule(items=(1, 8), unique="field"),
    "ActorMetadataItem.field": _NEEDED,
    "ActorMetadataItem.path": Rule(needed=True, characters=255, form=_RELATIVE),
    "TrustBundleDataSource.path": Rule(needed=True, characters=255, form=_RELATIVE),
    "TrustBundleDataSource.names": Rule(items=(1, 8), characters=253, unique=""),
    "SnapshotConfig.storageLocation": Rule(
        needed=True,
        characters=1024,
        form=Form(_is_location, "a URI such as `s3://BUCKET/PREFIX`, without user information"),
    ),
    "SandboxConfig.sandboxClass": _NEEDED,
    "SandboxConfig.configName": Rule(needed=True, form=_OBJECT),
    "EgressPolicyTemplate.rules": Rule(items=(0, 256)),
    "HTTPRule.hostnames": _HOSTS,
    "HTTPSRule.hostnames": _HOSTS,
    "TLSPassthroughRule.hostnames": _HOSTS,
    "TLSPassthroughRule.ports": _NEEDED,
    "Ports.numbers": Rule(items=(0, 16), between=(1, 65_535), unique=""),
    "HttpRuleEffects.replaceHeaders": Rule(items=(1, 16), unique="header"),
    "CredentialHeader.header": Rule(
        needed=True, form=Form(lambda text: _TOKEN.fullmatch(text) is not None, "the name of an HTTP header")
    ),
    "CredentialHeader.credentialUri": Rule(
        form=Form(lambda text: _SECRET.fullmatch(text) is not None, "an `ate-secret://` address")
    ),
    "ActorJWTSource.audiences": Rule(items=(1, 16), characters=512, unique=""),
    "ActorJWTSource.expirationSeconds": Rule(needed=True, between=(300, 3600)),
}
"""By message and field, the field spelled as protojson does."""
