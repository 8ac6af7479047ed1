"""All that stands between a call and the service, out of what the operator configured."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kagent_apply.auth.audit_log import AuditLog, NoAudit, open_audit_file
from kagent_apply.auth.certificates import CertificateName, ClientCertificates
from kagent_apply.auth.chain import Authenticators
from kagent_apply.auth.failure import AccessError
from kagent_apply.auth.limits import Limits, LimitSettings
from kagent_apply.auth.local import LocalCallers
from kagent_apply.auth.oidc.issuer import Issuer, issuers_faults
from kagent_apply.auth.policy import own_instances
from kagent_apply.auth.policy_file import PolicyFile, read_policy
from kagent_apply.auth.tokens import ListedTokens, read_tokens
from kagent_apply.auth.watched_file import WatchedFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.auth.audit_log import Audit
    from kagent_apply.auth.method import Method
    from kagent_apply.auth.port import Authenticator, Authorizer
    from kagent_apply.auth.watched_file import Clock, Told


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Who is taken, in this order: tokens of a file, issuers, certificates; what they may do, and how much.

    With none of the three, callers of this machine are. `certificates` is empty where none are asked for.
    Paths are empty where there is no such file.
    """

    token_file: str = ""
    issuers: tuple[Issuer, ...] = ()
    certificates: tuple[CertificateName, ...] = ()
    certificate_prefix: str = ""
    policy_file: str = ""
    limits: LimitSettings = field(default_factory=LimitSettings)
    audit_file: str = ""

    @property
    def authenticated(self) -> bool:
        """Whether callers have to prove who they are."""
        return bool(self.token_file or self.issuers or self.certificates)


class _Renewable(Protocol):
    @property
    def problem(self) -> str: ...
    def reload(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Access:
    """What the service asks for each call."""

    authenticator: Authenticator
    authorizer: Authorizer
    limits: Limits
    audit: Audit
    _sources: tuple[_Renewable, ...] = ()
    _log: AuditLog | None = None

    def reload(self) -> None:
        """Read every file again, ask for keys again, and open the audit log again: what SIGHUP means.

        Not to be called by the handler of the signal itself, which may interrupt what it would wait for.
        """
        for source in self._sources:
            source.reload()
        if self._log:
            self._log.reopen()

    def problems(self) -> list[str]:
        """Why files and keys as they are now do not count, and earlier ones do."""
        return [source.problem for source in self._sources if source.problem]

    def close(self) -> None:
        """Let go of the audit log; nothing may be asked afterwards."""
        if self._log:
            self._log.close()


def open_access(settings: AccessSettings, told: Told, clock: Clock = time.monotonic) -> Access:
    """Everything ready to be asked; raises AccessError.

    Issuers that cannot be reached are no reason not to start.
    """
    if faults := issuers_faults(settings.issuers):
        raise AccessError("\n".join(str(fault) for fault in faults))
    sources: list[_Renewable] = []
    methods = tuple(_methods(settings, told, clock, sources))
    authorizer: Authorizer = own_instances()
    if settings.policy_file:
        policy = WatchedFile(settings.policy_file, read_policy, told, clock, private=False)
        sources.append(policy)
        authorizer = PolicyFile(policy)
    log = AuditLog(lambda: open_audit_file(settings.audit_file), told) if settings.audit_file else None
    limits = Limits(settings.limits, clock)
    return Access(Authenticators(methods), authorizer, limits, log or NoAudit(), tuple(sources), log)


def _methods(
    settings: AccessSettings, told: Told, clock: Clock, sources: list[_Renewable]
) -> Iterator[Method]:
    if settings.token_file:
        tokens = WatchedFile(settings.token_file, read_tokens, told, clock, private=True)
        sources.append(tokens)
        yield ListedTokens(tokens)
    for issuer in settings.issuers:
        # What verifies tokens takes a tenth of a second to load, which a server without any does not need.
        from kagent_apply.auth.oidc.opening import open_issuer

        method, source = open_issuer(issuer, told, clock)
        sources.append(source)
        yield method
    if settings.certificates:
        yield ClientCertificates(settings.certificates, settings.certificate_prefix)
    if not settings.authenticated:
        yield LocalCallers()
