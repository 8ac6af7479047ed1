"""Who is let in, by the settings, in the words of the services."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.access import AccessSettings, open_access
from kagent_apply.auth.audit_record import AuditRecord, request_digest
from kagent_apply.auth.certificates import CertificateName
from kagent_apply.auth.limits import LimitExceededError, LimitSettings
from kagent_apply.auth.oidc.issuer import Issuer
from kagent_apply.auth.rate import Rate
from kagent_apply.instances.reason import Reason
from kagent_apply.service.refusal import Refusal, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kagent_apply.auth.access import Access
    from kagent_apply.auth.limits import Limits
    from kagent_apply.service.port import Admit, CallRecord
    from kagent_apply.settings.model import Settings

_BURST_SECONDS: Final = 10


def open_gate(settings: Settings, told: Callable[[str], None]) -> Access:
    """Authenticators, policy, limits and audit log; raises AccessError."""
    issuer = Issuer(
        settings.oidc_issuer,
        settings.oidc_audiences,
        jwks_file=_path(settings.oidc_jwks),
        groups_claim=settings.oidc_groups_claim,
        prefix=settings.oidc_prefix,
        ca_file=_path(settings.oidc_ca),
    )
    return open_access(
        AccessSettings(
            token_file=_path(settings.tokens),
            issuers=(issuer,) if settings.oidc_issuer else (),
            certificates=tuple(CertificateName(name) for name in settings.certificates),
            policy_file=_path(settings.policy),
            limits=LimitSettings(_rate(settings), settings.calls_per_caller),
            audit_file=_path(settings.audit),
        ),
        told,
    )


def _rate(settings: Settings) -> Rate | None:
    if settings.rate is None:
        return None
    return Rate(settings.rate, max(1, int(settings.rate * _BURST_SECONDS)))


def _path(path: Path | None) -> str:
    return "" if path is None else str(path)


def admitting(limits: Limits) -> Admit:
    """Limits as the services ask for them."""

    @contextmanager
    def admit(subject: str) -> Iterator[None]:
        with ExitStack() as inside:
            try:
                inside.enter_context(limits.admitted(subject))
            except LimitExceededError as error:
                raise RefusedError(_refusal(error)) from None
            yield

    return admit


def _refusal(error: LimitExceededError) -> Refusal:
    return Refusal(
        "RESOURCE_EXHAUSTED", Reason.LIMIT_EXCEEDED, error.message, error.hint, retry_after=error.retry_after
    )


def audited(record: CallRecord) -> AuditRecord:
    """A call as the audit log keeps it."""
    return AuditRecord(
        time=record.began,
        caller=record.caller,
        call=record.method,
        verb=record.verb,
        namespace=record.namespace,
        target=record.name,
        status=record.status,
        duration=record.seconds,
        peer=record.peer,
        request=request_digest(record.request_id) if record.request_id else "",
    )
