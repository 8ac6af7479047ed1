"""Callers of a real gRPC server: certificates, tokens and this machine."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kagent_apply.auth.access import Access, AccessSettings, open_access
from kagent_apply.auth.certificates import CertificateName
from kagent_apply.auth.credentials import read_credentials
from kagent_apply.auth.port import UnauthenticatedError
from tests.apply.auth.files import Heard, put

pytestmark = pytest.mark.server

BOTH = (CertificateName.URI, CertificateName.COMMON_NAME)
TOKEN = "0123456789abcdef0123456789abcdef"
TOKENS = f"""\
apiVersion: apply.kagent.dev/v1alpha1
kind: TokenList
spec:
  tokens:
  - {{subject: ci, sha256: {hashlib.sha256(TOKEN.encode()).hexdigest()}}}
"""


@dataclass(frozen=True)
class Identity:
    """A client's certificate and key in PEM."""

    chain: bytes
    key: bytes


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def _identity(authority: trustme.CA, common_name: str | None, *uris: str, years: int = 1) -> Identity:
    """A certificate as an authority of SPIFFE gives it, which trustme does not."""
    ca = x509.load_pem_x509_certificate(authority.cert_pem.bytes())
    signer = serialization.load_pem_private_key(authority.private_key_pem.bytes(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    names = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)] if common_name else []
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(names))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=800))
        .not_valid_after(now + timedelta(days=365 * years))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
    )
    if uris:
        alternatives = [x509.UniformResourceIdentifier(uri) for uri in uris]
        more = [x509.DNSName("client.example"), x509.IPAddress(ipaddress.ip_address("192.0.2.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName([*alternatives, *more]), critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    return Identity(
        certificate.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )


class WhoAmI(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Answers every call with its caller, or says why there is none."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        return grpc.unary_unary_rpc_method_handler(self._answer)

    def _answer(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            credentials = read_credentials(
                context.invocation_metadata(), context.auth_context(), context.peer()
            )
            caller = self._access.authenticator.authenticate(credentials)
        except UnauthenticatedError as error:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, error.message)
        return f"{caller.method} {caller.subject}".encode()


Ask = Callable[..., str]
"""What a server says of a caller with an identity and a token, each of which may be None."""


@contextlib.contextmanager
def _serving(access: Access, authority: trustme.CA | None) -> Iterator[Ask]:
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((WhoAmI(access),))
    if authority:
        own = authority.issue_cert("localhost")
        pair = (own.private_key_pem.bytes(), own.cert_chain_pems[0].bytes())
        asked = grpc.ssl_server_credentials([pair], authority.cert_pem.bytes(), require_client_auth=True)
        port = server.add_secure_port("127.0.0.1:0", asked)
    else:
        port = server.add_insecure_port("127.0.0.1:0")

    def ask(identity: Identity | None = None, token: str | None = None) -> str:
        target = f"localhost:{port}" if authority else f"127.0.0.1:{port}"
        metadata = [("authorization", f"Bearer {token}")] if token else []
        with _channel(target, authority, identity) as channel:
            try:
                reply: bytes = channel.unary_unary("/any/Call")(b"", metadata=metadata, timeout=20)
            except grpc.RpcError as error:
                return f"{error.code().name}: {error.details()}"
        return reply.decode()

    server.start()
    try:
        yield ask
    finally:
        server.stop(None).wait()


def _channel(target: str, authority: trustme.CA | None, identity: Identity | None) -> grpc.Channel:
    if authority is None:
        return grpc.insecure_channel(target)
    own = (identity.key, identity.chain) if identity else (None, None)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(authority.cert_pem.bytes(), *own))


@pytest.fixture
def ask(authority: trustme.CA, tmp_path: Path) -> Iterator[Ask]:
    tokens = put(tmp_path / "tokens", TOKENS)
    settings = AccessSettings(token_file=str(tokens), certificates=BOTH)
    with _serving(open_access(settings, Heard()), authority) as ask:
        yield ask


@pytest.mark.parametrize(
    ("names", "token", "told"),
    [
        (("alice",), None, "certificate alice"),
        (("alice", "spiffe://corp/ns/a/sa/b"), None, "certificate spiffe://corp/ns/a/sa/b"),
        ((None, "spiffe://corp/alice"), None, "certificate spiffe://corp/alice"),
        (("alice", "spiffe://a", "spiffe://b"), None, "UNAUTHENTICATED: the client certificate names nobody"),
        (("spiffe://corp/alice",), None, "UNAUTHENTICATED: the client certificate names nobody"),
        (("alice\nadmin",), None, "UNAUTHENTICATED: the client certificate names nobody"),
        (("alicé",), None, "certificate alicé"),
        ((None,), None, "UNAUTHENTICATED: the client certificate names nobody"),
        (("alice",), TOKEN, "tokens ci"),
        (("alice",), "guess", "UNAUTHENTICATED: the bearer token is not valid"),
    ],
)
def test_a_verified_certificate_or_a_listed_token_names_the_caller(
    ask: Ask, authority: trustme.CA, names: tuple[str | None, ...], token: str | None, told: str
) -> None:
    common_name, *uris = names
    assert ask(_identity(authority, common_name, *(uri for uri in uris if uri)), token) == told


def test_no_certificate_a_strange_one_and_an_expired_one_reach_nobody(
    ask: Ask, authority: trustme.CA
) -> None:
    for identity in (None, _identity(trustme.CA(), "alice"), _identity(authority, "alice", years=-1)):
        assert ask(identity, TOKEN).startswith("UNAVAILABLE")


def test_a_caller_of_this_machine_is_local_where_nobody_is_asked() -> None:
    with _serving(open_access(AccessSettings(), Heard()), None) as ask:
        assert ask() == ask(None, TOKEN) == "local local"


def test_tokens_make_callers_of_this_machine_prove_who_they_are(tmp_path: Path) -> None:
    settings = AccessSettings(token_file=str(put(tmp_path / "tokens", TOKENS)))
    with _serving(open_access(settings, Heard()), None) as ask:
        assert ask(None, TOKEN) == "tokens ci"
        assert ask() == "UNAUTHENTICATED: the call does not say who makes it"
        assert ask(None, TOKEN[:-1]) == "UNAUTHENTICATED: the bearer token is not valid"
