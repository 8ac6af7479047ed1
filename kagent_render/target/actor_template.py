"""The ActorTemplate hub: what every Substrate generation is told about one boundary."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kagent_render.revision.canonical_json import canonical
from kagent_render.revision.canonical_yaml import dump

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.compile.environment import EnvVar

_NAME_LENGTH = 50
_HASH_LENGTH = 12


def manifest_path(actor_template: str) -> str:
    """Where a pair's folder holds the manifest of one ActorTemplate."""
    return f"actortemplates/{actor_template}.yaml"


@dataclass(frozen=True, slots=True)
class ActorTemplate:
    """One boundary's runtime, free of any generation's field names."""

    namespace: str
    harness: str
    template: str
    path: str
    image: str
    env: tuple[EnvVar, ...]
    pause_image: str
    worker_pool: str
    snapshot_location: str


@dataclass(frozen=True, slots=True)
class BuiltManifest:
    """A generation's manifest of one boundary; `value` is what its file holds, below a `heading` if any."""

    name: str
    spec_digest: str
    value: dict[str, Any]
    heading: str = ""

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        return (self.heading + dump(self.value)).encode()


class Manifest:
    """A manifest that is built when it is first looked at: an unchanged one never is."""

    def __init__(self, build: Callable[[], BuiltManifest]) -> None:
        self._build = build

    @cached_property
    def built(self) -> BuiltManifest:
        """The manifest itself."""
        return self._build()

    @property
    def name(self) -> str:
        """The ActorTemplate's name."""
        return self.built.name


def base_name(template: str, harness: str, path: str) -> str:
    """`<template>-<harness>[-<binding path>]`: what names a boundary's runtime, before cutting."""
    return "-".join(filter(None, (template, harness, path.replace("/", "-"))))


def actor_template_name(actor: ActorTemplate, spec: bytes) -> str:
    """The readable part cut to 50 characters, and 12 hex digits over identity and spec (DESIGN 12).

    `spec` is the RFC 8785 form of the manifest's spec.
    """
    readable = base_name(actor.template, actor.harness, actor.path).lower().replace("_", "-")
    return f"{readable[:_NAME_LENGTH].rstrip('-.')}-{name_hash(actor, spec)}"


def name_hash(actor: ActorTemplate, spec: bytes) -> str:
    """The 12 hex digits in the name of an ActorTemplate."""
    return identity_hash(actor.namespace, actor.harness, actor.template, actor.path, spec)


def identity_hash(namespace: str, harness: str, template: str, path: str, spec: bytes) -> str:
    """The first 12 hex digits of sha256 over RFC 8785 JSON of identity and spec.

    The object's keys in their canonical order are bindingPath, harness, namespace, spec, template: the spec's
    own form is put where it belongs rather than written a second time.
    """
    before = {"bindingPath": path, "harness": harness, "namespace": namespace}
    identity = canonical(before)[:-1] + b',"spec":' + spec + b"," + canonical({"template": template})[1:]
    return hashlib.sha256(identity).hexdigest()[:_HASH_LENGTH]
