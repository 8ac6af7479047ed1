"""Repositories held in memory, prepared as far as facts go: no disk, no lock, no network."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from kagent_render.agentplugin.images import PluginImage
from kagent_render.api.hub import ArtifactSource
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.preparation.agent_output import lock_agents
from kagent_render.preparation.capability_records import read_records
from kagent_render.preparation.flow import Preparation, prepare
from kagent_render.preparation.platform_agents import Images
from kagent_render.review.agent_facts import agent_facts, agent_lock_facts
from kagent_render.review.change import Change
from kagent_render.review.comparison import compare_facts
from kagent_render.review.config_facts import config_facts
from kagent_render.review.fact import Fact
from kagent_render.review.lock_facts import lock_facts
from kagent_render.review.pair_facts import pair_facts
from kagent_render.revision.lock_document import seal
from kagent_render.revision.pinning import pin_pair
from kagent_render.source.config import CONFIG_FILE, RenderConfig
from kagent_render.source.config_reading import read_config
from kagent_render.source.discovery import discover
from kagent_render.source.reader import MemoryFiles

Edit = tuple[str, str, str]
"""The file, the one occurrence of a text in it, and what replaces that."""

SKILL = "---\nname: {0}\ndescription: Sorts what came in.\n---\n\n{1}\n"


def edited(files: Mapping[str, str], *edits: Edit) -> dict[str, str]:
    """The files after edits."""
    found = dict(files)
    for name, old, new in edits:
        assert found[name].count(old) == 1, f"{old!r} is {found[name].count(old)} times in {name}"
        found[name] = found[name].replace(old, new)
    return found


def facts(files: Mapping[str, str], subject: str) -> tuple[Fact, ...]:
    """Every fact of a pair, of a platform agent, or of the RenderConfig where `subject` is empty."""
    config, preparation = _prepare(tuple(files.items()))
    if not subject:
        return tuple(config_facts(config))
    if subject.count("/") == 1:
        return _agent(preparation, config, subject)
    (outcome,) = (found for found in preparation.pairs if str(found.pair) == subject)
    assert outcome.compiled is not None, [found.message for found in preparation.told]
    lock = seal(pin_pair(outcome.compiled, preparation.digested.digests, preparation.policy))
    return (*lock_facts(lock), *pair_facts(outcome.compiled, preparation.policy))


def changes(files: Mapping[str, str], subject: str, *edits: Edit) -> tuple[Change, ...]:
    """What edits change of a subject."""
    return compare_facts(facts(files, subject), facts(edited(files, *edits), subject))


def told(found: Sequence[Change]) -> list[str]:
    """Each change as one line: effect, kind, topic, place, name."""
    return [
        " ".join(
            part
            for part in (change.effect, change.kind, change.topic.name, change.place, change.name)
            if part
        )
        for change in found
    ]


@functools.lru_cache(maxsize=4)
def _prepare(files: tuple[tuple[str, str], ...]) -> tuple[RenderConfig, Preparation]:
    reader = MemoryFiles({name: text.encode() for name, text in files})
    config, faults = read_config(reader, CONFIG_FILE)
    assert config is not None, faults
    records = read_records(reader, config, load_catalog())
    return config, prepare(discover(reader, config).documents, config, records, _packages, _images)


def _packages(wanted: Sequence[ArtifactSource]) -> dict[ArtifactSource, Package]:
    """A skill for each source, its content by the source's pin."""
    return {source: _package(source) for source in wanted}


def _package(source: ArtifactSource) -> Package:
    text = SKILL.format("triage", repr(source.origin))
    return Package({"SKILL.md": PackageFile(text.encode())})


def _images(wanted: Sequence[str]) -> Images:
    return Images({name: PluginImage(name, name.rpartition("@")[2]) for name in wanted})


def _agent(preparation: Preparation, config: RenderConfig, subject: str) -> tuple[Fact, ...]:
    locked = lock_agents(preparation.agents.outcomes, config, preparation.digested.digests)
    (found,) = (agent for ref, agent in locked.items() if str(ref) == subject)
    assert found.outcome.compiled is not None
    return (*agent_lock_facts(found.lock), *agent_facts(found.outcome.compiled))
