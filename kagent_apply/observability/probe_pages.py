"""The pages of the probe server."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from prometheus_client.exposition import choose_encoder

from kagent_apply.observability.probe_server import Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import CollectorRegistry

    from kagent_apply.observability.probe_server import Pages
    from kagent_apply.observability.readiness import Checks
    from kagent_apply.revisions.port import Revisions

MOST_PAIRS: Final = 100
"""Pairs with a problem that `/readyz` tells of."""


def probe_pages(registry: CollectorRegistry, checks: Checks, revisions: Revisions | None) -> Pages:
    """What answers on each path; each looks anew."""
    return {
        "/metrics": lambda accept: _metrics(registry, accept),
        "/livez": lambda _: Page(b"ok\n", "text/plain; charset=utf-8"),
        "/readyz": lambda _: _readiness(checks, revisions),
    }


def _metrics(registry: CollectorRegistry, accept: str) -> Page:
    encode, media_type = choose_encoder(accept)
    return Page(encode(registry), media_type)


def _readiness(checks: Checks, revisions: Revisions | None) -> Page:
    found = checks.look()
    pairs = _pairs(revisions) if revisions is not None else {}
    document = {
        "ready": found.ready,
        "missing": dict(found.missing),
        "problems": dict(found.problems),
        "pairs": dict(sorted(pairs.items())[:MOST_PAIRS]),
        "pairsLeftOut": max(0, len(pairs) - MOST_PAIRS),
    }
    status = HTTPStatus.OK if found.ready else HTTPStatus.SERVICE_UNAVAILABLE
    return Page(json.dumps(document, indent=2).encode() + b"\n", "application/json", status)


def _pairs(revisions: Revisions) -> Mapping[str, str]:
    """The problem of each pair that has one; the service goes on without it."""
    return {
        f"{pair.agent.namespace}/{pair.agent.harness}/{pair.agent.agent_template}": pair.problem
        for pair in revisions.pairs()
        if pair.problem
    }
