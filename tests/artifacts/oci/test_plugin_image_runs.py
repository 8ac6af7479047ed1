"""The images of plugins over an agent's life: pinned once, kept while nobody asks, told when they move."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kagent_render.agentplugin.lock import AgentLock
from kagent_render.agentplugin.lock_document import dump_lock, seal
from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.preparation.agent_currency import UPDATE
from tests.artifacts.oci.registry import HTPASSWD, Buildah, RegistryServer, serving_registry
from tests.artifacts.oci.test_plugin_images import pushed
from tests.cli.platform import CONFIG, LOCK, PLATFORM_AGENT, STATUS, plugin, statuses, told, volumes
from tests.cli.team import edit
from tests.running import Run, run, tree

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("fresh_cache")]

CONTENT = {"plugin.yaml": "name: stockout\nversion: v1\n", "__init__.py": ""}
NEWER = CONTENT | {"more.txt": ""}


class Life:
    """A root whose agent has the plugin `stockout` by a tag, and the registry that has its image."""

    def __init__(self, folder: Path, buildah: Buildah) -> None:
        self.root = folder / "root"
        self._folder = folder / "server"
        self._buildah = buildah
        self._running = ExitStack()
        self.root.mkdir()
        self._folder.mkdir()
        self.server = self._start()
        self.image = f"{self.server.host}/plugins/stockout:v1"
        insecure = f"  artifacts: {{oci: {{insecure: ['{self.server.host}']}}}}\n"
        self.write("kagent-render.yaml", CONFIG + insecure)
        self.write("agent.yaml", PLATFORM_AGENT)
        self.write("stockout.yaml", plugin("stockout", image=self.image))

    def _start(self, settings: str = "") -> RegistryServer:
        return self._running.enter_context(serving_registry(self._folder, self._folder / "storage", settings))

    def stop(self) -> None:
        """Stop the registry; its address refuses connections from now on."""
        self._running.close()

    def guard(self) -> RegistryServer:
        """Another registry over the same content, for whoever knows the password."""
        (self._folder / "htpasswd").write_text(HTPASSWD)
        return self._start(f"auth: {{htpasswd: {{realm: tests, path: {self._folder}/htpasswd}}}}\n")

    def push(self, content: dict[str, str], name: str = "plugins/stockout:v1") -> str:
        """Give a tag an image; gives its digest."""
        return pushed(self._buildah, self.server, name, content)

    def delete(self, digest: str, repository: str = "plugins/stockout") -> None:
        """Take an image out of the registry."""
        place = self.server.storage / "docker/registry/v2/repositories" / repository
        shutil.rmtree(place / "_manifests/revisions" / digest.replace(":", "/"))

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def run(self, *args: str) -> Run:
        return run(*args, "-o", "json", cwd=self.root)

    def output(self) -> dict[str, bytes]:
        return tree(self.root / "rendered")


@pytest.fixture
def life(tmp_path: Path, buildah: Buildah) -> Iterator[Life]:
    """The root before it is rendered for the first time; its tag has an image."""
    made = Life(tmp_path, buildah)
    yield made
    made.stop()


def reasons(done: Run, severity: str = "warning") -> set[str]:
    return {found["reason"] for found in done.json["diagnostics"] if found["severity"] == severity}


def test_a_tag_is_pinned_and_a_complete_lock_needs_no_registry(life: Life) -> None:
    digest = life.push(CONTENT)
    done = life.run("render")
    assert (done.status, reasons(done)) == (0, {"ImageTagMutable"})
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{digest}"}
    before = life.output()
    life.stop()
    for command in (["render"], ["check"], ["check", "--frozen"], ["render", "--offline"]):
        again = life.run(*command)
        assert (again.status, again.json["changed"]) == (0, [])
        assert again.json["diagnostics"] == done.json["diagnostics"]
    assert life.output() == before


def test_a_tag_that_moved_stays_pinned_until_somebody_updates_it(life: Life) -> None:
    before = life.push(CONTENT)
    life.run("render")
    after = life.push(NEWER)
    assert before != after
    edit(life.root / "agent.yaml", "maxTurns: 3", "maxTurns: 4")
    assert life.run("render").status == 0
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{before}"}

    output = life.output()
    stale = life.run("check", "--update-images")
    assert (stale.status, told(stale)) == (1, [("LockStale", "AgentPlugin/stockout", "spec.image")])
    assert (
        f"the image `{life.image}` of AgentPlugin `stockout` was resolved anew" in stale.faults[0]["message"]
    )
    assert life.output() == output

    updated = life.run("render", "--update-images")
    assert (updated.status, reasons(updated)) == (0, {"ImageTagMoved"})
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{after}"}
    assert {path.rpartition("/")[2] for path in updated.json["changed"]} == {
        "gateway.yaml",
        "revision.lock.yaml",
    }
    assert reasons(life.run("check", "--update-images")) == {"ImageTagMutable"}


def test_verify_tells_a_tag_that_moved_and_proves_what_is_pinned(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    assert life.run("verify").status == 0
    life.push(NEWER)
    done = life.run("verify")
    assert (done.status, reasons(done)) == (0, {"ImageTagMoved"})


@pytest.mark.parametrize("moved", [True, False], ids=["the tag moved", "the tag is gone, too"])
def test_verify_fails_where_the_pinned_image_is_gone(life: Life, moved: bool) -> None:
    digest = life.push(CONTENT)
    life.run("render")
    if moved:
        life.push(NEWER)
    life.delete(digest)
    done = life.run("verify")
    assert done.status == 1
    assert set(told(done)) == {
        ("ImagePullFailed", "AgentPlugin/stockout", "spec.image"),
        ("LockStale", "AgentPlugin/stockout", "spec.image"),
    }
    assert life.run("check").status == 0


def test_verify_fails_where_the_registry_cannot_be_asked(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    life.stop()
    assert told(life.run("verify")) == [("ArtifactFetchFailed", "AgentPlugin/stockout", "spec.image")]


def test_updating_without_the_registry_keeps_the_old_lock_byte_for_byte(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    before = life.output()
    life.stop()
    for flags in ([], ["--keep-going"]):
        done = life.run("render", "--update-images", *flags)
        assert (done.status, told(done)) == (
            1,
            [("ArtifactFetchFailed", "AgentPlugin/stockout", "spec.image")],
        )
        assert life.output() == before


def test_a_new_tag_without_the_registry_keeps_the_old_lock_byte_for_byte(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    before = life.output()
    life.stop()
    edit(life.root / "stockout.yaml", ":v1", ":v2")
    for flags in ([], ["--keep-going"]):
        done = life.run("render", *flags)
        assert told(done) == [("ArtifactFetchFailed", "AgentPlugin/stockout", "spec.image")]
        assert life.output() == before


def test_a_new_digest_without_the_registry_is_taken_with_a_warning(life: Life) -> None:
    digest = life.push(CONTENT)
    life.stop()
    life.write("stockout.yaml", plugin("stockout", image=f"{life.image.removesuffix(':v1')}@{digest}"))
    done = life.run("render")
    assert (done.status, reasons(done)) == (0, {"ArtifactFetchFailed"})
    assert volumes(life.root) == {"plugin-stockout": f"{life.image.removesuffix(':v1')}@{digest}"}
    assert life.run("check").status == 0


def test_a_digest_that_was_taken_unseen_is_looked_at_by_an_update(life: Life) -> None:
    digest = life.push(CONTENT)
    life.write("stockout.yaml", plugin("stockout", image=f"{life.image}@{digest}"))
    assert life.run("render", "--offline").status == 0
    assert "it was not looked at" in (life.root / LOCK).read_text()
    assert life.run("render").json["changed"] == []
    for command in (["verify"], ["check", "--update-images"]):
        [stale] = life.run(*command).faults
        assert (stale["reason"], stale["hint"]) == ("LockStale", UPDATE)
    assert life.run("render", "--update-images").status == 0
    assert "version: v1" in (life.root / LOCK).read_text()
    assert life.run("verify").status == 0


@pytest.mark.parametrize("refused", [False, True], ids=["unknown", "refused"])
def test_an_image_that_cannot_be_pulled_is_left_out_with_its_status(life: Life, refused: bool) -> None:
    life.push(CONTENT)
    life.push(CONTENT | {"plugin.yaml": "name: other\n"}, "plugins/other:v1")
    life.write("other.yaml", plugin("other", image=f"{life.server.host}/plugins/other:v1"))
    host = life.guard().host if refused else life.server.host
    image = f"{host}/plugins/stockout:{'v1' if refused else 'v9'}"
    life.write("stockout.yaml", plugin("stockout", image=image))
    if refused:
        edit(life.root / "kagent-render.yaml", f"['{life.server.host}']", f"['{life.server.host}', '{host}']")
    done = life.run("render")
    assert (done.status, told(done)) == (1, [("ImagePullFailed", "AgentPlugin/stockout", "spec.image")])
    assert set(volumes(life.root)) == {"plugin-other"}
    reason, message = statuses(life.root)["stockout"]
    assert reason == "ImagePullFailed"
    assert message.startswith(
        f"Plugin image '{image}' could not be pulled, which is blocking agent platform-agent from starting: "
    )
    assert "stockout" not in (life.root / STATUS.replace("status", "configmap")).read_text()
    assert told(life.run("check")) == told(done)
    written = life.output()
    life.stop()
    for flags in (["check", "--frozen"], ["check"], ["render", "--offline"], ["render"]):
        assert told(life.run(*flags)) == told(done)
    assert life.output() == written


def test_an_image_that_was_pushed_since_is_taken_by_the_next_run(life: Life) -> None:
    assert life.run("render").status == 1
    digest = life.push(CONTENT)
    assert [reason for reason, _, _ in told(life.run("check"))] == ["LockStale"]
    assert life.run("render").status == 0
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{digest}"}


def test_what_an_image_requires_is_told_with_the_registry_and_later_from_the_lock(life: Life) -> None:
    life.push(
        CONTENT | {"plugin.yaml": "name: stockout\nrequires_plugins: [pubsub]\nrequires_env: [TOKEN]\n"}
    )
    done = life.run("render")
    assert (done.status, reasons(done)) == (0, {"ImageTagMutable", "PluginDependencyMissing"})
    [missing] = [found for found in done.json["diagnostics"] if found["reason"] == "PluginDependencyMissing"]
    assert "the plugin `pubsub`, the variable `TOKEN`" in missing["message"]
    life.stop()
    assert life.run("check", "--frozen").json["diagnostics"] == done.json["diagnostics"]
    strict = life.run("check", "--frozen", "--strict")
    assert {reason for reason, _, _ in told(strict)} == {"ImageTagMutable", "PluginDependencyMissing"}


def test_an_image_of_another_plugin_is_told_with_the_registry_and_later_from_the_lock(life: Life) -> None:
    life.push({"plugin.yaml": "name: other\n"})
    done = life.run("render")
    assert (done.status, reasons(done)) == (0, {"ImageTagMutable", "PluginImageMismatch"})
    life.stop()
    assert life.run("check", "--frozen").json["diagnostics"] == done.json["diagnostics"]


def test_two_agents_share_one_pin_of_a_tag(life: Life) -> None:
    digest = life.push(CONTENT)
    life.run("render")
    life.push(NEWER)
    text = PLATFORM_AGENT.replace("platform-agent", "second") + "---\n"
    life.write("second.yaml", text + plugin("other", of="second", image=life.image))
    assert life.run("render").status == 0
    second = "rendered/ops/_agentplugins/second"
    assert volumes(life.root, second) == {"plugin-other": f"{life.image}@{digest}"}


def test_a_damaged_lock_is_told_where_its_pins_are_missed(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    lock = life.root / LOCK
    text = lock.read_text()
    lock.write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
    done = life.run("check", "--frozen")
    assert sorted(told(done)) == [
        ("ArtifactUnavailableOffline", "AgentPlugin/stockout", "spec.image"),
        ("LockConflict", None, None),
    ]
    conflict = next(fault for fault in done.faults if fault["reason"] == "LockConflict")
    assert conflict["source"] == {"path": LOCK, "line": 1, "column": 1}
    assert [reason for reason, _, _ in told(life.run("check"))] == ["LockConflict"]


DAMAGES: dict[str, tuple[Callable[[str], str], str]] = {
    "a merge": (lambda text: f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n", "LockConflict"),
    "an edit": (lambda text: text.replace("reason: Applied", "reason: Other"), "LockInvalid"),
    "line ends": (lambda text: text.replace("\n", "\r\n"), "LockInvalid"),
    "half of it": (lambda text: text[: len(text) // 2], "LockInvalid"),
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGES.values(), ids=DAMAGES)
def test_no_tag_moves_because_a_lock_is_damaged(
    life: Life, damage: Callable[[str], str], reason: str
) -> None:
    before = life.push(CONTENT)
    life.run("render")
    lock = life.root / LOCK
    text = lock.read_text()
    now = life.push(CONTENT | {"more.py": ""})
    lock.write_bytes(damage(text).encode())
    written = life.output()
    done = life.run("render")
    assert (done.status, [found for found, _, _ in told(done)]) == (1, [reason])
    assert "--update-images" in done.faults[0]["hint"]
    assert life.output() == written
    lock.write_text(text)
    assert life.run("render").status == 0
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{before}"}
    lock.write_bytes(damage(text).encode())
    assert life.run("render", "--update-images").status == 0
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{now}"}


def test_another_spelling_of_a_lock_pins_what_it_says(life: Life) -> None:
    before = life.push(CONTENT)
    life.run("render")
    lock = life.root / LOCK
    text = lock.read_text()
    life.push(CONTENT | {"more.py": ""})
    lock.write_text(f"{text}# a note\n")
    assert life.run("render").status == 0
    assert lock.read_text() == text
    assert volumes(life.root) == {"plugin-stockout": f"{life.image}@{before}"}


def test_verify_warns_of_a_tag_that_is_gone_while_its_image_is_there(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    tags = life.server.storage / "docker/registry/v2/repositories/plugins/stockout/_manifests/tags"
    shutil.rmtree(tags / "v1")
    done = life.run("verify")
    assert (done.status, reasons(done)) == (0, {"ImageTagMoved"})
    assert "is nothing now" in done.json["diagnostics"][0]["message"]


def test_a_digest_that_the_registry_does_not_have_stays_so_without_a_network(life: Life) -> None:
    gone = f"{life.image}@sha256:{'9' * 64}"
    life.write("stockout.yaml", plugin("stockout", image=gone))
    assert told(life.run("render")) == [("ImagePullFailed", "AgentPlugin/stockout", "spec.image")]
    written = life.output()
    for flags in (["check", "--frozen"], ["render", "--offline"], ["render"], ["check"]):
        assert told(life.run(*flags)) == [("ImagePullFailed", "AgentPlugin/stockout", "spec.image")]
    assert life.output() == written


def test_an_image_without_one_of_its_layers_cannot_be_pulled(life: Life) -> None:
    life.push(CONTENT)
    for blob in (life.server.storage / "docker/registry/v2/blobs/sha256").glob("*/*"):
        if not (blob / "data").read_bytes().startswith(b"{"):
            shutil.rmtree(blob)
    done = life.run("render")
    assert told(done) == [("ImagePullFailed", "AgentPlugin/stockout", "spec.image")]


@pytest.mark.parametrize("exact", [False, True], ids=["tag", "digest"])
def test_verify_without_a_network_reads_what_is_cached_and_says_what_is_not(
    life: Life, monkeypatch: pytest.MonkeyPatch, exact: bool
) -> None:
    digest = life.push(CONTENT)
    if exact:
        life.write("stockout.yaml", plugin("stockout", image=f"{life.image}@{digest}"))
    life.run("render")
    assert life.run("verify", "--offline").status == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(life.root.parent / "other-cache"))
    done = life.run("verify", "--offline")
    assert (done.status, told(done)) == (
        1,
        [("ArtifactUnavailableOffline", "AgentPlugin/stockout", "spec.image")],
    )
    assert "this run may not use the network" in done.faults[0]["message"]


def test_verify_without_a_network_takes_no_locks_word_of_what_an_image_holds(life: Life) -> None:
    life.push(CONTENT)
    life.run("render")
    lock = life.root / LOCK
    found = read_agent_lock(lock.read_bytes(), LOCK)
    assert isinstance(found, AgentLock)
    image = found.plugins[0].image
    assert image is not None
    assert image.manifest is not None
    lied = dataclasses.replace(image, manifest=dataclasses.replace(image.manifest, version="v2"))
    plugins = (dataclasses.replace(found.plugins[0], image=lied),)
    lock.write_text(dump_lock(seal(dataclasses.replace(found, plugins=plugins))))
    assert life.run("check").status == 0
    for flags in (["--offline"], []):
        assert told(life.run("verify", *flags)) == [("LockStale", "AgentPlugin/stockout", "spec.image")]
