"""What the program remembers changes nothing but speed, holds no Secret, and is nobody else's."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.team import FILES, edit, write_team
from tests.running import copy_example, run, tree

pytestmark = pytest.mark.process

_MEMO = "kagent-render/memo.sqlite"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of one's own, empty."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def seen(folder: Path, *flags: str) -> tuple[int, Any]:
    """All that `check` tells."""
    done = run("check", "--offline", "-o", "json", *flags, cwd=folder)
    return done.status, done.json


def assert_memory_changes_nothing(folder: Path) -> None:
    """That a run tells the same without memory, with what earlier runs left, and with what that one left."""
    without = seen(folder, "--no-cache")
    assert seen(folder) == without
    assert seen(folder) == without


_PLUGIN = (
    "apiVersion: kubeagents.x-k8s.io/v1alpha1\nkind: AgentPlugin\n"
    "metadata: {name: stockout, namespace: team}\nspec:\n  agentRef: platform-agent\n  image: i\n"
)
_AGENT = (
    "apiVersion: kubeagents.x-k8s.io/v1alpha1\nkind: PlatformAgent\n"
    "metadata: {name: platform-agent, namespace: team}\n"
    "spec: {harness: {clusterName: c, location: l, projectId: p, tuning: {default: {maxTurns: 3}}}}\n"
)

EDITS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda root: None,
    "another prompt": lambda root: edit(root / "lead.yaml", "You lead.", "You follow."),
    "an unknown field": lambda root: edit(root / "lead.yaml", "description: Leads.", "descripton: Leads."),
    "no YAML": lambda root: edit(root / "lead.yaml", "spec:", "spec: ["),
    "a missing ConfigMap, told at an unchanged file": lambda root: edit(
        root / "inputs.yaml", "name: texts}", "name: other}"
    ),
    "a missing template, told at an unchanged file": lambda root: (root / "critic.yaml").unlink(),
    "an object twice, one of them unchanged": lambda root: shutil.copy(root / "critic.yaml", root / "a.yaml"),
    "an unchanged file at another path": lambda root: (root / "lead.yaml").rename(root / "other.yaml"),
    "objects in another order": lambda root: (root / "helper.yaml").rename(root / "a.yaml"),
    "an unchanged file with other lines before": lambda root: edit(
        root / "lead.yaml", "apiVersion: kagent.dev/v1alpha2", "# a\n# b\napiVersion: kagent.dev/v1alpha2"
    ),
    "another version of the API": lambda root: edit(root / "harness.yaml", "v1alpha2", "v1alpha9"),
    "a list": lambda root: (root / "helper.yaml").write_text(
        "apiVersion: v1\nkind: List\nitems:\n- "
        + FILES["helper.yaml"].replace("\n", "\n  ").rstrip()
        + "\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: more, namespace: team}\n"
    ),
    "a literal that looks like a credential": lambda root: edit(
        root / "harness.yaml", "value: info", "value: sk-abcdefghijklmnopqrstuvwx0123456789"
    ),
    "a plugin and its agent": lambda root: (root / "a.yaml").write_text(f"{_PLUGIN}---\n{_AGENT}"),
    "a plugin with a profile that is empty": lambda root: (root / "a.yaml").write_text(
        f"{_PLUGIN}  targetProfile: ''\n---\n{_AGENT}"
    ),
    "an InUse that is not valid": lambda root: _write(
        root / ".kagent/in-use/team.yaml",
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team, name: x}\n"
        "spec: {actorTemplates: 1}\n",
    ),
}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_what_is_told_after_an_edit_is_the_same_with_and_without_memory(
    change: Callable[[Path], object], team: Path, cache: Path
) -> None:
    seen(team)
    change(team)
    assert_memory_changes_nothing(team)
    assert (cache / _MEMO).exists()


def _edited(files: dict[str, str], data: st.DataObject) -> None:
    """Remove, repeat or move a line, or swap the content of two files."""
    first, second = (data.draw(st.sampled_from(sorted(files))) for _ in range(2))
    lines = files[first].splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1)) if lines else 0
    match data.draw(st.sampled_from(["remove", "repeat", "move", "swap"])):
        case "remove":
            del lines[at : at + 1]
        case "repeat":
            lines[at:at] = lines[at : at + 1]
        case "move":
            files[second] += "".join(lines[at : at + 1])
            del lines[at : at + 1]
        case _:
            files[second], lines = "".join(lines), files[second].splitlines(keepends=True)
    files[first] = "".join(lines)


@settings(max_examples=20, derandomize=True, deadline=None, database=None)
@given(st.data())
def test_memory_changes_nothing_over_any_edits(data: st.DataObject) -> None:
    files = {name: text for name, text in FILES.items() if name != "kagent-render.yaml"}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{folder}/cache")
        root = write_team(Path(folder) / "team")
        run("render", "--offline", cwd=root)
        for _ in range(4):
            _edited(files, data)
            for name, text in files.items():
                (root / name).write_text(text)
            assert_memory_changes_nothing(root)


def test_output_is_the_same_with_and_without_memory(team: Path, cache: Path) -> None:
    for number, flags in enumerate(["--no-cache", "--cache", "--cache"]):
        shutil.rmtree(team / "rendered")
        assert run("render", "--offline", flags, cwd=team).status == 0
        if number == 0:
            assert not cache.exists()
            first = tree(team / "rendered")
        assert tree(team / "rendered") == first


def test_unchanged_files_are_neither_parsed_nor_validated(
    incident: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seen(incident)

    def refuse(*_: object) -> None:
        raise AssertionError("a known file was read again")

    monkeypatch.setattr("kagent_render.source.discovery.read_objects", refuse)
    monkeypatch.setattr("kagent_render.api.decoding._decode_own", refuse)
    assert seen(incident) == before


def _damage(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda memo: memo.write_bytes(change(memo.read_bytes()))


def _sql(*statements: str) -> Callable[[Path], None]:
    def execute(memo: Path) -> None:
        with sqlite3.connect(memo) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return execute


def _shuffle(memo: Path) -> None:
    """Give every content, whole as it is, to another key."""
    with sqlite3.connect(memo) as connection:
        rows = connection.execute("SELECT key, content FROM memo ORDER BY key").fetchall()
        moved = [(content, key) for (key, _), (_, content) in zip(rows, rows[1:] + rows[:1], strict=True)]
        connection.executemany("UPDATE memo SET content = ? WHERE key = ?", moved)
    connection.close()


def _replace_by_folder(memo: Path) -> None:
    memo.unlink()
    memo.mkdir()


def _replace_by_link(memo: Path) -> None:
    memo.unlink()
    memo.symlink_to("/nowhere/at/all")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": _damage(lambda _: b""),
    "cut short": _damage(lambda data: data[: len(data) // 2]),
    "no database": _damage(lambda _: b"not a database" * 1000),
    "a flipped byte in every page": _damage(
        lambda data: b"".join(
            data[at : at + 2000] + bytes([data[at + 2000] ^ 1]) + data[at + 2001 : at + 4096]
            for at in range(0, len(data), 4096)
        )
    ),
    "another table": _sql("DROP TABLE memo", "CREATE TABLE memo (a, b)"),
    "text in place of bytes": _sql("UPDATE memo SET content = 'text'"),
    "bytes that are too short": _sql("UPDATE memo SET content = x'00'"),
    "other content": _sql("UPDATE memo SET content = content || x'00'"),
    "content of another key": _shuffle,
    "a folder": _replace_by_folder,
    "removed": lambda memo: memo.unlink(),
    "a link to nowhere": _replace_by_link,
    "writable for others": lambda memo: memo.parent.chmod(0o777),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_memo_changes_nothing(
    damage: Callable[[Path], object], incident: Path, cache: Path
) -> None:
    before = seen(incident)
    damage(cache / _MEMO)
    assert seen(incident) == before
    assert seen(incident) == before


@pytest.mark.parametrize("damage", [DAMAGES["empty"], DAMAGES["no database"]], ids=["empty", "no database"])
def test_a_memo_that_is_none_is_begun_anew(
    damage: Callable[[Path], object], incident: Path, cache: Path
) -> None:
    seen(incident)
    damage(cache / _MEMO)
    seen(incident)
    seen(incident)
    with sqlite3.connect(cache / _MEMO) as connection:
        assert connection.execute("SELECT count(*) FROM memo").fetchone()[0] > 0
    connection.close()


def test_a_memo_that_has_grown_too_large_is_begun_anew(
    incident: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seen(incident)
    monkeypatch.setattr("kagent_render.cli.memory._LARGEST", 1)
    assert seen(incident) == before


def test_a_cache_folder_that_cannot_be_made_changes_nothing(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert_memory_changes_nothing(team)


def test_the_cache_folder_is_the_users_alone(team: Path, cache: Path) -> None:
    seen(team)
    assert stat.S_IMODE((cache / _MEMO).parent.stat().st_mode) == 0o700


def test_without_cache_nothing_is_read_or_written(team: Path, cache: Path) -> None:
    seen(team, "--no-cache")
    assert not cache.exists()


SECRETS = {
    "Secret": "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: s}\n"
    "stringData: {key: planted}\n",
    "Secret in a List": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n"
    "  metadata: {namespace: team, name: s}\n  data: {key: cGxhbnRlZA==}\n  stringData: {key: planted}\n",
    "SealedSecret": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n"
    "metadata: {namespace: team, name: s}\nspec: {encryptedData: {key: planted}}\n",
    "ExternalSecret": "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\n"
    "metadata: {namespace: team, name: s}\nspec: {target: {template: {data: {key: planted}}}}\n",
    "a literal that may be a credential": "apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\n"
    "metadata: {namespace: team, name: s}\nspec: {provider: OpenAI, model: m, openAI: "
    "{baseUrl: 'https://planted:planted@example.com'}}\n",
    "a file that is not YAML": "kind: Secret\napiVersion: kagent.dev/v1\ndata: [planted\n",
}


NEIGHBOUR = """\
apiVersion: v1
kind: ConfigMap
metadata: {{namespace: team, name: neighbour-{0}}}
data: {{text: next to {0}}}
"""


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_no_file_with_a_secret_is_remembered(text: str, team: Path, cache: Path) -> None:
    (team / "secret.yaml").write_text(f"{text}---\n{NEIGHBOUR.format('a secret')}")
    (team / "none.yaml").write_text(NEIGHBOUR.format("none"))
    seen(team)
    contents = b"".join(path.read_bytes() for path in (cache / _MEMO).parent.iterdir())
    assert b"next to none" in contents
    for hidden in (b"next to a secret", b"planted", b"cGxhbnRlZA"):
        assert hidden not in contents


def test_processes_may_share_a_memo(tmp_path: Path, cache: Path) -> None:
    roots = [copy_example(tmp_path / f"root-{number}", rendered=False) for number in range(4)]
    command = [sys.executable, "-c", "from kagent_render.cli.main import main; main()", "render", "--offline"]
    running = [
        subprocess.Popen([*command, str(root)], stderr=subprocess.PIPE, env=os.environ) for root in roots
    ]
    assert [process.communicate()[1] and process.returncode for process in running] == [0] * len(roots)
    outputs = [tree(root / "rendered") for root in roots]
    assert outputs == [outputs[0]] * len(roots)
    assert_memory_changes_nothing(roots[0])
