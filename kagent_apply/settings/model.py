"""Every setting of the server, with its kind, its default and its line of help."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

DEFAULT_LISTEN: Final = "127.0.0.1:8084"
"""kagent's own port, on this machine alone."""

EMBEDDED: Final = "embedded"
"""The Substrate that is a part of this process."""

_LISTEN: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(?P<port>[0-9]{1,5})")
_SUBSTRATE: Final = re.compile(r"dns:///(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}")
_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAMESPACE: Final = re.compile(_LABEL)
_LEASE: Final = re.compile(rf"{_LABEL}/[a-z0-9](?:[a-z0-9.-]{{0,251}}[a-z0-9])?")
_STORE: Final = re.compile(r"(?:sqlite:///|postgresql://).+", re.DOTALL)
_LARGEST_PORT: Final = 65_535


def _listen(text: str) -> str:
    match = _LISTEN.fullmatch(text)
    if match is None or int(match["port"]) > _LARGEST_PORT:
        raise ValueError(f"is not `HOST:PORT`, such as `{DEFAULT_LISTEN}`")
    return text


def _namespaces(names: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_NAMESPACE.fullmatch(name) for name in names):
        raise ValueError("has what is no name of a namespace")
    return names


def _lease(text: str) -> str:
    if text and not _LEASE.fullmatch(text):
        raise ValueError("is not `NAMESPACE/NAME`")
    return text


def _substrate(text: str) -> str:
    if text != EMBEDDED and not _SUBSTRATE.fullmatch(text):
        raise ValueError("is neither `embedded` nor `dns:///HOST:PORT`")
    return text


def _store(text: str) -> str:
    if text and not _STORE.fullmatch(text):  # which may hold a password, so that no message shows it
        raise ValueError("is neither `sqlite:///PATH` nor `postgresql://…`")
    return text


def _list(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _optional_listen(text: str) -> str:
    return _listen(text) if text else text


Listen = Annotated[str, AfterValidator(_listen)]
OptionalListen = Annotated[str, AfterValidator(_optional_listen)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_list)]
Names = Annotated[tuple[Literal["uri", "common-name"], ...], BeforeValidator(_list)]
Namespaces = Annotated[tuple[str, ...], AfterValidator(_namespaces), BeforeValidator(_list)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


def _told(default: Any, metavar: str, told: str) -> Any:
    return Field(default, description=told, json_schema_extra={"metavar": metavar})


class Settings(BaseModel):
    """What a server is told; the names are those of the flags, of the file and of the environment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repo: str = _told(".", "PATH|URL", "the Git repository with the rendered revisions")
    ref: str = _told("HEAD", "REF", "the branch, tag or commit that is served")
    poll: Seconds = _told(30.0, "SECONDS", "how often the ref is read again")
    listen: Listen = _told(DEFAULT_LISTEN, "HOST:PORT", "where calls are taken")
    tls_cert: Path | None = _told(None, "FILE", "the server's certificate chain, read again when it changes")
    tls_key: Path | None = _told(None, "FILE", "the key of that certificate")
    tls_client_ca: Path | None = _told(
        None, "FILE", "who vouches for clients: each has to show a certificate"
    )
    state: Path | None = _told(None, "FOLDER", "where state is kept; default: in the user's state folder")
    store: Annotated[str, AfterValidator(_store)] = _told(
        "", "URL", "where instances are kept: sqlite:///PATH or postgresql://…; default: a file in --state"
    )
    substrate: Annotated[str, AfterValidator(_substrate)] = _told(
        EMBEDDED, "embedded|dns:///HOST:PORT", "what runs actors: this process, or a Substrate"
    )
    target: Literal["ate.dev/v1alpha1", "ateapi/v0.4", "ateapi/v0.4.0-alpha1"] = _told(
        "ateapi/v0.4", "TARGET", "the generation of a Substrate that is not embedded"
    )
    substrate_ca: Path | None = _told(None, "FILE", "who vouches for Substrate, in place of the system's CAs")
    substrate_cert: Path | None = _told(None, "FILE", "the certificate that Substrate is shown")
    substrate_key: Path | None = _told(
        None, "FILE", "the key of that certificate, unless it is in the same file"
    )
    substrate_plaintext: bool = _told(False, "", "speak to Substrate without TLS")
    commands: Path | None = _told(None, "FILE", "which command stands in for which image, embedded")
    echo: bool = _told(False, "", "run no commands: every agent repeats what it is told, embedded")
    cluster: bool = _told(
        False, "", "look at a Kubernetes cluster, wait for ActorTemplates there, write status and tidy up"
    )
    kubeconfig: Path | None = _told(
        None, "FILE", "how the cluster is reached; default: in a Pod its service account, else KUBECONFIG"
    )
    kube_context: str = _told("", "NAME", "the context of the kubeconfig; default: the current one")
    cluster_writes: Literal["all", "status", "nothing"] = _told(
        "all", "all|status|nothing", "what is written there: status and deletions, status alone, or nothing"
    )
    cluster_everywhere: bool = _told(False, "", "watch all namespaces at once, not those of the pairs alone")
    cluster_own: Namespaces = _told(
        (), "NAMESPACE,…", "the namespaces in which no other repository has agents"
    )
    cluster_grace: Seconds = _told(
        600.0, "SECONDS", "how long nothing may need an ActorTemplate before it is deleted"
    )
    cluster_lease: Annotated[str, AfterValidator(_lease)] = _told(
        "",
        "NAMESPACE/NAME",
        "the Lease whose holder writes; default: `kagent-apply` in the namespace of the Pod, else none",
    )
    tokens: Path | None = _told(None, "FILE", "the bearer tokens that are taken, and whose they are")
    oidc_issuer: str = _told("", "URL", "whose OIDC tokens are taken")
    oidc_audiences: Texts = _told((), "NAME,…", "for whom an OIDC token has to be")
    oidc_groups_claim: str = _told("", "CLAIM", "where an OIDC token names groups")
    oidc_prefix: str = _told("", "TEXT", "what goes before every subject and group of an OIDC token")
    oidc_jwks: Path | None = _told(
        None, "FILE", "the issuer's keys; default: fetched from where the issuer says that they are"
    )
    oidc_ca: Path | None = _told(None, "FILE", "who vouches for the issuer's server")
    certificates: Names = _told((), "uri|common-name,…", "what of a client's certificate names the caller")
    policy: Path | None = _told(None, "FILE", "who may do what; default: everybody with their own instances")
    audit: Path | None = _told(None, "FILE", "a line for each call")
    rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = _told(
        None, "NUMBER", "calls a second of one caller, beyond a burst of ten seconds"
    )
    calls_per_caller: Count | None = _told(None, "NUMBER", "calls of one caller at once")
    calls: Count = _told(1_000, "NUMBER", "calls of all callers at once")
    operations: Count = _told(64, "NUMBER", "calls at once that wait for actors")
    longest_call: Seconds = _told(300.0, "SECONDS", "the longest deadline of a call, and that of one without")
    largest_request: Annotated[int, Field(ge=1_024, le=64 << 20)] = _told(
        1 << 20, "BYTES", "the largest request that is read"
    )
    metrics_listen: OptionalListen = _told(
        "", "HOST:PORT", "where /metrics, /livez and /readyz answer over HTTP; default: nowhere"
    )
    log_format: Literal["auto", "json", "text"] = _told(
        "auto", "auto|json|text", "how log lines are written; auto is text on a terminal, else JSON"
    )
    log_level: Literal["debug", "info", "warning", "error"] = _told(
        "info", "LEVEL", "the least that is logged: debug, info, warning or error"
    )
    drain: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False)] = _told(
        25.0, "SECONDS", "how long calls get to end when the server is told to"
    )

    @property
    def embedded(self) -> bool:
        """Whether actors run here."""
        return self.substrate == EMBEDDED

    @property
    def authenticated(self) -> bool:
        """Whether callers have to prove who they are."""
        return bool(self.tokens or self.oidc_issuer or self.certificates)
