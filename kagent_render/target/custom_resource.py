"""Whether a committed object is the ActorTemplate of `ate.dev/v1alpha1`, field by field (facts 10.1).

A digest says that nobody changed a file; it does not say that the file is anything Substrate knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.names import is_dns_label, is_label_key, is_label_value
from kagent_render.target.template_fault import TemplateFault, is_showable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.diagnostics.diagnostic import FieldPath

    Check = Callable[[Any, FieldPath], Iterator[TemplateFault]]

_HINT: Final = "render the pair again"
_ENV_NAME: Final = re.compile(r"[ -<>-~]+")
_PROBE_PATH: Final = re.compile(r"/[!-~]{0,1023}")
_MOUNT_PATH: Final = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[^/:\x00]+)+")


def resource_faults(value: Mapping[str, Any]) -> list[TemplateFault]:
    """Everything that keeps the object's spec from being one that the API server takes."""
    return list(_SPEC(value.get("spec"), ("spec",)))


def _fault(path: FieldPath, message: str) -> TemplateFault:
    return TemplateFault(path, message, _HINT)


def _text(allowed: Callable[[str], object], wanted: str) -> Check:
    def check(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
        if not isinstance(value, str) or not allowed(value):
            yield _fault(path, f"the field must be {wanted}")

    return check


def _one_of(*values: str) -> Check:
    return _text(lambda text: text in values, f"one of {', '.join(values)}")


def _flag(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
    if not isinstance(value, bool):
        yield _fault(path, "the field must be true or false")


def _port(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
    if type(value) is not int or not 1 <= value <= 65_535:
        yield _fault(path, "the field must be a port")


def _labels(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(text, str) and is_label_key(key) and is_label_value(text)
        for key, text in value.items()
    ):
        yield _fault(path, "the field must be labels")


def _items(check: Check, most: int, least: int = 0, key: str = "name") -> Check:
    """A list of mappings, each of another `key`."""

    def check_list(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            yield _fault(path, f"the field must be a list of {least} to {most} entries")
            return
        for at, item in enumerate(value):
            yield from check(item, (*path, at))
        names = [item.get(key) for item in value if isinstance(item, Mapping)]
        if any(names.count(name) > 1 for name in names):
            yield _fault(path, f"two entries have the same `{key}`")

    return check_list


def _fields(needed: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """A mapping with all of `needed`, any of `optional`, and nothing else."""
    known = {**needed, **(optional or {})}

    def check(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
        if not isinstance(value, Mapping):
            yield _fault(path, "the field must be a mapping")
            return
        for name in needed.keys() - value.keys():
            yield _fault((*path, name), f"`{name}` is required")
        for name, inner in value.items():
            if name in known:
                yield from known[name](inner, (*path, name))
            elif is_showable(name):
                yield _fault((*path, name), f"there is no field `{name}`")
            else:
                yield _fault(path, "there is a field that is none")

    return check


def _one_field(known: Mapping[str, Check], others: Mapping[str, Check]) -> Check:
    """A mapping with exactly one of `known`, and with all of `others`."""
    checked = _fields(others, known)

    def check(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
        yield from checked(value, path)
        if isinstance(value, Mapping) and sum(name in value for name in known) != 1:
            yield _fault(path, f"there must be exactly one of {', '.join(known)}")

    return check


_name = _text(is_dns_label, "the name of an object of at most 63 characters")
_some = _text(bool, "a text that is not empty")
_image = _text(lambda text: "@" in text, "an image pinned by digest")
_any = _text(lambda _: True, "a text")
_env_name = _text(_ENV_NAME.fullmatch, "the name of a variable")
_mount_path = _text(lambda text: len(text) <= 4096 and _MOUNT_PATH.fullmatch(text), "a clean absolute path")
_empty = _fields({})
_scope = _one_of("Full", "Data")


def _command(value: Any, path: FieldPath) -> Iterator[TemplateFault]:
    if not isinstance(value, list) or len(value) > 64 or not all(isinstance(word, str) for word in value):
        yield _fault(path, "the field must be a list of at most 64 texts")


_reference = _fields({"name": _some, "key": _some}, {"optional": _flag})
_variable = _one_field(
    {"value": _any, "valueFrom": _fields({"secretKeyRef": _reference})}, {"name": _env_name}
)
_probe = _fields({"port": _port}, {"path": _text(_PROBE_PATH.fullmatch, "a path")})
_container = _fields(
    {"name": _name, "image": _image},
    {
        "command": _command,
        "env": _items(_variable, 32),
        "readyz": _fields({"httpGet": _probe}),
        "volumeMounts": _items(_fields({"name": _name, "mountPath": _mount_path}), 32, key="mountPath"),
    },
)
_SPEC = _fields(
    {
        "pauseImage": _image,
        "containers": _items(_container, 10, least=1),
        "snapshotsConfig": _fields({"location": _some}, {"onPause": _scope, "onCommit": _scope}),
    },
    {
        "sandboxClass": _one_of("gvisor", "microvm"),
        "workerSelector": _fields({}, {"matchLabels": _labels}),
        "volumes": _items(_fields({"name": _name, "durableDir": _empty}), 1),
    },
)
