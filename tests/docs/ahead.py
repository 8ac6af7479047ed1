"""Examples of `docs/reasons.md` for the target `ateapi/v0.4`, judged below the program until it writes that.

`ONLY_HERE` is to be emptied, and this module removed with its two lines in `messages.py`, when it can.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.assembly import assemble_bundle
from kagent_render.compile.egress_policy import check_egress
from kagent_render.compile.policy import Policy
from kagent_render.compile.resolution import resolve_template
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.pairs import resolve_pairs
from kagent_render.revision.spec_digest import digest_specs
from tests.manifests import inventory

ONLY_HERE = (Reason.EGRESS_UNSUPPORTED,)


def diagnostics(root: Path) -> list[dict[str, Any]]:
    """What the egress of the one pair of an example is told, as `check` would print it."""
    digested, _ = digest_specs(inventory(*(path.read_text() for path in sorted(root.glob("agents/*.yaml")))))
    found = digested.inventory
    (graph,) = resolve_pairs(found)
    assert graph.tree is not None
    assert graph.candidate.harness is not None
    harness, template, policy = graph.candidate.harness, graph.tree.root.template, Policy("ateapi/v0.4")
    resolved = resolve_template(template, found, digested.digests.of, {}).resolved
    assert resolved is not None
    bundle = assemble_bundle(
        graph.candidate.pair, graph.tree.root, harness, "", {template.name: resolved}, policy
    )
    faults = check_egress(bundle, adapter_of(harness.variant), policy)
    return [
        {
            "severity": fault.severity.value,
            "reason": fault.reason,
            "message": fault.message,
            "hint": fault.hint,
        }
        for fault in faults
    ]
