"""How the real Codex calls the model: where, as whom, and with which options."""

from __future__ import annotations

import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from tests.runtimes.codex.actor import model, render_actor
from tests.runtimes.codex.model_server import Text, by_turn, serving_model
from tests.runtimes.loopback import tunnelling
from tests.runtimes.repository import template
from tests.servers import Request, serving

pytestmark = pytest.mark.server


@pytest.mark.parametrize("effort", ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
def test_the_options_of_a_model_reach_its_request(tmp_path: Path, effort: str) -> None:
    with serving_model(by_turn([Text("Done.")])) as scripted:
        spec = "defaultHeaders: {X-Team: 'a=b, \"c\"'}"
        llm = model(scripted.url, spec=spec, block=f"reasoningEffort: {effort}, organization: acme")
        turn = render_actor(tmp_path, llm, template("lead", "Lead.")).start(tmp_path)
    assert turn.complaints == []
    (request,) = scripted.requests
    assert request.path == "/v1/responses"
    assert request.body["reasoning"] == {"effort": effort}
    headers = [request.headers[name] for name in ("authorization", "openai-organization", "x-team")]
    assert headers == ["Bearer model-key", "acme", 'a=b, "c"']


def test_codex_contacts_nothing_but_what_is_configured(tmp_path: Path) -> None:
    asked: list[str] = []

    def refuse(request: Request) -> None:
        asked.append(request.path)
        request.reply(status=502)

    with serving(refuse) as proxy, serving_model(by_turn([Text("Done.")])) as scripted:
        actor = render_actor(tmp_path, model(scripted.url), template("lead", "Lead."))
        turn = actor.start(tmp_path, HTTPS_PROXY=proxy.url)
    assert turn.text == "Done."
    assert asked == []
    assert scripted.others == []


def test_bedrock_is_called_at_the_origin_that_is_derived_for_it_with_its_key_and_headers(
    tmp_path: Path,
) -> None:
    host = "bedrock-mantle.eu-central-1.api.aws"
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(host).configure_cert(context)
    llm = (
        "apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\nmetadata: {namespace: team, name: model}\n"
        "spec: {provider: Bedrock, model: openai.gpt-5.5, apiKeySecret: aws,"
        " bedrock: {region: eu-central-1}, defaultHeaders: {X-Team: a}}\n"
    )
    with (
        serving_model(by_turn([Text("Done.")]), context) as scripted,
        tunnelling(urlsplit(scripted.url).port or 0) as proxy,
    ):
        actor = render_actor(tmp_path, llm, template("lead", "Lead."))
        env = {"HTTPS_PROXY": proxy.url, "SSL_CERT_FILE": str(tmp_path / "ca.pem")}
        turn = actor.start(tmp_path, **env)
    assert (turn.text, turn.complaints) == ("Done.", [])
    assert {request.path for request in proxy.requests} == {f"{host}:443"}
    (request,) = scripted.requests
    assert (request.model, request.messages[0]) == ("openai.gpt-5.5", ("developer", "Lead."))
    assert [request.headers[name] for name in ("authorization", "x-team")] == ["Bearer aws-key", "a"]
    lock = (tmp_path / "repository/rendered/team/runtime/lead/revision.lock.yaml").read_text()
    assert f"https://{host}:443" in lock
