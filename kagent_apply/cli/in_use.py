"""`kagent-apply in-use`: an InUse document, by which kagent-render keeps what instances need."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kagent_apply.cli.client.options import asking
from kagent_apply.cli.failure import EnvironmentFailure, RefusedFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_apply.cli.client.options import Asking

_MARKER: Final = "kagent-render.yaml"
_FOLDER: Final = (".kagent", "in-use")


@click.command("in-use")
@click.option(
    "-n", "--namespace", required=True, multiple=True, metavar="NAME", help="The namespace; repeatable."
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    metavar="FOLDER",
    help=f"The folder with {_MARKER}; default: this one.",
)
@click.option("--dry-run", is_flag=True, help="Print the documents, and write none.")
@asking
def command(asked: Asking, namespace: tuple[str, ...], root: Path, dry_run: bool) -> None:
    """Write .kagent/in-use/NAMESPACE.yaml: the ActorTemplates that instances need.

    Commit it: kagent-render keeps what it names, however old.
    """
    from kagent_apply.api.gitops.v1alpha1 import revisions_pb2 as api
    from kagent_apply.cli.client.connection import connected

    _check(namespace, root, written=not dry_run)
    with connected(asked.connection) as server:
        replies = {
            name: server.ask(
                api.ListActorTemplatesInUseRequest(namespace=name),
                api.ListActorTemplatesInUseResponse,
                asked.timeout,
            )
            for name in namespace
        }
    for name, reply in replies.items():
        text = document(name, reply.actor_templates)
        if dry_run:
            click.echo(text, nl=False)
        else:
            changed = write(root, name, text)
            click.echo(f"{'wrote' if changed else 'current'} {'/'.join((*_FOLDER, name))}.yaml")


def document(namespace: str, names: Sequence[str]) -> str:
    """The InUse document of a namespace; raises RefusedFailure for names that no ActorTemplate has."""
    from kagent_render.api.names import is_dns_subdomain
    from kagent_render.revision.canonical_yaml import dump

    if not all(is_dns_subdomain(name) for name in names):
        raise RefusedFailure("the server replied with what is no name of an ActorTemplate", "report this")
    return dump(
        {
            "apiVersion": "render.kagent.dev/v1alpha1",
            "kind": "InUse",
            "metadata": {"name": "in-use", "namespace": namespace},
            "spec": {"actorTemplates": sorted(set(names))},
        }
    )


def write(root: Path, namespace: str, text: str) -> bool:
    """Put a document in its place by rename; False where it is there already."""
    folder = root
    for part in _FOLDER:
        folder = folder / part
        if folder.is_symlink():
            raise EnvironmentFailure(f"`{folder}` is a link", "links are not followed; put a folder there")
    path = folder / f"{namespace}.yaml"
    try:
        if path.is_file() and not path.is_symlink() and path.read_text() == text:
            return False
        folder.mkdir(parents=True, exist_ok=True)
        _replace(path, text)
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(f"`{path}` cannot be written: {cause}") from None
    return True


def _replace(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".in-use-")
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        partial.chmod(0o644)
        partial.replace(path)
    except BaseException:
        partial.unlink()
        raise


def _check(namespaces: Sequence[str], root: Path, *, written: bool) -> None:
    from kagent_render.api.names import is_dns_label

    if not all(is_dns_label(name) for name in namespaces):
        raise click.UsageError("`--namespace` is not the name of a namespace")
    if written and not (root / _MARKER).is_file():
        hint = f"go to the folder with `{_MARKER}`, or give it in `--root`"
        raise EnvironmentFailure(f"there is no `{_MARKER}` in `{root}`", hint)
