"""What the settings make of those who call."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kagent_apply.auth.access import Access
from kagent_apply.auth.port import Credentials, UnauthenticatedError
from kagent_apply.cli.server.access import open_gate
from kagent_apply.settings.reading import read_settings
from tests.apply.auth.jwt_making import AUDIENCE, ISSUER, current, jwk, key_set, signed


@pytest.fixture
def gate(tmp_path: Path) -> Access:
    """A server that has its issuer's keys in a file, so that it asks no network for them."""
    (tmp_path / "keys.json").write_bytes(key_set(jwk("RS256")))
    flags = {"oidc_issuer": ISSUER, "oidc_audiences": AUDIENCE, "oidc_jwks": str(tmp_path / "keys.json")}
    return open_gate(read_settings(flags, {}, None)[0], pytest.fail)


def test_a_token_is_judged_by_the_keys_of_the_file(gate: Access) -> None:
    caller = gate.authenticator.authenticate(Credentials(signed(current(ISSUER))))
    assert (caller.subject, caller.method) == ("alice", "oidc")


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (signed(current(ISSUER, exp=time.time() - 60)), "the bearer token has expired"),
        (signed(current(ISSUER), number=1), "the bearer token is not valid"),
    ],
)
def test_a_token_that_is_not_good_is_told_as_what_it_is(gate: Access, token: str, told: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        gate.authenticator.authenticate(Credentials(token))
    assert caught.value.message == told
