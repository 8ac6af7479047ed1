"""What is told of the images of rendered plugins: at `spec.image`, never as an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from kagent_render.agentplugin.compiled import CompiledAgent, ImageVolumes
from kagent_render.agentplugin.image_findings import SHIPPED, image_findings
from kagent_render.agentplugin.images import PluginImage, PluginManifest
from kagent_render.api.kubeagents import AgentPlugin, EnvVar, PlatformAgent
from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, SourcePosition
from kagent_render.source.document import Document
from tests.manifests import documents

OLD, NEW = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
TAG = "ghcr.io/team/triage:v1"
EXACT = f"ghcr.io/team/triage@{NEW}"


def document(kind: str, name: str, image: str = "") -> Document:
    (found,) = documents(
        f"apiVersion: kubeagents.x-k8s.io/v1alpha1\nkind: {kind}\n"
        f"metadata: {{namespace: team, name: {name}}}\nspec:\n  agentRef: agent\n  image: {image}\n"
    )
    return found


def plugin(name: str = "triage", image: str = EXACT, profile: str = "", env: str = "") -> AgentPlugin:
    """A plugin with an environment variable of the name `env`."""
    source = document("AgentPlugin", name, image)
    variables = (EnvVar(env, "x"),) if env else ()
    return AgentPlugin(source.ref, {}, source, agent="agent", image=image, profile=profile, env=variables)


def compiled(images: Mapping[str, PluginImage], *plugins: AgentPlugin) -> CompiledAgent:
    source = document("PlatformAgent", "agent")
    agent = PlatformAgent(source.ref, {}, source)
    supported = ImageVolumes(supported=True, decided_by="annotation")
    return CompiledAgent(agent, plugins, plugins, supported, {}, "", (), (), (), images)


def image(reference: str = EXACT, digest: str = NEW, note: str = "", **manifest: object) -> PluginImage:
    """An image that was read; `manifest` has what differs from an ordinary one."""
    return PluginImage(reference, digest, PluginManifest(**{"name": "triage", **manifest}), note)  # type: ignore[arg-type]


def by_reference(images: Iterable[PluginImage]) -> dict[str, PluginImage]:
    return {one.reference: one for one in images}


def findings(
    images: list[PluginImage],
    *plugins: AgentPlugin,
    locked: tuple[PluginImage, ...] = (),
    current: tuple[PluginImage, ...] = (),
    defined: tuple[str, ...] = (),
) -> list[Diagnostic]:
    agent = compiled(by_reference(images), *plugins)
    found = list(image_findings(agent, by_reference(locked), by_reference(current), defined))
    assert all(one.field == "spec.image" and one.source == SourcePosition("0.yaml", 6, 3) for one in found)
    assert all(not one.is_error and one.hint and not one.message.endswith(".") for one in found)
    return found


def told(found: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(one.reason.value, one.severity.value) for one in found]


def test_an_image_at_a_digest_with_what_hermes_expects_is_nothing_to_tell() -> None:
    assert findings([image()], plugin()) == []


def test_a_plugin_of_an_image_that_is_not_known_is_nothing_to_tell() -> None:
    assert findings([], plugin(image=TAG), locked=(image(TAG, OLD),), current=(image(TAG),)) == []


@pytest.mark.parametrize("reference", [TAG, "ghcr.io/team/triage", "triage", "registry:5000/triage"])
def test_a_tag_or_none_is_told_with_the_digest_to_write(reference: str) -> None:
    (found,) = findings([image(reference)], plugin(image=reference))
    assert (found.reason.value, found.severity) == ("ImageTagMutable", Severity.WARNING)
    assert found.message == f"`{reference}` may come to mean another image than the one that is rendered"
    assert found.hint == f"write `{reference}@{NEW}`"


def test_a_tag_beside_a_digest_is_nothing_to_tell() -> None:
    reference = f"{TAG}@{NEW}"
    assert findings([image(reference)], plugin(image=reference)) == []


@pytest.mark.parametrize(
    ("rendered", "hint"),
    [
        (NEW, f"review the new image, or write `{TAG}@{OLD}` to stay"),
        (OLD, f"run `kagent-render render --update-images` to take it, or write `{TAG}@{OLD}`"),
    ],
)
def test_a_tag_that_moved_is_told_with_both_digests(rendered: str, hint: str) -> None:
    agent = plugin(image=TAG)
    locked, current = (image(TAG, OLD),), (image(TAG, NEW),)
    (moved,) = findings([image(TAG, rendered)], agent, locked=locked, current=current)
    assert (moved.reason.value, moved.severity) == ("ImageTagMoved", Severity.WARNING)
    assert moved.message == f"`{TAG}` was `{OLD[:19]}` in the lock and is `{NEW[:19]}` now"
    assert moved.hint == hint


@pytest.mark.parametrize(
    ("locked", "current"),
    [
        ((image(TAG), image("other", OLD)), (image(TAG),)),
        ((image(TAG, OLD),), ()),
        ((), (image(TAG),)),
    ],
    ids=["the same", "not asked", "not locked"],
)
def test_a_tag_that_did_not_move_is_only_mutable(
    locked: tuple[PluginImage, ...], current: tuple[PluginImage, ...]
) -> None:
    found = findings([image(TAG)], plugin(image=TAG), locked=locked, current=current)
    assert told(found) == [("ImageTagMutable", "warning")]


HAS = "`ghcr.io/team/triage@sha256:" + "b" * 64 + "` "
EXPECTS = HAS + "is not what Hermes expects of the plugin `triage`: "


@pytest.mark.parametrize(
    ("known", "severity", "message"),
    [
        (image(note="it has no X"), "warning", EXPECTS + "it has no X"),
        (
            image(name="other"), "warning",
            EXPECTS + "its manifest names the plugin `other`, and skills are addressed by that"
        ),
        (
            image(name="other", note="it has no X"), "warning",
            EXPECTS + "it has no X; its manifest names the plugin `other`, and skills are addressed by that"
        ),
        (image(name="", note="it has no X"), "warning", EXPECTS + "it has no X"),
        (
            PluginImage(EXACT, NEW, None, "it is too large"), "info",
            "what " + HAS + "holds is not known: it is too large"
        ),
    ],
)  # fmt: skip
def test_an_image_that_is_another_plugin_or_not_read_is_told_once(
    known: PluginImage, severity: str, message: str
) -> None:
    (found,) = findings([known], plugin())
    assert (found.reason.value, found.severity.value) == ("PluginImageMismatch", severity)
    assert found.message == message


@pytest.mark.parametrize("known", [image(name=""), PluginImage(EXACT, NEW)])
def test_a_manifest_without_a_name_or_an_unread_image_without_a_note_is_nothing_to_tell(
    known: PluginImage,
) -> None:
    assert findings([known], plugin()) == []


def requires(*plugins: str, env: tuple[str, ...] = ()) -> PluginImage:
    return image(requires_plugins=plugins, requires_env=env)


OTHER = f"ghcr.io/team/pubsub@{NEW}"
ADAPTER = image(OTHER, name="pubsub-adapter")


@pytest.mark.parametrize("name", ["pubsub", "pubsub-adapter", "triage", *sorted(SHIPPED)])
def test_a_required_plugin_is_one_of_the_profile_by_either_name_or_a_shipped_one(name: str) -> None:
    found = findings([requires(name), ADAPTER], plugin(), plugin("pubsub", OTHER))
    assert "PluginDependencyMissing" not in dict(told(found))


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("pubsub", []),
        ("pubsub", [plugin("pubsub", OTHER, profile="platform")]),
        ("pubsub-adapter", [plugin("pubsub", OTHER, profile="platform")]),
        ("Pubsub", [plugin("pubsub", OTHER)]),
        ("sessionstore", []),
    ],
)
def test_a_required_plugin_that_the_profile_lacks_is_told(name: str, beside: list[AgentPlugin]) -> None:
    found = findings([requires(name), image(OTHER, name="pubsub-adapter")], plugin(), *beside)
    (missing,) = [one for one in found if one.reason.value == "PluginDependencyMissing"]
    assert missing.severity is Severity.WARNING
    assert missing.message == HAS + f"requires what the agent does not have: the plugin `{name}`"
    assert missing.hint == "add an AgentPlugin without `targetProfile` for each plugin"


@pytest.mark.parametrize(
    ("plugins", "defined"),
    [
        ([plugin(env="TOKEN")], ()),
        ([plugin(), plugin("pubsub", OTHER, env="TOKEN")], ()),
        ([plugin(), plugin("pubsub", OTHER, profile="platform", env="TOKEN")], ()),
        ([plugin()], ("TOKEN",)),
    ],
)
def test_a_required_variable_is_one_of_any_plugin_or_of_the_operator(
    plugins: list[AgentPlugin], defined: tuple[str, ...]
) -> None:
    assert findings([requires(env=("TOKEN",))], *plugins, defined=defined) == []


def test_all_that_is_missing_is_told_once_with_what_to_do() -> None:
    known = requires("a", "b", env=("ONE", "TWO", "HOME"))
    (found,) = findings([known], plugin(profile="platform", env="token"), defined=("HOME",))
    assert found.message == (
        HAS + "requires what the agent does not have: the plugin `a`, the plugin `b`, "
        "the variable `ONE`, the variable `TWO`"
    )
    assert found.hint == (
        "add an AgentPlugin with `targetProfile: platform` for each plugin and "
        "set each variable in `spec.env`"
    )


def test_every_plugin_of_one_image_is_told() -> None:
    found = findings([image(TAG)], plugin(image=TAG), plugin("second", TAG))
    assert [(one.reason.value, one.object.name if one.object else None) for one in found] == [
        ("ImageTagMutable", "triage"),
        ("ImageTagMutable", "second"),
        ("PluginImageMismatch", "second"),
    ]
