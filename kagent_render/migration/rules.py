"""What `v1alpha3` asks of each kind, as changes of a valid `v1alpha2` object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.hub import S3Source, Variant
from kagent_render.compile.artifact_pins import artifact_fields
from kagent_render.migration.changes import AddKeys, Change, RemoveKey, RenameKey, SetText, value_at
from kagent_render.migration.objects import NEW
from kagent_render.migration.store import with_endpoint
from kagent_render.preparation.completeness import image_of, snapshot_location_of, worker_pool_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.compile.policy import Policy

TO_NEW: Final = SetText(("apiVersion",), NEW)
"""The change of every object."""


def harness_changes(harness: Harness, policy: Policy) -> Iterator[Change]:
    """The version, the variant's name, and what RenderConfig gave; `check_harness` finds what is missing."""
    yield TO_NEW
    if harness.variant is Variant.PYTHON:
        yield RenameKey(("spec", Variant.PYTHON.value), Variant.KAGENT.value)
    spec = harness.document.value["spec"]
    image = image_of(harness, policy)
    if harness.image is None and spec.get("workload"):
        yield SetText(("spec", "workload", "image"), image)  # it is there, and null
    elif harness.image is None:
        yield _given(spec, harness, "workload", {"image": image})
    if harness.worker_pool is None:
        pool, location = worker_pool_of(harness, policy), snapshot_location_of(harness, policy)
        substrate = {"workerPoolRef": {"name": pool}, "snapshotPolicy": {"location": location}}
        yield _given(spec, harness, "substrate", substrate)


def _given(spec: Mapping[str, Any], harness: Harness, name: str, values: dict[str, Any]) -> Change:
    """Values for a block of a Harness that is absent, null or empty."""
    if name in spec:
        return AddKeys(("spec", name), "", values)
    after = "workload" if spec.get("workload") else harness.variant.value
    return AddKeys(("spec",), after, {name: values})


def template_changes(template: AgentTemplate, policy: Policy) -> Iterator[Change]:
    """The version, the list of Harnesses, and the endpoint of each S3 object."""
    yield TO_NEW
    if "harnesses" in template.document.value["spec"]:
        yield RemoveKey(("spec", "harnesses"))
    for field, source in artifact_fields(template):
        moved = with_endpoint(source, policy).origin
        if moved == source.origin or not isinstance(moved, S3Source) or moved.endpoint is None:
            continue
        place = (*field, "bucket", "s3")
        if "endpoint" in value_at(template.document.value, place):
            yield SetText((*place, "endpoint"), moved.endpoint)
        else:
            yield AddKeys(place, "bucket", {"endpoint": moved.endpoint})
