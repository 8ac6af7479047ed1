import hashlib
from typing import Any

import pytest
import yaml

from kagent_render.agentplugin.config_map import config_hash
from kagent_render.agentplugin.config_reading import PluginConfig
from kagent_render.agentplugin.managed_config import operator_config
from kagent_render.agentplugin.managed_env import managed_env
from kagent_render.agentplugin.overlays import overlays
from kagent_render.agentplugin.profiles import overlay_key
from kagent_render.api.kubeagents import GoogleChat, Limits, PlatformAgent, Slack
from tests.agentplugin.agents import agent, compiled, managed, overlay, plugin, variables

PLATFORM_KEYS = ["managed-config.yaml", "managed.env", "profile-platform.overlay.yaml"]
FRONT_DOOR_TOOLSETS = ["hermes-cli", "mcp-platform_control", "mcp-developer_knowledge", "mcp-gke", "memory"]
FRONT_DOOR_PLUGINS = ["session_store", "session_otel_bridge", "legacy_slash_commands"]

STOCKOUT_HANDLER = "platform_toolsets:\n  google_chat:\n  - stockout\n"
INVESTIGATOR = """\
platforms:
  pubsub:
    extra:
      subscriptions:
      - name: stockouts
approvals:
  cron_mode: approve
"""
PUBSUB = """\
platforms:
  pubsub:
    enabled: true
platform_toolsets:
  pubsub:
  - pubsub-tools
"""


def test_without_plugins_there_is_the_operators_own() -> None:
    made = compiled()
    assert list(made.data) == PLATFORM_KEYS
    assert managed(made) == {
        "approvals": {"cron_mode": "approve"},
        "display": {},
        "model": {
            "api_key": "none",
            "api_mode": "chat_completions",
            "base_url": "http://litellm.kubeagents-system.svc.cluster.local/v1",
            "default": "model-default",
            "model": "model-default",
            "provider": "custom",
        },
        "platforms": {
            "google_chat": {"enabled": False},
            "slack": {"enabled": False, "extra": {"rich_blocks": True}},
        },
    }
    assert made.data["managed.env"] == ""
    assert overlay(made, "platform") == {"memory": {"provider": ""}}


QUIET = {
    "tool_progress": "off",
    "memory_notifications": "off",
    "interim_assistant_messages": False,
    "long_running_notifications": True,
    "busy_ack_detail": False,
}
LOUD = {
    "tool_progress": "all",
    "memory_notifications": "verbose",
    "interim_assistant_messages": True,
    "long_running_notifications": True,
    "busy_ack_detail": True,
}


@pytest.mark.parametrize(
    ("chat", "display", "platform"),
    [
        (None, {}, {"enabled": False}),
        (GoogleChat(), {"platforms": {"google_chat": QUIET}}, {"enabled": False}),
        (GoogleChat(mode="default"), {"platforms": {"google_chat": QUIET}}, {"enabled": False}),
        (GoogleChat(mode="DeBug"), {"platforms": {"google_chat": LOUD}}, {"enabled": False}),
        (
            GoogleChat(enabled=True),
            {"platforms": {"google_chat": QUIET}},
            {"enabled": True, "typing_status_text": "Kage is thinking\u2026"},
        ),
        (
            GoogleChat(enabled=True, mode="debug"),
            {"platforms": {"google_chat": LOUD}},
            {"enabled": True, "typing_status_text": "Kage is thinking\u2026"},
        ),
    ],
)
def test_google_chat_decides_its_display_and_platform(
    chat: GoogleChat | None, display: Any, platform: Any
) -> None:
    config = operator_config(agent(google_chat=chat))
    assert config["display"] == display
    assert config["platforms"]["google_chat"] == platform


@pytest.mark.parametrize(("slack", "enabled"), [(None, False), (Slack(), False), (Slack(enabled=True), True)])
def test_slack_decides_its_platform_alone(slack: Slack | None, enabled: bool) -> None:
    config = operator_config(agent(slack=slack))
    assert config["platforms"]["slack"] == {"enabled": enabled, "extra": {"rich_blocks": True}}
    assert config["display"] == {}


CHAT_LINES = """\
GOOGLE_CHAT_RELAY_URL=http://127.0.0.1:8765
GOOGLE_CHAT_PROJECT_ID=example-project
GOOGLE_CHAT_SUBSCRIPTION_NAME=projects/example-project/subscriptions/events-sub
GOOGLE_CHAT_ALLOWED_USERS={users}
GOOGLE_CHAT_ALLOW_ALL_USERS={all}
"""
SLACK_LINES = """\
SLACK_RELAY_URL=http://127.0.0.1:8765
SLACK_ALLOWED_USERS={users}
SLACK_ALLOW_ALL_USERS={all}
"""
ONE_SLACK_USER = SLACK_LINES.format(users="U1", all="false")
GATEWAY_LINES = "GATEWAY_ALLOWED_USERS=\nGATEWAY_ALLOW_ALL_USERS=false\n"


@pytest.mark.parametrize(
    ("users", "listed", "allowed"),
    [
        ((), "", "true"),
        (("",), "", "true"),
        (("a@x",), "a@x", "false"),
        (("a@x", "b@x"), "a@x,b@x", "false"),
        (("", ""), ",", "false"),
        (("", "a@x"), ",a@x", "false"),
        ((" ",), " ", "false"),
    ],
)
def test_managed_env_lets_everybody_in_where_nobody_is_named(
    users: tuple[str, ...], listed: str, allowed: str
) -> None:
    chat = GoogleChat(True, "example-project", "events-sub", users)
    lines = CHAT_LINES.format(users=listed, all=allowed)
    assert managed_env(agent(google_chat=chat)) == lines + GATEWAY_LINES
    lines = SLACK_LINES.format(users=listed, all=allowed)
    assert managed_env(agent(slack=Slack(True, users))) == lines + GATEWAY_LINES


@pytest.mark.parametrize(
    ("chat", "slack", "expected"),
    [
        (None, None, ""),
        (GoogleChat(), Slack(), ""),
        (None, Slack(True, ("U1",)), ONE_SLACK_USER + GATEWAY_LINES),
        (
            GoogleChat(True, "example-project", "events-sub"),
            Slack(True, ("U1",)),
            CHAT_LINES.format(users="", all="true") + ONE_SLACK_USER + GATEWAY_LINES,
        ),
    ],
)
def test_managed_env_has_the_enabled_platforms_in_order(
    chat: GoogleChat | None, slack: Slack | None, expected: str
) -> None:
    assert managed_env(agent(google_chat=chat, slack=slack)) == expected


@pytest.mark.parametrize(
    ("of", "names", "extra"),
    [
        pytest.param(agent(), [], [], id="nothing"),
        pytest.param(agent(), [("p", "")], ["profile-default.overlay.yaml"], id="untargeted"),
        pytest.param(agent(), [("p", "platform")], [], id="platform"),
        pytest.param(agent(), [("p", "ops")], ["profile-ops.overlay.yaml"], id="named profile"),
        pytest.param(agent(), [("p", "cluster")], ["profile-cluster.overlay.yaml"], id="named cluster"),
        pytest.param(agent(), [("p", "default")], [], id="default by name"),
        pytest.param(agent(), [("not-valid", "")], [], id="invalid name"),
        pytest.param(
            agent(tuning={"default": Limits(8)}), [], ["profile-default.overlay.yaml"], id="default limit"
        ),
        pytest.param(agent(tuning={"default": Limits()}), [], [], id="default without a limit"),
        pytest.param(agent(max_in_progress=3), [], ["profile-default.overlay.yaml"], id="max in progress"),
        pytest.param(agent(tuning={"platform": Limits(8)}), [], [], id="platform limit"),
        pytest.param(
            agent(tuning={"cluster": Limits(None, 150)}),
            [],
            ["profileclass-cluster.overlay.yaml"],
            id="cluster limit",
        ),
        pytest.param(agent(tuning={"cluster": Limits()}), [], [], id="cluster without a limit"),
    ],
)
def test_an_overlay_is_there_only_where_it_says_something(
    of: PlatformAgent, names: list[tuple[str, str]], extra: list[str]
) -> None:
    made = compiled(*(plugin(name, profile=profile) for name, profile in names), of=of)
    assert list(made.data) == sorted(PLATFORM_KEYS + extra)


@pytest.mark.parametrize(
    ("profile", "key"),
    [("platform", "profile-platform.overlay.yaml"), ("cluster-a", "profile-cluster-a.overlay.yaml")],
)
def test_an_overlays_key_has_its_profile(profile: str, key: str) -> None:
    assert overlay_key(profile) == key


@pytest.mark.parametrize(
    ("provider", "written"),
    [
        ("", ""),
        ("none", ""),
        ("multiuser_memory", ""),
        ("anything", ""),
        ("hindsight", "hindsight"),
        ("kube_agents_memory", "kube_agents_memory"),
        (" HindSight ", "HindSight"),
    ],
)
def test_the_platform_profile_has_only_a_memory_that_can_serve_it(provider: str, written: str) -> None:
    made = compiled(of=agent(memory_provider=provider))
    assert overlay(made, "platform") == {"memory": {"provider": written}}


@pytest.mark.parametrize(
    ("limits", "block"),
    [
        (Limits(8, 200), {"api_max_retries": 8, "max_turns": 200}),
        (Limits(0, None), {"api_max_retries": 0}),
        (Limits(None, 150), {"max_turns": 150}),
    ],
)
def test_limits_reach_their_own_profile_alone(limits: Limits, block: Any) -> None:
    plugins = (plugin("a"), plugin("b", profile="platform"), plugin("c", profile="cluster"))
    for profile in ("default", "platform"):
        made = compiled(*plugins, of=agent(tuning={profile: limits}))
        found = {name: overlay(made, name).get("agent") for name in ("default", "platform", "cluster")}
        assert found == {"default": None, "platform": None, "cluster": None, profile: block}


@pytest.mark.parametrize("profile", ["cluster", "cluster-prod-us-east1"])
def test_the_limits_of_clusters_are_in_the_class_overlay_without_any_plugin(profile: str) -> None:
    made = compiled(plugin("p", profile=profile), of=agent(tuning={"cluster": Limits(None, 150)}))
    assert yaml.safe_load(made.data["profileclass-cluster.overlay.yaml"]) == {"agent": {"max_turns": 150}}
    assert overlay(made, profile) == {"plugins": {"enabled": ["p"]}}


@pytest.mark.parametrize("value", [0, 1, 7])
def test_max_in_progress_reaches_the_default_profile_alone(value: int) -> None:
    made = compiled(plugin("p"), of=agent(max_in_progress=value))
    assert overlay(made, "default") == {
        "plugins": {"enabled": ["p"]},
        "kanban": {"max_in_progress": value},
    }
    assert "kanban" not in overlay(made, "platform")
    assert "kanban" not in managed(made)


@pytest.mark.parametrize(("max_in_progress", "written"), [(None, 2), (0, 0), (5, 5)])
def test_the_front_door_gives_the_platform_profile_what_chats_need(
    max_in_progress: int | None, written: int
) -> None:
    made = compiled(of=agent(front_door=True, max_in_progress=max_in_progress))
    assert overlay(made, "platform") == {
        "memory": {"provider": ""},
        "platform_toolsets": {"google_chat": FRONT_DOOR_TOOLSETS, "slack": FRONT_DOOR_TOOLSETS},
        "plugins": {"enabled": FRONT_DOOR_PLUGINS},
        "kanban": {
            "dispatch_in_gateway": True,
            "auto_subscribe_on_create": True,
            "dispatch_interval_seconds": 5,
            "wake_on_events": ["gave_up", "crashed", "timed_out", "blocked"],
            "max_in_progress": written,
        },
    }


def test_plugins_come_after_the_front_doors_own() -> None:
    config = "platform_toolsets:\n  slack: [memory, mine]\n  other: [x]\n"
    made = compiled(plugin("p", profile="platform", config=config), of=agent(front_door=True))
    found = overlay(made, "platform")
    assert found["plugins"]["enabled"] == [*FRONT_DOOR_PLUGINS, "p"]
    assert found["platform_toolsets"] == {
        "google_chat": FRONT_DOOR_TOOLSETS,
        "slack": [*FRONT_DOOR_TOOLSETS, "mine"],
        "other": ["x"],
    }


def test_a_profile_enables_its_own_plugins_in_name_order() -> None:
    made = compiled(
        plugin("stockout", profile="platform"), plugin("adapter"), plugin("second", profile="platform")
    )
    assert overlay(made, "default") == {"plugins": {"enabled": ["adapter"]}}
    assert overlay(made, "platform")["plugins"] == {"enabled": ["second", "stockout"]}
    assert "plugins" not in managed(made)


def test_a_plugin_is_enabled_once_in_an_overlay() -> None:
    twice = [(plugin("p"), PluginConfig({}))] * 2
    assert overlays(agent(), twice)["profile-default.overlay.yaml"] == {"plugins": {"enabled": ["p"]}}


@pytest.mark.parametrize("profile", ["", "platform", "cluster-a"])
def test_platforms_are_pinned_for_the_whole_pod_and_the_rest_for_the_profile(profile: str) -> None:
    config = """\
platforms: {pubsub: {enabled: true}}
platform_toolsets: {pubsub: [x]}
approvals: {mode: manual}
logging: {level: debug}
agent: {max_turns: 1}
plugins: {enabled: [evil]}
"""
    made = compiled(plugin("p", profile=profile, config=config))
    base = operator_config(agent())
    assert managed(made) == {
        **base,
        "platforms": {**base["platforms"], "pubsub": {"enabled": True}},
    }
    memory = {"memory": {"provider": ""}} if profile == "platform" else {}
    assert overlay(made, profile or "default") == {
        **memory,
        "plugins": {"enabled": ["p"]},
        "platform_toolsets": {"pubsub": ["x"]},
        "approvals": {"mode": "manual"},
    }


def test_the_operators_limits_hold_against_a_plugin() -> None:
    config = "agent: {api_max_retries: 99, max_turns: 9999}\napprovals: {mode: manual}\n"
    made = compiled(
        plugin("p", profile="platform", config=config), of=agent(tuning={"platform": Limits(8, 200)})
    )
    found = overlay(made, "platform")
    assert found["agent"] == {"api_max_retries": 8, "max_turns": 200}
    assert found["approvals"] == {"mode": "manual"}


def test_a_plugin_with_a_broken_config_is_enabled_all_the_same() -> None:
    made = compiled(plugin("p", config="platforms: [unclosed"))
    assert overlay(made, "default") == {"plugins": {"enabled": ["p"]}}
    assert managed(made) == operator_config(agent())


def test_what_targets_default_by_name_has_no_overlay_but_its_platforms() -> None:
    config = "platforms: {pubsub: {enabled: true}}\napprovals: {mode: manual}\n"
    made = compiled(plugin("p", profile="default", config=config))
    assert overlay(made, "default") is None
    assert managed(made)["platforms"]["pubsub"] == {"enabled": True}
    assert [volume.mount_path for volume in made.volumes] == ["/opt/agent-plugins/default/p"]
    assert made.statuses[0].is_ready


def test_configs_are_merged_in_name_order() -> None:
    made = compiled(
        plugin(
            "b", config="approvals: {mode: manual, list: [c, a, d]}\nplatforms: {slack: {enabled: false}}\n"
        ),
        plugin("a", config="approvals: {mode: auto, list: [b, a]}\nplatforms: {slack: {enabled: true}}\n"),
    )
    assert overlay(made, "default")["approvals"] == {"mode": "manual", "list": ["b", "a", "c", "d"]}
    assert managed(made)["platforms"]["slack"] == {"enabled": False, "extra": {"rich_blocks": True}}


@pytest.mark.parametrize(
    ("config", "platforms"),
    [
        ("platforms:\n", None),
        ("platforms: foo\n", "foo"),
        (
            "platforms: {slack: null, google_chat: {enabled: true}}\n",
            {"slack": None, "google_chat": {"enabled": True}},
        ),
    ],
)
def test_a_plugin_can_wipe_what_the_operator_pins(config: str, platforms: Any) -> None:
    assert managed(compiled(plugin("p", config=config)))["platforms"] == platforms


@pytest.mark.parametrize(
    ("first", "second", "approvals"),
    [
        ("approvals:\n", "", None),
        ("approvals: {a: 1}\n", "approvals:\n", None),
        ("approvals: {}\n", "", {}),
        ("approvals: {mode: off}\n", "approvals: {mode: manual}\n", {"mode": "manual"}),
        ("approvals: {cli: [a]}\n", "approvals: {cli: a2}\n", {"cli": "a2"}),
        ("approvals: {cli: a2}\n", "approvals: {cli: [a]}\n", {"cli": ["a"]}),
        (
            "approvals: {cli: [b, b, a]}\n",
            "approvals: {cli: [c, a, c, a, d]}\n",
            {"cli": ["b", "b", "a", "c", "d"]},
        ),
        (
            "approvals: {x: [{one: 1}, {two: 2}]}\n",
            "approvals: {x: [{two: 2}, {three: 3}]}\n",
            {"x": [{"one": 1}, {"two": 2}, {"three": 3}]},
        ),
    ],
)
def test_the_later_plugin_adds_to_lists_and_replaces_the_rest(
    first: str, second: str, approvals: Any
) -> None:
    made = compiled(plugin("p1", config=first), plugin("p2", config=second))
    assert overlay(made, "default")["approvals"] == approvals


@pytest.mark.parametrize("config", ["", " \n", "# c\n", "~\n", "Platforms: {a: 1}\n"])
def test_a_config_without_allowed_keys_changes_nothing(config: str) -> None:
    made = compiled(plugin("p", config=config))
    assert made.data == compiled(plugin("p")).data


def test_no_annotation_adds_configuration() -> None:
    annotated = agent(annotations={"hermes/extra-config": "agent: {max_turns: 1}"})
    assert compiled(of=annotated).data == compiled().data


def test_no_plugin_reaches_managed_env() -> None:
    chats = agent(google_chat=GoogleChat(True, "p", "s"), slack=Slack(True))
    greedy = plugin(
        "p", config=PUBSUB, env=variables(GATEWAY_ALLOW_ALL_USERS="true", SLACK_ALLOWED_USERS="x")
    )
    assert compiled(greedy, of=chats).data["managed.env"] == compiled(of=chats).data["managed.env"]


def test_an_untargeted_toolset_reaches_the_default_profile() -> None:
    made = compiled(plugin("stockouthandler", config=STOCKOUT_HANDLER))
    expected = "platform_toolsets:\n  google_chat:\n  - stockout\nplugins:\n  enabled:\n  - stockouthandler\n"
    assert made.data["profile-default.overlay.yaml"] == expected
    assert overlay(made, "platform") == {"memory": {"provider": ""}}
    assert managed(made) == operator_config(agent())


def test_a_targeted_ingress_is_pinned_and_approved_in_its_profile() -> None:
    made = compiled(plugin("gkestockoutinvestigator", profile="platform", config=INVESTIGATOR))
    assert list(made.data) == PLATFORM_KEYS
    assert overlay(made, "platform") == {
        "approvals": {"cron_mode": "approve"},
        "memory": {"provider": ""},
        "plugins": {"enabled": ["gkestockoutinvestigator"]},
    }
    assert sorted(managed(made)["platforms"]) == ["google_chat", "pubsub", "slack"]


def test_an_untargeted_adapter_is_pinned_and_enabled_by_default() -> None:
    made = compiled(plugin("pubsubplatform", config=PUBSUB))
    assert overlay(made, "default") == {
        "platform_toolsets": {"pubsub": ["pubsub-tools"]},
        "plugins": {"enabled": ["pubsubplatform"]},
    }
    assert managed(made)["platforms"]["pubsub"] == {"enabled": True}


def test_an_adapter_and_its_ingress_share_one_platform() -> None:
    made = compiled(
        plugin("pubsubplatform", config=PUBSUB),
        plugin("gkestockoutinvestigator", profile="platform", config=INVESTIGATOR),
    )
    assert managed(made)["platforms"]["pubsub"] == {
        "extra": {"subscriptions": [{"name": "stockouts"}]},
        "enabled": True,
    }
    assert overlay(made, "default")["plugins"] == {"enabled": ["pubsubplatform"]}
    assert overlay(made, "platform")["plugins"] == {"enabled": ["gkestockoutinvestigator"]}


@pytest.mark.parametrize("kube_version", [None, "1.34", "1.35"])
def test_image_volumes_change_nothing_in_the_config_map(kube_version: str | None) -> None:
    plugins = (plugin("p", config=PUBSUB), plugin("q", profile="platform", config=INVESTIGATOR))
    assert compiled(*plugins, kube_version=kube_version).data == compiled(*plugins).data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({}, "{}"),
        ({"b": "1", "a": ""}, '{"a":"","b":"1"}'),
        ({"a": "x: \u2026\n\ttab\x0b"}, '{"a":"x: \u2026\\n\\ttab\\u000b"}'),
        ({"a": "<&>"}, '{"a":"\\u003c\\u0026\\u003e"}'),
        ({"a": "\u2028\u2029"}, '{"a":"\\u2028\\u2029"}'),
        ({"a": '\U0001f600"\\\b\f'}, '{"a":"\U0001f600\\"\\\\\\b\\f"}'),
        ({"<": "", "&": ""}, '{"\\u0026":"","\\u003c":""}'),
    ],
)
def test_the_config_hash_is_of_the_json_that_go_writes(data: dict[str, str], text: str) -> None:
    assert config_hash(data) == hashlib.sha256(text.encode()).hexdigest()


def test_the_config_hash_changes_with_the_data_and_with_nothing_else() -> None:
    first = compiled(plugin("p")).config_hash
    assert compiled(plugin("p", image="other")).config_hash == first
    assert compiled(plugin("q")).config_hash != first
    assert compiled().config_hash != first
