"""The ActorTemplate hub: what every Substrate generation is told about one boundary."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.revision.canonical_json import canonical

if TYPE_CHECKING:
    from kagent_render.compile.environment import EnvVar

_NAME_LENGTH = 50
_HASH_LENGTH = 12


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
class Manifest:
    """A generation's manifest of one boundary; `value` is what its file holds."""

    name: str
    spec_digest: str
    value: dict[str, Any]


def base_name(template: str, harness: str, path: str) -> str:
    """`<template>-<harness>[-<binding path>]`: what names a boundary's runtime, before cutting."""
    return "-".join(filter(None, (template, harness, path.replace("/", "-"))))


def actor_template_name(actor: ActorTemplate, spec: dict[str, Any]) -> str:
    """The readable part cut to 50 characters, and 12 hex digits over identity and spec (DESIGN 12)."""
    readable = base_name(actor.template, actor.harness, actor.path).lower().replace("_", "-")
    return f"{re.sub('-+$', '', readable[:_NAME_LENGTH])}-{name_hash(actor, spec)}"


def name_hash(actor: ActorTemplate, spec: dict[str, Any]) -> str:
    """The first 12 hex digits of sha256 over RFC 8785 JSON of identity and spec."""
    identity = {
        "namespace": actor.namespace,
        "harness": actor.harness,
        "template": actor.template,
        "bindingPath": actor.path,
        "spec": spec,
    }
    return hashlib.sha256(canonical(identity)).hexdigest()[:_HASH_LENGTH]
