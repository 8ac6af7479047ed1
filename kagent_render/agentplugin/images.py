"""What is known of a plugin's image: the digest behind its reference, and what its `plugin.yaml` says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PluginManifest:
    """The part of a Hermes `plugin.yaml` that matters before it runs.

    `name` is empty where the file is not there or gives none, so that Hermes takes the directory's.
    """

    name: str
    version: str = ""
    requires_plugins: tuple[str, ...] = ()
    requires_env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginImage:
    """An image pinned by digest.

    `manifest` is None where the image was not or could not be read; `note` then says why, in a clause. With a
    manifest, `note` says what Hermes misses in the image or would pass over.
    """

    reference: str
    digest: str
    manifest: PluginManifest | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PullFailure:
    """An image that its registry does not have, or refuses to give; `cause` is a clause, `hint` an action."""

    reference: str
    cause: str
    hint: str | None = None
