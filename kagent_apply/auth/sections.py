"""YAML files of the operator's: fields by name, and all that is wrong with them by line.

Nothing that such a file holds is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from kagent_apply.auth.file_reading import FileFault, FileFaultError
from kagent_render.api.identity import meant
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.document import Locator

T = TypeVar("T")

API_VERSION: Final = "apply.kagent.dev/v1alpha1"

MOST_ITEMS: Final = 10_000
"""Items of one list."""

_MOST_FAULTS: Final = 20


def read_sections(path: str, data: bytes, kind: str, read: Callable[[Section], T]) -> T:
    """What `read` makes of the `spec` of one document of `kind`; raises FileFaultError with all faults."""
    value, locator = _document(path, data)
    faults: list[FileFault] = []
    root = Section(path, locator, faults, (), value)
    root.constant("apiVersion", API_VERSION)
    root.constant("kind", kind)
    spec = root.section("spec")
    result = read(spec)
    spec.close()
    root.close()
    if faults:
        raise FileFaultError(*sorted(faults, key=lambda fault: fault.line)[:_MOST_FAULTS])
    return result


def _document(path: str, data: bytes) -> tuple[object, Locator]:
    try:
        documents = [document for document in read_yaml(data) if document.value is not None]
    except YAMLInvalidError as error:
        fault = FileFault(path, error.line, "the file is not valid YAML", "correct this line")
        raise FileFaultError(fault) from None
    if len(documents) != 1:
        raise FileFaultError(FileFault(path, 1, "the file must hold one document", "keep one document"))
    return documents[0].value, documents[0].locator


class Section:
    """One mapping: each read notes its field as known, and what is wrong with it."""

    def __init__(
        self, path: str, locator: Locator, faults: list[FileFault], field: FieldPath, value: object
    ) -> None:
        self._path = path
        self._locator = locator
        self._faults = faults
        self._field = field
        self._known: list[str] = []
        self._values: dict[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            self.fault("", "this must be a mapping", "write one `name: value` line for each field")

    def constant(self, key: str, expected: str) -> None:
        """Note a fault unless the field has the one value that it can have."""
        if self._take(key) != expected:
            self.fault(key, f"`{key}` must be `{expected}`", f"write `{key}: {expected}`")

    def section(self, key: str) -> Section:
        """The mapping that a field has to be; of one that is missing nothing else is told."""
        value, field = self._take(key), (*self._field, key)
        if value is None:
            self.fault(key, f"`{key}` is missing", f"write `{key}:`, and its fields below it")
            return Section(self._path, self._locator, [], field, {})
        return self._below(field, value)

    def sections(self, key: str) -> list[Section]:
        """The mappings of a list that has to be there, and may be empty."""
        value = self._take(key)
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            self.fault(key, f"`{key}` must be a list of at most {MOST_ITEMS:,}", "begin each item with `-`")
            return []
        return [self._below((*self._field, key, at), item) for at, item in enumerate(value)]

    def text(self, key: str, rule: Callable[[str], bool], told: str) -> str:
        """A text that `rule` takes; empty where the field is absent, and where it is at fault."""
        value = self._take(key)
        if value is None or (isinstance(value, str) and rule(value)):
            return value or ""
        self.fault(
            key, f"`{key}` must be {told}", "correct the value; write it in quotes where it is a number"
        )
        return ""

    def texts(self, key: str, rule: Callable[[str], bool], told: str, *, least: int = 0) -> tuple[str, ...]:
        """A list of texts that `rule` takes, `least` of them or more; empty where the field is absent."""
        value = self._take(key)
        items = [] if value is None else value
        if not isinstance(items, list) or not least <= len(items) <= MOST_ITEMS:
            bounds = f"from {least} to {MOST_ITEMS:,} items"
            self.fault(key, f"`{key}` must be a list of {bounds}", f"write `{key}: [A, B]`")
            return ()
        good = tuple(item for item in items if isinstance(item, str) and rule(item))
        if len(good) != len(items):
            self.fault(key, f"each of `{key}` must be {told}", "correct the values")
        return good

    def has(self, key: str) -> bool:
        """Whether the field is there, whatever it holds."""
        return self._values.get(key) is not None

    def close(self) -> None:
        """Note every field that nothing read, with the name that was probably meant."""
        for key in self._values:
            if key not in self._known:
                near = meant(key, self._known)
                hint = f"write `{near}`" if near else "remove the field"
                self.fault(key, "the field is unknown", hint)

    def fault(self, key: str, message: str, hint: str) -> None:
        """Note what is wrong with a field of this mapping, or with the mapping itself."""
        line, _ = self._locator.locate((*self._field, key) if key else self._field)
        self._faults.append(FileFault(self._path, line, message, hint))

    def _below(self, field: FieldPath, value: object) -> Section:
        return Section(self._path, self._locator, self._faults, field, value)

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)
