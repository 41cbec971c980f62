"""`coatcheck completion`: what makes a shell complete commands and options."""

from typing import Any

import click

from coatcheck.cli.options import examples

PROGRAM = "coatcheck"
VARIABLE = "_COATCHECK_COMPLETE"
"""By which the shell asks the command itself; click reads it."""


@click.command(
    "completion",
    epilog=examples(
        "coatcheck completion bash > ~/.local/share/bash-completion/completions/coatcheck",
        "coatcheck completion zsh > ~/.zfunc/_coatcheck",
        "coatcheck completion fish > ~/.config/fish/completions/coatcheck.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes commands, options and their values.

    Put it where the shell looks for such (the examples below; make the folder first), and open a new one. bash needs
    the package bash-completion, and zsh `fpath+=~/.zfunc` before `autoload -Uz compinit && compinit` in ~/.zshrc. Only
    for the present bash: eval "$(coatcheck completion bash)".
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.ClickException(f"this version of click has no completion for {shell}: upgrade click")
    root: Any = ctx.find_root().command
    click.echo(found(root, {}, PROGRAM, VARIABLE).source())
