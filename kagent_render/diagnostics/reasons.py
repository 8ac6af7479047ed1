"""The reason codes: an interface, so none ever changes its meaning."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Condition(StrEnum):
    """The conditions of a pair, in the order in which preparation reaches them."""

    ACCEPTED = "Accepted"
    RESOLVED_REFS = "ResolvedRefs"
    COMPATIBLE = "Compatible"
    PREPARED = "Prepared"


class Reason(StrEnum):
    """A stable code for one kind of fault; `docs/reasons.md` has an entry for each."""

    condition: Condition | None
    """The condition that the fault makes False; None where the document itself is at fault."""

    def __new__(cls, value: str, condition: Condition | None = None) -> Reason:
        """Make a member out of its code and its condition."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.condition = condition
        return member

    # The document itself (no condition)
    YAML_INVALID = "YAMLInvalid"
    INVALID_SPEC = "InvalidSpec"
    UNKNOWN_FIELD = "UnknownField"
    UNSUPPORTED_VERSION = "UnsupportedVersion"
    DUPLICATE_OBJECT = "DuplicateObject"
    CROSS_NAMESPACE_REFERENCE = "CrossNamespaceReference"
    SOURCE_NOT_IMMUTABLE = "SourceNotImmutable"
    CONFIG_INVALID = "ConfigInvalid"
    SOURCE_SKIPPED = "SourceSkipped"
    SOURCE_UNREADABLE = "SourceUnreadable"
    CREDENTIAL_LITERAL = "CredentialLiteral"
    CAPABILITY_RECORD_UNUSED = "CapabilityRecordUnused"
    NOT_MIGRATABLE = "NotMigratable"
    # A plugin of a PlatformAgent: its agent is written all the same (no condition)
    AGENT_NOT_FOUND = "AgentNotFound"
    INVALID_PLUGIN_NAME = "InvalidPluginName"
    DUPLICATE_PLUGIN_NAME = "DuplicatePluginName"
    IMAGE_VOLUME_UNSUPPORTED = "ImageVolumeUnsupported"
    IMAGE_PULL_FAILED = "ImagePullFailed"
    IMAGE_TAG_MUTABLE = "ImageTagMutable"
    IMAGE_TAG_MOVED = "ImageTagMoved"
    PLUGIN_CONFIG_INVALID = "PluginConfigInvalid"
    PLUGIN_CONFIG_DROPPED = "PluginConfigDropped"
    PLUGIN_CONFIG_ERASES = "PluginConfigErases"
    PLUGIN_CONFIG_UNMERGEABLE = "PluginConfigUnmergeable"
    PLUGIN_CONFLICT = "PluginConflict"
    PLUGIN_DEPENDENCY_MISSING = "PluginDependencyMissing"
    PLUGIN_IMAGE_MISMATCH = "PluginImageMismatch"
    PLUGIN_MOUNT_CONFLICT = "PluginMountConflict"
    PLUGIN_NOT_SERVED = "PluginNotServed"
    PROFILE_NOT_FOUND = "ProfileNotFound"
    ENV_OVERRIDES_OPERATOR = "EnvOverridesOperator"
    CONFIG_HASH_OVERRIDDEN = "ConfigHashOverridden"
    # Accepted
    HARNESS_NOT_FOUND = "HarnessNotFound", Condition.ACCEPTED
    NOT_INCLUDED = "NotIncluded", Condition.ACCEPTED
    NOT_ADMITTED = "NotAdmitted", Condition.ACCEPTED
    # ResolvedRefs
    TEMPLATE_NOT_FOUND = "TemplateNotFound", Condition.RESOLVED_REFS
    CYCLE_DETECTED = "CycleDetected", Condition.RESOLVED_REFS
    TREE_TOO_LARGE = "TreeTooLarge", Condition.RESOLVED_REFS
    DUPLICATE_BINDING_NAME = "DuplicateBindingName", Condition.RESOLVED_REFS
    MODEL_CONFIG_NOT_FOUND = "ModelConfigNotFound", Condition.RESOLVED_REFS
    MCP_SERVER_NOT_FOUND = "MCPServerNotFound", Condition.RESOLVED_REFS
    CONFIG_MAP_NOT_FOUND = "ConfigMapNotFound", Condition.RESOLVED_REFS
    CONFIG_MAP_KEY_NOT_FOUND = "ConfigMapKeyNotFound", Condition.RESOLVED_REFS
    DUPLICATE_PROMPT_SOURCE = "DuplicatePromptSource", Condition.RESOLVED_REFS
    PROMPT_TEMPLATE_INVALID = "PromptTemplateInvalid", Condition.RESOLVED_REFS
    PROMPT_RENDER_FAILED = "PromptRenderFailed", Condition.RESOLVED_REFS
    ARTIFACT_FETCH_FAILED = "ArtifactFetchFailed", Condition.RESOLVED_REFS
    ARTIFACT_NOT_FOUND = "ArtifactNotFound", Condition.RESOLVED_REFS
    ARTIFACT_DIGEST_MISMATCH = "ArtifactDigestMismatch", Condition.RESOLVED_REFS
    ARTIFACT_UNSAFE = "ArtifactUnsafe", Condition.RESOLVED_REFS
    ARTIFACT_TOO_LARGE = "ArtifactTooLarge", Condition.RESOLVED_REFS
    ARTIFACT_UNAVAILABLE_OFFLINE = "ArtifactUnavailableOffline", Condition.RESOLVED_REFS
    ARTIFACT_NOT_READ = "ArtifactNotRead", Condition.RESOLVED_REFS
    PLUGIN_MANIFEST_INVALID = "PluginManifestInvalid", Condition.RESOLVED_REFS
    PLUGIN_MANIFEST_IGNORED = "PluginManifestIgnored", Condition.RESOLVED_REFS
    PLUGIN_UNUSED = "PluginUnused", Condition.RESOLVED_REFS
    PLUGIN_SCHEMA_UNSUPPORTED = "PluginSchemaUnsupported", Condition.RESOLVED_REFS
    SKILL_NOT_FOUND = "SkillNotFound", Condition.RESOLVED_REFS
    SKILL_INVALID = "SkillInvalid", Condition.RESOLVED_REFS
    DUPLICATE_SKILL_NAME = "DuplicateSkillName", Condition.RESOLVED_REFS
    # Compatible
    SHARED_DEPTH_EXCEEDED = "SharedDepthExceeded", Condition.COMPATIBLE
    CAPABILITY_UNSUPPORTED = "CapabilityUnsupported", Condition.COMPATIBLE
    CAPABILITY_UNPROVEN = "CapabilityUnproven", Condition.COMPATIBLE
    PROVIDER_UNSUPPORTED = "ProviderUnsupported", Condition.COMPATIBLE
    FIELD_IGNORED = "FieldIgnored", Condition.COMPATIBLE
    VOLUME_REQUIRED = "VolumeRequired", Condition.COMPATIBLE
    ENV_LIMIT_EXCEEDED = "EnvLimitExceeded", Condition.COMPATIBLE
    ENV_VALUE_TOO_LONG = "EnvValueTooLong", Condition.COMPATIBLE
    ENV_OVERRIDES_PROVIDER = "EnvOverridesProvider", Condition.COMPATIBLE
    RESERVED_ENV_NAME = "ReservedEnvName", Condition.COMPATIBLE
    CREDENTIAL_UNSUPPORTED = "CredentialUnsupported", Condition.COMPATIBLE
    CREDENTIAL_KEYS_UNKNOWN = "CredentialKeysUnknown", Condition.COMPATIBLE
    EGRESS_UNSUPPORTED = "EgressUnsupported", Condition.COMPATIBLE
    NAME_INVALID = "NameInvalid", Condition.COMPATIBLE
    REVISION_TOO_LARGE = "RevisionTooLarge", Condition.COMPATIBLE
    # Prepared
    LOCK_MISSING = "LockMissing", Condition.PREPARED
    LOCK_STALE = "LockStale", Condition.PREPARED
    LOCK_INVALID = "LockInvalid", Condition.PREPARED
    LOCK_CONFLICT = "LockConflict", Condition.PREPARED
    OUTPUT_DRIFT = "OutputDrift", Condition.PREPARED
    ARTIFACT_NOT_VENDORED = "ArtifactNotVendored", Condition.PREPARED
    STORE_DRIFT = "StoreDrift", Condition.PREPARED
    # A stage that an earlier failure kept from being reached
    BLOCKED = "Blocked"


SUCCESS: Final = {
    Condition.ACCEPTED: "Accepted",
    Condition.RESOLVED_REFS: "Resolved",
    Condition.COMPATIBLE: "Compatible",
    Condition.PREPARED: "Prepared",
}
"""The reason of each condition when it is True."""
