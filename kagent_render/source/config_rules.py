"""What a value in RenderConfig must look like: each rule gives what is wrong and what to do, or None."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from kagent_render.source.config import TARGETS

Complaint = tuple[str, str]

_PINNED: Final = re.compile(r"[^\s@]+@sha256:[0-9a-f]{64}")
_PLATFORM: Final = re.compile(r"[a-z0-9]+/[a-z0-9_]+(/[a-z0-9._]+)?")
_REGISTRY: Final = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_MIRROR: Final = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._/-]+)?")
_REGION: Final = re.compile(r"[a-z0-9-]+")
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_RESERVED_FOLDERS: Final = (".git", ".kagent")
_LONGEST_PATTERN: Final = 1000
_LONGEST_VERSION: Final = 100


def target(text: str) -> Complaint | None:
    """One of the Substrate generations; the resource of August 2026 is refused by name."""
    if text in TARGETS:
        return None
    hint = f"use one of `{'`, `'.join(TARGETS)}`"
    if text.startswith("ate.dev/"):
        return (
            f"`{text[:80]}` is not a target: the ActorTemplate resource of August 2026 cannot refer"
            " to Secrets and has had no controller since 1 September 2026",
            hint,
        )
    return "the target is not a known Substrate generation", hint


def output_folder(text: str) -> Complaint | None:
    """A folder below the root, not the root itself."""
    parts = text.removeprefix("./").rstrip("/").split("/")
    if parts in ([""], ["."]) and not text.startswith("/"):
        return "the output folder may not be the root itself", "name a folder, such as `rendered`"
    if text.startswith("/") or "\\" in text or any(part in ("", ".", "..") for part in parts):
        return (
            "the output folder must be a relative path inside the root",
            "name a folder, such as `rendered`",
        )
    if not text.isprintable() or parts[0] in _RESERVED_FOLDERS:
        return "the output folder is reserved or not printable", "name a folder, such as `rendered`"
    return None


def pattern(text: str) -> Complaint | None:
    """A glob relative to the root."""
    body = text.removeprefix("!")
    if not body or len(body) > _LONGEST_PATTERN:
        return f"a pattern has 1 to {_LONGEST_PATTERN} characters", "write a pattern such as `**/*.yaml`"
    if body.startswith("/") or ".." in body.split("/"):
        return "a pattern must stay inside the root", "write it relative to the root, without `..`"
    if "\0" in body:
        return "a pattern names files, whose names hold no NUL character", "remove the character"
    return None


def pinned_image(text: str) -> Complaint | None:
    """An image by digest."""
    if _PINNED.fullmatch(text):
        return None
    return "the image is not pinned by digest", "write it as `REFERENCE@sha256:` and 64 hex digits"


def plain_url(text: str) -> Complaint | None:
    """An http or https URL that carries no credential."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "the URL is malformed", "write it as `https://HOST:PORT`"
    if parts.username is not None or "@" in parts.netloc:
        return "the URL may not carry user information", "remove everything before the `@`"
    if parts.scheme not in ("http", "https") or not host or not text.isprintable() or " " in text:
        return "the URL is not an http or https URL", "write it as `https://HOST:PORT`"
    if parts.query or parts.fragment:
        return "the URL may not carry a query or fragment", "write it as `https://HOST:PORT`"
    return None


def kube_version(text: str) -> Complaint | None:
    """A Kubernetes version; one that cannot be read is no error, and image volumes are unsupported then."""
    if text.isprintable() and 0 < len(text) <= _LONGEST_VERSION:
        return None
    return "this is not a Kubernetes version", 'write it as `"1.35"`'


def platform(text: str) -> Complaint | None:
    """An image platform."""
    return None if _PLATFORM.fullmatch(text) else ("this is not a platform", "write it as `linux/amd64`")


def registry(text: str) -> Complaint | None:
    """A registry's host, with its port."""
    return (
        None if _REGISTRY.fullmatch(text) else ("this is not a registry", "write it as `HOST` or `HOST:PORT`")
    )


def mirror(text: str) -> Complaint | None:
    """A registry with the path below which it mirrors another."""
    return None if _MIRROR.fullmatch(text) else ("this is not a registry", "write it as `HOST:PORT/PATH`")


def region(text: str) -> Complaint | None:
    """An S3 region."""
    return None if _REGION.fullmatch(text) else ("this is not a region", "write it as `eu-west-1`")


def dns_label(text: str) -> Complaint | None:
    """A name that Kubernetes takes for a Service or namespace."""
    if _LABEL.fullmatch(text):
        return None
    return "this is not a valid Kubernetes name", "use lower-case letters, digits and `-`, at most 63"


def not_empty(text: str) -> Complaint | None:
    """Any text."""
    return (
        None
        if text and text.isprintable()
        else ("the text is empty or not printable", "write the name or location")
    )


def location(text: str) -> Complaint | None:
    """Where snapshots are kept, without a credential."""
    if "@" in text.partition("://")[2].partition("/")[0]:
        return "the location may not carry user information", "remove everything before the `@`"
    return not_empty(text)
