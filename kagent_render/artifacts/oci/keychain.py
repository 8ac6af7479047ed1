"""The user's logins, looked up when a registry asks for one."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.oci.credential_helper import helper_login
from kagent_render.artifacts.oci.docker_config import Login, config_files, read_config
from kagent_render.artifacts.oci.reference import DOCKER_HUB, HUB_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.artifacts.oci.docker_config import DockerConfig
    from kagent_render.artifacts.oci.endpoint import Endpoint

_HELPER_SECONDS: Final = 10
_HUB_SERVER: Final = "https://index.docker.io/v1/"


class Keychain:
    """Logins of one environment; each helper is asked once for each registry."""

    def __init__(
        self, environment: Mapping[str, str] | None = None, seconds: float = _HELPER_SECONDS
    ) -> None:
        self._environment = os.environ if environment is None else environment
        self._seconds = seconds
        self._helped: dict[tuple[str, str], Login | None] = {}
        self._lock = threading.Lock()

    def login(self, endpoint: Endpoint) -> Login | None:
        """The login for a repository, from the first file that knows one; raises OciFault."""
        for path in config_files(self._environment):
            if login := self._login_in(read_config(path), endpoint):
                return login
        return None

    def _login_in(self, config: DockerConfig, endpoint: Endpoint) -> Login | None:
        """Docker's order: a registry's own helper, the store of all, the file itself."""
        hosts = _hosts(endpoint)
        suffix = next((config.helpers[host] for host in hosts if host in config.helpers), config.store)
        if suffix and (login := self._ask_helper(suffix, endpoint.host)):
            return login
        logins = (config.login(key) for host in hosts for key in _keys(host, endpoint.repository))
        return next((login for login in logins if login), None)

    def _ask_helper(self, suffix: str, host: str) -> Login | None:
        server = _HUB_SERVER if host == DOCKER_HUB else host
        with self._lock:
            if (suffix, host) not in self._helped:
                login = helper_login(suffix, server, self._environment, self._seconds)
                self._helped[suffix, host] = login
            return self._helped[suffix, host]


def _hosts(endpoint: Endpoint) -> tuple[str, ...]:
    return tuple(sorted(HUB_NAMES)) if endpoint.host == DOCKER_HUB else (endpoint.host,)


def _keys(host: str, repository: str) -> tuple[str, ...]:
    """The keys that hold for a repository, the narrowest first, as podman looks for them."""
    segments = repository.split("/")
    return tuple("/".join((host, *segments[:count])) for count in range(len(segments), -1, -1))
