"""What earlier commits left on an output branch: folders of roots that are gone, or write elsewhere now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.diagnostics.text import printable
from kagent_render.emit.comparison import compare
from kagent_render.emit.layout import manifest_path, place_of
from kagent_render.emit.plan import PairOutput, plan_output
from kagent_render.preparation.carrying import foreign_names, is_carried
from kagent_render.preparation.in_use import check_in_use, names_in_use
from kagent_render.preparation.kept import outliving_manifests
from kagent_render.publication.record import LONGEST, RecordPlace, read_record, record_place
from kagent_render.source.discovery import IN_USE_FOLDER
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.objects import read_objects
from kagent_render.source.reader import ReadError, Subfolder
from kagent_render.source.roots import folder_of
from kagent_render.target.generations import newest_target

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kagent_render.cli.commit.ends import Source, Tip
    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.emit.layout import Owner
    from kagent_render.source.reader import Reader


@dataclass(frozen=True, slots=True)
class Leftover:
    """An output folder that no root has any more: what goes, whose it was, and its records."""

    changes: Mapping[str, bytes | None]
    owners: tuple[Owner, ...]
    records: Mapping[str, None]


@dataclass(frozen=True, slots=True)
class LeftFolder:
    """The folder `output` that records of the root at `place` name, and the paths of these by owner."""

    place: str
    output: str
    records: Mapping[str, Owner]

    @property
    def folder(self) -> str:
        """The folder as a path of the repository."""
        return folder_of(self.place, self.output)


def find_leftovers(tip: Tip, source: Source) -> list[LeftFolder]:
    """Output folders that records name and no root of the revision writes, as far as PATH means them."""
    current = {(root.place, root.config.output) for root in source.roots if root.config is not None}
    rendered = {root.place for root in source.roots}
    found: dict[tuple[str, str], dict[str, Owner]] = {}
    for path, place, output in _records(tip):
        gone = place.root in rendered or (
            _is_meant(place.root, source.inside) and not source.has_root(place.root)
        )
        if gone and (place.root, output) not in current:
            found.setdefault((place.root, output), {})[path] = place.owner
    return [LeftFolder(*key, records) for key, records in sorted(found.items())]


def _records(tip: Tip) -> Iterator[tuple[str, RecordPlace, str]]:
    for path in tip.listed:
        place = record_place(path)
        if place is None:
            continue
        try:
            record = read_record(tip.files.read(path, LONGEST))
        except ReadError:
            continue
        if record is not None:
            yield path, place, record.output


def _is_meant(place: str, inside: str) -> bool:
    """Whether PATH could mean a root: it is at PATH, above or below."""
    return (
        not inside
        or not place
        or f"{place}/".startswith(f"{inside}/")
        or f"{inside}/".startswith(f"{place}/")
    )


def plan_leftover(
    left: LeftFolder, tip: Tip, source: Source, heirs: Collection[str], moved: Collection[Owner]
) -> Leftover:
    """What of a folder goes: everything of ours but the ActorTemplates that instances still need.

    `heirs` are the roots that may have been this one, and say what is in use, too; `moved` are the pairs that
    they have, whose ActorTemplates moved along.
    """
    full = left.folder
    folder = tip.folder(full)
    in_use = _in_use_at(source, {left.place, *heirs})
    needed = outliving_manifests(folder, moved, in_use)
    manifests = {
        pair: {name: folder.read(manifest_path(pair, name), 1 << 24) for name in names}
        for pair, names in needed.items()
    }
    plan = plan_output([_staying(pair, kept) for pair, kept in manifests.items()])
    comparison, files = compare(plan, folder), plan.files
    changed = (*comparison.stale, *comparison.leftovers)
    owners = {place.owner for path in changed if (place := place_of(path)) and place.owner}
    records = {path: None for path, owner in left.records.items() if owner not in manifests}
    return Leftover(
        {f"{full}/{path}": files.get(path) for path in changed}, tuple(sorted(owners, key=str)), records
    )


def _staying(pair: PairRef, manifests: Mapping[str, bytes]) -> PairOutput:
    """The manifests that stay of a pair; nobody says for which target, so that their form does."""
    target = newest_target(manifests.values())
    foreign = foreign_names(manifests, target)
    return PairOutput(pair, None, {}, manifests, carried=is_carried(target), foreign=foreign)


def _in_use_at(source: Source, places: Collection[str]) -> dict[str, frozenset[str]]:
    """The ActorTemplates that the InUse documents of several places name, by namespace."""
    found: dict[str, frozenset[str]] = {}
    for place in places:
        for namespace, names in names_in_use_at(Subfolder(source.files, place)).items():
            found[namespace] = found.get(namespace, frozenset()) | names
    return found


def names_in_use_at(reader: Reader) -> dict[str, frozenset[str]]:
    """The ActorTemplates that a root's InUse documents name, whether or not the root is one any more."""
    documents = []
    for path in reader.files(IN_USE_FOLDER).paths:
        if path.endswith((".yaml", ".yml")):
            try:
                documents += read_objects(path, reader.read(path))
            except (ReadError, YAMLInvalidError):
                raise _unknown(path) from None
    for fault in check_in_use(documents):
        raise _unknown(fault.source.path if fault.source is not None else IN_USE_FOLDER)
    return names_in_use(documents)


def _unknown(path: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"`{printable(path)}` does not say which ActorTemplates are in use, so that none can go",
        "correct that file, or remove it where nothing runs any more",
    )
