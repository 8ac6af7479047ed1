"""Each kind of edit is told as what it means, and judged by the table of rules."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from kagent_render.review.comparison import compare_facts
from kagent_render.review.fact import WITHHELD
from tests.cli import platform, team
from tests.cli.reviewed import COMMIT, NEXT, skills
from tests.review.prepared import Edit, changes, edited, facts, told

LEAD, AGENT = team.PAIR, platform.AGENT
FILES = edited(
    {**team.FILES, **platform.AGENT_FILES},
    ("kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n'),
    ("lead.yaml", "  tools:\n", f"{skills(COMMIT)}  tools:\n"),
    (
        "inputs.yaml",
        "  url: https://search.example.com/mcp\n",
        "  url: https://search.example.com/mcp\n  timeout: 30s\n"
        "  headersFrom:\n  - {name: X-Team, value: search}\n",
    ),
)
_SEARCH = "RemoteMCPServer search"
_SHARED = ("lead.yaml", "isolation: Dedicated", "isolation: Shared")
_MCP = "  - mcp:\n      server: {kind: RemoteMCPServer, name: search}\n      tools: [find, open]\n"
_HELPER = "  - agent:\n      name: helper\n      description: Helps.\n      templateRef: {name: helper}\n"
_CONFIG = "kagent-render.yaml"

PAIR_EDITS: dict[str, tuple[Edit, list[str]]] = {
    "a prompt": (("lead.yaml", "You lead.", "You decide."), ["neutral changed prompt"]),
    "a text that the prompt includes": (
        ("inputs.yaml", "Be brief.", "Be long."),
        ["neutral changed prompt"],
    ),
    "a text that nothing includes": (("inputs.yaml", "Nobody", "Somebody"), []),
    "a comment": (("lead.yaml", "spec:\n", "# why\nspec:\n"), []),
    "the description": (
        ("lead.yaml", "Leads.", "Leads us."),
        ["neutral changed description of the template"],
    ),
    "a binding's description": (
        ("lead.yaml", "Doubts.", "Doubts it."),
        ["neutral changed description critic of the binding"],
    ),
    "a label": (("lead.yaml", "tier: gold", "tier: lead"), ["neutral changed label tier"]),
    "one more tool": (
        ("lead.yaml", "[find, open]", "[find, open, write]"),
        [f"widens added tool {_SEARCH}: write"],
    ),
    "one tool less": (("lead.yaml", "[find, open]", "[find]"), [f"narrows removed tool {_SEARCH}: open"]),
    "another tool": (
        ("lead.yaml", "[find, open]", "[find, write]"),
        [f"narrows removed tool {_SEARCH}: open", f"widens added tool {_SEARCH}: write"],
    ),
    "no server any more": (
        ("lead.yaml", _MCP, ""),
        [
            "narrows removed host https://search.example.com:443",
            f"narrows removed server {_SEARCH}",
            f"neutral removed description {_SEARCH}",
            f"narrows removed tool {_SEARCH}: find",
            f"narrows removed tool {_SEARCH}: open",
            f"neutral removed header {_SEARCH}: X-Team",
            f"neutral removed limit {_SEARCH}: timeout",
            "neutral removed requirement *",
        ],
    ),
    "another host": (
        ("inputs.yaml", "search.example.com", "other.example.com"),
        [
            "widens added host https://other.example.com:443",
            "narrows removed host https://search.example.com:443",
            f"widens changed server {_SEARCH}",
        ],
    ),
    "another path": (("inputs.yaml", "com/mcp", "com/v2"), [f"widens changed server {_SEARCH}"]),
    "a query": (("inputs.yaml", "com/mcp", "com/mcp?all=1"), [f"widens changed server {_SEARCH}"]),
    "a header": (
        ("inputs.yaml", "value: search}", "value: all}"),
        [f"widens changed header {_SEARCH}: X-Team"],
    ),
    "a header less": (
        ("inputs.yaml", "  headersFrom:\n  - {name: X-Team, value: search}\n", ""),
        [f"widens removed header {_SEARCH}: X-Team"],
    ),
    "a header out of a Secret": (
        (
            "inputs.yaml",
            "  - {name: X-Team, value: search}\n",
            "  - {name: X-Team, valueFrom: {type: Secret, name: search, key: team}}\n",
        ),
        [
            "widens added credential KAGENT_CREDENTIAL_*",
            f"widens changed header {_SEARCH}: X-Team",
            "neutral added requirement *",
        ],
    ),
    "a longer wait": (
        ("inputs.yaml", "timeout: 30s", "timeout: 60s"),
        [f"widens changed limit {_SEARCH}: timeout"],
    ),
    "a shorter wait": (
        ("inputs.yaml", "timeout: 30s", "timeout: 5s"),
        [f"narrows changed limit {_SEARCH}: timeout"],
    ),
    "certificates unchecked": (
        ("inputs.yaml", "timeout: 30s", "timeout: 30s\n  tls: {disableVerify: true}"),
        [f"widens added tls {_SEARCH}"],
    ),
    "no Shared agent any more": (
        ("lead.yaml", _HELPER, ""),
        [
            "narrows removed agent helper",
            "neutral removed prompt helper",
            "neutral removed model helper",
            "neutral removed description helper of the binding",
            "neutral removed label helper runtime",
            "narrows removed endpoint helper",
            "neutral removed setting helper model bedrock.*",
            "neutral removed requirement *",
        ],
    ),
    "Dedicated to Shared": (
        _SHARED,
        [
            "widens changed isolation critic",
            "narrows removed credential critic AWS_*",
            "narrows removed host critic *",
            "neutral removed variable critic *",
            "narrows removed address tools",
            "narrows removed host https://kagent-apply.kagent:8085",
            "neutral * requirement *",
        ],
    ),
    "another sub-agent behind a binding": (
        ("lead.yaml", "templateRef: {name: helper}", "templateRef: {name: critic}"),
        [
            "widens changed agent helper",
            "neutral changed prompt helper",
            "neutral added version helper AgentTemplate critic",
            "neutral removed version helper AgentTemplate helper",
        ],
    ),
    "another commit of a skill": (
        ("lead.yaml", COMMIT, NEXT),
        ["widens changed skill triage", "neutral changed source triage"],
    ),
    "no skill any more": (
        ("lead.yaml", skills(COMMIT), ""),
        [
            "narrows removed skill triage",
            "neutral removed source triage",
            "narrows removed host https://git.example.com:443",
            "neutral removed requirement *",
        ],
    ),
    "the image": (("harness.yaml", team.ZEROS, team.ONES), ["widens changed image"]),
    "a literal": (("harness.yaml", "value: info", "value: debug"), ["widens changed variable*LEVEL"]),
    "the model": (("inputs.yaml", "some-model", "other-model"), ["neutral changed model*"]),
    "the region": (
        ("inputs.yaml", "eu-central-1", "us-east-1"),
        [
            "widens added host*https://bedrock-runtime.us-east-1.amazonaws.com:443",
            "narrows removed host*https://bedrock-runtime.eu-central-1.amazonaws.com:443",
            "widens changed endpoint*",
            "widens changed variable*AWS_REGION",
            "widens changed setting*model bedrock.region",
        ],
    ),
    "the Secret": (
        ("inputs.yaml", "apiKeySecret: aws", "apiKeySecret: other"),
        [
            "widens * credential *",
            "narrows removed credential *",
        ],
    ),
    "a parameter without a rule": (
        ("inputs.yaml", "region: eu-central-1", "region: eu-central-1\n    cacheTTL: 1h"),
        ["widens changed setting*model bedrock.cacheTTL", "neutral added requirement *"],
    ),
    "a header to the model with the name of a parameter": (
        ("inputs.yaml", "  model: some-model\n", "  model: some-model\n  defaultHeaders: {temperature: x}\n"),
        ["widens added setting*model defaultHeaders.temperature", "neutral added requirement *"],
    ),
    "the worker pool": (
        (_CONFIG, "workerPool: pool", "workerPool: large"),
        ["widens changed substrate worker pool"],
    ),
    "the snapshots": (
        (_CONFIG, "s3://snapshots/team", "s3://snapshots/all"),
        ["widens changed substrate snapshot location"],
    ),
    "the pause image": ((_CONFIG, team.ZEROS, team.ONES), ["widens changed substrate pause image"]),
    "the controller": (
        (_CONFIG, "name: kagent-controller", "name: other"),
        [
            "widens changed address controller",
            "widens added host*http://other.kagent:808*",
            "narrows removed host*http://kagent-controller.kagent:808*",
        ],
    ),
}


@pytest.mark.parametrize("edit", PAIR_EDITS)
def test_an_edit_of_a_pair_is_told_as_what_it_means(edit: str) -> None:
    made, wanted = PAIR_EDITS[edit]
    assert unmatched(told(changes(FILES, LEAD, made)), wanted) == ([], [])


AGENT_EDITS: dict[str, tuple[Edit, list[str]]] = {
    "another digest": (("investigator.yaml", team.ONES, "2" * 64), ["widens changed image investigator"]),
    "another name of the same image": (
        ("investigator.yaml", "plugins/investigator@", "mirror/investigator@"),
        ["neutral changed reference investigator"],
    ),
    "a pull policy": (
        ("investigator.yaml", "Always", "IfNotPresent"),
        ["neutral changed reference investigator pull policy"],
    ),
    "another profile": (
        ("investigator.yaml", "targetProfile: platform", "targetProfile: cluster-a"),
        ["widens changed profile investigator", "* volume investigator"],
    ),
    "one more key of a config": (
        ("stockout.yaml", "google_chat:", "slack: [stockout]\n      google_chat:"),
        ["widens added configKey stockout platform_toolsets.slack[0]"],
    ),
    "another value of a config": (
        ("stockout.yaml", "      - stockout", "      - everything"),
        ["widens changed configKey stockout platform_toolsets.google_chat[0]"],
    ),
    "another Secret": (
        ("stockout.yaml", "name: slack", "name: other"),
        ["widens changed credential stockout SLACK_API_TOKEN"],
    ),
    "a literal in its place": (
        (
            "stockout.yaml",
            "    valueFrom:\n      secretKeyRef:\n        name: slack\n        key: token\n",
            "    value: hello\n",
        ),
        [
            "narrows removed credential stockout SLACK_API_TOKEN",
            "widens added variable stockout SLACK_API_TOKEN",
        ],
    ),
    "a nested value of a config that becomes a key with a dot": (
        (
            "stockout.yaml",
            "    platform_toolsets:\n      google_chat:\n      - stockout\n",
            "    platform_toolsets:\n      google_chat.extra:\n      - stockout\n",
        ),
        [
            "widens added configKey stockout platform_toolsets?*google_chat.extra*",
            "widens removed configKey stockout platform_toolsets.google_chat*",
        ],
    ),
    "another limit": (
        ("agent.yaml", "maxTurns: 3", "maxTurns: 3\n        apiMaxRetries: 9"),
        ["widens added limit *.apiMaxRetries"],
    ),
    "more turns": (("agent.yaml", "maxTurns: 3", "maxTurns: 9"), ["widens changed limit *.maxTurns"]),
    "fewer turns": (("agent.yaml", "maxTurns: 3", "maxTurns: 2"), ["narrows changed limit *.maxTurns"]),
    "another cluster": (
        ("agent.yaml", "clusterName: cluster", "clusterName: other"),
        ["widens changed setting harness.clusterName"],
    ),
    "no image volumes": (
        (_CONFIG, '"1.35"', '"1.30"'),
        [
            "narrows changed imageVolumes",
            "narrows removed volume *",
            "narrows changed status *",
        ],
    ),
    "a plugin that is gone": (
        ("investigator.yaml", "agentRef: platform-agent", "agentRef: nobody"),
        [
            "narrows removed plugin investigator",
            "narrows removed image investigator",
            "narrows removed volume investigator",
            "neutral removed profile investigator",
            "neutral removed status investigator",
            "neutral removed reference investigator*",
        ],
    ),
}


@pytest.mark.parametrize("edit", AGENT_EDITS)
def test_an_edit_of_a_platform_agent_is_told_as_what_it_means(edit: str) -> None:
    made, wanted = AGENT_EDITS[edit]
    assert unmatched(told(changes(FILES, AGENT, made)), wanted) == ([], [])


CONFIG_EDITS: dict[str, tuple[Edit, list[str]]] = {
    "more revisions": (
        (_CONFIG, "revisions: 3", "revisions: 5"),
        ["widens changed limit retention.revisions"],
    ),
    "fewer revisions": (
        (_CONFIG, "revisions: 3", "revisions: 2"),
        ["narrows changed limit retention.revisions"],
    ),
    "no protection": (
        (_CONFIG, "protect: true", "protect: false"),
        ["narrows changed protection retention.protect"],
    ),
    "another output": (
        (_CONFIG, "  retention:", "  output: out\n  retention:"),
        ["widens changed output output"],
    ),
    "another target": (
        (_CONFIG, "target: ate.dev/v1alpha1", "target: ateapi/v0.4"),
        ["neutral changed configuration target"],
    ),
    "another version of Kubernetes": (
        (_CONFIG, '"1.35"', '"1.36"'),
        ["neutral changed configuration kubeVersion"],
    ),
}


@pytest.mark.parametrize("edit", CONFIG_EDITS)
def test_an_edit_of_render_config_is_told_as_what_it_means(edit: str) -> None:
    made, wanted = CONFIG_EDITS[edit]
    assert unmatched(told(changes(FILES, "", made)), wanted) == ([], [])


def test_a_target_is_shown() -> None:
    assert {fact.value for fact in facts(FILES, "") if fact.name == "target"} == {"ate.dev/v1alpha1"}


def test_a_pair_is_told_whole_by_its_facts() -> None:
    topics = {fact.topic.name for fact in facts(FILES, LEAD)}
    assert topics >= {"target", "image", "prompt", "model", "tool", "server", "host", "credential", "skill"}


LITERALS = {
    "DB_PASSWORD": "hunter2",
    "API_TOKEN": "abc",
    "SERVICE_AUTH": "basic",
    "CALLBACK": "https://example.com/?api_key=abcdef",
    "DATABASE": "postgres://user:pass@db.example.com/x",
    "ANYTHING": "sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "SEED": "q8Zr4Lm2Xv9Tn6Kd1Wb7",
}


@pytest.mark.parametrize(("name", "value"), LITERALS.items())
def test_a_literal_that_may_be_a_credential_is_never_shown(name: str, value: str) -> None:
    harness = (
        "harness.yaml",
        "  - name: LEVEL\n    value: info\n",
        f"  - name: LEVEL\n    value: info\n  - name: {name}\n    value: {value}\n",
    )
    (change,) = (found for found in changes(FILES, "team/runtime/critic", harness) if found.name == name)
    assert (change.after, value in repr(change)) == (WITHHELD, False)


def test_a_change_of_a_hidden_literal_is_told() -> None:
    def secret(value: str) -> Edit:
        return ("harness.yaml", "value: info\n", f"value: info\n  - name: DB_PASSWORD\n    value: {value}\n")

    before, after = (facts(edited(FILES, secret(value)), LEAD) for value in ("one", "two"))
    assert [change.name for change in compare_facts(before, after)] == ["DB_PASSWORD"] * 2


def unmatched(found: list[str], patterns: list[str]) -> tuple[list[str], list[str]]:
    """The lines that no pattern explains, and the patterns that explain none."""
    plain = [pattern.replace("[", "[[]") for pattern in patterns]
    return (
        [line for line in found if not any(fnmatchcase(line, pattern) for pattern in plain)],
        [pattern for pattern in plain if not any(fnmatchcase(line, pattern) for line in found)],
    )
