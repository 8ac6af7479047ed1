"""The model of the real Claude Code: where it is called, as whom, and with which options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compile.boundaries import template as compile_template
from tests.compile.claude import claude
from tests.runtimes.claude.actor import Actor, model, render_actor
from tests.runtimes.claude.dialogues import delegate
from tests.runtimes.claude.model_server import Lines, by_agent, serving_model
from tests.runtimes.repository import binds, template
from tests.servers import serving

pytestmark = pytest.mark.server

BEDROCK = "provider: Bedrock, apiKeySecret: llm, bedrock: {region: eu-central-1}"
VERTEX = (
    "provider: AnthropicVertexAI, anthropicVertexAI: {projectID: acme, location: europe-west1, maxTokens: 77}"
)
SCRIPT: Lines = {"You lead.": [delegate("near"), "Done."], "You help.": ["Found it."]}


def test_the_options_of_a_model_reach_every_request(tmp_path: Path) -> None:
    headers = "defaultHeaders: {X-Team: 'platform, \"eu\"', X-Cost: '7'}"
    with serving_model(by_agent(SCRIPT)) as scripted:
        manifests = [
            model(f"{scripted.url}/anthropic", spec=headers, block="maxTokens: 1234"),
            template("lead", "You lead.", binds("near", "aide")),
            template("aide", "You help."),
        ]
        turn = render_actor(tmp_path, *manifests).start(tmp_path)
    assert turn.complaints == []
    assert len(scripted.asked) == 3
    for asked in scripted.asked:
        assert asked.path.startswith("/anthropic/v1/messages")
        assert asked.headers["x-api-key"] == "model-key"
        assert asked.body["max_tokens"] == 1234
        assert (asked.headers["x-team"], asked.headers["x-cost"]) == ('platform, "eu"', "7")


@pytest.mark.parametrize("name", ["claude-opus-4-1", "claude-sonnet-4-20250514", "default", "vendor/x@1:2"])
def test_a_model_is_asked_for_by_the_name_that_is_written(name: str, tmp_path: Path) -> None:
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        manifests = [model(scripted.url, llm=f"'{name}'"), template("lead", "You lead.")]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert [asked.body["model"] for asked in scripted.asked] == [name]


@pytest.mark.parametrize(
    ("spec", "elsewhere", "path", "authorization"),
    [
        pytest.param(
            BEDROCK,
            {"ANTHROPIC_BEDROCK_BASE_URL": "{}"},
            "/model/m-1/invoke-with-response-stream",
            "Bearer some-secret",
            id="Bedrock",
        ),
        pytest.param(
            VERTEX,
            {"ANTHROPIC_VERTEX_BASE_URL": "{}", "CLAUDE_CODE_SKIP_VERTEX_AUTH": "1"},
            "/projects/acme/locations/europe-west1/publishers/anthropic/models/m-1:streamRawPredict",
            None,
            id="Vertex",
        ),
    ],
)
def test_a_cloud_s_model_is_called_with_the_provider_s_settings(
    spec: str, elsewhere: dict[str, str], path: str, authorization: str | None, tmp_path: Path
) -> None:
    config = (
        model("http://unused").partition("spec:")[0]
        + f"spec: {{model: m-1, defaultHeaders: {{X-Team: eu}}, {spec}}}\n"
    )
    actor = render_actor(tmp_path, config, template("lead", "You lead."))
    with serving(lambda request: request.reply(b'{"message": "no"}', 400)) as cloud:
        actor.start(tmp_path, env={name: value.format(cloud.url) for name, value in elsewhere.items()})
    last = cloud.requests[-1]
    assert (last.path, last.headers["Authorization"]) == (path, authorization)
    assert last.headers["X-Team"] == "eu"
    body = json.loads(last.body)
    assert body["system"][-1]["text"] == "You lead."
    assert body["max_tokens"] == (77 if authorization is None else 32000)


@pytest.mark.parametrize(
    ("location", "instead"),
    [
        ("l", "us-east5-aiplatform.googleapis.com:443"),
        ("eu", "aiplatform.eu.rep.googleapis.com:443"),
        ("europe-west1", "europe-west1-aiplatform.googleapis.com:443"),
    ],
)
def test_a_location_of_vertex_is_called_at_its_own_host(location: str, instead: str, tmp_path: Path) -> None:
    block = f"anthropicVertexAI: {{projectID: acme, location: {location}}}"
    boundary, faults = claude(
        compile_template("lead"), llm=f"{{provider: AnthropicVertexAI, model: m, {block}}}", proven=False
    )
    actor = Actor({variable.name: str(variable.value) for variable in boundary.env})
    with serving(lambda request: request.reply(b"{}", 400)) as proxy:
        actor.start(
            tmp_path,
            env={
                "HTTPS_PROXY": proxy.url,
                "CLAUDE_CODE_SKIP_VERTEX_AUTH": "1",
                "CLAUDE_CODE_MAX_RETRIES": "0",
            },
        )
    assert {request.path for request in proxy.requests} == {instead}
    listed = [origin for origin in boundary.bundle.egress if origin == f"https://{instead}"]
    assert (listed, bool(faults)) == (([], True) if location == "l" else ([f"https://{instead}"], False))


def test_without_a_key_no_model_is_asked(tmp_path: Path) -> None:
    with serving_model(by_agent(SCRIPT)) as scripted:
        llm = f"{{provider: Anthropic, model: m, anthropic: {{baseUrl: '{scripted.url}'}}}}"
        boundary, faults = claude(compile_template("lead"), llm=llm, proven=False)
        actor = Actor({variable.name: str(variable.value) for variable in boundary.env})
        turn = actor.start(tmp_path)
    assert (turn.status, scripted.asked) == (1, [])
    assert [fault.field for fault in faults] == ["spec.apiKeySecret"]
