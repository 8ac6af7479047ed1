"""The TLS settings that model endpoints and MCP servers share."""

from typing import Annotated

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.schema import Block, Refers, Rule


class TlsConfig(Block):
    """How a server's certificate is verified; empty strings count as unset."""

    disable_verify: bool = False
    """Trusts any certificate."""
    ca_cert_secret_ref: Annotated[str, Refers()] | None = None
    """The Secret that holds the authority's certificate."""
    ca_cert_secret_key: str | None = None
    """The key of that certificate."""
    disable_system_cas: Annotated[bool, Field(alias="disableSystemCAs")] = False
    """Trusts that authority alone."""

    rules = (
        Rule(
            "`caCertSecretKey` needs `caCertSecretRef`",
            holds=lambda block: not block.get("caCertSecretKey") or bool(block.get("caCertSecretRef")),
            reads=("caCertSecretKey", "caCertSecretRef"),
            field=("caCertSecretRef",),
            hint="set `caCertSecretRef` to the Secret's name",
            cel="!(has(self.caCertSecretKey) && size(self.caCertSecretKey) > 0"
            " && (!has(self.caCertSecretRef) || size(self.caCertSecretRef) == 0))",
        ),
        Rule(
            "`caCertSecretRef` needs `caCertSecretKey`",
            holds=lambda block: not block.get("caCertSecretRef") or bool(block.get("caCertSecretKey")),
            reads=("caCertSecretKey", "caCertSecretRef"),
            field=("caCertSecretKey",),
            hint="set `caCertSecretKey` to the key of the certificate",
            cel="!(has(self.caCertSecretRef) && size(self.caCertSecretRef) > 0"
            " && (!has(self.caCertSecretKey) || size(self.caCertSecretKey) == 0))",
        ),
        Rule(
            "`disableSystemCAs` without another trust would refuse every server",
            holds=lambda block: (
                not block["disableSystemCAs"] or block["disableVerify"] or bool(block.get("caCertSecretRef"))
            ),
            reads=("disableSystemCAs", "disableVerify", "caCertSecretRef"),
            field=("disableSystemCAs",),
            hint="set `caCertSecretRef` and `caCertSecretKey`, or remove `disableSystemCAs`",
            cel="!(has(self.disableSystemCAs) && self.disableSystemCAs"
            " && (!has(self.disableVerify) || !self.disableVerify)"
            " && (!has(self.caCertSecretRef) || size(self.caCertSecretRef) == 0))",
        ),
    )


def hub_tls(tls: TlsConfig | None) -> hub.Tls | None:
    """The TLS settings, the CA's Secret in one reference."""
    if tls is None:
        return None
    name, key = tls.ca_cert_secret_ref, tls.ca_cert_secret_key
    return hub.Tls(
        disable_verify=tls.disable_verify,
        disable_system_cas=tls.disable_system_cas,
        ca_cert=hub.SecretKeyRef(name, key) if name and key else None,
    )
