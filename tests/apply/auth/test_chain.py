"""Several ways to tell who calls: in order, and no way around a token that is not good."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kagent_apply.auth.certificates import CertificateName, ClientCertificates
from kagent_apply.auth.chain import Authenticators
from kagent_apply.auth.credentials import read_credentials
from kagent_apply.auth.local import LOCAL, LocalCallers
from kagent_apply.auth.method import EXPIRED, Method, Rejected
from kagent_apply.auth.port import Caller, Credentials, PeerCertificate, UnauthenticatedError

HERE = "ipv4:127.0.0.1:5000"
ELSEWHERE = "ipv4:192.0.2.1:5000"


@dataclass(frozen=True)
class Known:
    """Takes one token, and rejects another."""

    token: str
    rejected: str = ""
    name: str = "known"
    taken: str = "a token that is known"
    by_token: bool = True

    def identify(self, credentials: Credentials) -> Caller | Rejected | None:
        if credentials.bearer == self.rejected:
            return EXPIRED
        return Caller(f"of {self.token}", (), self.name) if credentials.bearer == self.token else None


FIRST, SECOND = Known("first", rejected="old"), Known("second")
BY_CERTIFICATE, BY_PLACE = ClientCertificates(), LocalCallers()
ALICE = PeerCertificate("alice")


@pytest.mark.parametrize(
    ("methods", "credentials", "subject"),
    [
        ((FIRST, SECOND), Credentials("first"), "of first"),
        ((FIRST, SECOND), Credentials("second"), "of second"),
        ((FIRST, BY_CERTIFICATE), Credentials("first", ALICE), "of first"),
        ((BY_CERTIFICATE, FIRST), Credentials("first", ALICE), "of first"),
        ((FIRST, BY_CERTIFICATE), Credentials(None, ALICE), "alice"),
        ((BY_CERTIFICATE,), Credentials("any", ALICE), "alice"),
        ((BY_PLACE,), Credentials("any", None, HERE), "local"),
        ((BY_PLACE,), Credentials(None, None, HERE), "local"),
        ((FIRST, BY_PLACE), Credentials(None, None, HERE), "local"),
    ],
)
def test_the_first_that_knows_the_credentials_names_the_caller(
    methods: tuple[Method, ...], credentials: Credentials, subject: str
) -> None:
    assert Authenticators(methods).authenticate(credentials).subject == subject


@pytest.mark.parametrize(
    ("methods", "credentials", "message"),
    [
        ((FIRST, SECOND), Credentials("old"), "the bearer token has expired"),
        ((FIRST, SECOND), Credentials("guess"), "the bearer token is not valid"),
        ((FIRST, BY_CERTIFICATE), Credentials("guess", ALICE), "the bearer token is not valid"),
        ((BY_CERTIFICATE, FIRST), Credentials("guess", ALICE), "the bearer token is not valid"),
        ((FIRST, BY_PLACE), Credentials("guess", None, HERE), "the bearer token is not valid"),
        ((FIRST,), Credentials(None, ALICE, HERE), "the call does not say who makes it"),
        ((BY_CERTIFICATE,), Credentials("first", None, HERE), "the call does not say who makes it"),
        ((BY_PLACE,), Credentials(None, None, ELSEWHERE), "the call does not say who makes it"),
        ((BY_PLACE,), Credentials(None, None, ""), "the call does not say who makes it"),
        ((), Credentials("first", ALICE, HERE), "the call does not say who makes it"),
        ((BY_CERTIFICATE,), Credentials(None, PeerCertificate()), "the client certificate names nobody"),
    ],
)
def test_nobody_else_is_named(methods: tuple[Method, ...], credentials: Credentials, message: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        Authenticators(methods).authenticate(credentials)
    assert caught.value.message == message
    assert "guess" not in caught.value.message + caught.value.hint


def test_the_kinds_that_are_taken_are_told_once_each() -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        Authenticators((FIRST, SECOND, BY_CERTIFICATE)).authenticate(Credentials())
    assert caught.value.hint == "send a token that is known or a client certificate"


def test_no_text_of_credentials_shows_the_token() -> None:
    assert "s3cret" not in repr(Credentials("s3cret", ALICE, HERE))
    assert LOCAL.subject == "local"


@pytest.mark.parametrize(
    ("certificate", "sources", "subject"),
    [
        (PeerCertificate("alice", ("spiffe://corp/alice",)), ("uri", "common-name"), "spiffe://corp/alice"),
        (PeerCertificate("alice", ("spiffe://corp/alice",)), ("common-name", "uri"), "alice"),
        (PeerCertificate("alice"), ("uri", "common-name"), "alice"),
        (PeerCertificate("alice"), ("uri",), None),
        (PeerCertificate("", ("spiffe://corp/alice",)), ("common-name",), None),
        (PeerCertificate("alice", ("spiffe://corp/a", "spiffe://corp/b")), ("uri", "common-name"), None),
        (PeerCertificate("spiffe://corp/alice"), ("uri", "common-name"), None),
        (PeerCertificate("alice\n"), ("common-name",), None),
        (PeerCertificate(" alice"), ("common-name",), None),
        (PeerCertificate("a" * 257), ("common-name",), None),
    ],
)
def test_a_certificate_names_one_or_nobody(
    certificate: PeerCertificate, sources: tuple[str, ...], subject: str | None
) -> None:
    method = ClientCertificates(tuple(CertificateName(source) for source in sources))
    found = method.identify(Credentials(None, certificate))
    assert (found.subject if isinstance(found, Caller) else None) == subject
    assert found is not None


def test_a_prefix_tells_certificates_from_other_callers() -> None:
    found = ClientCertificates(prefix="tls:").identify(Credentials(None, ALICE))
    assert found == Caller("tls:alice", (), "certificate")


@pytest.mark.parametrize(
    ("value", "token"),
    [
        ("Bearer abc.d-e_f", "abc.d-e_f"),
        ("bearer abc", "abc"),
        ("BEARER   abc  ", "abc"),
        ("Bearer a:b/c=", "a:b/c="),
    ],
)
def test_a_bearer_token_is_read(value: str, token: str) -> None:
    metadata = [("user-agent", "grpc"), ("authorization", value)]
    assert read_credentials(metadata, {}, HERE) == Credentials(token, None, HERE)


@pytest.mark.parametrize(
    "values",
    [
        ["Basic abc"],
        ["abc"],
        [""],
        ["Bearer"],
        ["Bearer a b"],
        ["Bearer a\n"],
        [b"Bearer a"],
        ["Bearer a"] * 2,
    ],
)
def test_what_is_no_bearer_token_is_refused_rather_than_passed_over(values: list[str | bytes]) -> None:
    with pytest.raises(UnauthenticatedError, match="authorization"):
        read_credentials([("authorization", value) for value in values], {}, HERE)


def test_a_certificate_counts_only_where_tls_gave_one() -> None:
    named = {"x509_common_name": [b"alice"], "peer_uri": [b"spiffe://corp/alice"]}
    assert read_credentials([], named, HERE).certificate is None
    verified = {**named, "x509_pem_cert": [b"-----BEGIN CERTIFICATE-----"]}
    assert read_credentials([], verified, HERE).certificate == PeerCertificate(
        "alice", ("spiffe://corp/alice",)
    )
