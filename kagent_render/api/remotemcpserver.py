"""RemoteMCPServer, alike in `kagent.dev/v1alpha2` and `kagent.dev/v1alpha3`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.addresses import NoUserInformation
from kagent_render.api.durations import is_duration, seconds
from kagent_render.api.schema import Block, Check, Reference, Rule, Sensitive, exactly_one
from kagent_render.api.selector import LabelSelector
from kagent_render.api.tls import TlsConfig, hub_tls
from kagent_render.source.document import Document

# The schema takes any string here; the API's own type is a duration, which nothing else decodes to.
Duration = Annotated[
    str,
    Check(
        "the value must be a duration that is not negative",
        is_duration,
        hint="write a number and a unit, as in `30s` or `1m30s`",
        cel="duration(self) >= duration('0s')",
    ),
]


class HeaderValueSource(Reference):
    """A key of a ConfigMap or Secret of the same namespace."""

    type: Literal["ConfigMap", "Secret"]
    """The kind of the object."""
    name: Annotated[str, Field(max_length=253)]
    """The object's name."""
    key: Annotated[str, Field(max_length=253)]
    """The key whose value is taken."""


class HeaderSource(Block):
    """One request header: a literal or a reference."""

    name: str
    """The header's name."""
    value: str | None = None
    """A literal; this, or `valueFrom`."""
    value_from: HeaderValueSource | None = None
    """Where the value comes from; this, or `value`."""

    rules = (exactly_one("value", "valueFrom"),)


class AllowedNamespaces(Block):
    """Which other namespaces may use the server; agents here use their own namespace's alone."""

    allowed_from: Annotated[Literal["All", "Same", "Selector"], Field(alias="from")] = "Same"
    """Which namespaces."""
    selector: LabelSelector | None = None
    """Selects namespaces where `from` is `Selector`."""

    rules = (
        Rule(
            "`from: Selector` needs `selector`",
            holds=lambda block: block["from"] != "Selector" or "selector" in block,
            reads=("from",),
            field=("selector",),
            hint="set `selector`",
            cel="!(self.from == 'Selector' && !has(self.selector))",
            schema={
                "if": {"required": ["from"], "properties": {"from": {"const": "Selector"}}},
                "then": {"required": ["selector"]},
            },
        ),
    )


def _pins_ca(block: Mapping[str, Any]) -> bool:
    tls = block.get("tls")
    return isinstance(tls, dict) and bool(tls.get("caCertSecretRef"))


def _crosses_namespaces(block: Mapping[str, Any]) -> bool:
    allowed = block.get("allowedNamespaces")
    return isinstance(allowed, dict) and allowed.get("from") in ("All", "Selector")


class RemoteMCPServerSpec(Block):
    """An MCP server at an address."""

    description: str
    """What the server is for."""
    url: Annotated[str, Field(min_length=1), NoUserInformation]
    """Its address."""
    protocol: Literal["SSE", "STREAMABLE_HTTP"] = "STREAMABLE_HTTP"
    """How it speaks MCP."""
    headers_from: Annotated[list[HeaderSource], Sensitive()] | None = None
    """Headers of every request."""
    timeout: Duration = "30s"
    """How long a request may take, such as `30s`."""
    sse_read_timeout: Duration | None = None
    """How long a stream may be silent."""
    terminate_on_close: bool = True
    """Whether a session is ended on the server, too."""
    allowed_namespaces: AllowedNamespaces | None = None
    """Which other namespaces may use it."""
    tls: TlsConfig | None = None
    """How its certificate is verified."""

    rules = (
        Rule(
            "`tls` contradicts an `http://` address",
            holds=lambda block: "tls" not in block or not block["url"].startswith("http://"),
            reads=("url",),
            field=("tls",),
            hint="remove `tls` or use `https://`",
            cel="!self.url.startsWith('http://') || !has(self.tls)",
            schema={"not": {"required": ["tls"], "properties": {"url": {"pattern": "^http://"}}}},
        ),
        Rule(
            "a server with a pinned CA must not be open to other namespaces",
            holds=lambda block: not (_pins_ca(block) and _crosses_namespaces(block)),
            reads=("allowedNamespaces", "tls"),
            field=("allowedNamespaces", "from"),
            hint="set `from: Same` or remove `tls.caCertSecretRef`",
            cel="!(has(self.allowedNamespaces) && has(self.allowedNamespaces.from)"
            " && self.allowedNamespaces.from in ['All', 'Selector'] && has(self.tls)"
            " && has(self.tls.caCertSecretRef) && size(self.tls.caCertSecretRef) > 0)",
        ),
    )


def hub_server(document: Document, spec: Mapping[str, Any], model: RemoteMCPServerSpec) -> hub.McpServer:
    """The MCP server of a valid manifest."""
    protocol = hub.McpProtocol(model.protocol)
    return hub.McpServer(
        ref=document.ref,
        spec=spec,
        document=document,
        url=model.url,
        protocol=protocol,
        headers=tuple(_header(header) for header in model.headers_from or ()),
        timeout=seconds(model.timeout),
        sse_read_timeout=None if model.sse_read_timeout is None else seconds(model.sse_read_timeout),
        terminate_on_close=None if protocol is hub.McpProtocol.SSE else model.terminate_on_close,
        tls=hub_tls(model.tls),
    )


def _header(header: HeaderSource) -> hub.Header:
    source = header.value_from
    if source is None:
        return hub.Header(header.name, header.value or "")
    if source.type == "Secret":
        return hub.Header(header.name, hub.SecretKeyRef(source.name, source.key))
    return hub.Header(header.name, hub.ConfigMapKeyRef(source.name, source.key))
