"""What other Substrate releases name otherwise than `ateapi` of v0.4.0, or have and it has not (facts 10)."""

from __future__ import annotations

from typing import Final

_RULES: Final = "name the hosts in a rule's `http`, `https` or `tlsPassthrough`"
_KIND: Final = "remove it: a file of `ateapi` holds one ActorTemplate, and does not say so"

FORMER_NAMES: Final = {
    "ActorTemplate.apiVersion": ("resources of `ateapi` have none", _KIND),
    "ActorTemplate.kind": ("resources of `ateapi` have none", _KIND),
    "ActorTemplate.pauseImage": ("it is the custom resource's", "remove it"),
    "ActorTemplate.sandboxClass": ("it is the custom resource's", "write `sandboxConfig.sandboxClass`"),
    "ActorTemplate.snapshotsConfig": (
        "it has another name since v0.4.0-alpha1",
        "write `snapshotConfig`",
    ),
    "Container.readyz": ("it has another name since v0.4.0-alpha1", "write `wakeupProbe`"),
    "EgressRule.all": ("it is that of v0.2's betas", _RULES),
    "EgressRule.cidrs": ("it is that of v0.2's betas", _RULES),
    "EgressRule.hostnames": ("it is that of v0.2's betas", _RULES),
    "EgressRule.ipBlocks": ("it is that of v0.2's betas", _RULES),
    "EnvVar.valueFrom": (
        "it is the custom resource's of June 2026",
        "write `value`, and let a rule's `replaceHeaders` bring the credential",
    ),
    "HttpRuleEffects.injectStaticHeaders": ("it is that of v0.2's betas", "write `replaceHeaders`"),
    "ResourceMetadata.annotations": ("resources of `ateapi` have none", "remove it"),
    "ResourceMetadata.labels": ("resources of `ateapi` have none", "remove it"),
    "ResourceMetadata.namespace": ("it has another name", "write `atespace`"),
    "SnapshotConfig.location": ("it is the custom resource's", "write `storageLocation`"),
    "SnapshotConfig.onPause": ("v0.4.0 has none any more", "remove it"),
    "SnapshotConfig.onResume": ("v0.4.0 has none any more", "remove it"),
    "TrustBundleDataSource.name": ("v0.4.0 takes several", "write `names`, a list"),
}
"""By message and field: why it is not this generation's, and what to do."""
