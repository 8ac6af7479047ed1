"""Pairs with real locks and manifests for tests, and the promises that any output folder has to keep."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import yaml

from kagent_render.agentplugin.component import agent_files, component_files
from kagent_render.agentplugin.pinning import pin_agent
from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.emit.layout import KUSTOMIZATION, Role, place_of
from kagent_render.emit.plan import AgentOutput, OutputPlan, PairOutput, plan_output
from kagent_render.revision.canonical_json import digest
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import dump_lock, seal
from kagent_render.revision.retained import RetainedRevision
from tests.agentplugin.builders import agent_plugin, compiled_agent, platform_agent, spec_digests
from tests.revision.locks import boundary, full_lock, template

if TYPE_CHECKING:
    from collections.abc import Mapping


@functools.cache
def pair_output(namespace: str, harness: str, name: str, content: str, retained: str = "") -> PairOutput:
    """A pair whose two ActorTemplates depend on `content`; `retained` is an earlier content."""
    pair = PairRef(namespace, harness, name)
    manifests = actor_templates(pair, content)
    earlier = actor_templates(pair, retained) if retained else {}
    lock = dataclasses.replace(
        full_lock(),
        pair=pair,
        harness=dataclasses.replace(full_lock().harness, name=harness),
        templates=(template("", name),),
        boundaries=tuple(
            dataclasses.replace(boundary(path, actor), spec_digest=digest(manifests[actor]["spec"]))
            for path, actor in zip(("", "critic"), manifests, strict=True)
        ),
        retained=(RetainedRevision(digest(retained), tuple(earlier)),) if retained else (),
    )
    return PairOutput(pair, dump_lock(seal(lock)).encode(), _texts(manifests), _texts(earlier))


def carried_output(namespace: str, harness: str, name: str, content: str, retained: str = "") -> PairOutput:
    """The same for a target whose manifests are no objects: they say no kind, and one has a comment."""
    output = pair_output(namespace, harness, name, content, retained)
    return dataclasses.replace(
        output,
        manifests=_without_kinds(output.manifests),
        retained=_without_kinds(output.retained),
        carried=True,
    )


def _without_kinds(manifests: Mapping[str, bytes]) -> dict[str, bytes]:
    return {
        name: (b"# binding path: critic\n" if "-critic-" in name else b"") + content.split(b"\n", 2)[2]
        for name, content in manifests.items()
    }


@functools.cache
def agent_output(namespace: str, name: str, content: str) -> AgentOutput:
    """A PlatformAgent with a plugin, each of whose files depends on `content`."""
    plugin = agent_plugin(content, namespace=namespace)
    compiled = compiled_agent(plugin, agent=platform_agent(name, namespace), data={"managed.env": content})
    files = component_files(compiled)
    lock = pin_agent(compiled, spec_digests(compiled.agent, plugin), "1.35", files)
    return AgentOutput(PlatformAgentRef(namespace, name), agent_files(compiled, files, lock))


def actor_templates(pair: PairRef, content: str) -> dict[str, dict[str, Any]]:
    """Two ActorTemplates by name, which depends on their content as in DESIGN 12."""
    made = {}
    for suffix in ("", "-critic"):
        spec = {"image": content + suffix}
        name = f"{pair.template}-{pair.harness}{suffix}-{digest(spec)[7:19]}"
        metadata = {"name": name, "namespace": pair.namespace}
        made[name] = {
            "apiVersion": "ate.dev/v1alpha1",
            "kind": "ActorTemplate",
            "metadata": metadata,
            "spec": spec,
        }
    return made


def _texts(manifests: Mapping[str, dict[str, Any]]) -> dict[str, bytes]:
    return {name: dump(value).encode() for name, value in manifests.items()}


def plan_of(*pairs: tuple[str, str, str, str], kept: tuple[PairRef, ...] = ()) -> OutputPlan:
    """A plan for pairs given as namespace, harness, template and content."""
    return plan_output((pair_output(*pair) for pair in pairs), kept)


BEFORE = plan_of(("a", "py", "one", "v1"), ("a", "py", "two", "v1"), ("b", "py", "one", "v1"))
AFTER = plan_output(
    [
        pair_output("a", "py", "one", "v2", retained="v1"),
        pair_output("a", "go", "three", "v1"),
        pair_output("c", "py", "one", "v1"),
    ]
)


def broken_promises(files: Mapping[str, bytes]) -> list[str]:
    """What a kill must never leave: a lock without its manifests, or a kustomization of what is not there."""
    broken = []
    for path, content in files.items():
        place = place_of(path)
        folder = path.rpartition("/")[0]
        if place and place.role is Role.LOCK:
            lock = yaml.load(content, yaml.CSafeLoader)["spec"]
            broken += _missing_manifests(files, folder, lock) if "boundaries" in lock else []
        if place and place.role is Role.KUSTOMIZATION:
            kustomization = yaml.load(content, yaml.CSafeLoader)
            patches = [patch["path"] for patch in kustomization.get("patches", ())]
            carried = [name for made in kustomization.get("configMapGenerator", ()) for name in made["files"]]
            for resource in [*kustomization.get("resources", ()), *patches, *carried]:
                found = f"{folder}/{resource}".removeprefix("/")
                if found not in files and f"{found}/{KUSTOMIZATION}" not in files:
                    broken.append(f"{path} lists {resource}")
    return broken


def _missing_manifests(files: Mapping[str, bytes], folder: str, lock: dict[str, Any]) -> list[str]:
    broken = []
    for entry in lock["boundaries"]:
        text = files.get(f"{folder}/{entry['manifest']}")
        if text is None or digest(yaml.load(text, yaml.CSafeLoader)["spec"]) != entry["specDigest"]:
            broken.append(f"{folder} lacks {entry['manifest']}")
    retained = [name for revision in lock["retained"] for name in revision["actorTemplates"]]
    gone = [name for name in retained if f"{folder}/actortemplates/{name}.yaml" not in files]
    return broken + [f"{folder} lacks the retained {name}" for name in gone]
