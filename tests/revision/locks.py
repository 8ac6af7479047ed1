"""A lock that uses every field, and smaller ones, for tests."""

from __future__ import annotations

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.revision.canonical_json import digest
from kagent_render.revision.lock import (
    Adapter,
    Lock,
    LockedArtifact,
    LockedBinding,
    LockedBoundary,
    LockedCapabilities,
    LockedCredential,
    LockedEgress,
    LockedHarness,
    LockedInput,
    LockedPrompt,
    LockedSkill,
    LockedTemplate,
    PluginManifest,
)
from kagent_render.revision.lock_document import field_digests, seal
from kagent_render.revision.retained import RetainedRevision

HARNESS_SPEC = {"python": {}, "env": [{"name": "A", "value": "1"}]}
TEMPLATE_SPEC = {"modelConfig": {"name": "gpt"}, "systemPrompt": "You plan.\n"}


def full_lock() -> Lock:
    """A lock in which every list and every optional field is used, out of order."""
    return seal(
        Lock(
            pair=PairRef("team", "py", "planner"),
            target="ate.dev/v1alpha1",
            harness=LockedHarness(
                api_version="kagent.dev/v1alpha2",
                name="py",
                variant="python",
                image="r.example/py@sha256:" + "a" * 64,
                spec_digest=digest(HARNESS_SPEC),
                fields=field_digests(HARNESS_SPEC),
            ),
            templates=(
                template("critic", "critic"),
                template("", "planner", labels={"team": "a", "app.example/tier": "on"}, description="Plans"),
                template("coder", "coder"),
            ),
            bindings=(
                LockedBinding("critic", "Dedicated", "critic", "Finds faults"),
                LockedBinding("coder", "Shared", "", "Writes code"),
            ),
            prompts=(
                LockedPrompt("critic", False, digest("no"), "no"),
                LockedPrompt("", True, digest("You plan.\n\n  Well\n"), "You plan.\n\n  Well\n"),
                LockedPrompt("coder", False, digest(""), ""),
            ),
            inputs=(
                LockedInput("v1", "Secret", "openai", digest(["key"]), ("critic", "")),
                LockedInput("v1", "ConfigMap", "texts", digest("b"), ("",), key="b"),
                LockedInput("v1", "ConfigMap", "texts", digest("a"), ("",), key="a"),
                LockedInput("kagent.dev/v1alpha2", "ModelConfig", "gpt", digest({}), ("",)),
            ),
            artifacts=(
                LockedArtifact(
                    {"oci": "r.example/plugin@sha256:" + "b" * 64, "path": "x"},
                    digest("tree"),
                    (LockedSkill("two", "", digest("2")), LockedSkill("one", "", digest("1"))),
                    PluginManifest("acme", "1.10"),
                ),
                LockedArtifact(
                    {"git": {"url": "https://git.example/a.git", "commit": "c" * 40}}, digest("t"), ()
                ),
            ),
            credentials=(
                LockedCredential("critic", "OPENAI_API_KEY", "openai", "key"),
                LockedCredential("", "TOKEN", "z", "k", optional=True),
            ),
            egress=(
                LockedEgress("critic", ("https://b.example:443", "https://a.example:443")),
                LockedEgress("", ()),
            ),
            capabilities=LockedCapabilities("python", "1", digest("r")),
            boundaries=(
                boundary("critic", "planner-py-critic-" + "1" * 12),
                boundary("", "planner-py-" + "0" * 12),
            ),
            retained=(
                RetainedRevision(digest("earlier"), ("planner-py-" + "9" * 12, "planner-py-" + "8" * 12)),
                RetainedRevision(digest("first"), ("planner-py-" + "7" * 12,)),
            ),
        )
    )


def template(
    path: str, name: str, labels: dict[str, str] | None = None, description: str = ""
) -> LockedTemplate:
    """A node of the tree."""
    return LockedTemplate(
        path=path,
        name=name,
        api_version="kagent.dev/v1alpha2",
        spec_digest=digest(TEMPLATE_SPEC),
        fields=field_digests(TEMPLATE_SPEC),
        labels=labels or {},
        description=description,
    )


def boundary(path: str, name: str) -> LockedBoundary:
    """A boundary with its ActorTemplate."""
    return LockedBoundary(path, Adapter("python", "adk/1"), ("skills", "mcpInjection"), name, digest(name))
