"""A `plugin.yaml` of an image is read as Hermes does; whatever else it holds is told without its content."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.image_manifest import read_image, read_manifest
from kagent_render.agentplugin.images import PluginManifest
from kagent_render.artifacts.package import Package, PackageFile


def image(**files: str | bytes) -> Package:
    """A package with files whose names are written with `_` for `.`."""
    named = {"plugin_yaml": "plugin.yaml", "plugin_yml": "plugin.yml", "init": "__init__.py"}
    return Package(
        {
            named[name]: PackageFile(data.encode() if isinstance(data, str) else data)
            for name, data in files.items()
        }
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: triage", PluginManifest("triage")),
        ("name: triage\nversion: 1.2.3-rc1+x", PluginManifest("triage", "1.2.3-rc1+x")),
        ("name: triage\nversion: '1.0'", PluginManifest("triage", "1.0")),
        ("name: triage\nversion: 1.0", PluginManifest("triage")),
        ("name: triage\nversion: [1]", PluginManifest("triage")),
        ("name: a/b.c_d-e", PluginManifest("a/b.c_d-e")),
        ("\ufeffname: triage", PluginManifest("triage")),
        ("name: a\nname: b", PluginManifest("b")),
        ("description: no name", PluginManifest("")),
        ("", PluginManifest("")),
        ("# comment", PluginManifest("")),
        ("---\n", PluginManifest("")),
        ("{}", PluginManifest("")),
        ("name: a\nrequires_plugins: [b, c]", PluginManifest("a", requires_plugins=("b", "c"))),
        ("requires_plugins: [{id: b, version_range: '>=1'}, c, b]", PluginManifest("", "", ("b", "c"))),
        ("requires_plugins:", PluginManifest("")),
        ("requires_env: [A, {name: B, secret: true, url: u}]", PluginManifest("", "", (), ("A", "B"))),
        ("requires_env: &e [A]\nrequires_plugins: *e", PluginManifest("", "", ("A",), ("A",))),
        ("kind: backend\nprovides_tools: [x]\nunknown: {deep: [1]}", PluginManifest("")),
    ],
)  # fmt: skip
def test_the_names_of_a_manifest_are_read(text: str, expected: PluginManifest) -> None:
    assert read_manifest(text.encode()) == (expected, ())


NAMELESS = PluginManifest("")
PLUGINS = "has `requires_plugins` with an entry that is neither a name nor a mapping with `id`"
ENV = "has `requires_env` with an entry that is neither a name nor a mapping with `name`"


@pytest.mark.parametrize(
    ("data", "manifest", "fault"),
    [
        (b"name: [", NAMELESS, "is not valid YAML in line 1"),
        (b"a: 1\n\tb: 2", NAMELESS, "is not valid YAML in line 2"),
        (b"name: \xff", NAMELESS, "is not valid YAML in line 1"),
        (b"name: *secret", NAMELESS, "is not valid YAML in line 1"),
        (b"? [secret]\n: 1", NAMELESS, "is not valid YAML in line 1"),
        (b"name: a\n---\nname: b", NAMELESS, "holds more than one YAML document"),
        (b"- name: secret", NAMELESS, "is no mapping"),
        (b"secret", NAMELESS, "is no mapping"),
        (b"#" * (1 << 18) + b"#", NAMELESS, "is larger than 256 KiB"),
        (b"name: 5", NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"name:", NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"name: ''", NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"name: [secret]", NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"name: the secret", NAMELESS, "has a `name` that is not the name of a plugin"),
        (b'name: "a\\e[31m"', NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"name: " + b"a" * 129, NAMELESS, "has a `name` that is not the name of a plugin"),
        (b"requires_plugins: [a, {name: b}]", PluginManifest("", "", ("a",)), PLUGINS),
        (b"requires_plugins: [a, 5, [b]]", PluginManifest("", "", ("a",)), PLUGINS),
        (b"requires_plugins: [a, 'the secret']", PluginManifest("", "", ("a",)), PLUGINS),
        (b"requires_env: [A, {id: B}]", PluginManifest("", "", (), ("A",)), ENV),
        (b"requires_env: [A, null]", PluginManifest("", "", (), ("A",)), ENV),
        (b"requires_env: A", NAMELESS, "has `requires_env` that are not a list of at most 100 entries"),
        (
            b"requires_env: {name: A}", NAMELESS,
            "has `requires_env` that are not a list of at most 100 entries"
        ),
        (
            b"requires_plugins:\n" + b"- a\n" * 101, NAMELESS,
            "has `requires_plugins` that are not a list of at most 100 entries"
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_the_rest_is_read(
    data: bytes, manifest: PluginManifest, fault: str
) -> None:
    assert read_manifest(data) == (manifest, (fault,))


def bomb() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "data",
    [bomb(), b"[" * (1 << 18), b"{a: " * (1 << 16), b"- " * (1 << 17), b"&a " * 80_000, b"a: &a [*a]", b"\0"],
    ids=["aliases", "lists", "mappings", "nested", "anchors", "cycle", "binary"],
)
def test_a_hostile_manifest_is_told_at_once(data: bytes) -> None:
    started = time.monotonic()
    manifest, (fault,) = read_manifest(data)
    assert (manifest, fault.rpartition(" ")[0]) == (NAMELESS, "is not valid YAML in line")
    assert time.monotonic() - started < 10


TOLD = re.compile(
    r"is not valid YAML in line \d+|is no mapping|is larger than 256 KiB"
    r"|holds more than one YAML document|has a `name` that is not the name of a plugin"
    r"|has `(requires_plugins|requires_env)` (that are not a list of at most 100 entries"
    r"|with an entry that is neither a name nor a mapping with `(id|name)`)"
)
LETTERS = st.text("nameid:- []{}&*!'\"\n,|>?%@`#~<\t\x1b", max_size=60).map(str.encode)
KEYS = st.sampled_from([b"", b"name: ", b"requires_env: ", b"requires_plugins: [", b"requires_env: [a, "])


@given(st.tuples(KEYS, st.binary(max_size=300) | LETTERS).map(b"".join))
def test_what_is_told_is_of_a_closed_vocabulary_and_names_are_plain(data: bytes) -> None:
    manifest, faults = read_manifest(data)
    assert all(TOLD.fullmatch(fault) for fault in faults)
    names = (manifest.name, *manifest.requires_plugins, *manifest.requires_env)
    assert all(name.isascii() and name.isprintable() and not {" ", "`"} & {*name} for name in names)


@pytest.mark.parametrize(
    ("package", "name", "note"),
    [
        (image(plugin_yaml="name: a", init=""), "a", ""),
        (image(plugin_yml="name: a", init=""), "a", ""),
        (image(plugin_yaml="name: a", plugin_yml="name: b", init=""), "a", ""),
        (image(plugin_yaml="- a", plugin_yml="name: b", init=""), "", "its `plugin.yaml` is no mapping"),
        (image(plugin_yml="- a", init=""), "", "its `plugin.yml` is no mapping"),
        (image(init=""), "", "it has no `plugin.yaml` at its root"),
        (image(plugin_yaml="name: a"), "a", "it has no `__init__.py` at its root"),
        (image(), "", "it has no `plugin.yaml` at its root; it has no `__init__.py` at its root"),
        (
            image(plugin_yaml="name: 5\nrequires_env: 5"), "",
            "its `plugin.yaml` has a `name` that is not the name of a plugin; "
            "its `plugin.yaml` has `requires_env` that are not a list of at most 100 entries; "
            "it has no `__init__.py` at its root"
        ),
    ],
)  # fmt: skip
def test_an_image_is_told_by_what_is_at_its_root(package: Package, name: str, note: str) -> None:
    manifest, told = read_image(package)
    assert (manifest.name, told) == (name, note)


def test_only_the_root_of_an_image_counts() -> None:
    package = Package({"triage/plugin.yaml": PackageFile(b"name: a"), "triage/__init__.py": PackageFile(b"")})
    assert read_image(package)[0] == NAMELESS
