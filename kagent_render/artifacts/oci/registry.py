"""One artifact's registry: its hosts in order, each asked with patience that ends."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from kagent_render.artifacts.oci.allowance import Allowance
from kagent_render.artifacts.oci.body import read_body
from kagent_render.artifacts.oci.descriptor import Descriptor
from kagent_render.artifacts.oci.failure import OciFault, too_large
from kagent_render.artifacts.oci.request_failure import check_status, fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from requests import Response

    from kagent_render.artifacts.oci.client import Client
    from kagent_render.artifacts.oci.endpoint import Endpoint
    from kagent_render.artifacts.oci.keychain import Keychain
    from kagent_render.artifacts.oci.tag import Tag
    from kagent_render.artifacts.port import FetchContext

    Ask = Callable[[Client], Response]

T = TypeVar("T")
DOCUMENT_BYTES: Final = 4 << 20
"""The largest manifest and configuration that registries have to accept, and that is read here."""

_KNOWN: Final = {f"sha256:{hashlib.sha256(data).hexdigest()}": data for data in (b"", b"{}")}


@dataclass(frozen=True, slots=True)
class Received:
    """Checked content from `host`, and what the host says of it: a media type, and a document's digest."""

    data: bytes
    host: str
    media_type: str | None
    digest: str | None


class Registry:
    """The hosts that may have one artifact; one that cannot be reached is not asked again."""

    def __init__(self, endpoints: Sequence[Endpoint], keychain: Keychain, context: FetchContext) -> None:
        from kagent_render.artifacts.oci.client import Client

        self._bounds = context.bounds
        self._received = context.received
        self._keychain = keychain
        self._clients = [Client(endpoint, context.bounds) for endpoint in endpoints]
        self._whole = Allowance(context.bounds.answer + context.bounds.body)

    def document(self, wanted: Descriptor | Tag) -> Received:
        """A manifest or index that is what its digest says, if it was asked for by one; raises OciFault."""
        return self._content(wanted, lambda client: client.manifest(wanted.name))

    def blob(self, descriptor: Descriptor) -> bytes:
        """A blob that is what its digest says; what everybody knows is not asked for; raises OciFault."""
        known = _KNOWN.get(descriptor.digest)
        if known is not None and descriptor.size == len(known):
            return known
        return self._content(descriptor, lambda client: client.blob(descriptor.digest)).data

    def _content(self, wanted: Descriptor | Tag, ask: Ask) -> Received:
        """From the first host that has it; one that sends something else is told, not passed over."""
        faults: list[OciFault] = []
        shares = len(self._clients)
        for client in tuple(self._clients):
            try:
                return self._download(client, wanted, ask, shares)
            except OciFault as fault:
                if fault.is_final:
                    raise
                faults.append(fault)
                if fault.unreachable and len(self._clients) > 1:
                    self._clients.remove(client)
        raise _told(faults)

    def _download(self, client: Client, wanted: Descriptor | Tag, ask: Ask, shares: int) -> Received:
        """The checked content from one host; a body that breaks off is asked for once more."""
        host = client.endpoint.host
        limit = DOCUMENT_BYTES if wanted.size is None else wanted.size
        for attempts_left in (1, 0):
            answer = self._answer(client, wanted, ask, shares)
            read = partial(read_body, answer, limit, _beyond(wanted, host), self._received)
            try:
                data = _spend(self._whole.part(self._bounds.body), read, host)
            except OciFault as fault:
                if not (attempts_left and fault.passing):
                    raise
            else:
                wanted.check(data, host)
                media_type, digest = map(answer.headers.get, ("Content-Type", "Docker-Content-Digest"))
                return Received(data, host, media_type, digest)
        raise AssertionError("the last attempt returns or raises")

    def _answer(self, client: Client, wanted: Descriptor | Tag, ask: Ask, shares: int) -> Response:
        """The head of a success; what may pass is tried again, with pauses that grow.

        Several hosts share the time, so that dead ones are told as soon as a single one would be.
        """
        allowance = self._whole.part(self._bounds.answer / shares)
        started, pause = time.monotonic(), self._bounds.pause
        while True:
            try:
                answer = self._ask(client, ask, allowance)
                check_status(answer, client.endpoint.host, wanted, login=client.has_login)
            except OciFault as fault:
                elapsed = time.monotonic() - started
                if not fault.passing or elapsed + pause > self._bounds.retry / shares:
                    raise
            else:
                return answer
            allowance.wait(pause)
            pause *= 2

    def _ask(self, client: Client, ask: Ask, allowance: Allowance) -> Response:
        """One answer; a login is looked up, outside of the network's time, when the host asks for one."""
        host = client.endpoint.host
        answer = _spend(allowance, partial(ask, client), host)
        if answer.status_code == 401:
            answer.close()
            login = self._keychain.login(client.endpoint)
            _spend(allowance, partial(client.authorize, answer, login), host)
            answer = _spend(allowance, partial(ask, client), host)
        return answer


def _spend(allowance: Allowance, work: Callable[[], T], host: str) -> T:
    try:
        return allowance.spend(work)
    except Exception as error:
        fault = fault_of(error, host)
        if fault is None:
            raise
        raise fault from None


def _beyond(wanted: Descriptor | Tag, host: str) -> OciFault:
    if isinstance(wanted, Descriptor) and wanted.size is not None:
        return wanted.mismatch(f"more than {wanted.size:,} bytes", host)
    return too_large("its manifest is larger than 4 MiB")


def _told(faults: Sequence[OciFault]) -> OciFault:
    """The last host's fault, which is the registry's own, with what its mirror had to say before."""
    *before, last = faults
    mirrors = "".join(f"; before, its mirror failed: {fault.cause}" for fault in before)
    return OciFault(last.reason, last.cause + mirrors, last.hint, refused=last.refused)
