"""Whatever style a root is written in, nothing but the move changes in it, and the same comes of it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from unittest.mock import patch

import pytest

from kagent_render.migration import plan
from kagent_render.migration.comparison import differences
from kagent_render.migration.edits import Edit, OverlappingEditsError, apply_edits
from kagent_render.migration.files import FilePlan, writing_steps
from kagent_render.migration.rewriting import Rewriting, rewrite
from tests.migration.roots import OLD, actor_templates, migrated, prepared, styled

_GONE = re.compile(rf"{OLD}|python|harnesses|include|runtime|own-|MCPServer|workload|[{{}}]|^\W*$")
_NEW = re.compile(
    r"v1alpha3|kagent|RemoteMCPServer|workload|image|substrate|workerPool|pool|snapshot|location|s3"
    r"|---|metadata|namespace: team|name: desk|spec:|description|url|timeout|MCPServer|endpoint|[{}]|^\W*$"
)


@pytest.mark.parametrize("seed", [*range(54), 2110, 2423])
def test_a_root_is_moved_and_nothing_else_of_it_changes(seed: int) -> None:
    files = styled(seed)
    before = prepared(files)
    assert not before.failed, before.told
    seen: list[tuple[str, Rewriting]] = []
    with patch.object(plan, "rewrite", watched(seen)):
        migration = migrated(files, before)
    assert not migration.failed, migration.diagnostics
    moved = {**files, **migration.contents}
    after = prepared(moved)
    assert not after.failed, after.told
    assert list(differences(before, after)) == []
    assert actor_templates(after) == actor_templates(before) != {}
    versions = {document.ref.api_version for document in after.documents if document.ref.group}
    assert versions <= {"kagent.dev/v1alpha3", "kagent.dev/v1alpha1"}
    assert not migrated(moved, after).files
    assert kept(moved) == kept(files)
    assert b"own-" not in b"".join(moved.values())
    for file in migration.files:
        expect_lines_of_the_move_alone(file)
        expect_the_same_ends(file)
    for text, rewriting in seen:
        expect_equality_outside_of_the_edits(text, rewriting)


def watched(seen: list[tuple[str, Rewriting]]) -> object:
    """`rewrite`, noting each text with what was made of it."""

    def call(*args: object) -> Rewriting | None:
        found = rewrite(*args)  # type: ignore[arg-type]
        assert found is not None
        seen.append((args[0].text, found))  # type: ignore[attr-defined]
        return found

    return call


def kept(files: Mapping[str, bytes]) -> list[str]:
    """Every comment that has to stay, in order."""
    return re.findall(r"keep-\d+-", b"".join(files.values()).decode())


def expect_lines_of_the_move_alone(file: FilePlan) -> None:
    """No line goes or comes that the move does not ask for, a comma before what goes left aside."""
    old, new = file.before.decode().splitlines(), file.after.decode().splitlines()
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            gone = {line.replace(",", "") for line in old[a:b] if not _GONE.search(line)}
            added = {line.replace(",", "") for line in new[c:d] if not _NEW.search(line)}
            assert gone <= {line.replace(",", "") for line in new[c:d]}
            assert added <= {line.replace(",", "") for line in old[a:b]}


def expect_the_same_ends(file: FilePlan) -> None:
    """The byte order mark, the end of the file and what breaks its lines stay."""
    assert file.before.startswith(b"\xef\xbb\xbf") == file.after.startswith(b"\xef\xbb\xbf")
    if not file.after.endswith(b"none\n"):  # the text of a block needs its line feed
        assert file.before.endswith(b"\n") == file.after.endswith(b"\n")
    if b"\r\n" in file.before:
        assert file.after.count(b"\n") == file.after.count(b"\r\n")
    else:
        assert b"\r" not in file.after


def expect_equality_outside_of_the_edits(text: str, rewriting: Rewriting) -> None:
    """What is between the edits is there again, character by character, and nothing else is."""
    position, rest = 0, rewriting.text
    for edit in rewriting.edits:
        outside = text[position : edit.start]
        assert rest.startswith(outside + edit.text)
        rest, position = rest[len(outside) + len(edit.text) :], edit.end
    assert rest == text[position:]


@pytest.mark.parametrize("seed", range(100, 108))
def test_a_run_that_is_killed_anywhere_leaves_the_same_and_is_finished_later(seed: int) -> None:
    files = styled(seed)
    before = actor_templates(prepared(files))
    whole = migrated(files)
    state = dict(files)
    for path, expected, data in writing_steps(whole.files):
        assert state[path] == expected
        state[path] = data
        between = prepared(state)
        assert not between.failed, between.told
        assert actor_templates(between) == before
        assert {**state, **migrated(state, between).contents} == {**files, **whole.contents}


def test_edits_are_made_in_the_order_of_their_places() -> None:
    edits = [Edit(4, 5, "E"), Edit(1, 1, "x"), Edit(1, 1, "y"), Edit(0, 1), Edit(4, 5, "E")]
    assert apply_edits("abcdef", edits) == "xybcdEf"


def test_edits_of_the_same_characters_are_refused() -> None:
    with pytest.raises(OverlappingEditsError):
        apply_edits("abc", [Edit(0, 2, "x"), Edit(1, 3, "y")])


_HEAD = f"apiVersion: {OLD}\nkind: Harness\nmetadata: {{namespace: team, name: runtime}}\nspec:\n"
_ALL = "  allowedAgentTemplates: {selector: {}}\n"
_ITEM = f"- apiVersion: &v {OLD}\n  kind: Harness\n  metadata: {{namespace: team, name: runtime}}\n  spec: "
_OTHER = "- apiVersion: *v\n  kind: Harness\n  metadata: {namespace: team, name: other}\n  spec: "
_LIST = f"apiVersion: v1\nkind: List\nitems:\n{_ITEM}"
ODD = {
    "null blocks": f"{_HEAD}  python: {{}}\n  workload: ~\n  substrate:\n{_ALL}",
    "a null image": f"{_HEAD}  python: {{}}\n  workload:\n    image:\n{_ALL}",
    "a null image in flow": f"{_HEAD}  python: {{}}\n  workload: {{image: null}}\n{_ALL}",
    "explicit keys": f"{_HEAD}  ? python\n  : {{}}\n{_ALL}",
    "a merged spec": f"{_LIST}&s\n    python: {{}}\n  {_ALL}{_OTHER}{{<<: *s}}\n",
    "a shared spec": f"{_LIST}&s {{python: {{}}, allowedAgentTemplates: {{selector: {{}}}}}}\n{_OTHER}*s\n",
    "a spec with a tag and an anchor": f"{_HEAD[:-1]} !!map &s\n  python: !!map {{}}\n{_ALL}",
    "tabs behind values": f"{_HEAD}  python:\t{{}}\t# t\n  env:\t[]\t\n{_ALL}",
    "carriage returns alone": f"{_HEAD}  python: {{}}\n{_ALL}".replace("\n", "\r"),
    "two sorts of line ends": f"{_HEAD}  python: {{}}\n{_ALL}".replace("\n", "\r\n", 3),
    "no space in flow": (
        f"{{apiVersion: {OLD},kind: Harness,metadata: {{namespace: team,name: runtime}},"
        "spec: {python: {},allowedAgentTemplates: {selector: {}}}}"
    ),
    "a value on lines of its own": f"{_HEAD}  python: # c\n    {{\n    }}\n{_ALL}",
    "empty documents": f"---\n---\n{_HEAD}  python: {{}}\n{_ALL}---\n",
    "a document on its marker's line": (
        f"--- {{apiVersion: {OLD}, kind: Harness, metadata: {{namespace: team, name: runtime}},"
        " spec: {python: {}, allowedAgentTemplates: {selector: {}}}} # c\n"
    ),
    "a document that is indented": "  "
    + f"{_HEAD}    python: {{}}\n  {_ALL}".replace("\n", "\n  ").rstrip(" "),
    "characters of every width": _HEAD
    + '  python: {}\n  env: [{name: A, value: "a\\Nb\'\u00e9\U0001f600"}] # \U0001f600\n'
    + _ALL,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_a_text_of_an_odd_kind_is_moved_and_its_lines_end_as_they_did(text: str) -> None:
    included = [f"{{name: {name}}}" for name in ("runtime", "other") if f"name: {name}}}" in text]
    template = (
        f"apiVersion: {OLD}\nkind: AgentTemplate\nmetadata: {{namespace: team, name: lead}}\n"
        f"spec: {{modelConfig: {{name: model}}, harnesses: {{include: [{', '.join(included)}]}}}}\n---\n"
        f"apiVersion: {OLD}\nkind: ModelConfig\nmetadata: {{namespace: team, name: model}}\n"
        "spec: {model: m}\n"
    )
    files = {"a.yaml": text.encode(), "b.yaml": template.encode()}
    before = prepared(files)
    migration = migrated(files, before)
    assert not migration.failed, migration.diagnostics
    after = prepared({**files, **migration.contents})
    assert {document.ref.api_version for document in after.documents} == {"kagent.dev/v1alpha3"}
    assert not [*(fault for fault in (*before.told, *after.told) if fault.is_error)]
    assert actor_templates(after) == actor_templates(before) != {}
    new = migration.contents["a.yaml"].decode()
    assert new.endswith(("\n", "\r")) == text.endswith(("\n", "\r"))
    if "\n" not in text:
        assert "\n" not in new
