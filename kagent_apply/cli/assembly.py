"""What a server stands on, out of its settings: the one place that knows every room."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from kagent_apply.cli.embedded import open_embedded
from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.cli.serving import Assembly
from kagent_apply.service.parts import Parts
from kagent_apply.service.refusal import Refusal, RefusedError
from kagent_apply.settings.places import store_url
from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.service.port import CallRecord
    from kagent_apply.settings.model import Settings
    from kagent_apply.substrate.port import Compute

Computes = Callable[[str], "Compute"]
"""What makes the actors of a target, by the target's name; raises ComputeRefusedError."""


@contextmanager
def assemble(settings: Settings, folder: Path) -> Iterator[Assembly]:
    """Everything opened, and closed again in the opposite order; raises EnvironmentFailure."""
    from kagent_apply.operations.operations import (
        Operations,
    )
    from kagent_apply.revisions.index import RevisionIndex
    from kagent_apply.revisions.last_served import (
        LastServed,
    )
    from kagent_apply.revisions.location import (
        repository_at,
    )
    from kagent_apply.store.opening import open_store

    with ExitStack() as closing:
        with _telling_faults():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            store = open_store(store_url(settings, folder))
            closing.callback(store.close)
            computes = _computes(settings, folder, closing)
            index = RevisionIndex(
                repository_at(settings.repo, settings.ref),
                _Preparing(computes),
                LastServed(folder / "served"),
            )
            access = _access(settings)
            closing.callback(access.close)
        if settings.embedded:
            index.refresh()  # nothing has to be waited for, so that the first call finds what is committed
        operations = Operations(store, index, computes)
        reading = threading.Thread(target=index.run, args=(settings.poll,), name="revisions", daemon=True)
        closing.callback(index.stop)

        def start() -> None:
            reading.start()
            operations.start()

        def refresh() -> None:
            access.reload()
            index.poke()

        parts = Parts(
            store,
            index,
            operations,
            access.authenticator,
            access.authorizer,
            observe=_observe(access.audit),
            admit=_admit(access.limits),
        )
        yield Assembly(parts, start=start, refresh=refresh, rest=operations.drain)


class _Preparing:
    """Has a revision's ActorTemplates made ready by what its target asks for."""

    def __init__(self, computes: Computes) -> None:
        self._computes = computes

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """As `Compute.prepare`."""
        return self._computes(revision.target).prepare(revision, timeout)


def _computes(settings: Settings, folder: Path, closing: ExitStack) -> Computes:
    """The Substrate that was asked for: the embedded one takes revisions of every target (DESIGN 15)."""
    from kagent_apply.substrate.driver import open_compute

    if settings.embedded:
        compute: Compute = open_compute("ateapi/v0.4", open_embedded(settings, folder / "substrate"))
        closing.callback(compute.close)
        return lambda _target: compute
    from kagent_apply.substrate.credentials import TLS
    from kagent_apply.substrate.grpc_transport import (
        GrpcTransport,
    )

    tls = TLS(settings.substrate_ca, settings.substrate_cert, settings.substrate_key)
    transport = GrpcTransport(
        settings.substrate,
        None if settings.substrate_plaintext else tls,
        insecure=settings.substrate_plaintext,
    )
    remote: Compute = open_compute(settings.target, transport)
    closing.callback(remote.close)

    def of(target: str) -> Compute:
        if target != settings.target:
            told = f"the revision is for `{target}`, and Substrate is of `{settings.target}`"
            raise ComputeRefusedError(told, "render it for that target, or give another `--target`")
        return remote

    return of


def _access(settings: Settings) -> Any:
    from kagent_apply.auth.access import (
        AccessSettings,
        open_access,
    )
    from kagent_apply.auth.certificates import (
        CertificateName,
    )
    from kagent_apply.auth.limits import LimitSettings
    from kagent_apply.auth.oidc.issuer import Issuer
    from kagent_apply.auth.rate import Rate

    issuer = Issuer(
        settings.oidc_issuer,
        settings.oidc_audiences,
        groups_claim=settings.oidc_groups_claim,
        prefix=settings.oidc_prefix,
        ca_file=_path(settings.oidc_ca),
    )
    rate = Rate(settings.rate, max(1, int(settings.rate * 10))) if settings.rate else None
    return open_access(
        AccessSettings(
            token_file=_path(settings.tokens),
            issuers=(issuer,) if settings.oidc_issuer else (),
            certificates=tuple(CertificateName(name) for name in settings.certificates),
            policy_file=_path(settings.policy),
            limits=LimitSettings(rate, settings.calls_per_caller),
            audit_file=_path(settings.audit),
        ),
        lambda told: click.echo(f"kagent-apply: {told}", err=True),
    )


def _path(path: Path | None) -> str:
    return "" if path is None else str(path)


def _admit(limits: Any) -> Callable[[str], AbstractContextManager[None]]:
    """Limits as the services ask for them."""
    from kagent_apply.auth.limits import LimitExceededError

    @contextmanager
    def admit(subject: str) -> Iterator[None]:
        with ExitStack() as inside:
            try:
                inside.enter_context(limits.admitted(subject))
            except LimitExceededError as error:
                refusal = Refusal(
                    "RESOURCE_EXHAUSTED",
                    "LIMIT_EXCEEDED",
                    error.message,
                    error.hint,
                    retry_after=error.retry_after,
                )
                raise RefusedError(refusal) from None
            yield

    return admit


def _observe(audit: Any) -> Callable[[CallRecord], None]:
    """Keeps each call in the audit log, and says of internal errors where to look."""
    from kagent_apply.auth.audit_record import (
        AuditRecord,
        request_digest,
    )

    def observe(record: CallRecord) -> None:
        audit.write(
            AuditRecord(
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
        )
        if record.incident:
            click.echo(f"kagent-apply: {record.method} failed, `{record.incident}`: {record.fault}", err=True)

    return observe


@contextmanager
def _telling_faults() -> Iterator[None]:
    """End the command with one message where a part cannot be opened."""
    try:
        yield
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(f"`{error.filename}` cannot be used: {cause}") from None
    except (click.ClickException, NotImplementedError):
        raise
    except Exception as error:
        # Each room's own errors have one sentence for the operator; what has none is a bug.
        message, hint = getattr(error, "message", None), getattr(error, "hint", None)
        if message is None and not isinstance(error, ValueError):
            raise
        raise EnvironmentFailure(message or str(error), hint) from None
