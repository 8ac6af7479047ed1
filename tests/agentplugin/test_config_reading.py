"""`spec.config` means what it means to the operator."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.agentplugin.config_reading import PluginConfig, issue, read_config

NOT_YAML = "spec.config is not valid YAML and was ignored: "
OUTSIDE = "Ignored config key(s) outside the allowed subtrees [approvals, platforms, platform_toolsets]: "


def platforms(value: str) -> Any:
    """What `value` is read to below an allowed key."""
    config = read_config(f"platforms:\n  v: {value}\n")
    assert not config.problem, config
    return config.values["platforms"]["v"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\t\n",
        "\u00a0",
        "# c\n",
        "~",
        "null",
        "---\n",
        "---\n---\napprovals: {}\n",
        "{}",
        "%YAML 1.1\n---\n",
    ],
)
def test_a_config_without_keys_has_no_effect_and_no_issue(text: str) -> None:
    assert read_config(text) == PluginConfig()
    assert issue(read_config(text)) == ""


@pytest.mark.parametrize(
    ("text", "issue_text"),
    [
        ("platforms: {a: 1", NOT_YAML + "line 1: a `{` mapping lacks a `,` or its `}`."),
        ("a: b: c\n", NOT_YAML + "line 1: a second `:` is not allowed here."),
        (
            "platforms:\n\ta: 1\n",
            NOT_YAML + "line 2: a value starts with a character that has to be quoted.",
        ),
        ("- a", NOT_YAML + "line 1: the root is a list and no mapping."),
        ("text", NOT_YAML + "line 1: the root is a text and no mapping."),
        ("5", NOT_YAML + "line 1: the root is a number and no mapping."),
        ("0.5", NOT_YAML + "line 1: the root is a number and no mapping."),
        ("on", NOT_YAML + "line 1: the root is a boolean and no mapping."),
        ("platforms: {~: 1}", NOT_YAML + "line 1: a mapping key may not be null."),
        ("logging:\n  null: 1", NOT_YAML + "line 2: a mapping key may not be null."),
        ("platforms: {a: .inf}", NOT_YAML + "line 1: JSON has no infinity and no NaN."),
        ("logging: [-.inf]", NOT_YAML + "line 1: JSON has no infinity and no NaN."),
        ("a: 1\nplatforms: {a: .nan}", NOT_YAML + "line 2: JSON has no infinity and no NaN."),
        ("platforms: *a", NOT_YAML + "line 1: an alias names an anchor that is not before it."),
        ("platforms: &a [*a]", NOT_YAML + "line 1: an alias stands inside the anchor that it names."),
    ],
)
def test_a_config_that_is_not_a_yaml_mapping_is_ignored_as_a_whole(text: str, issue_text: str) -> None:
    config = read_config(text)
    assert (config.values, config.dropped) == ({}, ())
    assert issue(config) == issue_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(word, True) for word in ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")],
        *[(word, False) for word in ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "FALSE")],
        *[(word, None) for word in ("", "~", "null", "Null", "NULL")],
        ("yEs", "yEs"),
        ("'off'", "off"),
        ("!!binary aGk=", "hi"),
        ("!foo bar", "bar"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("1:30", "1:30"),
        ("08", 8),
        ("1e3", 1000),
        ("010", 8),
        ("0o10", 8),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("1.0", 1),
        ("1.5", 1.5),
        ("9007199254740993", 9007199254740992),
        ("18446744073709551615", 18446744073709552000),
        ("100000000000000000000", 100000000000000000000),
        ("1e400", "1e400"),
        ("=", "="),
        ("[&a {x: 1}, *a]", [{"x": 1}, {"x": 1}]),
        ("{<<: {x: 1}, z: 2}", {"x": 1, "z": 2}),
        ("{x: 1, x: 2}", {"x": 2}),
        ("{1: a, 1.5: b, off: c, y: d}", {"1": "a", "1.5": "b", "false": "c", "true": "d"}),
    ],
)
def test_values_are_those_of_yaml_1_1_through_json(text: str, value: Any) -> None:
    read = platforms(text)
    assert (read, type(read)) == (value, type(value))


def test_equal_keys_of_other_spelling_are_one_key() -> None:
    read = read_config("approvals: {on: 1, off: 2, yes: 3}").values["approvals"]
    assert read.keys() == {"true", "false"}
    assert read["false"] == 2


def test_of_a_repeated_top_level_key_the_last_counts() -> None:
    assert read_config("platforms: {a: 1}\nplatforms: {b: 2}") == PluginConfig({"platforms": {"b": 2}})


@pytest.mark.parametrize("rest", ["platforms: {b: 2}", "{", "\tx", "- a\n b: c", "%TAG x", "*a", "- !<"])
def test_only_the_first_document_counts_and_the_rest_is_not_looked_at(rest: str) -> None:
    assert read_config(f"platforms: {{a: 1}}\n---\n{rest}") == PluginConfig({"platforms": {"a": 1}})


@pytest.mark.parametrize(
    ("text", "kept", "dropped", "issue_text"),
    [
        ("Platforms: {a: 1}", [], ("Platforms",), OUTSIDE + "Platforms."),
        ("on: [x]", [], ("true",), OUTSIDE + "true."),
        ('"": 3\nagent: {}\nplugins: {}', [], ("", "agent", "plugins"), OUTSIDE + ", agent, plugins."),
        ("plugins: 1\nagent: 2", [], ("agent", "plugins"), OUTSIDE + "agent, plugins."),
        ("é: 1\nz: 2\nZ: 3\n😀: 4\n\uffee: 5", [], ("Z", "z", "é", "\uffee", "😀"), None),
        ("approvals: 1\nplatforms: a\nplatform_toolsets: []", list("123"), (), ""),
        ("agent: {a: 1}\napprovals: {b: 2}", ["approvals"], ("agent",), OUTSIDE + "agent."),
        ("platform-toolsets: {}", [], ("platform-toolsets",), OUTSIDE + "platform-toolsets."),
    ],
)
def test_other_top_level_keys_are_dropped_and_named_in_byte_order(
    text: str, kept: list[str], dropped: tuple[str, ...], issue_text: str | None
) -> None:
    config = read_config(text)
    assert len(config.values) == len(kept)
    assert config.dropped == dropped
    assert issue_text is None or issue(config) == issue_text


def test_aliased_values_are_values_of_their_own() -> None:
    values = read_config("platforms: &a {x: [1]}\napprovals: *a").values
    assert values["platforms"] == values["approvals"]
    assert values["platforms"] is not values["approvals"]
    assert values["platforms"]["x"] is not values["approvals"]["x"]


@pytest.mark.parametrize(
    "text",
    [
        "platforms: " + "[" * 200 + "]" * 200,
        "%TAG !a! tag:a\n" * 200 + "---\nplatforms: 1",
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)),
    ],
    ids=["nesting", "directives", "aliases"],
)
def test_what_is_made_to_exhaust_a_reader_is_refused(text: str) -> None:
    assert read_config(text).problem


LONG = "platforms: {a: &a " + "x" * 1000 + ", b: ["


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param(LONG + "*a, " * 1040 + "]}", True, id="below 1 MiB"),
        pytest.param(LONG + "*a, " * 1050 + "]}", False, id="a text's aliases"),
        pytest.param(
            "platforms: &a {k: " + "x" * 600_000 + "}\napprovals: *a", False, id="a mapping's alias"
        ),
        pytest.param("platforms: " + "x" * ((1 << 20) - 20), True, id="1 MiB"),
        pytest.param("platforms: " + "x" * ((1 << 20) + 1), False, id="more than 1 MiB"),
        pytest.param("agent: " + "x" * (2 << 20), True, id="what is dropped does not count"),
    ],
)
def test_what_no_config_map_holds_is_refused(text: str, kept: bool) -> None:
    config = read_config(text)
    assert (config.problem == "") is kept
    if not kept:
        assert issue(config) == NOT_YAML + "it sets more than the 1 MiB that a ConfigMap holds."
        assert config.values == {}
