"""Prepares the items of a ResourceList, by themselves or against the locks of a committed root."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.generate.generation import generate
from kagent_render.cli.options import Settings
from kagent_render.cli.output import naming_folders_of, open_output
from kagent_render.cli.progress import Progress
from kagent_render.cli.roots import Root
from kagent_render.cli.run import hold_against_output, prepare_root
from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, distinct
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.applied import CONFIG_MAP
from kagent_render.krm.configuration import FunctionConfigError, read_function_config
from kagent_render.krm.objects import doubled_objects, file_of, has_own_kinds, input_files
from kagent_render.krm.results import Result, failure, result_of
from kagent_render.source.config import CONFIG_FILE
from kagent_render.source.config_reading import read_config
from kagent_render.source.globs import DEFAULT_SOURCES
from kagent_render.source.reader import GivenFiles, MemoryFiles
from kagent_render.source.worktree import WorkTree
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.cli.run import RootRun
    from kagent_render.emit.applied import AppliedObject
    from kagent_render.krm.configuration import FunctionConfig
    from kagent_render.krm.resource_list import Item, ResourceList
    from kagent_render.source.reader import Reader

CONFIG_MAPS: Final = "configmaps"
"""The folder of a root for ConfigMaps that carry pairs, where an orchestrator writes them to disk."""


@dataclass(frozen=True, slots=True)
class PreparedItems:
    """The objects to apply by a file for each, and what was found; none where that holds an error."""

    objects: Mapping[str, Any] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)


def prepare_items(given: ResourceList, *, strict: bool, cached: bool) -> PreparedItems:
    """What a function adds to the items; raises FunctionConfigError.

    Without items of our kinds it generates what the committed root holds.
    """
    config = read_function_config(given.config)
    folder = _folder(config)
    settings = Settings(
        folder, locked=True, offline=True, strict=strict or config.strict, cached=cached, modes_lost=True
    )
    own = has_own_kinds(given.items)
    if not own and config.render_config is not None:
        return PreparedItems()
    try:
        inputs = input_files(given.items)
        prepared = (
            _prepared(_root(config, folder, inputs), settings, inputs, config)
            if own
            else _committed(settings, config)
        )
    except EnvironmentFailure as error:
        return PreparedItems(results=[failure(error.message, error.hint)])
    doubled = doubled_objects(given.items, prepared.objects.values())
    return dataclasses.replace(prepared, results=[*prepared.results, *map(_doubled, doubled)])


def _doubled(value: Mapping[str, Any]) -> Result:
    """The result for an object of which one would be replaced, and another applied as it came."""
    ref = ObjectRef(
        value["apiVersion"], value["kind"], value["metadata"]["namespace"], value["metadata"]["name"]
    )
    found = Diagnostic(
        Reason.DUPLICATE_OBJECT,
        f"{ref.kind} `{ref.namespace}/{ref.name}` is in a List or more than once among the items",
        hint="remove all but one of them, and leave that in no List",
        object=ref,
    )
    return result_of(found, {})


def _folder(config: FunctionConfig) -> Path:
    """The folder of the root, which is below the working directory, links included."""
    path = Path(config.root or ".")
    inside = "\0" not in config.root and not path.is_absolute() and ".." not in path.parts
    try:
        inside = inside and path.resolve().is_relative_to(Path.cwd())
        found = inside and (not config.root or (path / CONFIG_FILE).is_file())
    except (OSError, RuntimeError):
        found = False
    if not found:
        raise FunctionConfigError(
            "`spec.root` of `functionConfig` is no folder with a `kagent-render.yaml` below where this runs",
            "write a relative path without `..`; a container sees only what is mounted",
        )
    return path


def _committed(settings: Settings, config: FunctionConfig) -> PreparedItems:
    """The committed manifests of the root, once all of it was verified."""
    generated = generate(settings)
    results = [
        result_of(found, {}, config.root) for report in generated.reports for found in report.diagnostics
    ]
    if not generated.status and not generated.objects:
        results.append(
            failure("the root gives no object", "name a root with pairs, or pass manifests as items")
        )
    objects = {
        _place_of(found.applied, config, found.path): read_yaml(found.applied.text)[0].value
        for found in generated.objects
    }
    return PreparedItems(objects, results)


def _root(config: FunctionConfig, folder: Path, inputs: Mapping[str, Item]) -> Root:
    """The items as the sources of a root, on disk or of its configuration alone."""
    committed: Reader = (
        WorkTree(folder) if config.render_config is None else MemoryFiles({CONFIG_FILE: config.render_config})
    )
    found, faults = read_config(committed)
    if found is not None:
        # The items are the sources: what they are called in this program is for no pattern to choose from.
        found = dataclasses.replace(found, sources=DEFAULT_SOURCES)
    reader = GivenFiles(committed, {path: file_of(item) for path, item in inputs.items()})
    return Root(folder.resolve(), "", reader, committed, committed, committed, None, "", found, tuple(faults))


def _prepared(
    root: Root, settings: Settings, inputs: Mapping[str, Item], config: FunctionConfig
) -> PreparedItems:
    if root.config is None:
        return PreparedItems(results=[result_of(found, {}, config.root) for found in root.faults])
    progress = Progress(colour=False)
    preparation = prepare_root(root, root.config, settings, progress)
    with naming_folders_of(root), open_output(root, root.config.output) as output:
        run = hold_against_output(root, root.config, settings, preparation, output)
    verified = _lock_findings(run) if config.render_config is None else ()
    told = distinct([*root.faults, *run.diagnostics, *verified])
    results = [result_of(found, inputs, config.root) for found in told]
    if any(found.is_error for found in told):
        return PreparedItems(results=results)
    return PreparedItems(dict(_objects(run, config)), results)


def _lock_findings(run: RootRun) -> Iterable[Diagnostic]:
    """What the committed locks say of the items; pairs that no item asks for are not missed."""
    yield from (found for pair in run.currency.by_pair.values() for found in pair)
    yield from (found for agent in run.agent_currency.by_agent.values() for found in agent)


def _objects(run: RootRun, config: FunctionConfig) -> Iterable[tuple[str, Any]]:
    for found in run.planned.plan.applied:
        place = _place_of(found, config, f"{run.config.output}/{found.path}")
        yield place, read_yaml(found.text)[0].value


def _place_of(found: AppliedObject, config: FunctionConfig, path: str) -> str:
    """Where an orchestrator that writes items to disk puts an object.

    A ConfigMap has no file of its own, and in the output folder it would be one that nobody knows.
    """
    if found.kind == CONFIG_MAP:
        path = f"{CONFIG_MAPS}/{found.pair.namespace}/{found.name}.yaml"
    return (Path(config.root) / path).as_posix()
