"""The variables and the arguments that a local process gets."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kagent_apply.embedded.commands import Command
    from kagent_render.target.messages.ateapi_pb2 import ActorTemplate, Container

READYZ_PORT: Final = "KAGENT_READYZ_PORT"
"""The variable with the port that a process answers its probe at: ours, since images have a fixed one."""

_CARD: Final = "KAGENT_AGENT_CARD_JSON"
_INHERITED: Final = ("PATH", "LANG")
_REFERENCE: Final = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")

_LOADERS: Final = re.compile(
    r"(LD|DYLD|BASH_FUNC)_.*|(PYTHON|PERL|RUBY|LUA|PHP)[A-Z0-9_]*"
    r"|GIT_(SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|PROXY_COMMAND|TEMPLATE_DIR"
    r"|EXEC_PATH|CONFIG.*)|GCONV_PATH|_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|NODE_OPTIONS|NODE_PATH"
    r"|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|CDPATH|SHELL|EDITOR|VISUAL|PAGER|BROWSER"
    r"|SSH_ASKPASS|OPENSSL_CONF|OPENSSL_MODULES|OPENSSL_ENGINES|SSLKEYLOGFILE"
    # what runs a package chooses where it comes from by these, and what its scripts run in
    r"|(UV|PIP|PIPX|POETRY|CONDA|MAMBA|NPM_CONFIG|PNPM|YARN|BUN|DENO|COREPACK|CARGO|RUSTUP|GEM|BUNDLE)_.*"
    r"|RUSTC(_.*)?|RUSTFLAGS|GOPROXY|GOFLAGS|GOENV|GOTOOLCHAIN|VIRTUAL_ENV|MAVEN_OPTS|GRADLE_OPTS"
    r"|(DOTNET|CORECLR|COR|COMPLUS|MONO)_.*|(ERL|ELIXIR)_.*|TCLLIBPATH|ZDOTDIR|FPATH|INPUTRC|MANPAGER|LESSOPEN"
    r"|LOCPATH|NLSPATH|GLIBC_TUNABLES|GIO_(EXTRA_)?MODULE.*|GTK_(PATH|MODULES)|QT_PLUGIN_PATH"
    r"|XDG_(CONFIG|DATA)_(HOME|DIRS)|CODEX_HOME|CLAUDE_CONFIG_DIR"
    # files that name programs which hand out credentials
    r"|AWS_(CONFIG|SHARED_CREDENTIALS)_FILE|KUBECONFIG|DOCKER_CONFIG|CLOUDSDK_.*|GOOGLE_APPLICATION_CREDENTIALS"
)
"""Variables that make an ordinary program load or run something else, which a repository must not decide."""

_HARMLESS: Final = frozenset(
    {
        "GIT_SSL_CAINFO",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "PYTHONIOENCODING",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
    }
)


@dataclass(frozen=True, slots=True)
class Ports:
    """The loopback ports of one process: for A2A, and for its probe."""

    agent: int
    ready: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where one process runs."""

    data: Path
    scratch: Path
    ports: Ports


def loaders(template: ActorTemplate, command: Command) -> tuple[str, ...]:
    """Variables of a template that would have another program run, unless the command's own replace them."""
    return tuple(
        entry.name
        for container in template.containers
        for entry in container.env
        if entry.name not in command.environment
        and entry.name.upper() not in _HARMLESS
        and _LOADERS.fullmatch(entry.name.upper())
    )


def environment(
    template: ActorTemplate, command: Command, place: Place, inherited: Mapping[str, str]
) -> dict[str, str]:
    """All variables of a process: the template's, the command's, and then its own place."""
    variables = dict(_of_template(template, place.ports))
    variables.update(command.environment)
    variables.update({name: inherited[name] for name in _INHERITED if name in inherited})
    return {
        **variables,
        "HOME": str(place.data),
        "TMPDIR": str(place.scratch),
        READYZ_PORT: str(place.ports.ready),
    }


def arguments(container: Container, command: Command, variables: Mapping[str, str]) -> Sequence[str]:
    """The command with the container's `args`, and `$(NAME)` in them replaced as Kubernetes does."""
    return [_expanded(text, variables) for text in (*command.arguments, *container.args)]


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return variables.get(match[1], match[0]) if match[1] else "$"

    return _REFERENCE.sub(value, text)


def _of_template(template: ActorTemplate, ports: Ports) -> Iterator[tuple[str, str]]:
    """Those of the one container, with the ports that are free here (facts 4.1).

    Paths in a `systemInfo` volume are left out: nothing mounts it, and a missing trust bundle ends all TLS.
    """
    private = {
        "PORT": str(ports.agent),
        "KAGENT_PORT": str(ports.agent),
        "KAGENT_A2A_GRPC_ADDRESS": f"127.0.0.1:{ports.agent}",
    }
    absent = tuple(_system_paths(template))
    for entry in template.containers[0].env:
        if entry.name in private:
            yield entry.name, private[entry.name]
        elif entry.name == _CARD:
            yield entry.name, _card(entry.value, ports)
        elif not entry.value.startswith(absent):
            yield entry.name, entry.value


def _system_paths(template: ActorTemplate) -> Iterator[str]:
    projected = {volume.name for volume in template.volumes if volume.HasField("system_info")}
    for mount in template.containers[0].volume_mounts:
        if mount.name in projected:
            yield mount.mount_path


def _card(text: str, ports: Ports) -> str:
    """The card with its loopback address at the process's own port; as it is where it cannot be read."""
    try:
        card: Any = json.loads(text)
        for interface in card["supportedInterfaces"]:
            if interface["url"] in ("http://127.0.0.1:80", "http://127.0.0.1"):
                interface["url"] = f"http://127.0.0.1:{ports.agent}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    return json.dumps(card, separators=(",", ":"), ensure_ascii=False)
