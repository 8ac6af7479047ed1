"""The files in which container tools keep what they know of registries: Docker's and podman's."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import OciFault, not_fetched
from kagent_render.artifacts.strict_json import JsonInvalid, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE_BYTES: Final = 1 << 20
_TEXTS: Final = ("auth", "username", "password", "identitytoken")
_AROUND_HOST: Final = re.compile(r"^https?://|(?:/v[12])?/?$")


@dataclass(frozen=True, slots=True)
class Login:
    """What a registry is answered with; `is_token`: `secret` is an identity token and not a password."""

    username: str
    secret: str = field(repr=False)
    is_token: bool = False


@dataclass(frozen=True, slots=True)
class DockerConfig:
    """One file; its keys without scheme and API version, so that each registry has one spelling."""

    path: Path
    auths: Mapping[str, Any] = field(default_factory=dict, repr=False)
    helpers: Mapping[str, str] = field(default_factory=dict)
    store: str | None = None

    def login(self, server: str) -> Login | None:
        """What the file itself holds for `server`; raises OciFault."""
        entry = self.auths.get(server) or {}
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key, ""), str) for key in _TEXTS):
            raise _broken(self.path, f"has an entry for `{printable(server)}` that is not a mapping of texts")
        if entry.get("identitytoken"):
            return Login("", entry["identitytoken"], is_token=True)
        if entry.get("auth"):
            return self._decoded(entry["auth"], server)
        if entry.get("username") and entry.get("password"):
            return Login(entry["username"], entry["password"])
        return None

    def _decoded(self, auth: str, server: str) -> Login:
        try:
            username, colon, password = base64.b64decode(auth, validate=True).decode().partition(":")
        except ValueError:
            colon = ""
        if not colon:
            raise _broken(
                self.path, f"has an `auth` for `{printable(server)}` that is not base64 of `USER:PASSWORD`"
            )
        return Login(username, password.rstrip("\0"))


def server_key(server: str) -> str:
    """A registry as the keys of these files name it, without scheme, API version and slash at the end."""
    return _AROUND_HOST.sub("", server.strip()).lower()


def config_files(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The files to look into, in order: `REGISTRY_AUTH_FILE` alone, else Docker's, then podman's."""
    if named := environment.get("REGISTRY_AUTH_FILE"):
        return (Path(named),)
    home = environment.get("HOME") or ""
    docker = environment.get("DOCKER_CONFIG") or (home and f"{home}/.docker")
    runtime = environment.get("XDG_RUNTIME_DIR")
    found = (docker and f"{docker}/config.json", runtime and f"{runtime}/containers/auth.json")
    return tuple(Path(path) for path in found if path)


def read_config(path: Path) -> DockerConfig:
    """What a file holds, nothing where there is no file; raises OciFault."""
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return DockerConfig(path)
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}") from None
    if len(data) > _FILE_BYTES:
        raise _broken(path, "is larger than 1 MiB")
    try:
        members = read_json(data)
    except JsonInvalid as invalid:
        raise _broken(path, str(invalid)) from None
    return _decode(path, members)


def _decode(path: Path, members: object) -> DockerConfig:
    if not isinstance(members, dict):
        raise _broken(path, "is not a JSON object")
    auths, helpers = members.get("auths") or {}, members.get("credHelpers") or {}
    store = members.get("credsStore") or None
    if not isinstance(auths, dict):
        raise _broken(path, "has `auths` that are not an object")
    if not isinstance(helpers, dict) or not all(isinstance(suffix, str) for suffix in helpers.values()):
        raise _broken(path, "has `credHelpers` that are not an object of texts")
    if store is not None and not isinstance(store, str):
        raise _broken(path, "has a `credsStore` that is not a text")
    return DockerConfig(path, _by_server(auths), _by_server(helpers), store)


def _by_server(members: Mapping[str, Any]) -> dict[str, Any]:
    return {server_key(server): value for server, value in members.items()}


def _broken(path: Path, fault: str) -> OciFault:
    return not_fetched(
        f"the registry asks for credentials, and `{printable(str(path))}` {fault}",
        "correct the file, or log in again with `docker login`",
    )
