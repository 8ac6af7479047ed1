"""The one value for everything a user can cause."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Condition, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

FieldPath = tuple[str | int, ...]
"""A field as steps from the document's root: `("spec", "tools", 1, "agent")`."""


_OF_CONTENT: Final = frozenset({Reason.PLUGIN_MANIFEST_IGNORED, Reason.SKILL_INVALID})
_OF_RUNTIME: Final = frozenset(
    {Reason.CAPABILITY_UNSUPPORTED, Reason.CAPABILITY_UNPROVEN, Reason.FIELD_IGNORED}
)


class Severity(StrEnum):
    """How much a diagnostic matters; only errors make a command exit 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, order=True)
class ObjectRef:
    """The identity of a Kubernetes object as its manifest writes it."""

    api_version: str
    kind: str
    namespace: str | None
    name: str | None

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True, order=True)
class PairRef:
    """One Harness and one root AgentTemplate that accept each other."""

    namespace: str
    harness: str
    template: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.harness}/{self.template}"


@dataclass(frozen=True, slots=True, order=True)
class PlatformAgentRef:
    """One PlatformAgent, with the plugins that name it."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class SourcePosition:
    """A place in a source file; line and column count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: what is wrong, where, why it matters, and what to do.

    `message` is one sentence without a full stop, literals in backticks; `hint` is an action. Neither
    carries a credential or the content of a file outside the repository. `sensitive` keeps writers from
    quoting the source line.
    """

    reason: Reason
    message: str
    severity: Severity = Severity.ERROR
    hint: str | None = None
    object: ObjectRef | None = None
    field: str | None = None
    source: SourcePosition | None = None
    pair: PairRef | None = None
    sensitive: bool = dataclasses.field(default=False, compare=False)

    @property
    def condition(self) -> Condition | None:
        """The condition that this reason belongs to; None where the document itself is at fault."""
        return self.reason.condition

    @property
    def is_error(self) -> bool:
        """Whether this keeps something from being prepared."""
        return self.severity is Severity.ERROR

    def of(self, pair: PairRef) -> Diagnostic:
        """The same fault as met while preparing `pair`."""
        return self if self.pair is not None else dataclasses.replace(self, pair=pair)


def field_text(path: FieldPath) -> str:
    """Write a field path as Kubernetes does: `spec.tools[1].agent.templateRef.name`."""
    text = ""
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step or not step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def distinct(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One diagnostic per reason, object and field, in source order; the first met wins.

    What a runtime lacks is one for each Harness, unless the words are the same. What is no error and was
    found in an artifact is said once, at the first place that uses the artifact.
    """
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in diagnostics:
        place = diagnostic.source if diagnostic.object is None or diagnostic.field is None else None
        fault = (diagnostic.reason, diagnostic.object, diagnostic.field, place)
        kept.setdefault((*fault, _harness_of(diagnostic)), diagnostic)
    once: dict[object, Diagnostic] = {}
    for diagnostic in sorted(kept.values(), key=_source_order):
        once.setdefault(_told_as(diagnostic), diagnostic)
    return list(once.values())


def _harness_of(diagnostic: Diagnostic) -> str | None:
    """The Harness whose runtime lacks what a template asks for; None for what holds for every runtime."""
    pair = diagnostic.pair if diagnostic.reason in _OF_RUNTIME else None
    return pair.harness if pair is not None else None


def _told_as(diagnostic: Diagnostic) -> object:
    """What makes two diagnostics the same to a reader."""
    if diagnostic.reason in _OF_CONTENT and not diagnostic.is_error:
        return diagnostic.reason, diagnostic.message
    if diagnostic.reason in _OF_RUNTIME:
        return diagnostic.reason, diagnostic.object, diagnostic.field, diagnostic.message
    return diagnostic


def escalate(diagnostics: Iterable[Diagnostic], *, strict: bool) -> list[Diagnostic]:
    """Warnings as errors where that is asked for."""
    if not strict:
        return list(diagnostics)
    return [
        dataclasses.replace(found, severity=Severity.ERROR) if found.severity is Severity.WARNING else found
        for found in diagnostics
    ]


def _source_order(diagnostic: Diagnostic) -> tuple[object, ...]:
    source = diagnostic.source
    place = (source.path, source.line, source.column) if source else ("", 0, 0)
    return (*place, diagnostic.reason.value, diagnostic.field or "", str(diagnostic.pair or ""))
