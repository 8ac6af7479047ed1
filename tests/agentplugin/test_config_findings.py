"""What the configs of an agent's plugins do to the operator, to each other and in the pod."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

import pytest

from kagent_render.agentplugin.config_findings import config_findings
from kagent_render.agentplugin.config_reading import read_config
from kagent_render.api.kubeagents import AgentPlugin
from kagent_render.diagnostics.diagnostic import Diagnostic, Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.failure import YAMLInvalidError
from tests.agentplugin.configured import CONFIG_LINE, configured, written
from tests.source.yaml_texts import TextMaker

BASE: dict[str, Any] = {
    "approvals": {"cron_mode": "approve"},
    "platforms": {"google_chat": {"enabled": False}, "slack": {"enabled": False, "extra": {"rich": True}}},
}
FRONT_DOOR = {"platform": {"platform_toolsets": {"slack": ["gke", "memory"]}}}


def found(*plugins: AgentPlugin, overlays: Any = FRONT_DOOR) -> list[Diagnostic]:
    configs = [(plugin, read_config(plugin.config)) for plugin in plugins]
    return list(config_findings(configs, BASE, overlays))


def told(*plugins: AgentPlugin) -> list[tuple[str, int]]:
    """Each finding as its reason and its line after `config:`."""
    return [(finding.reason.value, line_of(finding)) for finding in found(*plugins)]


def line_of(finding: Diagnostic) -> int:
    assert finding.source is not None
    return finding.source.line - CONFIG_LINE


@pytest.mark.parametrize(
    "config",
    [
        "platforms:\n  pubsub: {enabled: true}\napprovals: {cron_mode: approve}\n",
        "platform_toolsets:\n  slack: [a, b]\n  chat: [a, 1, true]\n",
        "platforms: {slack: {enabled: true}}\n",
        "platforms: {pubsub: {routes: [{a: 1}]}}\n",
        "approvals: {}\nplatforms: {}\n",
        "approvals: {mode: off}\n",
        "# c\n",
    ],
)
def test_a_config_that_adds_or_overrides_values_is_fine(config: str) -> None:
    assert found(configured(config), configured(config, "second", "platform")) == []


@pytest.mark.parametrize(
    ("config", "reason", "line"),
    [
        ("platforms:\n  a: [\n", "PluginConfigInvalid", 3),
        ("platforms:\n\ta: 1\n", "PluginConfigInvalid", 2),
        ("# c\n- a\n", "PluginConfigInvalid", 1),
        ("platforms:\n  a: .inf\n", "PluginConfigInvalid", 2),
        ("platforms:\n  a: " + "x" * (1 << 20), "PluginConfigInvalid", 0),
        ("platforms: {}\nz: 1\nagent: 2\n", "PluginConfigDropped", 2),
        ("platforms: {}\nPlatforms: 1\n", "PluginConfigDropped", 2),
        ("approvals: {}\nplatforms:\n", "PluginConfigErases", 2),
        ("platforms:\n  slack: null\n", "PluginConfigErases", 2),
        ("platforms:\n  slack: [a]\n", "PluginConfigErases", 2),
        ("platforms:\n  slack: {extra: x}\n", "PluginConfigErases", 2),
        ("platforms: x\n", "PluginConfigErases", 1),
        ("approvals:\n  rules:\n  - {a: 1}\n", "PluginConfigUnmergeable", 2),
        ("platform_toolsets:\n  slack:\n    a: 1\n    b: [[x]]\n", "PluginConfigUnmergeable", 4),
        ("approvals: [1, [2]]\n", "PluginConfigUnmergeable", 1),
        ("approvals:\n  cron_mode: deny\n", "PluginNotServed", 2),
        ("approvals:\n", "PluginConfigErases", 1),
        ("platforms:\n  slack:\n    sign: '='\n", "PluginConfigUnmergeable", 3),
        ("platform_toolsets: {cli: [a, '<<', '=']}\n", "PluginConfigUnmergeable", 1),
        ("approvals:\n  '<<': x\n", "PluginConfigUnmergeable", 2),
        ("platform_toolsets:\n  slack: [a]\n  cli: null\n", "PluginConfigErases", 3),
        ("approvals: {deep: {er: ~}}\n", "PluginConfigErases", 1),
    ],
)
def test_one_config_has_one_finding_at_its_line(config: str, reason: str, line: int) -> None:
    assert told(configured(config)) == [(reason, line)]


def test_a_key_that_the_pod_reads_although_it_is_a_sign_is_nothing_to_tell() -> None:
    assert told(configured("approvals: {'=': x}\n")) == []


def test_a_null_that_the_operator_pins_is_told_for_both_reasons() -> None:
    found_of = told(configured("approvals:\n  cron_mode:\n"))
    assert sorted(found_of) == [("PluginConfigErases", 2), ("PluginNotServed", 2)]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("approvals: {mode: a}", "approvals:\n  mode: b", [("PluginConflict", 2)]),
        ("approvals: {mode: a}", "approvals:\n  mode: a", []),
        ("approvals: {k: 1}", "approvals: {k: 1.0}", []),
        ("approvals: {k: 1}", "approvals: {k: true}", [("PluginConflict", 1)]),
        ("approvals: {k: 1}", "approvals: {k: '1'}", [("PluginConflict", 1)]),
        ("approvals: {k: 1}", "approvals: {k: [1]}", [("PluginConflict", 1)]),
        ("approvals: {k: [1]}", "approvals: {k: 1}", [("PluginConfigErases", 1)]),
        ("approvals: {k: [1]}", "approvals: {k: [2]}", []),
        ("approvals: {k: {a: 1}}", "approvals: {k: {b: 1}}", []),
        ("approvals: {k: {a: 1}}", "approvals:", [("PluginConfigErases", 1)]),
        ("approvals:", "approvals: {k: 1}", [("PluginConfigErases", 1), ("PluginConflict", 1)]),
        ("approvals: {k: {}}", "approvals: {k: 1}", [("PluginConflict", 1)]),
        ("platforms: {p: {a: 1}}", "platforms: {p: {a: 2}}", [("PluginConflict", 1)]),
        ("platforms: {slack: {enabled: true}}", "platforms: {slack: {enabled: true}}", []),
        (
            "platforms: {slack: {enabled: true}}",
            "platforms: {slack: {enabled: false}}",
            [("PluginConflict", 1)],
        ),
        ("agent: {a: 1}", "agent: {a: 2}", [("PluginConfigDropped", 1)] * 2),
        ("{", "approvals: {mode: a}", [("PluginConfigInvalid", 2)]),
    ],
)
def test_plugins_of_one_profile_conflict_at_the_later_one(
    first: str, second: str, expected: list[tuple[str, int]]
) -> None:
    assert told(configured(second, "second"), configured(first, "first")) == expected


@pytest.mark.parametrize(
    ("config", "other", "expected"),
    [
        ("approvals: {mode: a}", "approvals: {mode: b}", []),
        ("platform_toolsets: {x: [a]}", "platform_toolsets:", ["PluginConfigErases"]),
        ("platforms: {p: 1}", "platforms: {p: 2}", ["PluginConflict"]),
    ],
)
def test_plugins_of_two_profiles_share_platforms_alone(config: str, other: str, expected: list[str]) -> None:
    findings = found(configured(config, "a", "one"), configured(other, "b", "two"))
    assert [finding.reason.value for finding in findings] == expected


def test_what_the_operators_overlay_of_a_profile_holds_can_be_erased() -> None:
    config = "platform_toolsets: {slack: x}"
    (finding,) = found(configured(config, "plugin", "platform"))
    assert finding.reason is Reason.PLUGIN_CONFIG_ERASES
    assert finding.message == (
        "`platform_toolsets.slack` is no list here, which erases what the operator wrote: its items"
    )
    assert found(configured(config)) == []


@pytest.mark.parametrize(
    ("configs", "severity", "message", "hint"),
    [
        (
            ["platforms: [\n"],
            Severity.ERROR,
            "line 2 of the config is not valid YAML, so all is ignored: "
            "a value or a closing bracket is missing",
            "write it, or quote the text",
        ),
        (
            ["- a\n"],
            Severity.ERROR,
            "line 1 of the config is not valid YAML, so all is ignored: the root is a list and no mapping",
            "write a mapping with keys among `approvals`, `platforms` and `platform_toolsets`",
        ),
        (
            ["platforms: {a: &a [], b: *c}\n"],
            Severity.ERROR,
            "line 1 of the config is not valid YAML, so all is ignored: "
            "an alias names an anchor that is not before it",
            "correct line 1",
        ),
        (
            ["platforms: {a: &a " + "x" * (1 << 19) + ", b: *a}\n"],
            Severity.ERROR,
            "the config cannot be applied, so all is ignored: it sets more than the 1 MiB that a ConfigMap "
            "holds",
            "shorten it",
        ),
        (
            ["agent: 1\nlogging: 2\n"],
            Severity.ERROR,
            "the operator ignores `agent` and `logging`, for a plugin may set only `approvals`, `platforms` "
            "and `platform_toolsets`",
            "remove what is ignored from `spec.config`",
        ),
        (
            ["platform-toolsets: {}\n"],
            Severity.ERROR,
            "the operator ignores `platform-toolsets`, for a plugin may set only `approvals`, `platforms` "
            "and `platform_toolsets`",
            "rename it to `platform_toolsets`",
        ),
        (
            ["platforms: {p: 1}", "platforms:\n"],
            Severity.WARNING,
            "`platforms` is no mapping here, which erases what the operator and plugin `a` wrote: "
            "`google_chat`, `slack` and `p`",
            "write a mapping or a list as it is there, or leave the key out",
        ),
        (
            ["platforms: {slack: , google_chat: 1}"],
            Severity.WARNING,
            "`platforms.slack` is no mapping here, which erases what the operator wrote: `enabled` and "
            "`extra`; `platforms.google_chat` is no mapping here, which erases what the operator wrote: "
            "`enabled`",
            "write a mapping or a list as it is there, or leave the key out",
        ),
        (
            ["approvals: {m: 1}", "approvals: {m: 2}"],
            Severity.WARNING,
            "`approvals.m` is set otherwise by plugin `a`; `b` wins, as the last by name",
            "set it in one plugin alone",
        ),
        (
            ["approvals: {m: 1}", "approvals: {k: 1}", "approvals: {m: 2, k: 2}"],
            Severity.WARNING,
            "`approvals.m` and `approvals.k` are set otherwise by plugins `a` and `b`;"
            " `c` wins, as the last by name",
            "set each in one plugin alone",
        ),
        (
            ["platform_toolsets: {cli: [{a: 1}]}"],
            Severity.WARNING,
            "the items of `platform_toolsets.cli` are mappings or lists: where the profile has that list "
            "too, the pod applies nothing that plugins set for the profile, and enables none of them there",
            "write items that are texts, numbers or booleans",
        ),
        (
            ["approvals: {cron_mode: deny}"],
            Severity.WARNING,
            "the operator's managed config sets `approvals.cron_mode` otherwise, for every profile",
            "remove `approvals.cron_mode`",
        ),
    ],
)
def test_a_finding_says_what_is_wrong_and_what_to_do(
    configs: list[str], severity: Severity, message: str, hint: str
) -> None:
    (finding,) = found(*(configured(config, name) for config, name in zip(configs, "abc", strict=False)))
    assert (finding.severity, finding.message, finding.hint) == (severity, message, hint)
    assert (finding.field, str(finding.object)) == ("spec.config", f"AgentPlugin/{'abc'[len(configs) - 1]}")


def test_findings_come_in_name_order_and_one_per_reason() -> None:
    config = "x: 1\ny: 2\nplatforms:\napprovals: {cron_mode: a, l: [[]]}\n"
    findings = found(*(configured(config, name) for name in ("b", "a")))
    places = [(str(finding.object), finding.reason.value) for finding in findings]
    assert places == sorted(places, key=lambda place: place[0])
    assert len(set(places)) == len(places) == 7


CANARY = "canary-5e1f"


@pytest.mark.parametrize(
    "config",
    [
        f"platforms: {CANARY}\n",
        f"agent: {{token: {CANARY}}}\n",
        f"approvals: {{cron_mode: {CANARY}}}\n",
        f"approvals: [[{CANARY}]]\n",
        f"platforms: {{a: '{CANARY}\n",
        f"platforms: {{? [{CANARY}] : 1}}\n",
        f"platforms: {{a: *{CANARY}}}\n",
        f"platforms: {{a: !!int {CANARY}}}\n",
        f"- {CANARY}\n",
        f"{CANARY}\n",
    ],
)
@pytest.mark.parametrize("field", ["config: |\n  {}", "config: >\n  {}"])
def test_no_value_is_told_nor_its_line_quoted(config: str, field: str) -> None:
    plugin = written(field.format(config.replace("\n", "\n  ")))
    findings = found(configured("approvals: {cron_mode: other}\nplatforms: 1\n", "aaa"), plugin)
    assert all(finding.sensitive for finding in findings)
    assert CANARY not in "".join(f"{finding.message}{finding.hint}" for finding in findings)
    assert any(str(finding.object) == "AgentPlugin/plugin" for finding in findings)


def test_a_message_names_the_first_and_counts_the_rest() -> None:
    (finding,) = found(configured("\n".join(f"k{number}: 1" for number in range(1000, 3000))))
    assert "ignores `k1000`, `k1001`, `k1002`, `k1003`, `k1004` and 1,995 more, for" in finding.message
    (finding,) = found(configured("approvals:\n" + "\n".join(f"  k{number}: [[]]" for number in range(8))))
    assert "`approvals.k4` and 3 more are mappings" in finding.message


@pytest.mark.parametrize(
    "config",
    [
        "\n".join(f"key{number}: 1" for number in range(5000)),
        "\n".join(f"{'k' * 900}{number}: 1" for number in range(50)),
        "platforms:\n" + "\n".join(f"  key{number}: [1]" for number in range(5000)),
        "approvals:\n" + "\n".join(f"  {'k' * 900}{number}: [[]]" for number in range(50)),
        "approvals:\n" + "\n".join(f"{'  ' * depth}{'k' * 900}:" for depth in range(1, 60)) + " [[]]",
    ],
)
def test_messages_stay_short_whatever_a_config_holds(config: str) -> None:
    nulls = configured(config.replace("[1]", "1").replace(": 1", ": 2"), "b")
    findings = found(configured(config, "a"), nulls, configured("platforms: null", "c"))
    assert findings
    assert max(len(finding.message) for finding in findings) < 2000


def test_config_that_is_no_literal_block_is_shown_at_its_field() -> None:
    plugin = written("config: '{agent: 1, platforms: }'\n")
    assert [(finding.reason.value, line_of(finding)) for finding in found(plugin)] == [
        ("PluginConfigDropped", 0),
        ("PluginConfigErases", 0),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_any_config_is_judged_without_failing_and_shown_within_its_file(seed: int) -> None:
    maker = TextMaker(seed)
    for _ in range(150):
        text = maker.text()
        manifest = "config: " + json.dumps(f"approvals: {text}")
        block = f"config: |2\n{textwrap.indent(text, '  ', lambda line: True)}"
        for field in (manifest, block):
            try:
                plugin = written(field)
            except YAMLInvalidError:
                continue
            last = len(re.split("\r\n?|\n", field)) + CONFIG_LINE
            for finding in found(plugin):
                assert 0 <= line_of(finding) <= last
