"""InUse documents: the ActorTemplates that running instances still need, as `kagent-apply` notes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.discovery import IN_USE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.source.document import Document

KIND: Final = "InUse"
_GROUP: Final = "render.kagent.dev"


def names_in_use(documents: Sequence[Document]) -> dict[str, frozenset[str]]:
    """The ActorTemplates that valid InUse documents name, by namespace."""
    found: dict[str, frozenset[str]] = {}
    for document in _in_use(documents):
        namespace, names = document.ref.namespace, _names(document)
        if namespace and names is not None:
            found[namespace] = found.get(namespace, frozenset()) | frozenset(names)
    return found


def holders(documents: Sequence[Document]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The files of the InUse documents that name each ActorTemplate, by its namespace and name."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for document in _in_use(documents):
        for name in _names(document) or ():
            key = (document.ref.namespace or "", name)
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), document.path)))
    return found


def check_in_use(documents: Sequence[Document]) -> Iterator[Diagnostic]:
    """InUse documents from which nobody can tell what instances need."""
    for document in _in_use(documents):
        if not document.ref.namespace:
            yield document.fault(
                Reason.INVALID_SPEC,
                ("metadata", "namespace"),
                "an InUse document needs the namespace of the instances",
                hint="set `metadata.namespace`",
            )
        if _names(document) is None:
            yield document.fault(
                Reason.INVALID_SPEC,
                ("spec", "actorTemplates"),
                "`actorTemplates` is not a list of names",
                hint="write the names of the ActorTemplates in use, or `[]` where there are none",
            )


def knows_what_is_in_use(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether every InUse document could be read: without one, a manifest that is needed might go."""
    return not any(
        found.is_error
        and (
            (found.object is not None and found.object.kind == KIND)
            or (found.source is not None and found.source.path.startswith(f"{IN_USE_FOLDER}/"))
        )
        for found in diagnostics
    )


def _in_use(documents: Sequence[Document]) -> Iterator[Document]:
    return (found for found in documents if found.ref.kind == KIND and found.ref.group == _GROUP)


def _names(document: Document) -> list[str] | None:
    spec = document.value.get("spec")
    names = spec.get("actorTemplates") if isinstance(spec, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names
