"""`kagent-apply completion`: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash:  source <(kagent-apply completion bash)
    zsh:   source <(kagent-apply completion zsh)
    fish:  kagent-apply completion fish | source
    """  # noqa: D301
    from kagent_apply.cli.main import program

    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"no completion for `{shell}`")
    click.echo(script(program, {}, "kagent-apply", "_KAGENT_APPLY_COMPLETE").source())
