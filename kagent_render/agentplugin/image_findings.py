"""What the images of an agent's plugins give cause to tell: tags, missing dependencies, other contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.images import PluginImage, PullFailure
from kagent_render.agentplugin.names import BUILT_IN
from kagent_render.artifacts.source_identity import shortened
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.agentplugin.images import PluginManifest
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic

SHIPPED: Final = frozenset((*BUILT_IN, "agent_roster", "legacy_slash_commands"))
"""The plugins that the agent's own image has (B §4)."""

_FIELD: Final = ("spec", "image")


def image_findings(
    compiled: CompiledAgent,
    locked: Mapping[str, PluginImage],
    current: Mapping[str, PluginImage | PullFailure],
    defined: Collection[str],
) -> Iterator[Diagnostic]:
    """Every finding about the image of a rendered plugin, at its `spec.image`; none is an error.

    `locked` is what the locks pin, `current` what registries said now where they were asked in spite of that,
    `defined` the environment variables that the operator sets.
    """
    plugins, variables = _plugins_of_profiles(compiled), _variables(compiled, defined)
    for plugin in compiled.rendered:
        image = compiled.images.get(plugin.image)
        if image is None:
            continue
        if "@" not in plugin.image:
            yield _tag_finding(plugin, image, locked.get(plugin.image), current.get(plugin.image))
        if image.manifest is None:
            yield from _unread(plugin, image)
        else:
            yield from _mismatch(plugin, image.manifest, image.note)
            yield from _dependencies(plugin, image.manifest, plugins[plugin.profile], variables)


def _tag_finding(
    plugin: AgentPlugin, image: PluginImage, before: PluginImage | None, now: PluginImage | PullFailure | None
) -> Diagnostic:
    """One warning for a tag: that it moved or went since the lock was written, else that it may."""
    if before is not None and isinstance(now, PullFailure):
        return _gone(plugin, before.digest, now)
    if before is not None and isinstance(now, PluginImage) and before.digest != now.digest:
        return _moved(plugin, image, before.digest, now.digest)
    return _warning(
        plugin,
        Reason.IMAGE_TAG_MUTABLE,
        f"`{plugin.image}` may come to mean another image than the one that is rendered",
        f"write `{plugin.image}@{image.digest}`",
    )


def _moved(plugin: AgentPlugin, image: PluginImage, before: str, now: str) -> Diagnostic:
    """A tag that names another digest than when the lock was written; `image` is the one that is rendered."""
    taken = image.digest == now
    staying, going = f"write `{plugin.image}@{before}`", "run `kagent-render render --update-images`"
    return _warning(
        plugin,
        Reason.IMAGE_TAG_MOVED,
        f"`{plugin.image}` was `{shortened(before)}` in the lock and is `{shortened(now)}` now",
        f"review the new image, or {staying} to stay" if taken else f"{going} to take it, or {staying}",
    )


def _gone(plugin: AgentPlugin, before: str, now: PullFailure) -> Diagnostic:
    """A tag that names nothing any more, though what it named may be there under its digest."""
    return _warning(
        plugin,
        Reason.IMAGE_TAG_MOVED,
        f"`{plugin.image}` was `{shortened(before)}` in the lock and is nothing now: {now.cause}",
        f"write `{plugin.image}@{before}`",
    )


def _unread(plugin: AgentPlugin, image: PluginImage) -> Iterator[Diagnostic]:
    if image.note:
        yield plugin.document.fault(
            Reason.PLUGIN_IMAGE_MISMATCH,
            _FIELD,
            f"what `{plugin.image}` holds is not known: {image.note}",
            hint="see for yourself that it has `plugin.yaml` and `__init__.py` at its root",
            severity=Severity.INFO,
        )


def _mismatch(plugin: AgentPlugin, manifest: PluginManifest, note: str) -> Iterator[Diagnostic]:
    """What Hermes misses, and a name that is not the AgentPlugin's: skills are addressed by it (B §4)."""
    faults = [note] if note else []
    if manifest.name not in ("", plugin.name):
        faults.append(f"its manifest names the plugin `{manifest.name}`, and skills are addressed by that")
    if faults:
        yield _warning(
            plugin,
            Reason.PLUGIN_IMAGE_MISMATCH,
            f"`{plugin.image}` is not what Hermes expects of the plugin `{plugin.name}`: {'; '.join(faults)}",
            f"publish it with `__init__.py` and a `plugin.yaml` that has `name: {plugin.name}` at its root",
        )


def _dependencies(
    plugin: AgentPlugin, manifest: PluginManifest, beside: Collection[str], variables: Collection[str]
) -> Iterator[Diagnostic]:
    """Plugins that the same profile lacks, and variables that nothing of the same pod defines."""
    plugins, env = _missing(manifest.requires_plugins, beside), _missing(manifest.requires_env, variables)
    if plugins or env:
        yield _warning(
            plugin,
            Reason.PLUGIN_DEPENDENCY_MISSING,
            f"`{plugin.image}` requires what the agent does not have: {_listed(plugins, env)}",
            _dependency_hint(plugin, plugins, env),
        )


def _plugins_of_profiles(compiled: CompiledAgent) -> dict[str, set[str]]:
    """What the plugins of each profile are called, by object and by manifest: Hermes takes either."""
    names: dict[str, set[str]] = {}
    for plugin in compiled.rendered:
        of_profile = names.setdefault(plugin.profile, set(SHIPPED))
        of_profile.add(plugin.name)
        image = compiled.images.get(plugin.image)
        if image is not None and image.manifest is not None:
            of_profile.add(image.manifest.name)
    return names


def _variables(compiled: CompiledAgent, defined: Collection[str]) -> set[str]:
    return {*defined, *(variable.name for plugin in compiled.rendered for variable in plugin.env)}


def _missing(required: Iterable[str], there: Collection[str]) -> list[str]:
    return [name for name in required if name not in there]


def _listed(plugins: list[str], env: list[str]) -> str:
    named = [f"the plugin `{name}`" for name in plugins] + [f"the variable `{name}`" for name in env]
    return ", ".join(named)


def _dependency_hint(plugin: AgentPlugin, plugins: list[str], env: list[str]) -> str:
    profile = f"with `targetProfile: {plugin.profile}`" if plugin.profile else "without `targetProfile`"
    actions = [f"add an AgentPlugin {profile} for each plugin"] if plugins else []
    actions += ["set each variable in `spec.env`"] if env else []
    return " and ".join(actions)


def _warning(plugin: AgentPlugin, reason: Reason, message: str, hint: str) -> Diagnostic:
    return plugin.document.fault(reason, _FIELD, message, hint=hint, severity=Severity.WARNING)
