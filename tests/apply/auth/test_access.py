"""What an operator configured, put together."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from kagent_apply.auth.access import AccessSettings, open_access
from kagent_apply.auth.certificates import CertificateName
from kagent_apply.auth.failure import AccessError
from kagent_apply.auth.limits import LimitExceededError, LimitSettings
from kagent_apply.auth.oidc.issuer import Issuer
from kagent_apply.auth.port import Caller, Credentials, UnauthenticatedError, Verb
from tests.apply.auth.files import Hand, Heard, put
from tests.apply.auth.jwt_making import AUDIENCE, ISSUER, current, jwk, key_set, signed

HERE = "unix:"
TOKEN = "0123456789abcdef0123456789abcdef"
HEAD = "apiVersion: apply.kagent.dev/v1alpha1\n"
RULES = "{rules: [{subjects: [ci], namespaces: [a], verbs: [get]}]}"


def _tokens(path: Path, subject: str) -> Path:
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    entry = f"{{tokens: [{{subject: {subject}, sha256: {digest}}}]}}"
    return put(path, f"{HEAD}kind: TokenList\nspec: {entry}\n")


def _policy(path: Path, spec: str) -> Path:
    return put(path, f"{HEAD}kind: AccessPolicy\nspec: {spec}\n")


def test_with_nothing_configured_this_machine_does_everything_to_its_own() -> None:
    access = open_access(AccessSettings(), Heard())
    caller = access.authenticator.authenticate(Credentials(peer=HERE))
    assert caller == Caller("local", (), "local")
    assert access.authorizer.allows(caller, Verb.DELETE, "anywhere")
    assert not access.authorizer.allows(caller, Verb.ALL_CREATORS, "anywhere")
    assert not AccessSettings().authenticated


@pytest.mark.parametrize(
    "settings",
    [
        AccessSettings(token_file="tokens"),
        AccessSettings(issuers=(Issuer(ISSUER, (AUDIENCE,)),)),
        AccessSettings(certificates=(CertificateName.URI,)),
    ],
)
def test_each_way_of_proof_is_an_authenticator(settings: AccessSettings) -> None:
    assert settings.authenticated


def test_tokens_of_a_list_and_of_an_issuer_go_together(tmp_path: Path) -> None:
    keys = put(tmp_path / "jwks", key_set(jwk("RS256")).decode())
    issuer = Issuer(ISSUER, (AUDIENCE,), jwks_file=str(keys))
    settings = AccessSettings(token_file=str(_tokens(tmp_path / "tokens", "ci")), issuers=(issuer,))
    ask = open_access(settings, Heard()).authenticator.authenticate
    assert ask(Credentials(TOKEN)).subject == "ci"
    assert ask(Credentials(signed(current(ISSUER)))).subject == "alice"
    for bad in (Credentials("guess", None, HERE), Credentials(None, None, HERE)):
        with pytest.raises(UnauthenticatedError, match=r"not valid|does not say") as caught:
            ask(bad)
        assert "lists or a bearer token of an OIDC issuer" in caught.value.hint


def test_a_reload_reads_every_file_again_and_tells_of_broken_ones(tmp_path: Path) -> None:
    settings = AccessSettings(
        token_file=str(_tokens(tmp_path / "tokens", "ci")),
        policy_file=str(_policy(tmp_path / "policy", RULES)),
        audit_file=str(tmp_path / "audit"),
    )
    heard = Heard()
    access = open_access(settings, heard, Hand())
    assert access.authorizer.allows(Caller("ci"), Verb.GET, "a")
    assert not access.authorizer.allows(Caller("ci"), Verb.GET, "b")
    _tokens(tmp_path / "tokens", "cd")
    _policy(tmp_path / "policy", "{rule: []}")
    (tmp_path / "audit").rename(tmp_path / "audit.1")
    access.reload()
    assert access.authenticator.authenticate(Credentials(TOKEN)).subject == "cd"
    assert access.authorizer.allows(Caller("ci"), Verb.GET, "a")
    assert (tmp_path / "audit").exists()
    assert len(access.problems()) == len(heard.lines) == 1
    access.close()


@pytest.mark.parametrize(
    "settings",
    [
        AccessSettings(token_file="/"),
        AccessSettings(policy_file="/"),
        AccessSettings(audit_file="/"),
        AccessSettings(issuers=(Issuer("http://issuer.example", (AUDIENCE,)),)),
        AccessSettings(issuers=(Issuer(ISSUER, ()),)),
        AccessSettings(issuers=(Issuer(ISSUER, (AUDIENCE,), ca_file="/"),)),
        AccessSettings(issuers=(Issuer(ISSUER, (AUDIENCE,), jwks_file="/"),)),
    ],
)
def test_what_cannot_be_used_is_no_start(settings: AccessSettings) -> None:
    with pytest.raises(AccessError, match="; "):
        open_access(settings, Heard())


def test_limits_are_those_that_are_configured() -> None:
    access = open_access(AccessSettings(limits=LimitSettings(per_caller=1)), Heard())
    with access.limits.admitted("a"), pytest.raises(LimitExceededError), access.limits.admitted("a"):
        pass
