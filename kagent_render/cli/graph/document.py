"""Overviews and impacts for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.graph.impact import Impact
    from kagent_render.graph.overview import Overview, PairView, PlatformView, Use


def overview_document(overviews: Sequence[Overview]) -> dict[str, Any]:
    """Every pair with its agents and runtimes, and every PlatformAgent with its plugins."""
    return {
        "pairs": [_pair(pair) for overview in overviews for pair in overview.pairs],
        "platformAgents": [_platform(view) for overview in overviews for view in overview.agents],
    }


def impact_document(impacts: Sequence[Impact]) -> dict[str, Any]:
    """What was asked for, and each pair and PlatformAgent that it reaches, with the ways."""
    return {
        "of": [origin for impact in impacts for origin in impact.origins],
        "reaches": [
            {
                "name": reach.subject,
                "kind": "PlatformAgent" if reach.subject.count("/") == 1 else "Pair",
                "ways": [{"through": list(way.steps), "agent": way.agent} for way in reach.ways],
            }
            for impact in impacts
            for reach in impact.reached
        ],
    }


def _pair(view: PairView) -> dict[str, Any]:
    return {
        "namespace": view.pair.namespace,
        "harness": {
            "name": view.harness.name,
            "variant": view.harness.variant or None,
            "source": view.harness.source,
            "uses": _uses(view.harness.uses),
        },
        "template": view.pair.template,
        "problem": view.problem or None,
        "agents": [
            {
                "path": agent.path,
                "name": agent.name,
                "template": agent.template,
                "isolation": agent.isolation.value,
                "parent": agent.parent,
                "runtime": agent.boundary,
                "source": agent.source,
                "uses": _uses(agent.uses),
            }
            for agent in view.agents
        ],
        "runtimes": [
            {
                "path": runtime.path,
                "actorTemplate": runtime.actor_template or None,
                "egress": list(runtime.egress),
                "bindings": list(runtime.bindings),
            }
            for runtime in view.runtimes
        ],
    }


def _platform(view: PlatformView) -> dict[str, Any]:
    return {
        "namespace": view.agent.namespace,
        "name": view.agent.name,
        "problem": view.problem or None,
        "source": view.source,
        "plugins": [
            {
                "name": plugin.name,
                "profile": plugin.profile,
                "status": plugin.status or None,
                "ready": plugin.ready,
                "rendered": plugin.rendered,
                "source": plugin.source,
                "uses": _uses(plugin.uses),
            }
            for plugin in view.plugins
        ],
    }


def _uses(uses: Sequence[Use]) -> list[dict[str, Any]]:
    return [
        {
            "kind": use.kind,
            "name": use.name,
            "keys": list(use.keys) if use.keys is not None else None,
            "details": list(use.details),
            "through": use.through or None,
            "source": use.path,
        }
        for use in uses
    ]
