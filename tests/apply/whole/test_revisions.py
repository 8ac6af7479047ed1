"""What is committed moves on or goes away, and instances stay what they were created from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from tests.apply.whole.agents import BOUNDARIES, NAMESPACE, edition, revision, without
from tests.apply.whole.client import Client, of, state, until
from tests.apply.whole.conftest import Whole
from tests.artifacts.git.repositories import Node

pytestmark = pytest.mark.server


@pytest.fixture
def changing(whole: Whole) -> Iterator[Whole]:
    """A server whose repository is afterwards as it was."""
    yield whole
    commit(whole, edition(1, whole.example))


@pytest.fixture
def caller(whole: Whole) -> Iterator[Client]:
    """Somebody who has no instances yet."""
    client = whole.caller()
    yield client
    client.close()


def commit(whole: Whole, files: Mapping[str, bytes], *removed: str) -> None:
    """Commit exactly some files, and wait until the server has read them."""
    whole.upstream.commit(files)
    whole.until_serving(files, *removed)


def lives_on(caller: Client, whole: Whole, number: str, pinned: str) -> None:
    """An instance does all that it can do, on the revision that it was created from."""
    uids = [actor.uid for actor in of(number, whole.actors())]
    for verb, stands in (("Suspend", "SUSPENDED"), ("Resume", "READY")):
        now = caller.done(verb, number)
        assert (state(now), now.prepared_revision) == (stands, pinned)
    assert [actor.uid for actor in of(number, whole.actors())] == uids


def test_an_edit_is_for_new_instances_alone(changing: Whole, caller: Client) -> None:
    old = caller.made("coordinator", "old")
    asleep = caller.done("Suspend", caller.made("coordinator", "asleep").id)
    commit(changing, edition(2, changing.example))
    new = caller.made("coordinator", "new")
    assert old.prepared_revision == revision("coordinator", edition(1, changing.example))
    assert new.prepared_revision == revision("coordinator", edition(2, changing.example))
    assert caller.made("coordinator", "old") == old
    lives_on(caller, changing, old.id, old.prepared_revision)
    assert caller.done("Resume", asleep.id).prepared_revision == old.prepared_revision
    lives_on(caller, changing, new.id, new.prepared_revision)
    in_use = caller.call("ListActorTemplatesInUse", namespace=NAMESPACE).message.actor_templates
    for number in (old.id, asleep.id, new.id):
        caller.done("Delete", number)
    left = caller.call("ListActorTemplatesInUse", namespace=NAMESPACE).message.actor_templates
    assert len(set(in_use) - set(left)) >= BOUNDARIES["coordinator"]
    assert caller.create("coordinator", "old").code == "FAILED_PRECONDITION"


def test_an_agent_that_is_removed_has_no_new_instances(changing: Whole, caller: Client) -> None:
    files = edition(1, changing.example)
    made = caller.made("reviewer", "first")
    commit(changing, without(files, "reviewer"), "reviewer")
    refused = caller.create("reviewer", "second")
    assert refused.code == "FAILED_PRECONDITION"
    assert caller.made("reviewer", "first") == made
    lives_on(caller, changing, made.id, made.prepared_revision)
    caller.done("Delete", made.id)
    assert of(made.id, changing.actors()) == []
    commit(changing, files)
    assert state(caller.made("reviewer", "second")) == "READY"


def test_a_commit_that_is_broken_changes_nothing(changing: Whole, caller: Client) -> None:
    files: dict[str, bytes | Node] = dict(edition(2, changing.example))
    path = next(path for path in files if "reviewer/actortemplates" in path)
    files[path] = b"broken: [\n"
    changing.upstream.commit(files)
    numbers = dict.fromkeys(BOUNDARIES, 2) | {"reviewer": 1}
    wanted = {name: revision(name, edition(number, changing.example)) for name, number in numbers.items()}
    until(lambda: changing.serves(caller) == wanted)
    assert caller.made("reviewer", "first").prepared_revision == wanted["reviewer"]


def test_a_repository_that_is_deleted_stops_nothing(changing: Whole, caller: Client) -> None:
    made = caller.made("coordinator", "first")
    place = changing.upstream.folder
    away = place.with_name("away")
    place.rename(away)
    try:
        until(lambda: caller.call("ListRevisions").message.problem)
        lives_on(caller, changing, made.id, made.prepared_revision)
        new = caller.made("coordinator", "second")
        assert new.prepared_revision == made.prepared_revision
        for number in (made.id, new.id):
            caller.done("Delete", number)
    finally:
        away.rename(place)
    until(lambda: not caller.call("ListRevisions").message.problem)
