"""Capability records of a repository that decide nothing: their author expects otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.capabilities.reading import RECORD_API_VERSION, RECORD_KIND
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.completeness import image_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.api.hub import Harness
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.preparation.capability_records import Records
    from kagent_render.source.document import Document


def check_records_used(
    records: Records, harnesses: Iterable[Harness], documents: Iterable[Document], policy: Policy
) -> Iterator[Diagnostic]:
    """Records that hold for no Harness of the root, and those that stand where nothing reads them."""
    runtimes = {
        (adapter_of(harness.variant).NAME, image_of(harness, policy).rpartition("@")[2])
        for harness in harnesses
    }
    for record in records.known:
        wanted = {(record.adapter, image) for image in record.images}
        if record.name in records.own and not wanted & runtimes:
            message = f"no Harness of the adapter `{record.adapter}` runs an image of `{record.name}`"
            hint = "correct its images or what it is the same as, or remove the record"
            yield _unused(records.own[record.name], ("spec", "images"), message, hint)
    read = {document.path for document in records.own.values()}
    for document in documents:
        is_record = (document.ref.api_version, document.ref.kind) == (RECORD_API_VERSION, RECORD_KIND)
        if is_record and document.path not in read:
            message = "RenderConfig does not name this file, so that the record is not read"
            yield _unused(document, ("kind",), message, f"add `{document.path}` to `spec.capabilities`")


def _unused(document: Document, field: tuple[str, ...], message: str, hint: str) -> Diagnostic:
    return document.fault(
        Reason.CAPABILITY_RECORD_UNUSED, field, message, hint=hint, severity=Severity.WARNING
    )
