"""The whole error policy: what ends a command, and with which status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kagent_render.cli import failure
from kagent_render.cli.failure import EnvironmentFailure, Status

__all__ = ["EnvironmentFailure", "RefusedFailure", "Status", "reporting_failures"]

_OF_EXTRA: Final = frozenset(
    {
        "a2a",
        "alembic",
        "google.rpc",
        "grpc",
        "grpc_health",
        "grpc_reflection",
        "jwt",
        "kubernetes",
        "opentelemetry",
        "prometheus_client",
        "psycopg",
        "sqlalchemy",
    }
)
"""What the extra `apply` installs, by the names that are imported."""


class RefusedFailure(EnvironmentFailure):
    """The server was asked, and refused."""

    exit_code = Status.FINDINGS


@contextmanager
def reporting_failures() -> Iterator[None]:
    """As `kagent-render` does, and with a message of its own where the extra is not installed."""
    with failure.reporting_failures("kagent-apply", "the server goes on with what it was asked for"):
        try:
            yield
        except ModuleNotFoundError as error:
            if not is_of_extra(error.name or ""):
                raise
            missing = f"`{error.name}` is missing, which the extra `apply` of `kagent-gitops` installs"
            raise EnvironmentFailure(missing, "run `pip install 'kagent-gitops[apply]'`") from None


def is_of_extra(module: str) -> bool:
    """Whether a module, or what it is in, comes with the extra `apply`."""
    return module in _OF_EXTRA or any(module.startswith(f"{name}.") for name in _OF_EXTRA)
