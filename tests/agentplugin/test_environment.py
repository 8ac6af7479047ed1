from typing import Any

import pytest

from kagent_render.agentplugin.environment import merge_env
from kagent_render.agentplugin.operator_variables import OPERATOR_OWNED, operator_defaults
from kagent_render.api.kubeagents import EnvVar, GoogleChat, PlatformAgent, Slack
from tests.agentplugin.agents import agent, compiled, plugin, variables

SECRET = EnvVar("A", source={"secretKeyRef": {"name": "s", "key": "k"}})


@pytest.mark.parametrize(
    ("defaults", "custom", "merged"),
    [
        pytest.param(variables(A="1"), (), variables(A="1"), id="no custom"),
        pytest.param((), variables(B="2"), variables(B="2"), id="no defaults"),
        pytest.param(variables(A="1"), variables(B="2"), variables(A="1", B="2"), id="no overlap"),
        pytest.param(
            variables(A="1", B="2"), variables(B="3"), variables(A="1", B="3"), id="custom overrides"
        ),
        pytest.param(
            variables(A="1", B="2"),
            variables(C="3", A="4"),
            variables(A="4", B="2", C="3"),
            id="overridden in place, new ones after",
        ),
        pytest.param(
            variables(A="1"),
            (*variables(B="1", C="2"), *variables(B="3")),
            variables(A="1", B="3", C="2"),
            id="a repeated one has its last value at its first position",
        ),
        pytest.param(variables(A="1", B="2"), (SECRET,), (SECRET, *variables(B="2")), id="wholly replaced"),
    ],
)
def test_variables_merge_as_the_operator_merges_them(
    defaults: tuple[EnvVar, ...], custom: tuple[EnvVar, ...], merged: tuple[EnvVar, ...]
) -> None:
    assert merge_env(defaults, custom) == merged


def _env(*plugins: Any, **values: Any) -> list[tuple[str, str, int, str | None]]:
    made = compiled(*plugins, **values)
    return [(found.name, found.plugin.name, found.index, found.variable.value) for found in made.env]


def test_the_later_plugin_in_name_order_wins_at_the_place_of_the_first() -> None:
    second, first = plugin("b", env=variables(Y="3", X="4")), plugin("a", env=variables(X="1", W="2"))
    assert _env(second, first) == [("X", "b", 1, "4"), ("W", "a", 1, "2"), ("Y", "b", 0, "3")]


def test_within_one_plugin_the_last_entry_counts() -> None:
    twice = plugin("a", env=(*variables(X="1", Y="2"), *variables(X="3")))
    assert _env(twice) == [("X", "a", 2, "3"), ("Y", "a", 1, "2")]


@pytest.mark.parametrize("kube_version", [None, "1.34", "1.35"])
def test_variables_are_set_whether_or_not_there_are_image_volumes(kube_version: str | None) -> None:
    assert _env(plugin("a", env=variables(X="1")), kube_version=kube_version) == [("X", "a", 0, "1")]


def test_a_plugin_that_is_not_admitted_sets_nothing() -> None:
    assert _env(plugin("not-valid", env=variables(X="1")), plugin("sessionstore", env=variables(X="1"))) == []


@pytest.mark.parametrize("name", OPERATOR_OWNED)
def test_what_the_operator_owns_is_left_out(name: str) -> None:
    assert _env(plugin("a", env=variables(X="1", **{name: "2"}, Y="3"))) == [
        ("X", "a", 0, "1"),
        ("Y", "a", 2, "3"),
    ]


def test_nine_names_are_the_operators() -> None:
    assert len(set(OPERATOR_OWNED)) == 9


def test_a_default_of_the_operator_may_be_overridden() -> None:
    assert _env(plugin("a", env=variables(SESSION_KV_DB_PATH="/x"))) == [("SESSION_KV_DB_PATH", "a", 0, "/x")]


EVERYTHING = agent(
    variables=("OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "EOD_EXCLUDE_NAMESPACES"),
    google_chat=GoogleChat(enabled=True),
    slack=Slack(enabled=True),
    replicas=2,
)


def test_the_operators_defaults_are_in_its_order() -> None:
    assert " ".join(operator_defaults(EVERYTHING)) == (
        "PLATFORM_AGENT_HOME HOME PLATFORM_AGENT_PLUGINS_DEBUG API_SERVER_ENABLED API_SERVER_HOST"
        " API_SERVER_KEY SESSION_KV_DB_PATH SESSION_KV_API_KEY SESSION_KV_SALT OTEL_SERVICE_NAME"
        " OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_RESOURCE_ATTRIBUTES OTEL_SDK_DISABLED"
        " EOD_EXCLUDE_NAMESPACES AGENT_BROWSER_ARGS"
        " GKE_PROJECT_ID GKE_CLUSTER_NAME GKE_LOCATION GCP_PROJECT_ID KUBE_CONTEXT_NAME"
        " KUBE_DEFAULT_NAMESPACE GOOGLE_CHAT_RELAY_URL GOOGLE_CHAT_PROJECT_ID GOOGLE_CHAT_SUBSCRIPTION_NAME"
        " GOOGLE_CHAT_ALLOWED_USERS GOOGLE_CHAT_HOME_CHANNEL GOOGLE_CHAT_ALLOW_ALL_USERS SLACK_RELAY_URL"
        " SLACK_ALLOWED_USERS SLACK_ALLOW_ALL_USERS SLACK_HOME_CHANNEL SLACK_HOME_CHANNEL_NAME"
        " ENABLE_LEADER_ELECTION LEADER_ELECTION_LEASE_NAME LEADER_ELECTION_NAMESPACE"
    )
    assert " ".join(OPERATOR_OWNED) == (
        "HERMES_MANAGED_DIR CREDENTIAL_PROXY_URL PATH PYTHONPATH HINDSIGHT_API_URL MEMORY_PROVIDER"
        " AGENT_SHARED_STATE_SETUP API_SERVER_MODEL_NAME HERMES_GATEWAY_PROFILE"
    )


@pytest.mark.parametrize(
    ("of", "name", "there"),
    [
        (agent(), "SESSION_KV_DB_PATH", True),
        (agent(), "GOOGLE_CHAT_RELAY_URL", False),
        (agent(google_chat=GoogleChat()), "GOOGLE_CHAT_RELAY_URL", False),
        (agent(google_chat=GoogleChat(enabled=True)), "GOOGLE_CHAT_RELAY_URL", True),
        (agent(), "SLACK_RELAY_URL", False),
        (agent(slack=Slack(enabled=True)), "SLACK_RELAY_URL", True),
        (agent(), "ALERT_DAILY_LIMIT_INFO", False),
        (agent(variables=("ALERT_DAILY_LIMIT_INFO",)), "ALERT_DAILY_LIMIT_INFO", True),
        (agent(variables=("MY_OWN", "PATH")), "MY_OWN", False),
        (agent(), "ENABLE_LEADER_ELECTION", False),
        (agent(replicas=2), "ENABLE_LEADER_ELECTION", True),
    ],
)
def test_the_operators_defaults_follow_what_the_agent_has(of: PlatformAgent, name: str, there: bool) -> None:
    assert (name in operator_defaults(of)) is there
    assert not set(operator_defaults(of)) & set(OPERATOR_OWNED)
