"""Whatever is committed in whatever order, whenever it is read: each pair has its newest good revision."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apply.revisions.memory import MemoryRepository
from tests.apply.revisions.world import HARNESS, OUTPUT, PAIRS, Served, edition, folder, lock_of

EDITIONS = 3
GOOD = range(EDITIONS)
BROKEN, GONE = "broken", "gone"
STATES = st.sampled_from([*GOOD, *GOOD, BROKEN, BROKEN, GONE])


@dataclass(frozen=True)
class Step:
    """One commit: the state of each pair, whether their list is broken, and whether it is read at once."""

    states: tuple[int | str, ...]
    unlisted: bool
    read: bool


STEPS = st.lists(
    st.builds(
        Step, st.tuples(*[STATES] * len(PAIRS)), st.sampled_from([False, False, False, True]), st.booleans()
    ),
    min_size=1,
    max_size=6,
)


def files_of(step: Step) -> dict[str, bytes]:
    files = {path: data for path, data in edition(1).items() if not path.startswith("rendered/")}
    listed = [name for name, state in zip(PAIRS, step.states, strict=True) if state != GONE]
    for name, state in zip(PAIRS, step.states, strict=True):
        if state != GONE:
            whole = edition(state + 1 if isinstance(state, int) else 1)
            files |= {path: data for path, data in whole.items() if path.startswith(f"{folder(name)}/")}
            if state == BROKEN:
                files[lock_of(name)] = b"<<<<<<< ours\n"
    for path in ("rendered/kustomization.yaml", f"{OUTPUT}/kustomization.yaml"):
        files[path] = edition(1)[path]
    resources = "".join(f"- {HARNESS}/incident-{name}\n" for name in listed)
    files[f"{OUTPUT}/kustomization.yaml"] = f"kind: Kustomization\nresources:\n{resources}".encode()
    if step.unlisted:
        files[f"{OUTPUT}/kustomization.yaml"] = b"<<<<<<< ours\n"
    return files


def expected(steps: list[Step]) -> dict[str, int | None]:
    newest: dict[str, int | None] = dict.fromkeys(PAIRS)
    for step in steps:
        for name, state in zip(PAIRS, step.states, strict=True):
            if not step.unlisted and state != BROKEN:
                newest[name] = state if isinstance(state, int) else None
    return newest


@settings(max_examples=15, deadline=None)
@given(STEPS)
def test_each_pair_has_its_newest_good_revision(steps: list[Step]) -> None:
    editions = [edition(number + 1) for number in GOOD]
    with tempfile.TemporaryDirectory() as place:
        upstream = MemoryRepository()
        running = Served(upstream, Path(place) / "kept")
        for number, step in enumerate(steps):
            upstream.commit({**files_of(step), "number": b"%d" % number})
            if step.read:
                running.refresh()
        wanted = expected(steps)
        for served in (running, running.restart(), Served(upstream, Path(place) / "fresh")):
            assert served.refresh().serving(*editions) == wanted
            assert served.index.problem() == ""
