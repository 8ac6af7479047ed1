"""The index of the vendored store, which knows content by its source as that is written now."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.artifacts.source_identity import source_identity, source_key
from kagent_render.artifacts.store.index import INDEX, dump_index, read_entries
from kagent_render.compile.artifact_pins import artifact_fields
from kagent_render.compile.origin import s3_endpoint
from kagent_render.migration.files import FilePlan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.api.hub import AgentTemplate
    from kagent_render.compile.policy import Policy


def with_endpoint(source: ArtifactSource, policy: Policy) -> ArtifactSource:
    """A source with the endpoint written out that an S3 object without one is read from."""
    origin = source.origin
    if not isinstance(origin, S3Source) or origin.endpoint is not None:
        return source
    endpoint = s3_endpoint(origin, policy.s3_endpoint, policy.s3_region)
    return dataclasses.replace(source, origin=dataclasses.replace(origin, endpoint=endpoint))


def plan_index(data: bytes, templates: Iterable[AgentTemplate], policy: Policy) -> FilePlan | None:
    """What becomes of the index `data` when these templates are moved; None where nothing does.

    Both spellings of a source are in it while files are written. Raises ArtifactFailure for an invalid index.
    """
    entries = read_entries(data)
    after = dict(entries)
    for template in templates:
        for _, source in artifact_fields(template):
            moved = with_endpoint(source, policy)
            entry = entries.get(source_key(source))
            if moved != source and entry is not None:
                after.pop(source_key(source), None)
                after.setdefault(
                    source_key(moved), dataclasses.replace(entry, identity=source_identity(moved))
                )
    renamed = sum(key not in entries for key in after)
    if after == entries:
        return None
    both = dump_index({**entries, **after}.values())
    return FilePlan(INDEX, data, dump_index(after.values()), both, sources=renamed)
