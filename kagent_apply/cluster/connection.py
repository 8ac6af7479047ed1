"""Talks to an API server that a kubeconfig or the pod's service account names."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import urllib3
from kubernetes import client, config

from kagent_apply.cluster.api import ApiError, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kagent_apply.cluster.api import Stream

_CONNECT_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 30.0
_LARGEST_REPLY: Final = 256 * 1024 * 1024
"""Bytes of a reply: a page of objects, none of which etcd would keep if it were far beyond a MiB."""

_LONGEST_LINE: Final = 16 * 1024 * 1024
"""Bytes of one change that a watch tells."""

_CHUNK: Final = 64 * 1024


class ConnectionFailedError(Exception):
    """There is no cluster to talk to: one sentence, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def connect(kubeconfig: Path | None, context: str | None = None) -> KubernetesApi:
    """The API server of a kubeconfig, or without one that of the pod; raises ConnectionFailedError.

    Nothing is written to the kubeconfig, and nothing is asked of the server yet.
    """
    settings = client.Configuration()
    settings.retries = False  # whoever asks knows what may be asked again
    try:
        if kubeconfig is None:
            config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]
        else:
            config.load_kube_config(  # type: ignore[no-untyped-call]
                str(kubeconfig), context, client_configuration=settings, persist_config=False
            )
    except config.ConfigException:
        raise _not_connected(kubeconfig) from None
    except Exception as error:  # the loader lets through whatever a strange file raises
        raise _not_connected(kubeconfig) from error
    return KubernetesApi(settings)


def _not_connected(kubeconfig: Path | None) -> ConnectionFailedError:
    if kubeconfig is None:
        return ConnectionFailedError(
            "there is no service account of a pod", "name a kubeconfig, or run in a cluster"
        )
    return ConnectionFailedError(
        f"the kubeconfig `{kubeconfig}` cannot be used",
        "try it with `kubectl --kubeconfig`, and name a context that it has",
    )


class KubernetesApi:
    """An API server over HTTP; tokens are read again as they are rotated."""

    def __init__(self, settings: client.Configuration) -> None:
        self._settings = settings
        self._client = client.ApiClient(settings)
        self._pool = self._client.rest_client.pool_manager

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        """Send a request, and read what comes back."""
        data = None if body is None else json.dumps(body).encode()
        response = self._send(method, path, query, data, content_type, _ANSWER_SECONDS)
        try:
            return _reply(response)
        finally:
            response.close()

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        """Begin a watch that is quiet for `seconds` at most; a Reply where it is refused."""
        response = self._send("GET", path, query, None, "application/json", seconds)
        if response.status == 200:
            return _Lines(response)
        try:
            return _reply(response)
        finally:
            response.close()

    def close(self) -> None:
        """Let go of connections."""
        self._pool.clear()
        self._client.close()  # type: ignore[no-untyped-call]

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        data: bytes | None,
        content_type: str,
        seconds: float,
    ) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": "application/json", "User-Agent": "kagent-apply"}
        if data is not None:
            headers["Content-Type"] = content_type
        try:
            if token := self._settings.auth_settings().get("BearerToken"):
                headers[token["key"]] = str(token["value"])
            return self._pool.request(
                method,
                f"{self._settings.host}{path}?{urlencode(query)}",
                body=data,
                headers=headers,
                timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=seconds),
                preload_content=False,
                redirect=False,
            )
        except Exception as error:  # a hook that renews a token may raise anything
            raise _unanswered(error) from None


class _Lines:
    """The lines of a response as they come."""

    def __init__(self, response: urllib3.BaseHTTPResponse) -> None:
        self._response = response

    def lines(self) -> Iterator[bytes]:
        pending = b""
        try:
            for chunk in self._response.stream(_CHUNK, decode_content=True):
                *whole, pending = (pending + chunk).split(b"\n")
                yield from (line for line in whole if line)
                if len(pending) > _LONGEST_LINE:
                    raise ApiError(f"a change is longer than {_LONGEST_LINE} bytes")
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            raise _unanswered(error) from None
        finally:
            self.close()

    def close(self) -> None:
        with suppress(ValueError, OSError, RuntimeError, AttributeError):
            self._response.shutdown()  # wakes who reads, for whom closing would wait
        with suppress(OSError, ValueError, RuntimeError, AttributeError):
            self._response.close()


def _reply(response: urllib3.BaseHTTPResponse) -> Reply:
    try:
        data = response.read(_LARGEST_REPLY + 1, decode_content=True)
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        raise _unanswered(error) from None
    if len(data) > _LARGEST_REPLY:
        raise ApiError(f"a reply is longer than {_LARGEST_REPLY} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        if response.status < 300:
            raise ApiError("a reply is no JSON object")
        value = {}
    return Reply(response.status, value)


def _unanswered(error: Exception) -> ApiError:
    """What went wrong by the name of its kind: its text may hold an address with a credential."""
    return ApiError(f"the API server does not answer: `{type(error).__name__}`")
