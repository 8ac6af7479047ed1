"""`kagent-render diff`: what changed between two revisions of a repository, by meaning, for review."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options, wants_colour

if TYPE_CHECKING:
    from kagent_render.cli.compared_sides import ComparedSide
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
@shared_options(FORMATS, takes_path=False)
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
    review = compare(base, head, settings)
    show(review, settings, max_size)
    sys.exit(status_of(review, exit_code=exit_code, fail_on=fail_on))


def compare(base: str | None, head: str | None, settings: Settings) -> Review:
    """Prepare both sides in memory and compare them."""
    from kagent_render.cli.compared_sides import compared_sides
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.root_review import review_root
    from kagent_render.review.review import Review, merged

    before, after = compared_sides(base, head, settings)
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        parts = [
            review_root(old, new, (before, after), progress) for old, new in _roots(before, after, settings)
        ]
    return merged(Review(before.told, after.told), parts)


def _roots(
    before: ComparedSide, after: ComparedSide, settings: Settings
) -> Iterator[tuple[Root | None, Root | None]]:
    """The roots of both sides by their places; one may be on one side only."""
    from kagent_render.cli.roots import existing_roots

    old = {root.place: root for root in existing_roots(before.settings)}
    new = {root.place: root for root in existing_roots(after.settings)}
    if not old and not new:
        raise EnvironmentFailure(
            f"no `kagent-render.yaml` at, above or below `{settings.path}` on either side",
            "run `kagent-render init` to write one",
        )
    for place in sorted(old.keys() | new.keys()):
        yield old.get(place), new.get(place)


def show(review: Review, settings: Settings, max_size: int = MAX_SIZE) -> None:
    """Write a review to stdout in the format that is asked for."""
    if settings.format == "text":
        from kagent_render.diagnostics.style import Style
        from kagent_render.review.text import text_lines

        colour = wants_colour(settings.colour_choice, sys.stdout)
        click.echo("\n".join(text_lines(review, Style(colour))), color=colour)
        return
    from kagent_render.review.document import review_document

    if settings.format == "json":
        text = json.dumps(review_document(review), indent=2, ensure_ascii=False)
        click.echo(text.replace("##[", "##\\u005b"))  # which some runners of jobs take for a command
    elif settings.format == "markdown":
        from kagent_render.review.markdown import markdown

        click.echo(markdown(review, max_size), nl=False)
    else:
        from kagent_render.review.page import page

        click.echo(page(review), nl=False)


def status_of(review: Review, *, exit_code: bool, fail_on: str | None) -> Status:
    """What the program exits with: a review that could be written is clean unless a flag asks for more."""
    if (exit_code and review.differs) or (fail_on == "widening" and review.widens):
        return Status.FINDINGS
    return Status.CLEAN
