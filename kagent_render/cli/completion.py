"""`kagent-render completion`: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash:  source <(kagent-render completion bash)
    zsh:   source <(kagent-render completion zsh)
    fish:  kagent-render completion fish | source
    """
    from kagent_render.cli.main import program

    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"no completion for `{shell}`")
    click.echo(script(program, {}, "kagent-render", "_KAGENT_RENDER_COMPLETE").source())
