"""`kagent-render diff`: what changed between two revisions of a repository, by meaning, for review."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import OTHER_SOURCES, Settings, shared_options, wants_colour
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from kagent_render.cli.diff.root_review import SideErrors
    from kagent_render.cli.diff.sides import ComparedSide
    from kagent_render.cli.roots import Root
    from kagent_render.review.review import Review

FORMATS = ("text", "json", "markdown", "html")
MAX_SIZE = 65_536
"""Characters that GitHub and GitLab take as one comment, and more."""


@click.command()
@click.argument("base", required=False, metavar="[BASE]")
@click.argument("head", required=False, metavar="[HEAD]")
@click.option(
    "--path",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    metavar="PATH",
    help="Compare below it.",
)
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything differs.")
@click.option("--fail-on", type=click.Choice(["widening"]), help="Exit 1 when an agent may do or reach more.")
@click.option(
    "--max-size",
    type=click.IntRange(min=2_000),
    default=MAX_SIZE,
    show_default=True,
    metavar="N",
    help="The most characters of Markdown.",
)
@shared_options(FORMATS, takes_path=False, hidden=OTHER_SOURCES - {"--staged"} | {"--locked", "--frozen"})
def command(
    settings: Settings,
    base: str | None,
    head: str | None,
    exit_code: bool,
    fail_on: str | None,
    max_size: int,
) -> None:
    """Say what changed from BASE to HEAD, and whether an agent may do or reach more.

    BASE is HEAD unless given, and HEAD the work tree, or the index with `--staged`. `main...` compares with
    the commit where the branch left `main`, as `git diff` does.
    """
    if settings.revision is not None or settings.stdin is not None:
        raise click.UsageError("`diff` takes no `--rev` and no `-f`: give revisions as BASE and HEAD")
    review, errors = compare(base, head, settings)
    show(review, errors, settings, max_size)
    sys.exit(status_of(review, exit_code=exit_code, fail_on=fail_on))


def compare(base: str | None, head: str | None, settings: Settings) -> tuple[Review, list[SideErrors]]:
    """Prepare both sides in memory and compare them; gives what kept anything from being prepared as well."""
    from kagent_render.cli.diff.root_review import review_root
    from kagent_render.cli.diff.sides import compared_sides
    from kagent_render.cli.progress import showing_progress
    from kagent_render.review.review import Review, merged

    before, after = compared_sides(base, head, settings)
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        parts = [
            review_root(old, new, (before, after), progress) for old, new in _roots(before, after, settings)
        ]
    review = merged(Review(before.told, after.told), (part for part, _ in parts))
    return review, [errors for _, found in parts for errors in found if errors.errors]


def _roots(
    before: ComparedSide, after: ComparedSide, settings: Settings
) -> Iterator[tuple[Root | None, Root | None]]:
    """The roots that PATH means on either side, by their places; one may be on one side only.

    Roots nested in them are among these where they differ: nobody may hide agents in a folder of a root.
    """
    from kagent_render.cli.roots import existing_roots, nested_roots, roots_at, same_files

    meant = {root.place for side in (before, after) for root in existing_roots(side.settings)}
    nested = {place for side in (before, after) for place in nested_roots(side.settings)} - meant
    places = {*meant, *(place for place in nested if not same_files(before.settings, after.settings, place))}
    old, new = ({root.place: root for root in roots_at(side.settings, places)} for side in (before, after))
    if not old and not new:
        raise EnvironmentFailure(
            f"no `kagent-render.yaml` at, above or below `{settings.path}` on either side",
            "run `kagent-render init` to write one",
        )
    for place in sorted(old.keys() | new.keys()):
        yield old.get(place), new.get(place)


def show(review: Review, errors: Sequence[SideErrors], settings: Settings, max_size: int = MAX_SIZE) -> None:
    """Write a review to stdout in the format that is asked for, and errors to stderr unless JSON has them."""
    for found in errors if settings.format != "json" else ():
        from kagent_render.cli.report import RootReport, print_diagnostics

        click.echo(f"in {printable(str(found.side))}:", err=True)
        print_diagnostics(RootReport(found.root, (), found.errors, ()), settings)
    if settings.format == "text":
        from kagent_render.diagnostics.style import Style
        from kagent_render.review.text import text_lines

        colour = wants_colour(settings.colour_choice, sys.stdout)
        click.echo("\n".join(text_lines(review, Style(colour))), color=colour)
        return
    from kagent_render.review.document import review_document

    if settings.format == "json":
        document = {**review_document(review), "diagnostics": [*_diagnostics(errors)]}
        from kagent_render.cli.report import json_text

        click.echo(json_text(document))
    elif settings.format == "markdown":
        from kagent_render.review.markdown import markdown

        click.echo(markdown(review, max_size), nl=False)
    else:
        from kagent_render.review.page import page

        click.echo(page(review), nl=False)


def _diagnostics(errors: Sequence[SideErrors]) -> Iterator[dict[str, Any]]:
    """Each error with its side and its root, from which its path starts."""
    from kagent_render.diagnostics.document import to_document

    for found in errors:
        for error in found.errors:
            yield {"side": found.side.name, "root": found.root.place or ".", **to_document(error)}


def status_of(review: Review, *, exit_code: bool, fail_on: str | None) -> Status:
    """What the program exits with: a review that could be written is clean unless a flag asks for more."""
    if (exit_code and review.differs) or (fail_on == "widening" and review.widens):
        return Status.FINDINGS
    return Status.CLEAN
