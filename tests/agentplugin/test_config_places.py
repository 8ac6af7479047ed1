"""Keys of a config are shown where they stand in the manifest."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.config_places import config_line, config_position
from kagent_render.source.positions import FixedLocator
from tests.agentplugin.configured import CONFIG_LINE, HEAD, configured, plugins, written

if TYPE_CHECKING:
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import FieldPath

A: FieldPath = ("platforms", "a")
INNER = "platforms:\n  # c\n  a: 1\n"


def place(plugin: AgentPlugin, *paths: FieldPath) -> tuple[int, int]:
    """Line after `config:`, and column."""
    position = config_position(plugin, *paths)
    return position.line - CONFIG_LINE, position.column


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("config: |\n  platforms:\n    # c\n    a: 1\n", (3, 7)),
        ("config: |-\n  platforms:\n    a: 1\n", (2, 7)),
        ("config: |+\n  platforms:\n    a: 1\n\n\n", (2, 7)),
        ("config: |\n          platforms:\n            a: 1\n", (2, 15)),
        ("config: |\n\n\n  platforms:\n    a: 1\n", (4, 7)),
        ("config: |2\n   platforms:\n     a: 1\n", (2, 8)),
        ("config: |1-\n  platforms:\n   a: 1\n", (2, 6)),
        ("config: |-2\n\n   \n    platforms:\n     a: 1\n", (4, 8)),
        ("config:   |   # why\n  platforms:\n    a: 1\n", (2, 7)),
        ("config: !!str |\n  platforms:\n    a: 1\n", (2, 7)),
        ("config: &a |\n  platforms:\n    a: 1\n", (2, 7)),
        ("config: !!str &a  # | x\n  |\n  platforms:\n    a: 1\n", (3, 7)),
        ("config:\n  |\n  platforms:\n    a: 1\n", (3, 7)),
        ("config: |\n  # c\n  platforms: {b: 1,\n    a: 1}\n", (3, 7)),
        ("config: |\n  platforms:\n    \u00e9\u0301: {}\n    a: 1\n", (3, 7)),
        ("config: |\n  platforms: {\U0001f600: 1, a: 1}\n", (1, 23)),
        ('config: |\n  "platforms":\n    "a": 1\n', (2, 7)),
        ("? config\n: |\n  platforms:\n    a: 1\n", (3, 7)),
        ("config: |\r\n  platforms:\r\n    a: 1\r\n", (2, 7)),
        ("config: 'platforms: {a: 1}'\n", (0, 3)),
        ("config: \"platforms:\\n  a: 1\"\n", (0, 3)),
        ("config: \"platforms:\n  \\n  a: 1\"\n", (0, 3)),
        ("config: >\n  platforms:\n    a: 1\n", (0, 3)),
        ("config: |\n  # \u2028\n  platforms:\n    a: 1\n", (0, 3)),
        ("config: |\n  # \u0085  platforms:\n    a: 1\n", (0, 3)),
    ],
)  # fmt: skip
def test_a_key_of_a_literal_block_is_exact_any_other_is_at_the_config(
    field: str, found: tuple[int, int]
) -> None:
    assert place(written(field), A) == found


def test_the_first_of_several_keys_is_shown() -> None:
    plugin = configured("platforms:\n  b: 1\n  a: 1\napprovals: 1\n")
    assert place(plugin, ("approvals",), A, ("platforms", "b")) == (2, 7)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), (1, 5)),
        (("platforms", "absent"), (1, 5)),
        (("platforms", "a", "deeper"), (3, 7)),
        (("absent",), (1, 5)),
    ],
)
def test_an_absent_key_is_at_the_nearest_present_one(path: FieldPath, found: tuple[int, int]) -> None:
    assert place(configured(INNER), path) == found


def test_without_a_key_the_config_itself_is_shown() -> None:
    assert place(configured(INNER)) == (0, 3)
    assert place(written("other: 1\n")) == (0 - 3, 1)


def test_a_line_of_a_config_that_cannot_be_read_is_shown() -> None:
    position = config_line(configured("platforms:\n\ta: {\n"), 2)
    assert (position.line, position.column) == (CONFIG_LINE + 2, 5)
    position = config_line(written("config: '{'\n"), 1)
    assert (position.line, position.column) == (CONFIG_LINE, 3)


def test_only_keys_of_the_first_document_are_shown() -> None:
    assert place(configured("platforms:\n  a: 1\n---\nplatforms:\n  a: 2\n--- {\n"), A) == (2, 7)


def test_a_key_set_twice_is_shown_where_it_counts() -> None:
    assert place(configured("platforms: {a: 1}\nplatforms:\n  a: 2\n"), A) == (3, 7)


def test_each_object_of_a_list_has_its_own_lines() -> None:
    items = [
        HEAD.format(name=f"p{n}") + f"  config: |\n    # {n}\n    platforms: {{a: {n}}}\n" for n in range(3)
    ]
    listed = "".join(f"- {textwrap.indent(item, '  ')[2:]}" for item in items)
    text = f"apiVersion: kubeagents.x-k8s.io/v1alpha1\nkind: AgentPluginList\nitems:\n{listed}"
    lines = text.split("\n")
    for number, plugin in enumerate(plugins(text)):
        position = config_position(plugin, A)
        assert lines[position.line - 1][position.column - 1 :] == f"a: {number}}}"


def test_a_config_behind_an_alias_is_shown_where_its_text_stands() -> None:
    anchored = HEAD.format(name="one") + "  config: &c |\n    platforms:\n      a: 1\n"
    aliased = HEAD.format(name="two") + "  config: *c\n"
    listed = "".join(f"- {textwrap.indent(item, '  ')[2:]}" for item in (anchored, aliased))
    one, two = plugins(f"apiVersion: v1\nkind: List\nitems:\n{listed}")
    assert config_position(one, A) == config_position(two, A)
    assert config_position(two).line > config_position(two, A).line


def test_a_file_with_a_secret_keeps_the_lines_and_no_text() -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nstringData:\n  token: |\n    hidden\n"
    block = "  config: |\n" + textwrap.indent(INNER, "    ")
    plugin = plugins(HEAD.format(name="one") + block + secret)[0]
    assert place(plugin, A) == (3, 7)
    assert isinstance(plugin.document.locator, FixedLocator)
    assert not re.search("hidden|platforms", repr(plugin.document.locator))


@given(
    before=st.lists(
        st.sampled_from(["", "   ", "# c", "x: 1", "é: |\n    text\n\n  # no comment"]), max_size=4
    ),
    indentation=st.integers(1, 9),
    chomping=st.sampled_from(["", "-", "+"]),
    explicit=st.booleans(),
)
def test_every_key_is_found_where_it_stands(
    before: list[str], indentation: int, chomping: str, explicit: bool
) -> None:
    # Without an indicator, the first line that has more than spaces tells the indentation.
    explicit = explicit or "   " in before
    lines = [*"\n".join(before).split("\n"), "platforms:", "   a: 1"]
    header = f"  config: |{indentation if explicit else ''}{chomping}\n"
    block = "".join(f"  {' ' * indentation}{line}\n" if line else "\n" for line in lines)
    manifest = HEAD.format(name="plugin") + header + block
    position = config_position(plugins(manifest)[0], A)
    assert manifest.split("\n")[position.line - 1][position.column - 1 :] == "a: 1"
