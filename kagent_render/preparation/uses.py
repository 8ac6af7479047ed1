"""What a template, a Harness or a plugin uses: declared references, and keys as far as they were followed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kagent_render.api.hub import (
    ConfigMapKeyRef,
    GitSource,
    McpBinding,
    OciSource,
    SecretKeyRef,
)
from kagent_render.artifacts.failure import public_url
from kagent_render.graph.overview import Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, ArtifactSource, Harness, Inventory, ModelConfig, Origin
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.api.sourced import Sourced
    from kagent_render.compile.resolved import ResolvedTemplate


def template_uses(
    template: AgentTemplate, inventory: Inventory, resolved: ResolvedTemplate | None
) -> tuple[Use, ...]:
    """What one template uses; without `resolved`, keys that only a rendered prompt knows are left out."""
    found = [
        *_model(template, inventory, resolved),
        *_servers(template, inventory),
        *_prompt(template, inventory, resolved),
        *_artifacts(template),
    ]
    return _merged(found)


def harness_uses(harness: Harness, image: str, inventory: Inventory) -> tuple[Use, ...]:
    """The image of a Harness and the Secrets of its environment."""
    secrets = (entry.credential for entry in harness.env if entry.credential is not None)
    own = (_secret(reference, harness.namespace, inventory) for reference in secrets)
    return _merged([*image_use(image), *own])


def plugin_uses(plugin: AgentPlugin, digest: str, inventory: Inventory) -> tuple[Use, ...]:
    """The image of a plugin, and the Secrets and ConfigMaps of its environment."""
    found = list(image_use(plugin.image, digest))
    for variable in plugin.env:
        source = variable.source or {}
        if secret := _key_of(source.get("secretKeyRef")):
            found.append(_secret(SecretKeyRef(*secret), plugin.namespace, inventory))
        if config_map := _key_of(source.get("configMapKeyRef")):
            found.append(_config_map(*config_map, plugin.namespace, inventory))
    return _merged(found)


def image_use(reference: str, digest: str = "") -> Iterator[Use]:
    """An image by its reference, with the digest behind it where that is known; nothing without a name."""
    if reference:
        spelt = _image_spellings(reference)
        details = () if not digest or reference.endswith(digest) else (digest,)
        yield Use("Image", reference, details, spellings=(*spelt, *filter(None, (digest,))))


def _model(template: AgentTemplate, inventory: Inventory, resolved: ResolvedTemplate | None) -> Iterator[Use]:
    model = inventory.model_configs.get((template.namespace, template.model_config))
    if model is None:
        yield Use("ModelConfig", template.model_config)
        return
    own = Use("ModelConfig", model.name, (model.model, model.provider), path=_path(model))
    yield own
    for reference in _model_secrets(model, resolved):
        yield _secret(reference, model.namespace, inventory, own.label)
    if endpoint := _key_of((model.spec.get("foundry") or {}).get("endpointFrom")):
        yield _config_map(*endpoint, model.namespace, inventory, own.label)


def _model_secrets(model: ModelConfig, resolved: ResolvedTemplate | None) -> Iterator[SecretKeyRef]:
    if resolved is not None:
        yield from (
            variable.value for variable in resolved.provider.env if isinstance(variable.value, SecretKeyRef)
        )
    elif name := model.spec.get("apiKeySecret"):
        yield SecretKeyRef(str(name), str(model.spec.get("apiKeySecretKey") or ""))
    tls = model.spec.get("tls") or {}
    if name := tls.get("caCertSecretRef"):
        yield SecretKeyRef(str(name), str(tls.get("caCertSecretKey") or ""))


def _servers(template: AgentTemplate, inventory: Inventory) -> Iterator[Use]:
    for binding in template.tools:
        if not isinstance(binding, McpBinding):
            continue
        key = (binding.server_kind, template.namespace, binding.server_name)
        server = inventory.mcp_servers.get(key)
        path = _path(server) if server is not None else None
        own = Use(binding.server_kind, binding.server_name, binding.tools, path=path)
        yield own
        for header in server.headers if server is not None else ():
            if isinstance(header.value, SecretKeyRef):
                yield _secret(header.value, template.namespace, inventory, own.label)
            elif isinstance(header.value, ConfigMapKeyRef):
                reference = (header.value.name, header.value.key)
                yield _config_map(*reference, template.namespace, inventory, own.label)
        if server is not None and server.tls is not None and server.tls.ca_cert is not None:
            yield _secret(server.tls.ca_cert, template.namespace, inventory, own.label)


def _prompt(
    template: AgentTemplate, inventory: Inventory, resolved: ResolvedTemplate | None
) -> Iterator[Use]:
    prompt = template.system_prompt
    if isinstance(prompt, ConfigMapKeyRef):
        yield _config_map(prompt.name, prompt.key, template.namespace, inventory)
    for source in template.prompt_sources or ():
        declared = _config_map(source.config_map, "", template.namespace, inventory)
        yield declared if resolved is None else replace(declared, keys=())
    for name, key in resolved.prompt.used if resolved is not None else ():
        yield _config_map(name, key, template.namespace, inventory)


def _artifacts(template: AgentTemplate) -> Iterator[Use]:
    for skill in template.skills:
        yield _artifact(skill.source, (skill.name,))
    for plugin in template.plugins:
        yield _artifact(plugin.source, plugin.skills)


def _artifact(source: ArtifactSource, skills: tuple[str, ...]) -> Use:
    name, *others = _spellings(source.origin)
    place = f"{name}//{source.path}" if source.path else name
    return Use("Artifact", place, skills, spellings=(name, *others))


def _spellings(origin: Origin) -> tuple[str, ...]:
    """The names of an origin, the whole one first; no URL has user information or a query."""
    if isinstance(origin, OciSource):
        reference = origin.reference.rpartition("://")[2]
        return (reference, *_image_spellings(reference))
    if isinstance(origin, GitSource):
        url = public_url(origin.url)
        return (f"{url}@{origin.commit}", url, url.removesuffix(".git"), origin.commit)
    place = f"s3://{origin.bucket}/{origin.key}"
    return (f"{place}?versionId={origin.version_id}", place, f"s3://{origin.bucket}")


def _image_spellings(reference: str) -> tuple[str, ...]:
    """An image without its digest, without its tag, and the digest alone."""
    place, _, digest = reference.partition("@")
    folder, separator, last = place.rpartition("/")
    untagged = f"{folder}{separator}{last.partition(':')[0]}"
    return tuple(dict.fromkeys(filter(None, (place, untagged, digest))))


def _secret(reference: SecretKeyRef, namespace: str, inventory: Inventory, through: str = "") -> Use:
    secret = inventory.secrets.get((namespace, reference.name))
    path = _path(secret) if secret is not None else None
    return Use("Secret", reference.name, (), _keys(reference.key), through, path)


def _config_map(name: str, key: str, namespace: str, inventory: Inventory, through: str = "") -> Use:
    config_map = inventory.config_maps.get((namespace, name))
    path = _path(config_map) if config_map is not None else None
    return Use("ConfigMap", name, (), _keys(key), through, path)


def _keys(key: str) -> tuple[str, ...] | None:
    """The keys that a reference means; None where it names none, so that they are not known."""
    return (key,) if key else None


def _key_of(reference: Mapping[str, object] | None) -> tuple[str, str] | None:
    """Name and key of a reference in a manifest; None where it is none."""
    if not isinstance(reference, dict) or not reference.get("name"):
        return None
    return str(reference["name"]), str(reference.get("key") or "")


def _path(found: Sourced) -> str:
    return found.document.path


def _merged(found: Iterable[Use]) -> tuple[Use, ...]:
    """Each thing once for each way to it, with the keys and details of all its uses in their order."""
    merged: dict[tuple[str, str, str], Use] = {}
    for use in found:
        known = merged.setdefault((use.kind, use.name, use.through), use)
        keys = None
        if known.keys is not None and use.keys is not None:
            keys = tuple(dict.fromkeys((*known.keys, *use.keys)))
        details = tuple(dict.fromkeys((*known.details, *use.details)))
        merged[use.kind, use.name, use.through] = replace(known, details=details, keys=keys)
    return tuple(merged.values())
