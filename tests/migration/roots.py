"""Roots with `v1alpha2` objects of every kind, in memory: written in styles, prepared, migrated."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from kagent_render.api.hub import ArtifactSource
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.cli.migrate.preparing import no_images
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.migration.objects import SourceText, read_source
from kagent_render.migration.plan import Migration, plan_migration
from kagent_render.preparation.capability_records import read_records
from kagent_render.preparation.completeness import policy_of
from kagent_render.preparation.flow import Preparation, prepare
from kagent_render.source.config import RenderConfig
from kagent_render.source.config_reading import read_config
from kagent_render.source.discovery import discover, source_files
from kagent_render.source.reader import MemoryFiles
from tests.migration.styles import Writer, listed, stream

OLD = "kagent.dev/v1alpha2"
ZEROS = "0" * 64
CONFIG = f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  images: {{python: "registry.example.com/python@sha256:{ZEROS}"}}
  artifacts: {{s3: {{region: eu-central-1}}}}
  substrate:
    workerPool: pool
    snapshotLocation: s3://snapshots/team
    pauseImage: registry.example.com/pause@sha256:{ZEROS}
"""
SKILL = Package({"SKILL.md": PackageFile(b"---\nname: practice\ndescription: Practises.\n---\nDo.\n")})


def read(files: Mapping[str, bytes]) -> tuple[RenderConfig, MemoryFiles]:
    """The configuration and the reader of a root."""
    reader = MemoryFiles({"kagent-render.yaml": CONFIG.encode(), **files})
    config, faults = read_config(reader, "kagent-render.yaml")
    assert config is not None, faults
    return config, reader


def prepared(files: Mapping[str, bytes]) -> Preparation:
    """What a root prepares to; every artifact is one skill."""
    config, reader = read(files)
    sources = discover(reader, config)
    assert not sources.diagnostics, sources.diagnostics
    return prepare(
        sources.documents, config, read_records(reader, config, load_catalog()), _skills, no_images
    )


def migrated(files: Mapping[str, bytes], before: Preparation | None = None) -> Migration:
    """What migrating does to a root."""
    config, reader = read(files)
    before = before or prepared(files)
    return plan_migration(texts(reader, config), before.inventory, policy_of(config))


def texts(reader: MemoryFiles, config: RenderConfig) -> list[SourceText]:
    """The sources of a root."""
    return [read_source(path, reader.read(path)) for path in source_files(reader, config).paths]


def actor_templates(preparation: Preparation) -> dict[str, dict[str, Any]]:
    """Every manifest by pair and name."""
    return {
        f"{outcome.pair} {manifest.name}": manifest.built.value
        for outcome in preparation.pairs
        if outcome.compiled is not None
        for _, manifest in outcome.compiled.boundaries
    }


def _skills(wanted: Sequence[ArtifactSource]) -> dict[ArtifactSource, Package]:
    return dict.fromkeys(wanted, SKILL)


def styled(seed: int) -> dict[str, bytes]:
    """A root in styles that the seed chooses."""
    dice = random.Random(seed)
    things = objects(dice)
    dice.shuffle(things)
    files = {}
    count = 0
    while things:
        part, things = things[: (size := dice.randint(1, 5))], things[size:]
        writer = Writer(
            dice,
            step=dice.choice([2, 2, 3, 4]),
            indentless=dice.random() < 0.5,
            loose=dice.choice([0, 0.3, 0.8]),
            kept=1000 * count,
            owned=1000 * count,
        )
        text = (listed if dice.random() < 0.3 else stream)(writer, part)
        files[f"agents/{count}.yaml"] = text.encode()
        count += 1
    return files


def objects(dice: random.Random) -> list[dict[str, Any]]:
    """One team with whatever it may leave out left out at times."""
    return [
        harness(dice),
        template(dice, "lead", tools=_tools(dice), skill=dice.random() < 0.5),
        template(dice, "helper", tools=[], skill=False),
        template(dice, "critic", tools=[_binding("MCPServer", "desk")], skill=dice.random() < 0.5),
        {
            "apiVersion": OLD,
            "kind": "ModelConfig",
            "metadata": {"namespace": "team", "name": "model"},
            "spec": {
                "provider": "OpenAI",
                "model": "gpt-5",
                "apiKeySecret": "llm",
                "apiKeySecretKey": "token",
            },
        },
        {
            "apiVersion": OLD,
            "kind": "RemoteMCPServer",
            "metadata": {"namespace": "team", "name": "search"},
            "spec": {"description": "Searches: all.", "url": "https://search.example.com/mcp"},
        },
        {
            "apiVersion": "kagent.dev/v1alpha1",
            "kind": "MCPServer",
            "metadata": {"namespace": "team", "name": "desk"},
            "spec": {
                "deployment": {"image": "desk:1", "port": 3001},
                "transportType": "stdio",
                **_timeout(dice),
            },
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"namespace": "team", "name": "texts"},
            "data": {"rules": "apiVersion: kagent.dev/v1alpha2\nkind: Harness\nspec: {python: {}}\n"},
        },
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"namespace": "team", "name": "llm"},
            "stringData": {"token": "not-kept"},
        },
    ]


def harness(dice: random.Random) -> dict[str, Any]:
    """The one Harness."""
    spec: dict[str, Any] = {"python": {}}
    if dice.random() < 0.5:
        spec["workload"] = {} if dice.random() < 0.3 else {"image": f"r.example.com/x@sha256:{ZEROS}"}
    if dice.random() < 0.3:
        policy = {"location": "s3://own/place"}
        spec["substrate"] = {"workerPoolRef": {"name": "own"}, "snapshotPolicy": policy}
    if dice.random() < 0.5:
        spec["env"] = [{"name": "LEVEL", "value": "info"}, {"name": "NOTE", "value": "a # b"}]
    spec["allowedAgentTemplates"] = {"selector": {"matchLabels": {"runtime": "python"}}}
    entries = list(spec.items())
    dice.shuffle(entries)
    return {
        "apiVersion": OLD,
        "kind": "Harness",
        "metadata": {"namespace": "team", "name": "runtime"},
        "spec": dict(entries),
    }


def template(dice: random.Random, name: str, *, tools: list[Any], skill: bool) -> dict[str, Any]:
    """One template."""
    spec: dict[str, Any] = {
        "modelConfig": {"name": "model"},
        "systemPrompt": dice.choice(
            ["Be brief.", "You lead.\n# not a comment\n\n  harnesses:\n    include: none\n", "Grüße, 世界."]
        ),
        "harnesses": {"include": [{"name": "runtime"}]},
    }
    if tools:
        spec["tools"] = tools
    if skill:
        s3 = {"bucket": "content", "key": "a/b.zip", "versionId": "v.1"}
        if dice.random() < 0.3:
            s3["region"] = "us-west-2"
        spec["skills"] = [{"name": "practice", "source": {"bucket": {"s3": s3}}}]
    entries = list(spec.items())
    dice.shuffle(entries)
    return {
        "apiVersion": OLD,
        "kind": "AgentTemplate",
        "metadata": {"namespace": "team", "name": name, "labels": {"runtime": "python"}},
        "spec": dict(entries),
    }


def _tools(dice: random.Random) -> list[Any]:
    agents = [
        {"agent": {"name": name, "description": "Helps.", "isolation": kind, "templateRef": {"name": name}}}
        for name, kind in (("helper", "Shared"), ("critic", "Dedicated"))
    ]
    return [*agents, _binding("RemoteMCPServer", "search"), _binding("MCPServer", "desk")][
        dice.randint(0, 2) :
    ]


def _binding(kind: str, name: str) -> dict[str, Any]:
    return {"mcp": {"server": {"kind": kind, "name": name}, "tools": [f"find-{name}", f"open-{name}"]}}


def _timeout(dice: random.Random) -> dict[str, Any]:
    return {"timeout": "45s"} if dice.random() < 0.5 else {}
