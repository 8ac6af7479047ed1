"""What no log line, page or span may hold."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_apply.observability.masking import WITHHELD, masked, masked_value

_JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"RS256","kid":"1"}', b'{"sub":"alice","aud":"x"}', b"signature" * 8)
)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("cannot fetch `https://bob:hunter2@git.example.com/agents.git`", "hunter2"),
        ("cannot fetch `https://ghs-token@git.example.com/agents.git`", "ghs-token"),
        ("no answer of postgresql+psycopg://kagent:p%40ss@db:5432/kagent", "p%40ss"),
        ("no answer of postgresql://kagent:p@ss:word@db:5432/kagent", "p@ss"),
        ("connection failed: host=db password=hunter2 dbname=kagent", "hunter2"),
        ("GET /x?access_token=hunter2&page=2", "hunter2"),
        ("authorization: Bearer c2VjcmV0c2VjcmV0", "c2VjcmV0c2VjcmV0"),
        ("authorization: basic Ym9iOmh1bnRlcjI=", "Ym9iOmh1bnRlcjI"),
        (f"a token was {_JWT} and more", _JWT.rpartition(".")[2]),
        ("key sk-" + "a1" * 16, "a1a1a1"),
        ("key AKIA" + "A1" * 8, "A1A1A1"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY----- after", "MIIE"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEcut", "MIIEcut"),
    ],
)
def test_a_credential_is_taken_out_of_text(text: str, secret: str) -> None:
    assert secret not in masked(text)
    assert masked(text) != text


@pytest.mark.parametrize(
    "text",
    [
        "the Actor `ai-0b9c2f6e-5d8a-4a8e-a0b4-4f9a52b7e9aa` is gone",
        "the bearer token is not valid; bring another",
        "revision sha256:1c28c1172116" + "0" * 52,
        "`https://git.example.com:8443/agents.git` does not answer",
        "no `password` in the Secret; add the key",
    ],
)
def test_what_is_no_credential_stays(text: str) -> None:
    assert masked(text) == text


def test_text_after_a_private_key_stays() -> None:
    assert masked("a -----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY----- b") == f"a {WITHHELD} b"


@pytest.mark.parametrize(
    "name", ["password", "client_secret", "access_token", "Authorization", "api_key", "cookie"]
)
def test_the_value_of_a_field_named_for_a_credential_is_withheld(name: str) -> None:
    assert masked_value(name, "x") == WITHHELD


@pytest.mark.parametrize("name", ["namespace", "agent_template", "instance", "page_tokens"])
def test_the_value_of_another_field_stays(name: str) -> None:
    assert masked_value(name, "agent-team") == "agent-team"


@given(st.text(), st.text(alphabet="abcXYZ019%._~-", min_size=1))
def test_a_password_in_an_address_never_passes(before: str, password: str) -> None:
    secret = f"{password}Zq9"
    assert f"{secret}@" not in masked(f"{before} https://user:{secret}@host/path")
