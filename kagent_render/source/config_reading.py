"""Reads and checks `kagent-render.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source import config_rules as rules
from kagent_render.source.config import (
    CONFIG_API_VERSION,
    CONFIG_FILE,
    CONFIG_KIND,
    Controller,
    OCIAccess,
    RenderConfig,
    Retention,
    S3Access,
    Substrate,
)
from kagent_render.source.document import Document
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.globs import DEFAULT_SOURCES
from kagent_render.source.reader import Reader, ReadError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.source.config_rules import Complaint

_VARIANTS: Final = ("python", "kagent", "claude", "codex")
_MOST_ENTRIES: Final = 1000
_LONGEST_GUESS: Final = 64
_NOT_ONE: Final = "the file must hold one RenderConfig"


def read_config(reader: Reader, path: str = CONFIG_FILE) -> tuple[RenderConfig | None, list[Diagnostic]]:
    """A root's configuration, or None with what is wrong (`ConfigInvalid`)."""
    try:
        documents = [document for document in read_yaml(reader.read(path)) if document.value is not None]
    except ReadError as error:
        return None, [_file_fault(path, 1, 1, str(error), "restore the file, or run `kagent-render init`")]
    except YAMLInvalidError as error:
        return None, [
            _file_fault(path, error.line, error.column, error.message, error.hint or "correct the file")
        ]
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        line, column = documents[0].locator.locate(()) if documents else (1, 1)
        return None, [
            _file_fault(path, line, column, _NOT_ONE, "keep one document of the kind `RenderConfig`")
        ]
    return decode_config(Document(path, documents[0].value, documents[0].locator))


def decode_config(document: Document) -> tuple[RenderConfig | None, list[Diagnostic]]:
    """The configuration that a document holds, or None with every fault in it."""
    faults: list[Diagnostic] = []
    root = _Section(document, faults, (), document.value)
    root.constant("apiVersion", CONFIG_API_VERSION)
    root.constant("kind", CONFIG_KIND)
    root.section("metadata").skip()
    config = _decode_spec(document, root.section("spec"))
    root.close()
    return (None if faults else config), faults


def _decode_spec(document: Document, spec: _Section) -> RenderConfig:
    controller, tools, substrate = (spec.section(key) for key in ("controller", "tools", "substrate"))
    artifacts, retention = spec.section("artifacts"), spec.section("retention")
    s3, oci = artifacts.section("s3"), artifacts.section("oci")
    config = RenderConfig(
        document,
        target=spec.text("target", rules.target),
        sources=spec.texts("sources", rules.pattern, DEFAULT_SOURCES),
        output=(spec.text("output", rules.output_folder) or "rendered").removeprefix("./").rstrip("/"),
        controller=Controller(
            controller.text("name", rules.dns_label) or Controller().name,
            controller.text("namespace", rules.dns_label) or Controller().namespace,
        ),
        tools_url=(tools.text("url", rules.plain_url) or "https://kagent-apply.kagent:8085").rstrip("/"),
        substrate=Substrate(
            substrate.text("workerPool", rules.not_empty),
            substrate.text("snapshotLocation", rules.location),
            substrate.text("pauseImage", rules.pinned_image),
        ),
        images=spec.mapping("images", rules.pinned_image, keys=_VARIANTS),
        s3=S3Access(s3.text("endpoint", rules.plain_url), s3.text("region", rules.region)),
        oci=OCIAccess(
            oci.text("platform", rules.platform) or OCIAccess().platform,
            oci.mapping("mirrors", rules.mirror),
            oci.texts("insecure", rules.registry, ()),
        ),
        retention=Retention(
            retention.count("revisions", Retention().revisions),
            retention.flag("protect", default=Retention().protect),
        ),
        kube_version=spec.text("kubeVersion", rules.kube_version),
        capabilities=spec.texts("capabilities", rules.pattern, ()),
    )
    for section in (controller, tools, substrate, artifacts, s3, oci, retention, spec):
        section.close()
    return config


class _Section:
    """One mapping of the file: each read notes the field as known, and what is wrong with it."""

    def __init__(self, document: Document, faults: list[Diagnostic], path: FieldPath, value: object) -> None:
        self._document = document
        self._faults = faults
        self._path = path
        self._known: list[str] = []
        self._values: Mapping[str, Any] = value if isinstance(value, dict) else {}
        if value is not None and not isinstance(value, dict):
            self._fault(path, "the field must be a mapping", "write one `name: value` line per field")

    def section(self, key: str) -> _Section:
        return _Section(self._document, self._faults, (*self._path, key), self._take(key))

    def skip(self) -> None:
        self._known.extend(self._values)

    def constant(self, key: str, expected: str) -> None:
        if self._take(key) != expected:
            self._fault((*self._path, key), f"`{key}` must be `{expected}`", f"write `{key}: {expected}`")

    def text(self, key: str, rule: Callable[[str], Complaint | None]) -> str | None:
        value = self._take(key)
        return None if value is None else self._checked((*self._path, key), value, rule)

    def texts(
        self, key: str, rule: Callable[[str], Complaint | None], default: tuple[str, ...]
    ) -> tuple[str, ...]:
        value = self._take(key)
        if value is None:
            return default
        field = (*self._path, key)
        if not isinstance(value, list) or len(value) > _MOST_ENTRIES:
            message = f"the field must be a list of at most {_MOST_ENTRIES} texts"
            self._fault(field, message, "begin each entry with `-`")
            return default
        checked = (self._checked((*field, at), entry, rule) for at, entry in enumerate(value))
        return tuple(entry for entry in checked if entry is not None)

    def mapping(
        self, key: str, rule: Callable[[str], Complaint | None], keys: tuple[str, ...] | None = None
    ) -> dict[str, str]:
        """A mapping of texts; without `keys` its keys are registries."""
        section = self.section(key)
        for name in section._values if keys is None else ():
            if complaint := rules.registry(name):
                # A field's name is shown, and what stands before an `@` may be a password.
                self._fault(section._path if "@" in name else (*section._path, name), *complaint)
        read = {name: section.text(name, rule) for name in (section._values if keys is None else keys)}
        section.close()
        return {name: value for name, value in read.items() if value is not None}

    def count(self, key: str, default: int) -> int:
        value = self._take(key)
        if value is None:
            return default
        if type(value) is not int or not 1 <= value <= _MOST_ENTRIES:
            message = f"the field must be a whole number from 1 to {_MOST_ENTRIES}"
            self._fault((*self._path, key), message, f"write a number such as `{default}`")
            return default
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            self._fault(
                (*self._path, key),
                "the field must be true or false",
                "write `true` or `false`, without quotes",
            )
        return value if isinstance(value, bool) else default

    def close(self) -> None:
        """Note every field that nothing read."""
        for key in self._values:
            if key not in self._known:
                self._fault(
                    (*self._path, key), f"the field `{key[:80]}` is unknown", _nearest(key, self._known)
                )

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)

    def _checked(
        self, field: FieldPath, value: object, rule: Callable[[str], Complaint | None]
    ) -> str | None:
        if not isinstance(value, str):
            self._fault(field, "the field must be text", "write the value in quotes")
            return None
        complaint = rule(value)
        if complaint is None:
            return value
        self._fault(field, *complaint)
        return None

    def _fault(self, field: FieldPath, message: str, hint: str) -> None:
        self._faults.append(self._document.fault(Reason.CONFIG_INVALID, field, message, hint=hint))


def _nearest(key: str, known: list[str]) -> str:
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    near = get_close_matches(key.lower(), names, n=1) if len(key) <= _LONGEST_GUESS else []
    return f"write `{names[near[0]]}`" if near else "remove the field"


def _file_fault(path: str, line: int, column: int, message: str, hint: str) -> Diagnostic:
    return Diagnostic(Reason.CONFIG_INVALID, message, hint=hint, source=SourcePosition(path, line, column))
